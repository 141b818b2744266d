"""Lanes beside one run after the other: the same numbers to the last bit, whatever runs are abreast."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plain_kernels import as_python

from seqlang.backends.kernels import build, lane_columns, lane_nursery
from seqlang.backends.kernels import lanes as lane_printer
from seqlang.backends.kernels.inputs import ModelInputs
from seqlang.backends.kernels.lanes import can_go_abreast, lane_text
from seqlang.backends.kernels.lower import lower
from seqlang.backends.kernels.ops import Block, Code, Kernel, Leave, Output, Recorded, Sample, Variable
from seqlang.backends.kernels.scalar import scalar_text
from seqlang.backends.kernels.values import CannotCompile
from seqlang.backends.simulate.arrays import CannotVectorise
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

SPECS = Path(__file__).parents[2] / "specs"
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

KERNELS = {
    "coins": (COINS, [0.4, 0.7, 5.0]),
    "sprt": (SPRT, [0.6, 1.0, -1.0, 6.0, -6.0]),
    "noisy": (NOISY, [0.5, 0.6, 4.0, 1.0, 0.1]),
    "refreshed": (REFRESHED, [5.0, 1.0, 3.0]),
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
    for first in range(0, count, chunk or count):
        size = min(chunk or count, count - first)
        some = [np.ascontiguousarray(table[:, first : first + size]) for table in tables]
        part = slice(first, first + size)
        function(k, *STARTS, first, size, cap, steps[part], codes[part], *some, np.array([flag]), done, fault)
        for table, written in zip(tables, some, strict=True):
            table[:, part] = written
    names = ("values", "statistics", "released", "reports")
    return dict(zip(names, tables, strict=True)) | {"steps": steps, "codes": codes, "done": done, "fault": fault}


def same(one: dict[str, Any], other: dict[str, Any]) -> None:
    for name, values in one.items():
        np.testing.assert_array_equal(values, other[name], err_msg=name)


def abreast(kernel: Kernel) -> str:
    text = lane_text(kernel)
    assert text is not None
    return text


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize(("count", "cap", "chunk"), [(1, 0, 0), (150, 0, 0), (150, 0, 67), (150, 9, 0), (40, 1, 0)])
def test_lanes_give_the_numbers_of_single_runs(name: str, count: int, cap: int, chunk: int) -> None:
    kernel, constants = KERNELS[name]
    single = outcomes(as_python(scalar_text(kernel)), kernel, constants, count, cap)
    together = outcomes(as_python(abreast(kernel)), kernel, constants, count, cap, chunk)
    same(single, together)
    assert together["done"].tolist() == [count, together["steps"].sum()]
    assert cap == 0 or together["steps"].max() <= cap


@pytest.mark.parametrize(("lanes", "nursery"), [(8, 8), (16, 5), (32, 32)])
def test_the_number_of_lanes_does_not_show(lanes: int, nursery: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, constants = KERNELS["refreshed"]
    usual = outcomes(as_python(abreast(kernel)), kernel, constants, 90)
    for module in (lane_columns, lane_nursery, lane_printer):
        monkeypatch.setattr(module, "LANES", lanes)
    monkeypatch.setattr(lane_nursery, "NURSERY", nursery)
    same(usual, outcomes(as_python(abreast(kernel)), kernel, constants, 90))


@pytest.mark.parametrize("constants", [(0.004, 0.0), (0.5, 0.0), (0.002, 0.01), (0.0, 0.2)])
def test_the_fault_is_that_of_the_lowest_run(constants: tuple[float, float]) -> None:
    single = outcomes(as_python(scalar_text(FAULTY)), FAULTY, constants, 100)
    together = outcomes(as_python(abreast(FAULTY)), FAULTY, constants, 100)
    assert single["fault"][0] in (3, 4)
    assert together["fault"].tolist() == single["fault"].tolist()


def test_runs_are_broken_off_when_the_flag_is_set() -> None:
    never = [0.5, 1.0, -1.0, 1e9, -1e9]
    found = outcomes(as_python(abreast(SPRT)), SPRT, never, 70, flag=1)
    begun = lane_columns.LANES
    assert (found["codes"] == -2).all()
    assert (found["steps"][:begun] == 1024).all() and not found["steps"][begun:].any()
    assert found["done"].tolist() == [begun, 1024 * begun]


@pytest.mark.parametrize("name", ["sprt", "refreshed"])
def test_compiled_lanes_give_the_numbers_of_compiled_single_runs(name: str) -> None:
    kernel, constants = KERNELS[name]
    single = outcomes(build.compiled(scalar_text(kernel)), kernel, constants, 20_000)
    together = outcomes(build.compiled(abreast(kernel)), kernel, constants, 20_000, chunk=7_001)
    same(single, together)


def test_wald_s_sprt_by_lanes_has_the_exact_error() -> None:
    """Symmetric steps of one, p = 0.6, ends at -6 and 6: gambler's ruin."""
    kernel, constants = KERNELS["sprt"]
    codes = outcomes(build.compiled(abreast(kernel)), kernel, constants, 100_000)["codes"]
    ratio = (0.4 / 0.6) ** 6
    lower = (ratio - ratio**2) / (1 - ratio**2)
    assert abs((codes == 0).mean() - lower) < 5 * np.sqrt(lower * (1 - lower) / 100_000)


def test_blocks_and_leaves_at_the_start_do_not_go_abreast() -> None:
    block = Kernel((), (), (), (Block(("pass",)), Leave(None, "0", ())), Recorded((), (), (), 0))
    early = Kernel((), (), (Leave(None, "0", ()),), (Leave(None, "0", ()),), Recorded((), (), (), 0))
    vector = Kernel((), (), (), (Leave(None, "0", ()),), Recorded((Output("v", "v[q]", 3),), (), (), 0))
    assert not any(can_go_abreast(kernel) for kernel in (block, early, vector))
    assert lane_text(block) is None


def published() -> list[Any]:
    found = []
    for path in sorted(SPECS.glob("*/*.seq")):
        tree, _ = parse(Source(str(path), path.read_text(encoding="utf-8")))
        program, _ = elaborate(tree) if tree is not None else (None, ())
        for model in program.models[:1] if program is not None else ():
            try:
                lowered = lower(program, ModelInputs(model))
            except (CannotCompile, CannotVectorise):
                continue
            if can_go_abreast(lowered.kernel):
                found.append(pytest.param(lowered, id=f"{path.parent.name}/{path.stem}"))
    return found


@pytest.mark.parametrize("lowered", published())
def test_published_algorithms_run_the_same_in_lanes(lowered: Any) -> None:
    single = outcomes(as_python(scalar_text(lowered.kernel)), lowered.kernel, lowered.constants, 70, cap=6)
    together = outcomes(as_python(abreast(lowered.kernel)), lowered.kernel, lowered.constants, 70, cap=6)
    same(single, together)
