"""Single entries of the inputs: extreme and random values of every field, and how far one may move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, product
from math import hypot, isinf
from typing import TYPE_CHECKING, Any

from seqlang.analyses.witnesses.domains import Domains
from seqlang.analyses.witnesses.exact_moves import moves_within
from seqlang.analyses.witnesses.moving import Vector, measured_move, moved_within, size_of
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.model.domain import Ball, Domain, Finite, Integers, Power
from seqlang.model.expression import Field, walk
from seqlang.model.program import Input, Program, Within

if TYPE_CHECKING:
    from random import Random

Row = dict[str, Any]
MOST_CORNERS = 12
GRID = 64  # parts that random numbers divide an interval into: sums of them are exact in floating point
FAR = 16.0  # random numbers of an unbounded domain reach so far


class Entries:
    """Entries of one program's inputs."""

    def __init__(self, program: Program, random: Random) -> None:
        self.program, self.random = program, random
        self.inputs = {i.name: i for i in program.inputs}
        constant = Compiler(program).constant
        self.domains = Domains(constant)
        self.machine = Machine(program, NoNoise())
        self.adjacency = program.adjacency
        if isinstance(self.adjacency, Within):
            self.radius = float(constant(self.adjacency.radius))
            self.moving = {node.name for node in walk(self.adjacency.of) if isinstance(node, Field)}

    def corners(self, names: Sequence[str]) -> list[Row]:
        """The extremes of all fields, together."""
        values = [self.domains.values(self.inputs[name]) for name in names]
        rows = product(*values)
        return [dict(zip(names, row, strict=True)) for row in islice(rows, MOST_CORNERS)]

    def random_row(self, names: Sequence[str]) -> Row:
        """Any values."""
        return {name: self._value(self.inputs[name]) for name in names}

    def _value(self, source: Input) -> Any:
        if self.random.random() < 0.25:
            return self.random.choice(self.domains.values(source))
        return self._inside(source.domain)

    def _inside(self, domain: Domain) -> Any:
        match domain:
            case Finite(values):
                return self.domains.value(self.random.choice(values))
            case Power(of, _):
                return tuple(self._inside(of) for _ in range(int(self.domains.dimension(domain))))
            case Ball(radius, _):
                return self._in_ball(self.domains.value(radius), int(self.domains.dimension(domain)))
            case _:
                low, high = self.domains.range(domain)
                low, high = (high - FAR if isinf(low) and not isinf(high) else max(low, -FAR)), high
                high = low + 2 * FAR if isinf(high) else high
                if isinstance(domain, Integers):
                    return self.random.randint(int(low), int(high))
                return low + (high - low) * self.random.randint(0, GRID) / GRID

    def _in_ball(self, radius: float, dimension: int) -> tuple[float, ...]:
        direction = [self.random.randint(-GRID, GRID) / GRID for _ in range(dimension)]
        size = hypot(*direction)
        length = radius * (1.0 if self.random.random() < 0.5 else self.random.random()) * (1 - 2**-40)
        return tuple(x * length / size for x in direction) if size else (0.0,) * dimension

    # ---- within a radius

    def moved(self, row: Row, turn: int, same_direction: bool) -> Row:
        """The entry with every field that the adjacency bounds moved that way, as far as it may or less."""
        assert isinstance(self.adjacency, Within)
        names = [name for name in row if name in self.moving]
        new = {name: value if name in self.moving or self.random.random() < 0.5 else self._value(self.inputs[name])
               for name, value in row.items()}  # fmt: skip
        if not names:
            return new
        name = self.random.choice(names)
        share = self.random.choice((1.0, 1.0, 1.0, 0.5, 0.0))
        source, old = self.inputs[name], new[name]
        if isinstance(old, tuple):
            new[name] = self._shifted_vector(source, old, turn, share, same_direction)
        elif self.adjacency.of == Field(name):
            low, high = self.domains.range(source.domain)
            new[name] = self._number(source, self._shifted(old, turn, low, high, share, True))
        else:
            low, high = self.domains.range(source.domain)
            at, adjacency = self._measured(new), self.adjacency

            def change(x: float) -> float:
                return measured_move(at, self._measured({**new, name: x}), adjacency)

            new[name] = self._number(source, moved_within(old, turn, low, high, self.radius, change))
        return new if self._is_near(row, new, turn if same_direction else 0) else row

    def _shifted(self, x: float, turn: int, low: float, high: float, share: float, steady: bool) -> float:
        way = turn if steady else self.random.choice((1, -1))
        return min(max(x + way * share * self.radius, low), high)

    def _shifted_vector(self, source: Input, old: Vector, turn: int, share: float, steady: bool) -> Vector:
        """A share of the radius in the norm of the adjacency, in few or many coordinates."""
        assert isinstance(self.adjacency, Within)
        weights = [self.random.choice((0.0, 1.0, self.random.random())) for _ in old]
        if self.adjacency.norm == "linf" or not any(weights):
            weights = [1.0] * len(old)
        part = share * self.radius / size_of(weights, self.adjacency.norm)
        ways = [turn if steady else self.random.choice((1, -1)) for _ in old]
        nearest = CheckedDomain(Compiler(self.program), source.domain).nearest
        moved: Vector = nearest(tuple(x + part * w * way for x, w, way in zip(old, weights, ways, strict=True)))
        return moved

    def _number(self, source: Input, x: float) -> Any:
        match source.domain:
            case Integers():
                return int(x)
            case Finite(values):
                return min((self.domains.value(v) for v in values), key=lambda v: abs(v - x))
            case _:
                return x

    def _measured(self, row: Row) -> Any:
        assert isinstance(self.adjacency, Within)
        self.machine.fields = dict(row)
        return self.machine.value(self.adjacency.of)

    def _is_near(self, old: Row, new: Row, turn: int) -> bool:
        """Whether it moves by at most the radius, and each number, where `turn` is not 0, in that direction."""
        before, after = self._measured(old), self._measured(new)
        pairs = zip(before, after, strict=True) if isinstance(before, tuple) else ((before, after),)
        assert isinstance(self.adjacency, Within)
        moves = [b - a for a, b in pairs]
        near = moves_within(self.machine.program, self.adjacency, old, new)
        if near is None:
            near = size_of(moves, self.adjacency.norm) <= self.radius * (1 + 1e-12)
        return near and all(move * turn >= 0 for move in moves)
