"""Private sequential tests that look after every entry: a running sum between two noisy ends.

The sum of the entries, or of their levels where they are read as levels, each less a slope, is about the log-likelihood
ratio in other units (Wald 1945). Where it ends, how fast the ends close in, and which part of the budget goes into the
noise that is drawn once, are parameters, to be tuned."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import log

import numpy as np

from seqlang.designs.data.choose import read_by
from seqlang.designs.data.readings import Binned
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.problem import Problem
from seqlang.designs.written.block_text import data_lines
from seqlang.record import record, replace

SHARE = 1 / (1 + 2 ** (2 / 3))
"""Of the budget, for the noise that is drawn once, where the search begins: Lyu, Su & Li 2017, section 4.2."""
AWAY = 8.0
"""Scales of the noise of a look that an end is away where the search begins, besides Wald's boundary."""
NEARLY = 0.03
"""How far the slope may be rounded, as a part of the difference of both hypotheses."""
COARSE = 2
"""Steps between the levels of numbers: an exact law takes the longer, the more values the sum has."""


@record
class Walk:
    """`once`: lines that attach the noise drawn once, of scale `kept`; `looks`: the names that get noise in every step,
    of `factor` times the scale of one whose loss is 1 - share of the budget. The source is that of the mechanism."""

    name: str
    source: str
    once: tuple[str, ...]
    looks: str
    factor: int


WALKS = (
    Walk("DP-SPRT", "Michel, Basu & Kaufmann 2025",
         ("draw z ~ laplace(kept) once", "attach z to upper", "attach -z to lower"), "total", 2),
    Walk("PrivSPRT", "Zhang, Mei & Cummings 2022", ("attach laplace(kept) to upper, lower once",), "upper, lower", 1),
)  # fmt: skip
"""Both ends move together by one noise, and the sum has its own; each end has its noise, kept and in every step."""


def coarse(problem: Problem) -> Problem:
    """The same with numbers read as few levels."""
    reading = problem.reading
    return (
        read_by(problem, replace(reading, range=min(reading.range, COARSE))) if isinstance(reading, Binned) else problem
    )


def line(problem: Problem) -> tuple[float, Fraction]:
    """(odds, slope): the log-likelihood ratio of an entry is about odds * (level - slope). The slope is rounded to a
    fraction of small denominator, so that the sum has few values."""
    laws = [np.array([float(c) for c in side.chances]) for side in (problem.null, problem.alternative)]
    some = np.minimum(*laws) > 0
    levels, ratio = np.arange(len(some))[some], np.log(laws[1][some] / laws[0][some])
    odds, at_zero = np.polyfit(levels, ratio, 1, w=np.sqrt(laws[0] + laws[1])[some])
    exact, most = float(-at_zero / odds), 1
    while abs(float(Fraction(exact).limit_denominator(most)) - exact) > NEARLY * _apart(problem):
        most += 1
    return float(odds), Fraction(exact).limit_denominator(most)


def _apart(problem: Problem) -> float:
    """How much larger the mean of an entry is under one hypothesis than under the other."""
    pairs = zip(problem.null.chances, problem.alternative.chances, strict=True)
    return abs(sum(k * float(q - p) for k, (p, q) in enumerate(pairs)))


def free_of(problem: Problem) -> tuple[str, ...]:
    """The parameters to be tuned."""
    return ("bar", "fall", "share") if problem.symmetric else ("bar", "floor", "fall", "share")


def walk_text(walk: Walk, problem: Problem, noise: Fraction) -> str:
    """The program, with parameters from which a search may begin. `noise` multiplies all scales."""
    return "\n".join((*_head(walk, problem, noise), "", *_course(walk, problem), "", *_claims(problem))) + "\n"


def _head(walk: Walk, problem: Problem, noise: Fraction) -> Iterator[str]:
    alpha, beta = problem.errors
    odds = abs(line(problem)[0])
    away = AWAY * walk.factor * float(noise) / (1 - SHARE)
    yield "algorithm tuned"
    yield f'    "{problem.hypothesis(problem.null)} against {problem.hypothesis(problem.alternative)}: {walk.name}"'
    yield f'    "A look after every entry; the mechanism of {walk.source}, its ends searched"'
    yield ""
    yield f"param noise > 0 = {decimal(noise)}"
    yield f"param share in (0, 1) = {SHARE:.3g}  # of the budget, for the noise that is drawn once"
    yield f"param bar > 0 = {away + log(1 / alpha) / odds:.4g}  # rejects beyond"
    if not problem.symmetric:
        yield f"param floor > 0 = {away + log(1 / beta) / odds:.4g}  # accepts beyond"
    yield f"param fall >= 0 = {_apart(problem):.4g}  # by which both ends come nearer in each step"
    yield "let kept = noise / share"
    yield ""
    yield from _data(problem)


def _data(problem: Problem) -> Iterator[str]:
    """Streams and models. Numbers are read as levels beforehand."""
    reading = problem.reading
    if not isinstance(reading, Binned):
        yield from data_lines(problem)
        return
    yield from (text for text in reading.lines if not text.startswith("let level("))
    yield f"stream {problem.stream} in 0..levels"
    for name, side in (("null", problem.null), ("alternative", problem.alternative)):
        yield f"let {name}_law = {side.text}"
        yield f"model {name}: {problem.stream} ~ {reading.levels(f'{name}_law')}"


def _course(walk: Walk, problem: Problem) -> Iterator[str]:
    yield f"statistic total = sum({_gain(problem)} over steps)"
    yield "let upper = bar - fall * step"
    yield f"let lower = fall * step - {'bar' if problem.symmetric else 'floor'}"
    yield "stop when total >= upper return reject"
    yield "stop when total <= lower return accept"
    yield ""
    yield from walk.once
    yield f"attach laplace({'2 * ' * (walk.factor == 2)}noise / (1 - share)) to {walk.looks}"


def _gain(problem: Problem) -> str:
    """What an entry adds: more where it speaks for the alternative."""
    (odds, slope), reading = line(problem), problem.reading
    read = reading is not None and not isinstance(reading, Binned)
    level = reading.term(problem.stream) if reading is not None and read else problem.stream
    return f"{level} - {slope}" if odds > 0 else f"{slope} - {level}"


def _claims(problem: Problem) -> Iterator[str]:
    yield f"claim strong {problem.privacy.text}"
    yield f"claim probability(reject) <= {decimal(problem.alpha)} under null"
    yield f"claim probability(accept) <= {decimal(problem.beta)} under alternative"
