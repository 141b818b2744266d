"""Kernels to be run in lanes and one by one, and what becomes of their runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from seqlang.backends.kernels.lanes.kernel import lane_text
from seqlang.backends.kernels.operations import Code, Kernel, Leave, Output, Recorded, Sample, Variable
from seqlang.backends.kernels.sums import COUNTED, LOW, TOTALS

Function = Callable[..., None]
STARTS = (np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344))


def header(constants: int) -> tuple[str, ...]:
    return tuple(f"k_{i} = k[{i}]" for i in range(constants))


LLR = Recorded((Output("llr", "llr", None),), (), (), 0)

SPRT = Kernel(
    header(5),
    (Variable("llr", "number", "0.0"),),
    (),
    (
        Sample("u", "uniform", "inputs"),
        Code(
            ("x = u < k_0", "llr = llr + (k_1 if x else k_2)", "high = llr >= k_3", "low = llr <= k_4"),
            ("u", "llr"),
            (("x", "truth"), ("llr", "number"), ("high", "truth"), ("low", "truth")),
        ),
        Leave("high", "1", ()),
        Leave("low", "0", ()),
    ),
    LLR,
)

NOISY = Kernel(
    header(5),
    (Variable("llr", "number", "0.0"), Variable("b", "number", "k_2")),
    (Sample("z", "normal", "noise"), Code(("b = b + z",), ("b", "z"), (("b", "number"),))),
    (
        Sample("u", "uniform", "inputs"),
        Sample("y", "normal", "noise"),
        Code(("llr = llr + (k_0 if u < k_1 else -k_0)", "high = llr + k_3 * y >= b"), ("u", "llr", "y", "b"),
             (("llr", "number"), ("high", "truth"))),
        Leave("high", "1", ()),
        Sample("e", "exponential", "noise"),
        Code(("llr = llr - k_4 * e", "low = llr <= -b"), ("llr", "e", "b"), (("llr", "number"), ("low", "truth"))),
        Leave("low", "0", ()),
    ),
    LLR,
)  # fmt: skip
"""The llr goes down after the first stop: what is written down of a run that stopped there is the llr before."""

REFRESHED = Kernel(
    header(3),
    (Variable("t", "number", "0.0"), Variable("made", "number", "0.0"), Variable("last", "number", "math.nan")),
    (Sample("z", "laplace", "noise"), Code(("t = k_0 + k_1 * z",), ("z",), (("t", "number"),))),
    (
        Sample("q", "normal", "inputs"),
        Sample("y", "laplace", "noise"),
        Code(
            ("value = 2.0 * q", "above = value + y >= t", "made = made + (1.0 if above else 0.0)"),
            ("q", "y", "t", "made"),
            (("value", "number"), ("above", "truth"), ("made", "number")),
        ),
        Sample("w", "laplace", "noise", "above"),
        Sample("v", "normal", "noise", "above"),
        Code(
            (
                "t = (k_0 + k_1 * w if above else t)",
                "last = (value + v if above else last)",
                "enough = made >= k_2",
            ),
            ("above", "w", "t", "v", "last", "made", "value"),
            (("t", "number"), ("last", "number"), ("enough", "truth")),
        ),
        Leave("enough", "-1", ("last + value",)),
        Sample("r", "uniform", "inputs"),
        Code(("gone = r < 0.01 and step > 3",), ("r",), (("gone", "truth"),)),
        Leave("gone", "7", ()),
    ),
    Recorded((Output("value", "value", None),), (Output("last", "last", None),), ("made",), 1),
)
"""The threshold is drawn again after each report, and the report's value has noise of its own."""

FAULTY = Kernel(
    header(2),
    (Variable("s", "number", "0.0"),),
    (
        Sample("z", "uniform", "noise"),
        Code(("bad = (4 if bad == 0 and (z < k_1) else bad)",), ("z",), (("bad", "label"),)),
    ),
    (
        Sample("u", "uniform", "inputs"),
        Code(("s = s + u", "bad = (3 if bad == 0 and (u < k_0) else bad)", "far = s > 20.0"), ("s", "u"),
             (("s", "number"), ("bad", "label"), ("far", "truth"))),
        Leave("far", "0", ()),
    ),
    Recorded((), (), (), 0),
)  # fmt: skip

COINS = Kernel(
    header(3),
    (Variable("heads", "number", "0.0"), Variable("twice", "number", "0.0")),
    (),
    (
        Sample("u", "uniform", "inputs", below="k_0"),
        Code(("lucky = u > 0.0",), ("u",), (("lucky", "truth"),)),
        Sample("v", "uniform", "noise", "lucky", "k_1"),
        Sample("w", "uniform", "inputs", below="k_0"),
        Code(
            ("heads = heads + u + w", "twice = twice + (v if lucky else 0.0)", "enough = twice >= k_2"),
            ("heads", "u", "w", "twice", "v", "lucky"),
            (("heads", "number"), ("twice", "number"), ("enough", "truth")),
        ),
        Leave("enough", "0", ()),
    ),
    Recorded((Output("heads", "heads", None), Output("twice", "twice", None)), (), (), 0),
)

