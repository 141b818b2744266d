"""The law of what one entry adds to a sum: the law of the data, pushed forward by a piecewise affine function.

`increments_of(program, model, body)` for a program's model; `pushed(law, curve)` for any `ScalarLaw` and `Curve`. The
result has atoms (clipping, constants, point laws) and parts with a density that is smooth between its ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.solve.mesh.piecewise_quadratic import IDENTITY, Curve, curve_of
from seqlang.backends.solve.noises.laws import law_of
from seqlang.backends.solve.noises.legendre import legendre_rule
from seqlang.backends.solve.noises.scalar_law import ScalarLaw
from seqlang.backends.solve.solution import Array
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.plain_values import PlainWriter
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as ir
from seqlang.model import program as p
from seqlang.record import record

TAIL = 1e-18
"""A probability: an infinite part ends where the law of the data has less than this beyond."""
SAME = 2.0**-50
"""Relative distance below which two atoms are one."""
SURE, NEAR = 1e-13, 1e-10
"""Relative to the largest increment: what rounding explains of a difference, and what it does not lead to."""


@record
class Part:
    """The law of slope * X + offset where X lies in one interval on which its density is smooth.

    Its values lie in [low, high]. An end that is `sharp` is a jump or a kink of the density; otherwise it is where a
    tail was cut. `scale` is a length on which the density changes much (inf: it is constant).
    """

    law: ScalarLaw
    slope: float
    offset: float
    low: float
    high: float
    sharp_low: bool
    sharp_high: bool
    scale: float

    def density(self, y: Array) -> Array:
        """On [low, high]; outside it continues smoothly or is 0, whatever the law does."""
        return np.asarray(self.law.density((y - self.offset) / self.slope) / abs(self.slope))

    def chance(self, low: Array, high: Array) -> Array:
        """P(the value lies in this part and in [low, high])."""
        low, high = np.clip(low, self.low, self.high), np.clip(high, self.low, self.high)
        a, b = (low - self.offset) / self.slope, (high - self.offset) / self.slope
        return self.law.between(np.minimum(a, b), np.maximum(a, b))


@record
class Increments:
    """`atoms`: (value, chance), by value; `parts` in increasing order of x, not of value."""

    atoms: tuple[tuple[float, float], ...]
    parts: tuple[Part, ...]

    @property
    def low(self) -> float:
        return min([v for v, _ in self.atoms] + [part.low for part in self.parts])

    @property
    def high(self) -> float:
        return max([v for v, _ in self.atoms] + [part.high for part in self.parts])

    @property
    def edges(self) -> tuple[float, ...]:
        """Atoms, and ends of parts at which the density jumps or has a kink."""
        ends = {v for v, _ in self.atoms}
        for part in self.parts:
            ends |= {x for x, sharp in ((part.low, part.sharp_low), (part.high, part.sharp_high)) if sharp}
        return tuple(sorted(ends))

    @property
    def variance(self) -> float:
        points, weights = legendre_rule(40)
        moments = [np.array([c, c * v, c * v * v]) for v, c in self.atoms]
        for part in self.parts:
            half = (part.high - part.low) / 2
            y = (part.high + part.low) / 2 + half * points
            mass = part.density(y) * half * weights
            moments.append(np.array([mass.sum(), mass @ y, mass @ (y * y)]))
        whole, first, second = np.sum(moments, axis=0)
        return float(max(0.0, second / whole - (first / whole) ** 2))

    def below(self, y: Array) -> Array:
        """P(increment <= y)."""
        y = np.asarray(y, float)
        total = np.zeros(y.shape)
        for value, chance in self.atoms:
            total = total + chance * self._reaches(y, value)
        for part in self.parts:
            total = total + part.chance(np.full(y.shape, part.low), y)
        return total

    def above(self, y: Array) -> Array:
        """P(increment > y)."""
        y = np.asarray(y, float)
        total = np.zeros(y.shape)
        for value, chance in self.atoms:
            total = total + chance * ~self._reaches(y, value)
        for part in self.parts:
            total = total + part.chance(y, np.full(y.shape, part.high))
        return total

    def _reaches(self, y: Array, value: float) -> NDArray[np.bool_]:
        """y >= value, up to rounding. Raises Unsolved where that is not known."""
        size = max(abs(self.low), abs(self.high))
        away = np.abs(y - value)
        sure = SURE * np.maximum(size, np.where(np.isfinite(y), np.abs(y), 0.0))
        if np.any((away > sure) & (away <= NEAR * size)):
            raise Unsolved("a sum lies next to its threshold")
        return np.asarray((y >= value) | (away <= sure))


def pushed(law: ScalarLaw, curve: Curve) -> Increments:
    """The law of curve(X)."""
    if not law.discrete and not curve.affine:
        raise Unsolved("a statistic of continuous data that is not piecewise affine")
    atoms: dict[float, float] = {}
    parts: list[Part] = []
    if law.discrete:
        for x, chance in zip(*law.atoms(TAIL), strict=True):
            _add(atoms, curve(float(x)), float(chance))
        return Increments(tuple(sorted(atoms.items())), ())
    low, high = law.support
    cuts = sorted({low, high, *(k for k in law.kinks if low < k < high), *(b for b in curve.breaks if low < b < high)})
    lowest, highest = law.effective_support(TAIL)
    for a, b in pairwise(cuts):
        chance = float(law.between(a, b))
        if chance < 1e-300:
            continue
        c0, c1, _ = curve.piece_at((max(a, lowest) + min(b, highest)) / 2 if a < highest and b > lowest else max(a, b))
        if math.isnan(c0 + c1):
            raise Unsolved("a statistic has no value on a part of the data")
        if c1 == 0:
            _add(atoms, c0, chance)
            continue
        left, right = max(a, lowest), min(b, highest)
        if left >= right:
            continue
        ends = [(c0 + c1 * left, left == a), (c0 + c1 * right, right == b)]
        (y0, s0), (y1, s1) = ends if c1 > 0 else ends[::-1]
        scale = abs(c1) * _scale(law, left, right)
        parts.append(Part(law, c1, c0, y0, y1, s0, s1, scale))
    if not parts and not atoms:
        raise Unsolved("a law of the data that is too narrow")
    return Increments(tuple(sorted(atoms.items())), tuple(parts))


def _scale(law: ScalarLaw, low: float, high: float) -> float:
    """The law's own length, but inf where its density is constant."""
    at = law.density(np.linspace(low, high, 9)[1:-1])
    return math.inf if np.ptp(at) <= 1e-14 * np.max(at) else law.scale


