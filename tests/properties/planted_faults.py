"""Wrong rules, to be planted in trusted code: what each does wrong, where, and a small program that it concerns."""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest

from seqlang.arithmetic.formula import ONE, ZERO, Formula
from seqlang.model.expression import Bound, CellValue, Expression, Field, Index, Variable, children, rebuild
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.definitions import RECORD
from seqlang.rules.sensitivity.motion.motion import Motion

Wrong = Callable[[Callable[..., Any]], Callable[..., Any]]
"""From the function that is right to one that is wrong."""


class Mutant(NamedTuple):
    """`where` is `module:function` (or `module:Class.method`); `body` are the statements of the program."""

    name: str
    where: str
    wrong: Wrong
    body: str

    @property
    def room(self) -> str:
        _, *rooms = self.where.partition(":")[0].split(".")
        return ".".join(rooms[:2]) if rooms[0] == "rules" else rooms[0]


class Planted:
    """How often the planted function was called, and how often it answered otherwise than the right one."""

    def __init__(self) -> None:
        self.called = self.changed = 0


def plant(monkeypatch: pytest.MonkeyPatch, mutant: Mutant) -> Planted:
    """Replaces the function wherever a module of seqlang has it by that name."""
    module, _, name = mutant.where.partition(":")
    holder: Any = importlib.import_module(module)
    *classes, function = name.split(".")
    for one in classes:
        holder = getattr(holder, one)
    right = getattr(holder, function, None) or getattr(builtins, function)
    wrong, planted = mutant.wrong(right), Planted()

    def counted(*arguments: Any, **named: Any) -> Any:
        planted.called += 1
        answer = wrong(*arguments, **named)
        planted.changed += answer != right(*arguments, **named)
        return answer

    holders = [holder] if classes else [
        m for n, m in list(sys.modules.items()) if n.startswith("seqlang") and getattr(m, function, None) is right
    ]  # fmt: skip
    for one in holders or [holder]:
        monkeypatch.setattr(one, function, counted, raising=False)
    return planted


# ---- ways to be wrong


def answering(change: Callable[[Any], Any]) -> Wrong:
    """The right answer, changed."""
    return lambda right: lambda *a, **n: change(right(*a, **n))


def instead(answer: Any) -> Wrong:
    """Always the same answer."""
    return lambda right: lambda *a, **n: answer


def halved(value: Any) -> Any:
    """Half of a number, of a formula, or of how far something moves."""
    match value:
        case Motion():
            half = Fraction(1, 2)
            norms = None if value.norms is None else value.norms.times(ZERO + half)
            return replace(value, radius=value.radius * half, norms=norms)
        case (radius, shift) if hasattr(shift, "radius"):
            return radius * Fraction(1, 2), shift
        case str() | None:
            return value
        case float():
            return value / 2
        case _ if hasattr(value, "one"):
            return replace(value, one=value.one * Fraction(1, 2))
        case Formula():
            return value * Fraction(1, 2)
        case _:
            raise TypeError(f"half of {value!r}")


def _kind(kind: str) -> Callable[[Any], Any]:
    return lambda motion: replace(motion, kind=kind) if motion.kind not in ("none", "unbounded") else motion


def _one_fewer(limit: tuple[Formula, bool]) -> tuple[Formula, bool]:
    return (limit[0] if limit[0].is_infinite else limit[0] - 1), limit[1]


def _only_first(found: Any) -> Any:
    return found if isinstance(found, str) else found[:1]


def _wide(end: Any) -> Any:
    return end if isinstance(end, str) else replace(end, **{
        name: replace(getattr(end, name), scale=10 * getattr(end, name).scale) for name in ("threshold", "look")
    })  # fmt: skip


def _one_way(near: Any) -> Any:
    return near if isinstance(near, str) or near.single else replace(near, same_direction=True)


