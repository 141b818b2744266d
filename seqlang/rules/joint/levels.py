"""What gates show of the order of the numbers of one noisy vector: winners among some of them, and distances between
the largest ones."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.model.binding import canonical, free_variables
from seqlang.model.expression import (
    Apply,
    Bound,
    Expression,
    Index,
    Number,
    Quantified,
    Records,
    ReleasedValue,
    Reported,
    Variable,
    walk,
)
from seqlang.model.junctions import conjuncts
from seqlang.model.program import ChooseGate, NoisyMaxLaw, ReleaseGate
from seqlang.record import record
from seqlang.rules.joint.noisy_value import NoisyValue

RELEASED = ReleasedValue()
Winner = str
"""A name for one choice: that of the gate that shows it, or made up for one that is read but not shown."""


@record
class Ranking:
    """`sign`: 1 for largest, -1 for smallest. `winners`: the choices that are shown or read. `distances`: whether
    any gate shows how far two numbers lie apart; `partial`: whether some choice is not among all numbers but earlier
    winners, so that it may be another one in another step, with the same noise."""

    sign: int
    winners: int
    distances: bool
    partial: bool


class NoRanking(Exception):
    """The gates show something else; the reason is a phrase."""


def ranking_of(shared: NoisyValue, is_size: Callable[[Expression], bool]) -> Ranking | str:
    """How the gates rank the numbers, or why that is not what they do. `is_size`: whether an expression is
    certainly the number of numbers."""
    reader = _Reader(is_size)
    try:
        for gate in shared.gates:
            reader.read(gate)
    except NoRanking as problem:
        return str(problem)
    if reader.distances and reader.partial:
        return "a distance is shown, and some winner is not chosen among all numbers but earlier winners"
    assert reader.sign is not None  # there is at least one gate, and each has a direction
    return Ranking(reader.sign, len(reader.winners), reader.distances, reader.partial)


class _Reader:
    def __init__(self, is_size: Callable[[Expression], bool]) -> None:
        self.is_size = is_size
        self.sign: int | None = None
        self.winners: dict[object, Winner] = {}  # what it was chosen among -> its name
        self.shown: set[Winner] = set()
        self.distances = False
        self.partial = False

    def read(self, gate: ReleaseGate | ChooseGate) -> None:
        match gate:
            case ChooseGate(law=NoisyMaxLaw(sign=sign)):
                self._direction(sign)
                self._name((), gate.name)
            case ReleaseGate(post=post) if post is not None and (key := self._chosen(post)) is not None:
                self._name(key, gate.name)
            case ReleaseGate(post=Apply("-", (first, second))):
                self._level(first)
                self._level(second)
                self.distances = True
            case ReleaseGate(post=Apply("abs", (Apply("-", (first, second)),))):
                self._level(first)
                self._level(second)
                self.distances = True
            case _:
                raise NoRanking("it shows more than positions of, and distances between, the largest")

    def _direction(self, sign: int) -> None:
        if self.sign not in (None, sign):
            raise NoRanking("both largest and smallest are shown")
        self.sign = sign

    def _name(self, key: object, name: Winner) -> None:
        self.winners.setdefault(key, name)
        self.shown.add(name)

    def _chosen(self, e: Expression) -> object | None:
        """What a winner is chosen among: () for all numbers, the set of excluded winners, or a public condition."""
        match e:
            case Apply("argmax" | "argmin" as operator, (inner,)) if inner == RELEASED:
                self._direction(1 if operator == "argmax" else -1)
                return ()
            case Quantified("argmax" | "argmin" as operator, body, variable, domain, where) if body == Index(
                RELEASED, Bound(variable)
            ):
                self._direction(1 if operator == "argmax" else -1)
                return self._among(variable, domain, where)
        return None

    def _among(self, variable: Variable, domain: Expression, where: Expression | None) -> object:
        excluded: set[Winner] = set()
        for part in conjuncts(where):
            winner = self._excluded(part, variable)
            if winner is None or not self._is_all(domain):
                self.partial = True
                if any(node == RELEASED for node in walk(part)):
                    raise NoRanking("a condition on candidates reads the noise")
                return _restricted(variable, domain, where)
            excluded.add(winner)
        if not self._is_all(domain):
            self.partial = True
            if any(node == RELEASED for node in walk(domain)):
                raise NoRanking("the candidates depend on the noise")
            return _restricted(variable, domain, where)
        return frozenset(excluded) if excluded else ()

    def _is_all(self, domain: Expression) -> bool:
        match domain:
            case Records():
                return True
            case Apply("..", (Number(first), last)):
                return first == 1 and self.is_size(last)
        return False

    def _excluded(self, part: Expression, variable: Variable) -> Winner | None:
        match part:
            case Apply("!=", (a, b)) if Bound(variable) in (a, b):
                return self._winner(b if a == Bound(variable) else a)
        return None

    def _winner(self, e: Expression) -> Winner | None:
        if isinstance(e, Reported):
            return e.name if e.name in self.shown else None
        key = None if free_variables(e) else self._chosen(e)  # else each candidate may have a winner of its own
        if key is None:
            return None
        return self.winners.setdefault(key, f"winner {len(self.winners) + 1}")

    def _level(self, e: Expression) -> None:
        """A number that moves as the largest of the numbers that never win: that of a winner, or of the best left."""
        match e:
            case Apply("max" | "min" as operator, (inner,)) if inner == RELEASED:
                self._direction(1 if operator == "max" else -1)
                return
            case Quantified("max" | "min" as operator, body, variable, domain, where) if body == Index(
                RELEASED, Bound(variable)
            ):
                self._direction(1 if operator == "max" else -1)
                self._among(variable, domain, where)
                return
            case Index(inner, at) if inner == RELEASED and self._winner(at) is not None:
                return
        raise NoRanking("a distance between numbers of which one is not among the largest")


def _restricted(variable: Variable, domain: Expression, where: Expression | None) -> Expression:
    """The candidates that a condition leaves, as a value that is the same whatever the variable is called."""
    return canonical(Quantified("set", Bound(variable), variable, domain, where))