def _add(atoms: dict[float, float], value: float, chance: float) -> None:
    if not math.isfinite(value):
        raise Unsolved("a statistic has no value on a part of the data")
    for there in atoms:
        if abs(there - value) <= SAME * max(abs(there), abs(value)):
            atoms[there] += chance
            return
    atoms[value] = chance


class Constants:
    """Values of expressions that read nothing but constants and the step."""

    def __init__(self, program: p.Program) -> None:
        self.plain = PlainWriter(program)
        self.step = 1

    def __call__(self, e: ir.Expression) -> float:
        self.plain.scope["n"] = self.step
        try:
            found: float = self.plain.value(e)
            return found
        except (Unsupported, ArithmeticError, ValueError, NameError, TypeError):
            raise Unsolved("something else than one entry of one field is read") from None


def increments_of(
    program: p.Program, model: str, body: ir.Expression, constant: Callable[[ir.Expression], float] | None = None
) -> Increments:
    """The law of `body` (locals inlined) when one field of the entry is read and drawn from the model."""
    constants = constant if constant is not None else Constants(program)
    read = sorted({x.name for x in ir.walk(body) if isinstance(x, ir.Field)})
    if len(read) != 1:
        raise Unsolved("a statistic of several continuous fields" if read else "a statistic that reads no data")
    found = next((m for m in program.models if m.name == model), None)
    law = next((e for name, e in found.laws if name == read[0]), None) if found is not None else None
    if law is None:
        raise Unsolved(f"the model says nothing about `{read[0]}`")
    if any(isinstance(x, (ir.Field, ir.StepNumber, ir.MemoryValue)) for x in ir.walk(law)):
        raise Unsolved("a law of continuous data that changes")
    made = law_of(constants(law))
    if made is None:
        raise Unsolved("a law of continuous data that is not a number's")
    return pushed(made, curve_of(body, {ir.Field(read[0]): IDENTITY}, constants))
