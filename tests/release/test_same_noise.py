"""Record and replay: a release on neighbouring rows with the same random bits reads, draws, executes and writes the
same as long as it shows the same; and to the end, if it is made to show the same."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import takewhile
from typing import Any

import pytest
from recorder import before_it_shows, difference, drawn_late, unsized
from released import AGAIN, BLOCK, HEAD, THRESHOLD, loaded
from replays import RELEASED, Pair, released, replayed

from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.record import replace
from seqlang.release import releasing
from seqlang.release.exact import samplers
from seqlang.release.exact.code import Code, Compiler
from seqlang.release.exact.functions import FUNCTIONS, Value
from seqlang.release.exact.plan import obstacles
from seqlang.release.exact.run import ExactRun, Look
from seqlang.release.live import Waiting
from seqlang.release.releasing import Entries
from seqlang.release.rows import Form

TWO = "algorithm a\nstream x in 0..3, y in -2..2\n"
GUARDED = HEAD + "statistic y = x\nstop when x > 0 and y >= 9\nattach geometric(1/2) to y\n"
OWN = {
    "block": BLOCK, "threshold": THRESHOLD, "again": AGAIN, "guarded": GUARDED,
    "mixed": HEAD + "statistic y = x\nstop when (if x > 0 then y else 0) >= 3\nreport r when x > 0 or y >= 9\n"
    "attach geometric(1/2) to y\n",
    "chosen": TWO + "statistic s = sum(y * y where x > 1 and step > 2 over steps)\n"
    "statistic c = count(y > 0 where x > 1 over last 4)\nreport r = s + c when step % 2 == 0\n"
    "stop when step >= 9 return s\nattach geometric(1/2) to r\nattach geometric(1/3) to return\n",
    "side": TWO + "statistic s = sum(if x > 1 and step > 3 then clip(y, 0, 1) else abs(y) over steps)\n"
    "stop when s >= 20 or s <= -3 return argmax(sum(1 where x >= i over last 3) for i in 0..3)\n"
    "attach discrete_gaussian(2) to s\nattach geometric(1/2) to return\n",
    "guest": "algorithm a\nparam n in 1.. = 9\ndataset x in 0..3 size n\nadjacent add or remove one\n"
    "report r = sum(x)\nstop when step >= 2\nattach geometric(1/2) to r\n",
    "listed": "algorithm a\ndataset x in 0..3 size 9\nreport r = sum(x[i] for i in 1..9 where x[i] > 1)\n"
    "stop return argmax([r, 1])\n"
    "attach geometric(1/2) to r\n",
    "fails": HEAD + "statistic s = sum(if x > 0 and 1 / (step - 3) >= 0 then 1 else 0 over steps)\n"
    "stop when step >= 5 return s\nattach geometric(exp(-1)) to return\n",
}  # fmt: skip
QUICK = ("suite/rappor", "tight/repeated_kept", "zhang2022/sprt_laplace", "dipapprox/noisy_max_laplace",
         "suite/numsparsevector", "lyu2017/svt7_monotone")  # fmt: skip


def fault(program: Program, pair: Pair) -> str:
    """What differs on neighbours; empty if nothing does."""
    first, forced = pair.first.events, pair.forced.events
    if not pair.alike:
        return difference(unsized(first), unsized(forced))
    found = difference(*before_it_shows(pair.first, pair.second)) or difference(first, forced)
    late = drawn_late(first)
    return found or ("late: bits between an entry and what is shown of it" if late else "")


def test_that_the_table_has_what_is_released() -> None:
    assert len(RELEASED) >= 60 and {"tight/blocks", "tight/one_sided"} <= set(RELEASED)


@pytest.mark.parametrize("name", OWN)
def test_programs_for_this_test(name: str) -> None:
    made = loaded(OWN[name])
    assert obstacles(made.program) == []
    for seed in range(4):
        assert fault(made.program, replayed(made, Form(), seed, 8)) == ""


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.long) for n in RELEASED])
def test_the_library(name: str) -> None:
    made, form = released(name)
    for seed in range(2 if name in QUICK else 8):
        pair = replayed(made, form, seed)
        assert fault(made.program, pair) == ""


def lazy_logic(self: Compiler, operator: str, arguments: Sequence[ir.Expression]) -> Code:
    parts = [self.compile(argument) for argument in arguments]
    return lambda m: (all if operator == "and" else any)(part(m) for part in parts)


def lazy_choice(self: Compiler, test: ir.Expression, yes: ir.Expression, no: ir.Expression) -> Code:
    t, y, n = map(self.compile, (test, yes, no))
    return lambda m: y(m) if t(m) else n(m)


def lazy_fold(self: Compiler, operator: str, body: ir.Expression, where: ir.Expression | None) -> Any:
    return self.compile(body), None if where is None else self.compile(where)


def plant_failure(patch: pytest.MonkeyPatch) -> None:
    """Only what is needed is computed."""
    patch.setattr(Compiler, "_logic", lazy_logic)
    patch.setattr(Compiler, "_choice", lazy_choice)


def one_more(self: ExactRun, name: str, shape: tuple[int, ...]) -> Value:
    if self.fields["x"] > 0:
        self.below(2)
    return NOISE(self, name, shape)


def other_scale(self: ExactRun, name: str, shape: tuple[int, ...]) -> Value:
    ratio = Fraction(1, 2 + self.fields["x"])
    return samplers.geometric(ratio, self.below)


def planted_absolute(value: Value) -> Value:
    if value < 0:
        return -value
    return value


def planted_memory(value: Value) -> Value:
    if value not in SEEN:
        SEEN[value] = abs(value)
    return SEEN[value]


def planted_clamp(value: Value, low: Value, high: Value) -> Value:
    if value > high:
        value = high
    return max(value, low)


def early_end(program: object, entries: Entries) -> dict[str, tuple[Any, ...]]:
    found = takewhile(lambda row: isinstance(row, Waiting) or row["x"] < 3, entries)
    return {"x": tuple(row["x"] for row in found if not isinstance(row, Waiting))}


def told_tick(self: ExactRun, entry: Mapping[str, Value]) -> Look:
    look = ADVANCE(self, entry)
    return replace(look, reports=(*look.reports, ("tick", True))) if entry["x"] > 0 else look


NOISE, ADVANCE = ExactRun.noise, ExactRun.advance
SEEN: dict[Value, Value] = {}
KNOWN: Any = FUNCTIONS
FAULTS: dict[str, tuple[str, str, Callable[[pytest.MonkeyPatch], None]]] = {
    "lazy logic": ("guarded", "bits", lambda patch: patch.setattr(Compiler, "_logic", lazy_logic)),
    "lazy choice": ("side", "line", lambda patch: patch.setattr(Compiler, "_choice", lazy_choice)),
    "a choice that fails": ("fails", "refused", plant_failure),
    "lazy fold over time": ("chosen", "line", lambda patch: patch.setattr(Compiler, "chosen", lazy_fold)),
    "lazy fold over rows": ("listed", "line", lambda patch: patch.setattr(Compiler, "chosen", lazy_fold)),
    "another draw": ("threshold", "bits", lambda patch: patch.setattr(ExactRun, "noise", one_more)),
    "another scale": ("threshold", "law", lambda patch: patch.setattr(ExactRun, "noise", other_scale)),
    "a late draw": ("threshold", "late", lambda patch: patch.setattr(ExactRun, "prepare", lambda self: None)),
    "a branch in abs": ("side", "line", lambda patch: patch.setitem(KNOWN, "abs", planted_absolute)),
    "a memory of values": ("side", "line", lambda patch: patch.setitem(KNOWN, "abs", planted_memory)),
    "a branch in clip": ("side", "line", lambda patch: patch.setitem(KNOWN, "clip", planted_clamp)),
    "a read that stops early": ("listed", "row", lambda patch: patch.setattr(releasing, "_records", early_end)),
    "an entry in the ledger": ("threshold", "written", lambda patch: patch.setattr(ExactRun, "advance", told_tick)),
}
"""What is planted, in which program it is seen, and as what."""


@pytest.mark.parametrize("name", FAULTS)
def test_that_faults_are_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, kind, plant = FAULTS[name]
    plant(monkeypatch)
    made = loaded(OWN[program])
    found = (fault(made.program, replayed(made, Form(), seed, 8)) for seed in range(60))
    assert any(kind in said.split(";")[0] for said in found)