ONCE = Kernel(
    header(2),
    (Variable("t", "number", "0.0"), Variable("over", "truth", "False"), Variable("made", "number", "0.0")),
    (Sample("z", "laplace", "noise"), Code(("t = k_0 + z",), ("z",), (("t", "number"),))),
    (
        Sample("q", "normal", "inputs"),
        Sample("y", "laplace", "noise"),
        Code(
            (
                "bad = (3 if bad == 0 and (over) else bad)",
                "bad = (5 if bad == 0 and (q > k_1) else bad)",
                "value = q + y",
                "over = value >= t",
                "made = made + (1.0 if over else 0.0)",
            ),
            ("over", "q", "y", "t", "made"),
            (("bad", "label"), ("value", "number"), ("over", "truth"), ("made", "number")),
        ),
        Leave("over", "-1", ("value + step",)),
        Code(("late = step > 7 and q < 0.0",), ("q",), (("late", "truth"),)),
        Leave("late", "7", ()),
    ),
    Recorded((Output("value", "value", None),), (Output("y", "y * step", None),), ("made",), 1),
)
"""What is written down is of the last step only; a step after a run's last one would meet an error."""

KERNELS = {
    "coins": (COINS, [0.4, 0.7, 5.0]),
    "sprt": (SPRT, [0.6, 1.0, -1.0, 6.0, -6.0]),
    "noisy": (NOISY, [0.5, 0.6, 4.0, 1.0, 0.1]),
    "refreshed": (REFRESHED, [5.0, 1.0, 3.0]),
    "once": (ONCE, [3.0, 9.0]),
}


def outcomes(
    function: Function, kernel: Kernel, constants: Any, count: int, cap: int = 0, chunk: int = 0, flag: int = 0
) -> dict[str, Any]:
    recorded, k = kernel.recorded, np.array(constants, dtype=np.float64)
    rows = (recorded.values, len(recorded.statistics), len(recorded.released), len(recorded.reports))
    steps, codes = np.zeros(count, np.int64), np.full(count, -2, np.int64)
    tables: list[Any] = [np.full((n, count), np.nan) for n in rows[:3]]
    tables.append(np.full((rows[3], count), -1, np.int64))
    done, fault = np.zeros(2, np.int64), np.zeros(3, np.int64)
    nothing, flags = np.zeros(0, np.int64), np.array([flag])
    for first in range(0, count, chunk or count):
        size = min(chunk or count, count - first)
        some = [np.ascontiguousarray(table[:, first : first + size]) for table in tables]
        part = slice(first, first + size)
        unused = (nothing, nothing.reshape(3, 0), nothing)
        function(k, *STARTS, first, size, cap, steps[part], codes[part], *some, *unused, flags, done, fault)
        for table, written in zip(tables, some, strict=True):
            table[:, part] = written
    names = ("values", "statistics", "released", "reports")
    return dict(zip(names, tables, strict=True)) | {"steps": steps, "codes": codes, "done": done, "fault": fault}


def counts(
    function: Function, kernel: Kernel, constants: Any, count: int, cap: int = 0, chunk: int = 0, flag: int = 0
) -> dict[str, Any]:
    """The same runs, not one by one: runs with the codes -2 .. 13 that made so many steps, the others in order of their
    numbers, and of each report the sum, that of the squares and how many are not 0."""
    recorded, k = kernel.recorded, np.array(constants, dtype=np.float64)
    nothing = np.zeros(0, np.int64)
    ends, done, fault = np.zeros(16 * COUNTED, np.int64), np.zeros(2, np.int64), np.zeros(3, np.int64)
    apart, sums = [], np.zeros((len(recorded.reports), TOTALS), np.int64)
    for first in range(0, count, chunk or count):
        size = min(chunk or count, count - first)
        rows = (recorded.values, len(recorded.statistics), len(recorded.released))
        tables = [np.full((n, size), np.nan) for n in rows]
        others, totals = np.zeros((3, size), np.int64), np.zeros(1 + sums.size, np.int64)
        reports = np.empty((len(recorded.reports), 0), np.int64)
        results = (nothing, nothing, *tables, reports, ends, others, totals)
        function(k, *STARTS, first, size, cap, *results, np.array([flag]), done, fault)
        apart.append(others[:, : totals[0]])
        sums += totals[1:].reshape(sums.shape)
    listed = np.concatenate(apart, axis=1)
    return {
        "ends": ends.reshape(-1, COUNTED),
        "apart": listed[:, np.argsort(listed[0])],
        "sums": np.stack([sums[:, 0], sums[:, 1] + (sums[:, 2] << LOW), sums[:, 3]]),
        "done": done,
        "fault": fault,
    }


def counted(single: dict[str, Any], cap: int = 0) -> dict[str, Any]:
    """What `counts` should give for these `outcomes`."""
    steps, codes, reports = single["steps"], single["codes"], single["reports"]
    begun = np.arange(len(steps)) < single["done"][0]
    broken_off = (codes == -2) & (steps != cap)
    there = (steps < COUNTED) & ~broken_off & begun
    ends = np.zeros((16, COUNTED), np.int64)
    np.add.at(ends, (codes[there] + 2, steps[there]), 1)
    others = np.flatnonzero(~there & begun)
    made = reports[:, begun]
    return {
        "ends": ends,
        "apart": np.stack([others, steps[others], codes[others]]),
        "sums": np.stack([made.sum(axis=1), (made**2).sum(axis=1), np.count_nonzero(made, axis=1)]),
        "done": single["done"],
        "fault": single["fault"],
    }


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def abreast(kernel: Kernel) -> str:
    text = lane_text(kernel)
    assert text is not None
    return text
