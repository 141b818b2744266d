"""Enclosures for all kinds of data, noise and courses, against sums of long floats over entries, noises and paths."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf
from thorough import spread

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.certificate import enclosed_policy
from seqlang.designs.bounds.enclosed import ONE, PI, convolved, enclosed, law_of_sum, normal_below, zeros
from seqlang.designs.bounds.enclosed_blocks import EnclosedBlocks
from seqlang.designs.bounds.enclosed_data import arm_levels
from seqlang.designs.data.choose import read_by
from seqlang.designs.data.readings import Binned, Listed, Reading, Window
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request import problem_of

DIGITS = 60
NOISE = 60
"""Noises up to so many times the largest level are added up: beyond them, less than a chance of 1e-25."""
BUT = mpf(10) ** -22
Law = Mapping[int, mpf]


def number(value: object) -> mpf:
    value = Fraction(str(value)) if not isinstance(value, Fraction) else value
    return mpf(value.numerator) / value.denominator


@pytest.mark.parametrize("z", ["0", "1/3", "-2.75", "5.5", "-17.5", "18", "40"])
def test_normal_chances_are_enclosed(z: str) -> None:
    with mpmath.workdps(2 * DIGITS):
        assert 0 < mpmath.pi - number(PI) < mpf(10) ** -64
        low, high = normal_below(Fraction(z))
        true = mpmath.ncdf(number(Fraction(z))) * ONE
        assert low <= true <= high and high - low < ONE >> 100


def test_products_of_laws_by_long_numbers() -> None:
    """The sum of three entries of chances 1/7, 2/7, 4/7, from the eighth power of ten on by hand: (1 + 2x + 4x^2)^3."""
    law = zeros(3)
    law[0][:], law[1][:] = zip(*(enclosed(Fraction(c, 7)) for c in (1, 2, 4)), strict=True)
    low, high = law_of_sum(law, 3)
    by_hand = [1, 6, 24, 56, 96, 96, 64]
    for a, b, ways in zip(low, high, by_hand, strict=True):
        assert a <= Fraction(ways, 343) * ONE <= b and b - a < 20
    assert convolved(law, law)[0][4] <= Fraction(16, 49) * ONE <= convolved(law, law)[1][4]


def noise_of(privacy: str, most: int) -> Callable[[int], mpf]:
    """The chances of noise of a budget of pure(1) or zcdp(1/8), for a sum that moves by `most`."""
    if privacy == "none":
        return lambda k: mpf(k == 0)
    if privacy == "pure(1)":
        q = mpmath.exp(mpf(-1) / most)
        return lambda k: (1 - q) / (1 + q) * q ** abs(k)
    weights = {k: mpmath.exp(-mpf(k * k) / (8 * most**2)) for k in range(-NOISE * most, NOISE * most + 1)}
    total = mpmath.fsum(weights.values())
    return lambda k: weights.get(k, mpf(0)) / total


def seen(levels: list[mpf], size: int, privacy: str) -> tuple[Law, Law]:
    """Of a block: the chances of the clamped release, and of the release without the clamp at the same places."""
    most = len(levels) - 1
    sums: dict[int, mpf] = {0: mpf(1)}
    for _ in range(size):
        after: dict[int, mpf] = {}
        for s, v in itertools.product(sums, range(most + 1)):
            after[s + v] = after.get(s + v, mpf(0)) + sums[s] * levels[v]
        sums = after
    noise = noise_of(privacy, most)
    margin = math.ceil(4 * 2 * most) if privacy.startswith("zcdp") else 0  # zcdp(1/8): a deviation of 2
    low, high = -margin, size * most + margin
    clamped, plain = ({y: mpf(0) for y in range(low, high + 1)} for _ in (0, 1))
    for s, k in itertools.product(sums, range(-NOISE * most, NOISE * most + 1)):
        part = sums[s] * noise(k)
        clamped[min(high, max(low, s + k))] += part
        if low <= s + k <= high:
            plain[s + k] += part
    return clamped, plain


def gains_of(by_side: list[list[list[mpf]]], side: int, size: int, privacy: str, lattice: float) -> Law:
    """The law of the score of a block: arms score by themselves."""
    found: dict[int, mpf] = {0: mpf(1)}
    share = size // len(by_side[0])
    for arm in range(len(by_side[0])):
        plain = [seen(by_side[h][arm], share, privacy)[1] for h in (0, 1)]
        after: dict[int, mpf] = {}
        for y, chance in seen(by_side[side][arm], share, privacy)[0].items():
            gain = int(mpmath.floor(mpmath.log(plain[1][y] / plain[0][y]) / mpf(str(lattice)) + mpf(1) / 2))
            for score, before in found.items():
                after[score + gain] = after.get(score + gain, mpf(0)) + before * chance
        found = after
    return found


def followed(policy: Policy, gains: Callable[[int], Law], looks: int) -> tuple[mpf, mpf]:
    """The chance to reject, and the expected entries, path by path; what goes on after so many looks is dropped."""
    waiting, rejected, steps = {(0, 0): mpf(1)}, mpf(0), mpf(0)
    for _ in range(looks):
        after: dict[tuple[int, int], mpf] = {}
        for (used, score), mass in waiting.items():
            row = next(r for r in policy.rows if not policy.ends or r.used == used)
            if not row.low <= score <= row.high:
                rejected, steps = rejected + mass * (score > row.high), steps + mass * (used if policy.ends else 0)
                continue
            size = row.sizes[score - row.low]
            steps += 0 if policy.ends else mass * size
            for gain, chance in gains(size).items():
                key = (used + size if policy.ends else 0, score + gain)
                after[key] = after.get(key, mpf(0)) + mass * chance
        waiting = after
    return rejected, steps


def normal_levels(reading: Binned, mean: str) -> list[mpf]:
    low, width = number(reading.centre - reading.reach), number(2 * reading.reach)
    edges = [low + width * (2 * k - 1) / (2 * reading.range) for k in range(1, reading.range + 1)]
    upto = [mpf(0), *(mpmath.ncdf(e - number(mean)) for e in edges), mpf(1)]
    return [b - a for a, b in itertools.pairwise(upto)]


def poisson_levels(reading: Window, mean: str) -> list[mpf]:
    found = [mpf(0)] * (reading.range + 1)
    for v in range(200):
        level = min(max(v, reading.low), reading.high) - reading.low
        found[level] += mpmath.exp(-number(mean)) * number(mean) ** v / mpmath.factorial(v)
    return found


HALF, BINS = Fraction(1, 2), Binned("real", Fraction(1, 10), Fraction(3, 4), 3)
COUNTS = Window(0, 60, 1, 4, "0..")
LISTED = Listed(((Fraction(0), 0), (HALF, 2), (Fraction(3), 1)))
ENDED = Policy(0.25, (Row(0, -1, (2, 2, 2)), Row(2, -3, (2, 2, 4, 4, 2, 2)), Row(4, -2, (2,) * 4), Row(6, 1, ())), True)
FREE = Policy(0.25, (Row(0, -2, (2, 2, 4, 4, 2)),))


def coins(*chances: str) -> list[list[mpf]]:
    return [[1 - number(p), number(p)] for p in chances]


def case(null: str, alternative: str, reading: Reading | None) -> tuple[list[str], list[list[list[mpf]]]]:
    """The texts, and by side and arm the chances of levels, computed here."""
    with mpmath.workdps(DIGITS):
        if null.startswith("normal"):
            assert isinstance(reading, Binned)
            levels = [[normal_levels(reading, text[7:-4])] for text in (null, alternative)]
        elif null.startswith("poisson"):
            assert isinstance(reading, Window)
            levels = [[poisson_levels(reading, text[8:-1])] for text in (null, alternative)]
        elif null.startswith("{"):
            levels = [[[number(c) for c in law]] for law in (("0.2", "0.5", "0.3"), ("0.3", "0.3", "0.4"))]
        elif null.startswith("c ~"):
            return [null, alternative], [coins("0.2", "0.2"), coins("0.1", "0.6")]
        else:
            levels = [coins("0.3"), coins("0.7")]
    return [f"x ~ {null}", f"x ~ {alternative}"], levels


KINDS = [
    ("bernoulli(0.3)", "bernoulli(0.7)", None, "pure(1)", ENDED),
    ("bernoulli(0.3)", "bernoulli(0.7)", None, "zcdp(1/8)", ENDED),
    ("bernoulli(0.3)", "bernoulli(0.7)", None, "none", ENDED),
    ("normal(-1/2, 1)", "normal(0.5, 1)", BINS, "pure(1)", ENDED),
    ("normal(-1/2, 1)", "normal(0.5, 1)", BINS, "zcdp(1/8)", FREE),
    ("poisson(1)", "poisson(2.5)", COUNTS, "pure(1)", FREE),
    ("{0: 0.2, 0.5: 0.3, 3: 0.5}", "{0: 0.3, 0.5: 0.4, 3: 0.3}", LISTED, "pure(1)", ENDED),
    ("c ~ bernoulli(0.2), t ~ bernoulli(0.2)", "c ~ bernoulli(0.1), t ~ bernoulli(0.6)", None, "pure(1)", ENDED),
    ("c ~ bernoulli(0.2), t ~ bernoulli(0.2)", "c ~ bernoulli(0.1), t ~ bernoulli(0.6)", None, "zcdp(1/8)", FREE),
]


def asked(texts: list[str], privacy: str, reading: Reading | None) -> Problem:
    found = problem_of(texts[0], texts[1], Fraction(1, 10), Fraction(1, 10), privacy, "average", True)
    return found if reading is None else read_by(found, reading)


@pytest.mark.parametrize(("null", "alternative", "reading", "privacy", "policy"), spread(KINDS, 4))
def test_policies_are_enclosed(
    null: str, alternative: str, reading: Reading | None, privacy: str, policy: Policy
) -> None:
    """The true figures lie within, and ones that are off by 1e-11 do not: no rounding or tail is left out."""
    texts, levels = case(null, alternative, reading)
    problem = asked(texts, privacy, reading)
    blocks = Blocks(problem, mechanism_for(problem.privacy, problem.null.range), policy.lattice)
    with mpmath.workdps(DIGITS):
        known = {m: gains_of(levels, 1, m, privacy, policy.lattice) for m in policy.sizes}
        reject, steps = followed(policy, known.__getitem__, 7 if policy.ends else 500)
        arms = arm_levels(problem.alternative, problem.reading)
        assert not isinstance(arms, str)
        found = enclosed_policy(policy, EnclosedBlocks(blocks, policy.lattice, arms), 1)
        for (low, high), true in zip(found, (reject, steps), strict=True):
            assert number(low) - BUT <= true <= number(high) + BUT
            assert true - mpf(10) ** -11 < number(low) and number(high) < true + mpf(10) ** -11


def test_laws_that_are_not_enclosed_say_so() -> None:
    reading = Window(0, 2, 0, 2)
    problem = asked(["x ~ sum_of(2, bernoulli(0.3))", "x ~ sum_of(2, bernoulli(0.6))"], "pure(1)", reading)
    why = arm_levels(problem.null, reading)
    assert isinstance(why, str) and "sum_of(2, bernoulli(0.3))" in why
