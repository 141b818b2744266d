"""Two arms after the stop: how much larger the chance of a 1 is in one than in the other.

Two chances are open: the difference, which is asked for, and their mean, which is not. With the mean known, the laws
with all differences are a line, and `stagewise` tells what an end excludes on it. The mean is not known, but a set
holds it at all looks together with all but the chance SPENT * (1 - level). The interval is everything that is not
excluded at some mean in this set, where each tail has half of what is left of 1 - level: it holds the true difference
with probability `level` (Berger & Boos 1994). For each difference means are looked at on a grid: of those in the set
which this difference can have, with the first and the last, where a chance is 0 or 1 or the set ends.

The estimate is that on the line through the most likely mean.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import numpy as np

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.step.entries import model_named
from seqlang.model.expression import Choice, Expression, Law, Number
from seqlang.model.program import Model, Program
from seqlang.monitoring.coins import coin_of, counted
from seqlang.monitoring.evidence import Pair
from seqlang.monitoring.family import NoFamily
from seqlang.monitoring.paths import Paths
from seqlang.monitoring.stagewise import Estimated, Stages, both_tails, interval, median
from seqlang.record import record, replace

MEANS = 9
"""Places of the mean that are looked at, for each difference."""
SPENT = 0.2
"""Of what the interval may miss, for the mean."""


@record
class Arms:
    """The difference of the chances of a 1, that in the second arm less that in the first, where their mean is `mean`.
    An entry is in the first arm where `test` holds, or, if `turned`, where it does not. `null` and `alternative`: the
    differences that the hypotheses state."""

    program: Program
    stated: Model
    field: str
    test: Expression
    turned: bool
    null: float
    alternative: float
    mean: float

    @property
    def distance(self) -> float:
        """Of the hypotheses."""
        return abs(self.alternative - self.null)

    @property
    def ends(self) -> tuple[float, float]:
        """Of the possible differences."""
        most = 2 * min(self.mean, 1 - self.mean)
        return -most, most

    def at(self, value: float) -> Program:
        """The program with the model `at` besides, where the difference has this value."""
        chances = [Number(Fraction(min(max(self.mean + side * value / 2, 0.0), 1.0))) for side in (-1, 1)]
        yes, no = chances[::-1] if self.turned else chances
        law = Law("bernoulli", (Choice(self.test, yes, no),))
        laws = tuple((name, law if name == self.field else other) for name, other in self.stated.laws)
        return replace(self.program, models=(*self.program.models, Model("at", laws)))


def arms_of(paths: Paths, hypotheses: tuple[str, str], size: int, mean: float) -> Arms:
    """From laws that choose by one test. `size`: of some block. Raises NoFamily."""
    program = paths.program
    models = [model_named(program, name) for name in hypotheses]
    field = coin_of(program)
    if field is None or len(paths.sums) != 2:
        raise NoFamily("there are several chances, and one number does not say them all")
    laws = [law for m in models for law in [dict(m.laws)[field]] if isinstance(law, Law) and law.family == "bernoulli"]
    tests = list(dict.fromkeys(test for law in laws for test in _tests(law)))
    if len(laws) != 2 or len(tests) != 1 or any(_others(m, field) != _others(models[0], field) for m in models):
        raise NoFamily("the hypotheses do not say by one test which arm an entry is in")
    compiler = Compiler(program)
    try:
        pairs = [_chances(compiler, law) for law in laws]
    except EvaluationError:
        raise NoFamily("the chances in its arms are no numbers") from None
    first, second = (one.shown for one in paths.sums)
    ones = [counted(paths, hypotheses[0], size, Choice(tests[0], *map(_whole, way))) for way in ((1, 0), (0, 1))]
    if (
        ones[0] is None
        or ones[1] is None
        or {ones[0][first] > 0, ones[0][second] > 0} != {True, False}
        or any((ones[0][name] > 0) == (ones[1][name] > 0) for name in (first, second))
    ):
        raise NoFamily("its sums are not those of the arms of its hypotheses")
    turned = ones[0][second] > 0
    null, alternative = ((no - yes) * (-1 if turned else 1) for yes, no in pairs)
    if null == alternative:
        raise NoFamily("the hypotheses state the same difference of the arms")
    return Arms(program, models[0], field, tests[0], turned, null, alternative, mean)


def _whole(value: int) -> Number:
    return Number(Fraction(value))


def _tests(law: Law) -> Iterator[Expression]:
    """By which a law of coins chooses between two chances."""
    if isinstance(law.arguments[0], Choice):
        yield law.arguments[0].test


def _others(model: Model, field: str) -> list[tuple[str, Expression]]:
    return [pair for pair in model.laws if pair[0] != field]


def _chances(compiler: Compiler, law: Law) -> tuple[float, float]:
    """Where the test holds, and where it does not."""
    chance = law.arguments[0]
    sides = (chance.yes, chance.no) if isinstance(chance, Choice) else (chance, chance)
    yes, no = (float(compiler.constant(side)) for side in sides)
    return yes, no


@record
class Differences:
    """Of both chances, in the same order as on the line of the hypotheses, where their mean is in the set `means`."""

    line: Arms
    means: tuple[float, float]

    @property
    def null(self) -> float:
        return self.line.null

    @property
    def alternative(self) -> float:
        return self.line.alternative

    @property
    def distance(self) -> float:
        return self.line.distance

    @property
    def ends(self) -> tuple[float, float]:
        """Of the differences at the mean in the set that is nearest to 1/2."""
        return replace(self.line, mean=float(np.clip(0.5, *self.means))).ends

    def lines(self, difference: float) -> Iterator[Arms]:
        """Through the means that are looked at for a difference."""
        low, high = max(self.means[0], abs(difference) / 2), min(self.means[1], 1 - abs(difference) / 2)
        yield from (replace(self.line, mean=mean) for mean in dict.fromkeys(np.linspace(low, high, MEANS).tolist()))


def estimated_difference(
    paths: Paths, stages: Stages, hypotheses: tuple[str, str], size: int, seen: Pair, level: float
) -> tuple[Estimated, Arms]:
    """The estimate and the interval, and the line through the mean at which the estimate is made. Raises NoFamily."""
    spent = SPENT * (1 - level)
    line = arms_of(paths, hypotheses, size, seen.likely_mean)
    differences = Differences(line, seen.mean(1 - spent))

    def tails(one: Arms, value: float) -> tuple[float, float]:
        return both_tails(stages, paths.laws(one.at(value), "at"))

    @cache
    def largest(value: float) -> tuple[float, float]:
        found = [tails(one, value) for one in differences.lines(value)]
        return max(a for a, _ in found), max(b for _, b in found)

    known = median(line, cache(lambda value: tails(line, value)), told=True)
    return Estimated(known, interval(differences, largest, level + spent)), line