def _monotone(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda motions, facts, monotone, extreme=False: right(motions, facts, True, extreme)


def _all_but_last(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda terms, start=0: right(tuple(terms)[:-1] or (), start=start)


def _cells_are_public(right: Callable[..., Any]) -> Callable[..., Any]:
    return lambda facts, expression: not isinstance(expression, CellValue) and right(facts, expression)


def _captured(right: Callable[..., Any]) -> Callable[..., Any]:
    """`x[j]` is read as the record of the fold at hand, whatever binds j."""

    def wrong(entry: Any, body: Expression, variable: Variable) -> Expression:
        return _own_record(body)

    return wrong


def _own_record(expression: Expression) -> Expression:
    match expression:
        case Index(Field(name), Bound()):
            return Field(name + RECORD)
    return rebuild(expression, _own_record) if any(True for _ in children(expression)) else expression


def _length_of_the_first(right: Callable[..., Any]) -> Callable[..., Any]:
    """Two lists that may stand in one place are taken to be as long as the first."""

    def wrong(facts: Any, first: Any, second: Any) -> Any:
        found = right(facts, first, second)
        return replace(found, length=first.length) if found.kind == first.kind == "list" else found

    return wrong


STREAM = "stream x in {0, 1}\n"
QUERIES = "stream q in real\nadjacent every q within 1\n"
RECORDS = "dataset x in [0, 1] size 6\n"
SUM = STREAM + "statistic s = sum(x over steps)\n"
ABOVE = "attach laplace(2) to T once\nattach laplace(4) to q\n"

MUTANTS = (
    # ---- sensitivity
    Mutant("a sum moves by half", "seqlang.rules.sensitivity.motion.folds:in_kept_steps", answering(halved),
           SUM + "report r = s when step == 3\nattach laplace(1) to r\nstop when step >= 3"),
    Mutant("a window forgets after one step",
           "seqlang.rules.sensitivity.motion.folds:in_kept_steps", answering(_kind("single step")),
           STREAM + "statistic s = sum(x over last 3)\nreport r = s\nattach laplace(1) to r\nstop when step >= 4"),
    Mutant("functions that are not monotone keep the direction",
           "seqlang.rules.sensitivity.motion.motion:lipschitz", _monotone,
           "stream x in [-1, 1]\nstatistic s = abs(sum(x over steps))\nparam T = 3\nattach laplace(2) to T once\n"
           "attach laplace(4) to s\nstop when s >= T\nstop when step >= 6"),
    Mutant("all queries move one way", "seqlang.rules.sensitivity.motion.neighbours:neighbours_of", answering(_one_way),
           QUERIES + "statistic v = [q, q, previous(q, 0)]\nreport r = previous(q, 0) - q when step == 3\n"
           "attach laplace(1) to r\nstop when step >= 3"),
    Mutant("a sum of records moves by half",
           "seqlang.rules.sensitivity.motion.records:records_motion", answering(halved),
           RECORDS + "adjacent add or remove one\nstatistic s = sum(x[i] for i in records)\n"
           "stop return s\nattach laplace(1) to s"),
    Mutant("the record of another fold is taken for one's own",
           "seqlang.rules.sensitivity.motion.records:one_record", _captured,
           RECORDS + "statistic m = max(x[i] for i in records)\nstatistic c = count(x[j] >= m for j in records)\n"
           "stop return c\nattach laplace(1) to c"),
    Mutant("the vertices of one direction are dropped",
           "seqlang.rules.sensitivity.motion.moves:moves", answering(_only_first),
           QUERIES + "param T = 2\n" + ABOVE + "stop when q >= T\nstop when step >= 5"),
    Mutant("what a cell holds is public", "seqlang.rules.sensitivity.facts.facts:Facts.is_private", _cells_are_public,
           SUM + "report r = s + x when step == 3\nattach laplace(1) to r\nstop when step >= 3"),
    Mutant("a list is as long as the one in the other branch", "seqlang.rules.sensitivity.facts.shape:_either",
           _length_of_the_first,
           STREAM + "statistic s = mean(if step >= 3 then [0, 0, 0, x] else [x])\nreport r = s when step == 1\n"
           "attach laplace(1) to r\nstop when step >= 2"),
    Mutant("the last step of a recursion is not gone through",
           "seqlang.rules.sensitivity.motion.finite_recursions:last_step", answering(lambda n: n and n - 1),
           STREAM + "statistic s = if x == 1 then previous(s, 0) + 1 else 0\nreport r = s when step == 2\n"
           "attach laplace(1) to r\nstop when step >= 2"),
    # ---- alignment
    Mutant("translations cost half", "seqlang.rules.alignment.cost:scenario_cost", answering(halved),
           QUERIES + "param T = 2\n" + ABOVE + "stop when q >= T"),
    Mutant("one decision fewer is made", "seqlang.rules.reading.limits:limit_of", answering(_one_fewer),
           QUERIES + "param T = 2\n" + ABOVE + "report above when q >= T\n"
           "stop when count(above over steps) >= 2"),
    Mutant("several entries cost as much as one",
           "seqlang.rules.reading.single_entry:single_entry", answering(lambda f: (ONE, f[1])),
           STREAM + "adjacent replace 2\nstatistic s = sum(x over steps)\nreport r = s when step == 3\n"
           "attach geometric(1 / 2) to r\nstop when step >= 3"),
    Mutant("a run is one step shorter", "seqlang.rules.reading.limits:horizon_of", answering(lambda n: n - 1),
           SUM + "report r = s\nattach tree(geometric(1 / 2)) to s\nstop when step >= 2"),
    # ---- composition
    Mutant("the last part is not composed", "seqlang.rules.composition.basic:sum", _all_but_last,
           STREAM + "report r = x\nreport t = x * x\nattach laplace(1) to r\nattach laplace(1) to t\n"
           "stop when step >= 2"),
    # ---- mechanisms
    Mutant("a changed entry is shown once", "seqlang.rules.gates.exposure:touched", instead(ONE),
           SUM + "report r = s\nattach laplace(2) to r\nstop when step >= 4"),
    Mutant("a draw hides several values", "seqlang.rules.gates.noise:is_fresh", instead(True),
           STREAM + "report r = x\nattach geometric(1 / 2) to r once\nstop when step >= 3"),
    Mutant("half the radius is hidden", "seqlang.rules.gates.radius:radius_of", answering(halved),
           SUM + "report r = s when step == 3\nattach geometric(1 / 2) to r\nstop when step >= 3"),
    Mutant("log-weights move apart by half", "seqlang.rules.gates.radius:apart", answering(halved),
           "dataset x in 0..1 size 4\nstatistic c = [count(x[i] == k for i in records) for k in 0..1]\n"
           "draw pick ~ {k: exp(c[k + 1]) for k in 0..1}\nstop return pick"),
    Mutant("randomised response costs half",
           "seqlang.rules.mechanism.randomized_response:_changed", answering(halved),
           "stream x in {0, 1}\nattach randomized_response(3 / 4) to x\nreport r = x\nstop when step >= 3"),
    Mutant("Gaussian noise costs a quarter", "seqlang.rules.mechanism.gaussian:_gaussian",
           answering(lambda c: halved(halved(c))),
           SUM + "report r = s when step == 3\nattach gaussian(1) to r\nstop when step >= 3"),
    # ---- several gates together
    Mutant("what only one of two neighbours has is shown a thousandth as often",
           "seqlang.rules.joint.stability_histogram:_Noise.reaches", answering(lambda chance: chance / 1000),
           "dataset x in 1..3 size 6\nstatistic c = [count(x[i] == k for i in records) for k in 1..3]\n"
           "statistic y = c\nreport r = [if c[k] > 0 and y[k] >= 16 then y[k] else 0 for k in 1..3]\nstop\n"
           "attach geometric(1 / 2) to y"),
    # ---- stopping and accounting
    Mutant("pure bounds shrink at a delta", "seqlang.accounting.homogeneous:optimal", answering(halved),
           SUM + "report r = s when step == 3\nattach laplace(1) to r\nstop when step >= 3"),
    Mutant("pure bounds have half the divergence", "seqlang.rules.mechanism.renyi_curve:_of_gate", answering(halved),
           SUM + "report r = s when step == 3\nattach laplace(1 / 4) to r\nstop when step >= 3"),
    Mutant("scales are read ten times too large", "seqlang.rules.stopping.ends:end_of", answering(_wide),
           QUERIES + "param T = 2\nattach gaussian(1) to T once\nattach gaussian(2) to q\n"
           "stop when q >= T\nstop when step >= 6\nclaim strong rdp(2, 100) within 6 steps"),
    Mutant("looks are counted once whatever the horizon", "seqlang.accounting.noisy_test.zhu_wang:within_horizon",
           lambda right: lambda once, look, horizon, most: right(0 * once, look / 100, 1, 1) / 100,
           QUERIES + "param T = 2\nattach gaussian(1) to T once\nattach gaussian(2) to q\n"
           "stop when q >= T\nstop when step >= 6\nclaim strong rdp(2, 100) within 6 steps"),
)  # fmt: skip
