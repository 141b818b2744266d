"""Programs written out by hand, with the moves of their margins given, so that alignments are tested on their own."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.formula import ZERO, Formula, symbol
from seqlang.model.domain import REAL, Interval
from seqlang.model.expression import Apply, CellValue, Expression, Field, Law, Number, ParameterValue, Reported, Term
from seqlang.model.gate_source import OfEvent, OfStop
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.program import (
    AllSteps,
    Cell,
    CompareGate,
    Gate,
    Input,
    Keep,
    Level,
    Margin,
    Noise,
    Parameter,
    Program,
    PublicGate,
    Replace,
    SinceReport,
    Statement,
)
from seqlang.rules.sensitivity.motion.shift import Move, Step

D = symbol("D")
X = Field("x")
ONE_ENTRY = Replace(Number(Fraction(1)))


def program(
    noises: tuple[Noise, ...], gates: tuple[Gate, ...], body: tuple[Statement, ...] = (), **values: object
) -> Program:
    known = {"D": Fraction(1), "lz": Fraction(1), "lw": Fraction(1), "c": Fraction(3)}
    known |= {name: Fraction(str(value)) for name, value in values.items()}
    parameters = tuple(Parameter(n, Interval(Number(Fraction(0)), None, True), v, v) for n, v in known.items())
    inputs = (Input("x", REAL, "stream"),)
    return Program("t", "", "", parameters, inputs, None, ONE_ENTRY, (), (), noises, body, gates, (), ())


def noise(name: str, scale: str, life: Life, family: str = "laplace") -> Noise:
    return Noise(name, Law(family, (ParameterValue(scale),)), life, None)


def terms(**factors: int) -> tuple[Term, ...]:
    return tuple(Term(name, Number(Fraction(factor))) for name, factor in factors.items())


def stop(index: int, value: Expression = X, **factors: int) -> CompareGate:
    return CompareGate(OfStop(index), None, Margin(value, terms(**factors), False))


def move(
    name: str, within: list[tuple[object, object]], after: list[tuple[object, object]] | None = None,
    everywhere: bool = False, family: str = "",
) -> Move:  # fmt: skip
    def steps(pairs: list[tuple[object, object]]) -> tuple[Step, ...]:
        return tuple(Step(ZERO + before, ZERO + at) for before, at in pairs)

    return Move(steps(within), steps(after or [(0, 0)] * len(within)), everywhere, name, family)


Z = noise("z", "lz", Once())
W = noise("w", "lw", EachStep())
UP, DOWN = move("up", [(D, D)]), move("down", [(0, -D)])
UNIFORM = (UP, DOWN)
SAME_SIGN = (UP, DOWN, move("gone", [(D, 0)]))
ARBITRARY = (move("up", [(D, D)], everywhere=True), move("down", [(D, -D)], everywhere=True))
SAME_DIRECTION = (
    move("up", [(D, D)], everywhere=True, family="+"),
    move("still", [(D, 0)], everywhere=True, family="+"),
    move("down", [(0, -D)], everywhere=True, family="-"),
    move("rest", [(0, 0)], everywhere=True, family="-"),
)
OPPOSITE = (move("up", [(D, D), (0, -D)]), move("down", [(0, -D), (D, D)]))
OPPOSITE_EVERYWHERE = (
    move("up", [(D, D), (D, -D)], everywhere=True),
    move("down", [(D, -D), (D, D)], everywhere=True),
)


def one_sided(z: Noise | None = Z, w: Noise | None = W, **values: object) -> Program:
    factors = ({"z": -1} if z else {}) | ({"w": 1} if w else {})
    return program(tuple(n for n in (z, w) if n), (stop(1, **factors),), **values)


def repeated(z: Noise = Z, keep: Keep | None = None, limited: bool = True) -> Program:
    """c reports of a sum; `keep` of its cell."""
    count = Cell("n", "count", Reported("high"), None, AllSteps(), (), Level.PUBLIC)
    total = Cell("s", "sum", X, None, keep or AllSteps(), (), Level.PRIVATE)
    high = CompareGate(OfEvent("high"), None, Margin(CellValue("s"), terms(z=-1, w=1), False))
    enough = PublicGate(OfStop(1), Apply(">=", (CellValue("n"), ParameterValue("c"))))
    return program((z, W), (high, enough) if limited else (high,), (total, count))


REFRESHED = noise("z", "lz", EachReport("high"))
SINCE = SinceReport("high")
KEPT_MOVES = (
    move("up", [(D, D)], [(D, D)], family="up"),
    move("down", [(0, -D)], [(-D, -D)], family="down"),
)
RESTARTED_MOVES = UNIFORM


def value(formula: Formula, **values: object) -> float:
    from seqlang.arithmetic.formula import enclose

    around = enclose(formula, {name: Fraction(str(v)) for name, v in values.items()})
    return (around.low + around.high) / 2
