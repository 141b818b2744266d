"""Weak privacy by listing: the law of the transcript given one entry, the other entries drawn from the model.

Written from the definition: for every position and every two values of its entry, both laws and any set of transcripts;
`per step` takes one stopping step at a time, and any set of what is returned there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from random_programs.meaning import Undefined
from random_programs.models import Modelled, modelled_program

Law = dict[Any, float]


@dataclass(frozen=True)
class Given:
    """The law given one entry: of transcripts and of (step, what is returned); `missing`: of the mass."""

    transcripts: Law
    ends: Law
    missing: float


class Weak:
    """`error`: by how much a chance may be off besides what is missing."""

    def __init__(self, modelled: Modelled) -> None:
        self.modelled = modelled
        self.law = modelled.laws()
        self.error = self.law.error

    @cached_property
    def pairs(self) -> list[tuple[Given, Given]]:
        """All ordered pairs of values, position by position."""
        out = []
        for n in range(self.modelled.program.steps):
            given = [self._given(n, letter) for letter in self.modelled.letters]
            out += [(p, q) for p in given for q in given if p is not q]
        return out

    def _given(self, n: int, letter: tuple[int, ...]) -> Given:
        transcripts: Law = {}
        ends: Law = {}
        missing = 0.0
        for row, course in enumerate(self.modelled.courses()):
            if course[n] != letter:
                continue
            weight = math.prod(self.modelled.chance(a, k) for k, a in enumerate(course) if k != n)
            missing += weight * self.law.missing[row]
            for found, known in ((transcripts, self.law.chance[row]), (ends, self.law.ends[row])):
                for key, p in known.items():
                    found[key] = found.get(key, 0.0) + weight * p
        return Given(transcripts, ends, missing)

    def delta(self, epsilon: float) -> tuple[float, float]:
        """The least delta at epsilon, between bounds."""
        return self._between(epsilon, lambda p: [p.transcripts])

    def delta_per_step(self, epsilon: float) -> tuple[float, float]:
        """The same for one stopping step at a time."""

        def steps(p: Given) -> list[Law]:
            found = sorted({step for step, _ in p.ends})
            return [{key: chance for key, chance in p.ends.items() if key[0] == step} for step in found]

        return self._between(epsilon, steps)

    def _between(self, epsilon: float, parts: Any) -> tuple[float, float]:
        e = math.exp(epsilon)
        low = high = 0.0
        for p, q in self.pairs:
            others = q.transcripts | q.ends
            for part in parts(p):
                over = sum(max(0.0, c - e * others.get(seen, 0.0)) for seen, c in part.items())
                low = max(low, over - e * q.missing - 100 * self.error * (1 + e))
                high = max(high, over + p.missing + 100 * self.error * (1 + e))
        return low, high

    def pure(self) -> float:
        """A lower bound of the loss."""
        worst = 0.0
        for p, q in self.pairs:
            for seen, chance in p.transcripts.items():
                other = q.transcripts.get(seen, 0.0) + q.missing + self.error
                if chance > max(other, 100 * self.error):
                    worst = max(worst, math.log((chance - self.error) / other))
        return worst

    def renyi(self, order: float) -> float:
        """A lower bound of the divergence of that order."""
        worst = 0.0
        for p, q in self.pairs:
            total = 0.0
            for seen, chance in p.transcripts.items():
                if chance > 1e4 * self.error:
                    other = q.transcripts.get(seen, 0.0) + q.missing + self.error
                    total += (chance - self.error) ** order * other ** (1 - order)
            worst = max(worst, math.log(total) / (order - 1)) if total > 0 else worst
        return worst


def weak_program(seed: int) -> Modelled:
    """A program of two steps, or three with few letters, that ends. Raises Undefined for others."""
    modelled = modelled_program(seed)
    if modelled is None or modelled.program.horizon is not None:
        raise Undefined
    if any(n.law[0] in ("laplace", "gaussian", "exponential") for n in modelled.program.noises) and seed % 3:
        raise Undefined  # their exact laws take seconds
    return modelled


Claims = list[tuple[str, str]]
"""(claim, the verdict that would be false)."""
CLOSE = 1e-4


def weak_claims(weak: Weak) -> Iterator[tuple[str, str]]:
    """Just below the truth no claim is proved, just above it none is refuted."""
    reports = any(s.kind == "report" for s in weak.modelled.program.statements)
    for epsilon in (0.1, 0.7):
        ways = [("", weak.delta)] + [(" per step", weak.delta_per_step)] * (not reports)
        for how, delta in ways:
            low, high = delta(epsilon)
            if 1e-6 < low < 1:
                yield f"claim weak dp({epsilon}, {low * (1 - CLOSE):.12f}) under m{how}", "proved"
            above = high * (1 + CLOSE) + 1e-9
            if above < 1:  # a larger one says nothing
                yield f"claim weak dp({epsilon}, {above:.12f}) under m{how}", "refuted"
    loss, order_two = weak.pure(), weak.renyi(2.0)
    if loss > 1e-6:
        yield f"claim weak pure({loss * (1 - CLOSE):.12f}) under m", "proved"
    if order_two > 1e-6:
        yield f"claim weak rdp(2, {order_two * (1 - CLOSE):.12f}) under m", "proved"
