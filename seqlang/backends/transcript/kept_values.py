"""Noisy values that statistics keep unseen: `x = if up then entry else previous(x, 0)`, where noise is attached to
`entry`. Such a value is a number plus draws of noise, of which the step in which they were made is remembered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from seqlang.backends.transcript.plain_values import PlainWriter, may_fail, name_of
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.life import EachStep, Once
from seqlang.record import record

ROUNDED = 1e-9  # of a sum of factors: what may be left of 0
Drawn = tuple[str, int]
"""A draw: the noise, and the step in which it was made (0 for noise that is drawn once)."""


@record
class Kept:
    """`plain` plus the sum of factor * draw."""

    plain: float
    draws: tuple[tuple[Drawn, float], ...]

    def __add__(self, other: object) -> Kept:
        if isinstance(other, Kept):
            return Kept(self.plain + other.plain, together(self.draws, other.draws))
        return Kept(self.plain + _number(other), self.draws)

    __radd__ = __add__

    def __neg__(self) -> Kept:
        return Kept(-self.plain, tuple((drawn, -factor) for drawn, factor in self.draws))

    def __sub__(self, other: object) -> Kept:
        return self + (-other if isinstance(other, Kept) else -_number(other))

    def __rsub__(self, other: object) -> Kept:
        return -self + other

    def __mul__(self, other: object) -> Kept:
        by = _number(other)
        return Kept(self.plain * by, tuple((drawn, factor * by) for drawn, factor in self.draws))

    __rmul__ = __mul__


def together(*parts: Iterable[tuple[Any, float]]) -> tuple[tuple[Any, float], ...]:
    """Draws with the sums of their factors. Raises `Unsupported` where a sum is 0, or as small as rounding may make it:
    what a comparison without noise would be decided by is the rounding of floats."""
    found: dict[Any, list[float]] = {}
    for drawn, factor in chain(*parts):
        found.setdefault(drawn, []).append(factor)
    sums = {drawn: sum(factors) for drawn, factors in found.items()}
    if any(abs(sums[drawn]) <= ROUNDED * max(map(abs, factors)) for drawn, factors in found.items()):
        raise Unsupported("noise that cancels")
    return tuple(sums.items())


def _number(value: object) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise Unsupported("a noisy value that is kept, beside what is no number")


def plain_part(value: object) -> object:
    """Of a value that may be kept noisy, what it is without noise."""
    return value.plain if isinstance(value, Kept) else value


def aged(value: Any, now: Any) -> Any:
    """The value, the draws that it keeps told by how many steps ago they were made."""
    if not isinstance(value, Kept):
        return value
    return value.plain, tuple(((name, step and step - now), factor) for (name, step), factor in value.draws)


class KeptWriter:
    """Writes the sums of numbers and draws that the statistics of a program keep. `names`: the definitions and cells
    that hold them; `noises`: the noises of which a draw may be kept, as far as statements have been written."""

    def __init__(self, plain: PlainWriter) -> None:
        self.plain = plain
        self.names = plain.kept = _keeping(plain.program)
        self.noises: set[str] = set()
        plain.scope["Kept"] = Kept

    def holds(self, x: e.Expression) -> bool:
        """Whether the value reads noise."""
        return any(
            isinstance(node, e.Noised) or (isinstance(node, e.Local | e.CellValue) and node.name in self.names)
            for node in e.walk(x)
        )

    def write(self, x: e.Expression) -> str:
        """Raises `Unsupported` where it is no sum of numbers and draws."""
        if not self.holds(x):
            return f"number({self.plain.write(x)})" if may_fail(x) else self.plain.write(x)
        match x:
            case e.Noised(name, base, terms):
                if self.plain.is_vector(base) or self.holds(base):
                    raise Unsupported(f"the noisy {name} is kept, which is no number with its own noise")
                return f"({self.write(base)} + Kept(0.0, ({''.join(map(self._term, terms))})))"
            case e.Local(name) if name not in self.plain.broken:
                return f"v_{name_of(name)}"
            case e.CellValue(name, ()) if name not in self.plain.broken:
                return f"c_{name_of(name)}"
            case e.Apply(("+" | "-") as operator, (left, right)):
                return f"({self.write(left)} {operator} {self.write(right)})"
            case e.Apply("*", (left, right)) if not (self.holds(left) and self.holds(right)):
                return f"({self.write(left)} * {self.write(right)})"
            case e.Apply("negate", (inner,)):
                return f"(-{self.write(inner)})"
            case e.Choice(test, yes, no):
                return f"({self.write(yes)} if {self.plain.write(test)} else {self.write(no)})"
        raise Unsupported("noise inside an expression that is kept")

    def _term(self, term: e.Term) -> str:
        noise = self.plain.program.noise(term.noise)
        if noise.flips or noise.family == "tree" or not isinstance(noise.life, EachStep | Once):
            raise Unsupported(f"a draw of {noise.name} is kept")
        self.noises.add(term.noise)
        step = "n" if isinstance(noise.life, EachStep) else "0"
        return f"(({term.noise!r}, {step}), float({self.plain.write(term.factor)})), "


def keeps_noise(program: p.Program) -> bool:
    """Whether a gate would be a comparison, but for noise that its plain values hold."""
    return any(isinstance(gate, p.OpaqueGate) and gate.test is not None for gate in program.gates)


def _statements(program: p.Program) -> Iterator[p.Define | p.Cell]:
    for statement in program.body:
        if isinstance(statement, p.Define | p.Cell):
            yield statement


def _body(statement: p.Define | p.Cell) -> e.Expression:
    return statement.expression if isinstance(statement, p.Define) else statement.body


def _keeping(program: p.Program) -> frozenset[str]:
    """The definitions that read noise, and the cells that remember such a value of the step before."""
    found: set[str] = set()
    while True:
        more = {
            s.name
            for s in _statements(program)
            if s.name not in found
            and (isinstance(s, p.Define) or (isinstance(s.keep, p.Previous) and not s.binders))
            and any(
                isinstance(x, e.Noised) or (isinstance(x, e.Local | e.CellValue) and x.name in found)
                for x in e.walk(_body(s))
            )
        }
        if not more:
            return frozenset(found)
        found |= more
