"""Estimates and p-values by stages, against the exact laws of all ends, which are computed here block by block."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from math import comb, exp, inf, prod

import pytest
from futile_blocks import FUTILE
from scipy import stats

from seqlang.diagnostics import SpecError
from seqlang.driver import load
from seqlang.driver.loading import Loaded
from seqlang.monitoring import arms as arms_module
from seqlang.monitoring import stagewise, watch
from seqlang.monitoring.family import family_of
from seqlang.monitoring.paths import Paths
from seqlang.monitoring.stagewise import End, Estimated, Stages, estimated, p_value
from seqlang.results.monitor import AfterStop
from seqlang.source import Source

NAMES = ("null", "alternative")
LEVEL = 0.9
Law = Mapping[int, float]
"""Chances of what one entry adds."""

TEXT = """
algorithm stages
stream x in {domain}
model null: x ~ {null}
model alternative: x ~ {alternative}
memory score = 0
memory used = 0
memory plan = 0
draw coin ~ {{1: 0.7, 2: 0.2, 3: 0.1}}
report chosen = coin when plan == 0
update plan = chosen when plan == 0
stop when plan == 3 return reject
let size = if plan == 2 then 5 else if abs(score) <= 3 then 4 else 3
report block when sum(1 since block) >= size
report total = sum({entry} since block) when block
let seen = if block then clip(total, 0, {top} * size) else 0
update score = score + {sign} * (2 * seen - {top} * size) when block
update used = used + 1 when block
stop when score >= (if used >= {most} then 0 else 4) return reject
stop when score <= (if used >= {most} then -1 else -4) return accept
attach geometric(exp(-1)) to total
"""


def coins(most: int, sign: int = 1) -> Loaded:
    ends = ("bernoulli(0.3)", "bernoulli(0.7)")[::sign]
    return load(Source("stages", TEXT.format(
        domain="{0, 1}", null=ends[0], alternative=ends[1], entry="x", top=1, sign=sign, most=most)))  # fmt: skip


def counts() -> Loaded:
    return load(Source("stages", TEXT.format(
        domain="0..", null="poisson(1)", alternative="poisson(2)", entry="clip(x, 0, 2)", top=2, sign=1, most=2
    )))  # fmt: skip


def coin(p: float) -> Law:
    return {0: 1 - p, 1: p}


def cut_poisson(mean: float) -> Law:
    return {0: exp(-mean), 1: mean * exp(-mean), 2: 1 - exp(-mean) * (1 + mean)}


def seen(size: int, entry: Law) -> dict[int, float]:
    """The noisy sum, held within 0 and the largest sum, by adding up all sums and noises."""
    sums = {0: 1.0}
    for _ in range(size):
        after: dict[int, float] = {}
        for total, mass in sums.items():
            for value, chance in entry.items():
                after[total + value] = after.get(total + value, 0.0) + mass * chance
        sums = after
    found: dict[int, float] = {}
    for total, mass in sums.items():
        for noise in range(-45, 46):
            held = min(max(total + noise, 0), size * max(entry))
            found[held] = found.get(held, 0.0) + mass * float(stats.dlaplace.pmf(noise, 1))
    return found


def ends(entry: Law, most: int, sign: int = 1) -> dict[tuple[bool, int, int], float]:
    """(rejected, blocks, score) and its chance, the public coin included."""
    top, found = max(entry), {(True, 0, 0): 0.1}
    laws = {size: seen(size, entry) for size in (3, 4, 5)}
    for plan, coin_ in ((1, 0.7), (2, 0.2)):
        going = {0: coin_}
        for block in range(1, most + 1):
            later: dict[int, float] = {}
            high, low = (4, -4) if block < most else (0, -1)
            for score, mass in going.items():
                size = 5 if plan == 2 else 4 if abs(score) <= 3 else 3
                for value, chance in laws[size].items():
                    to, part = score + sign * (2 * value - top * size), mass * chance
                    if low < to < high:
                        later[to] = later.get(to, 0.0) + part
                    else:
                        end = (to >= high, block, to)
                        found[end] = found.get(end, 0.0) + part
            going = later
    return found


def more_extreme(one: tuple[bool, int, int], other: tuple[bool, int, int]) -> bool:
    """Whether `one` speaks more against the null: the order, in words."""
    if one[0] != other[0]:
        return one[0]
    if one[1] != other[1]:
        return (one[1] < other[1]) == one[0]
    return one[2] > other[2]


@cache
def paths_of(spec: str, most: int, sign: int = 1) -> Paths:
    loaded = counts() if spec == "counts" else coins(most, sign)
    return Paths(loaded.program, NAMES)


def p_by_stages(paths: Paths, end: tuple[bool, int, int]) -> float:
    return p_value(Stages(paths, End(*end)), paths.laws(paths.program, "null"))


@pytest.mark.parametrize("sign", [1, -1])
def test_the_p_value_is_the_chance_of_the_ends_as_extreme(sign: int) -> None:
    """Of all ends up to the twelfth block; it is uniform from above, attained at each end, and at most the chance to
    reject exactly where the test rejects."""
    law = ends(coin(0.3 if sign == 1 else 0.7), 12, sign)
    listed = {end: p_by_stages(paths_of("coins", 12, sign), end) for end in law}
    rejects = sum(chance for end, chance in law.items() if end[0])
    for end, p in listed.items():
        assert p == pytest.approx(sum(c for x, c in law.items() if not more_extreme(end, x)), abs=1e-12)
        assert (p <= rejects + 1e-12) == end[0]
    for level in listed.values():
        assert sum(c for end, c in law.items() if listed[end] <= level + 1e-12) == pytest.approx(level, abs=1e-11)


@cache
def estimates(spec: str, sign: int) -> dict[tuple[bool, int, int], Estimated]:
    paths = paths_of(spec, 2, sign)
    family = family_of(paths.program, NAMES)
    laws = cache(lambda value: paths.laws(family.at(value), "at"))
    law = ends(cut_poisson(1.0) if spec == "counts" else coin(0.4), 2, sign)
    return {end: estimated(Stages(paths, End(*end)), family, laws, LEVEL) for end in law}


CASES = [
    ("coins", 1, (0.02, 0.1, 0.3, 0.45, 0.5, 0.7, 0.93)),
    ("coins", -1, (0.05, 0.3, 0.62, 0.9)),
    ("counts", 1, (0.3, 1.4, 3.1)),
]


def law_at(spec: str, number: float, sign: int) -> dict[tuple[bool, int, int], float]:
    return ends(cut_poisson(number) if spec == "counts" else coin(number), 2, sign)


@pytest.mark.parametrize(("spec", "sign", "numbers"), CASES)
def test_intervals_hold_the_number_and_little_more(spec: str, sign: int, numbers: tuple[float, ...]) -> None:
    """The chance that the interval holds it, of all ends; and the interval ends where one tail has just 5 %."""
    found, covers = estimates(spec, sign), []
    for number in numbers:
        law = law_at(spec, number, sign)
        covers.append(sum(c for end, c in law.items() if found[end].interval[0] <= number <= found[end].interval[1]))
        assert covers[-1] >= LEVEL
    assert min(covers) < 0.99
    for end, one in list(found.items())[::4]:
        low, high = one.interval if sign == 1 else one.interval[::-1]
        for number, as_extreme in ((low, True), (high, False)):
            if 0 < number < (1 if spec == "coins" else 10) and end[1] > 0:
                law = law_at(spec, number, sign)
                further = sum(c for x, c in law.items() if not more_extreme(*((end, x) if as_extreme else (x, end))))
                assert further == pytest.approx((1 - LEVEL) / 2, abs=1e-7)


@pytest.mark.parametrize(("spec", "sign", "numbers"), CASES)
def test_estimates_are_too_high_as_often_as_too_low(spec: str, sign: int, numbers: tuple[float, ...]) -> None:
    """But for half the chance of a single end; and they rise with what speaks for the alternative."""
    beyond = inf  # of the most extreme end, no mean is too large
    found = {e: beyond if x.estimate is None else x.estimate for e, x in estimates(spec, sign).items() if e[1] > 0}
    for number in numbers:
        law = {end: c / 0.9 for end, c in law_at(spec, number, sign).items() if end[1] > 0}
        below = sum(c for end, c in law.items() if found[end] <= number)
        assert abs(below - 0.5) <= (max(law.values()) + 0.1 / 0.9) / 2
    ordered = sorted(found, key=lambda end: (end[0], -end[1] if end[0] else end[1], end[2]))
    values = [sign * found[end] for end in ordered]
    assert all(a <= b + 1e-9 for a, b in pairwise(values)) and len(set(values)) > 6


def test_what_a_coin_decides_alone_is_no_estimate() -> None:
    loaded = coins(2)
    found = watch(loaded, [], plan=3)
    assert (found.decision, found.next_block, found.p_value, found.blocks) == ("reject", None, 1.0, ())
    assert found.after_stop is not None and found.after_stop.estimate is None
    assert found.after_stop.p_value == pytest.approx(0.1)
    assert found.after_stop.interval.ends == (0.0, 1.0)


ARMS = (
    "algorithm arms\npublic arm in {0, 1}\nstream y in {0, 1}\n"
    "model null: arm ~ point(1 - step % 2), y ~ bernoulli(0.4)\n"
    "model alternative: arm ~ point(1 - step % 2), y ~ bernoulli(if arm == 0 then 0.4 else 0.9)\n"
    "memory score = 0\nreport block when sum(1 since block) >= 6\n"
    "report control = sum(y where arm == 0 since block) when block\n"
    "report treated = sum(y where arm == 1 since block) when block\n"
    "let gain = (if block then clip(treated, 0, 3) else 0) - (if block then clip(control, 0, 3) else 0)\n"
    "update score = score + gain when block\n"
    "stop when score >= 2 return reject\nstop when block return accept\n"
    "attach geometric(exp(-1)) to control, treated"
)


@cache
def arms() -> Loaded:
    return load(Source("arms", ARMS))


@pytest.fixture
def few_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the mean and the difference are looked at."""
    monkeypatch.setattr(arms_module, "MEANS", 3)
    monkeypatch.setattr(stagewise, "EVENLY", 9)
    monkeypatch.setattr(stagewise, "NEARBY", 5)


def test_two_arms_by_all_pairs_of_counts(few_places: None) -> None:
    """One block of 3 entries an arm: P(rejected, a score as large) where all show 1 with chance 0.4."""
    loaded = arms()
    law = seen(3, coin(0.4))
    chance = {
        gain: sum(p * q for a, p in law.items() for b, q in law.items() if b - a == gain) for gain in range(-3, 4)
    }
    ends_ = {(0, 7): 3, (1, 3): 2, (2, 2): 0, (-4, 1): 1}
    for (control, treated), gain in ends_.items():
        found = watch(loaded, [(Fraction(control), Fraction(treated))])
        assert found.decision == ("reject" if gain >= 2 else "accept") and found.score == gain
        assert found.after_stop is not None
        assert found.after_stop.p_value == pytest.approx(sum(chance[g] for g in range(gain, 4)), abs=1e-12)
        ratios = [
            sum(comb(3, s) * t**s * (1 - t) ** (3 - s) * exp(-abs(min(max(treated, 0), 3) - s)) for s in range(4))
            for t in (0.4, 0.9)
        ]
        assert found.p_value == pytest.approx(min(1.0, ratios[0] / ratios[1]), rel=1e-9)
        assert found.interval is not None and -1 <= found.interval[0] < found.interval[1] <= 1


def test_the_difference_of_two_arms_is_held_whatever_the_mean(few_places: None) -> None:
    """All pairs of counts of one block of 3 entries an arm, at chances on and off the line of the hypotheses. The
    interval ends where, of the means that were looked at, one gives a tail just the chance that is left: 1 - level less
    a fifth of it, halved."""
    level, found = 0.5, {}
    for pair in product(range(4), repeat=2):
        after = watch(arms(), [tuple(map(Fraction, pair))], level=level).after_stop
        assert after is not None and after.interval.ends is not None and after.mean is not None
        found[pair] = after
        assert "treated, less that in control" in str(after.interval.about)
    for control, treated in ((0.4, 0.4), (0.4, 0.9), (0.1, 0.5), (0.9, 0.2), (0.05, 0.05)):
        laws = [seen(3, coin(p)) for p in (control, treated)]
        chance = {pair: laws[0][pair[0]] * laws[1][pair[1]] for pair in found}
        held = sum(p for pair, p in chance.items() if inside(found[pair], treated - control))
        assert held >= level
    assert not inside(found[3, 0], 0.5) and not inside(found[0, 3], -0.5)
    least, most = found[3, 0], found[0, 3]
    assert least.estimate is not None and most.estimate is not None and least.estimate < 0 < most.estimate
    even = found[1, 2]
    assert even.estimate is not None and even.mean is not None
    gains = {b - a for a, b in found}
    laws = [seen(3, coin(even.mean + side * even.estimate / 2)) for side in (-1, 1)]
    tails = {g: sum(laws[0][a] * laws[1][b] for a, b in found if b - a == g) for g in gains}
    assert sum(p for g, p in tails.items() if g > 1) + tails[1] / 2 == pytest.approx(0.5, abs=1e-6)


def inside(after: AfterStop, value: float) -> bool:
    assert after.interval.ends is not None
    return after.interval.ends[0] <= value <= after.interval.ends[1]


def test_differences_that_only_one_mean_can_have_are_held(few_places: None) -> None:
    """Where all show 0 in one arm and 1 in the other: 3 entries an arm, noise of exp(-3)."""
    text = ARMS.replace("exp(-1)", "exp(-3)").replace("if arm == 0 then 0.4", "if arm == 0 then 0.1")
    loaded, share = load(Source("arms", text.replace("bernoulli(0.4)", "bernoulli(0.5)"))), exp(-3) / (1 + exp(-3))
    held = 0.0
    for (control, treated), chance in (((0, 3), (1 - share) ** 2), ((0, 2), (1 - share) * share * (1 - exp(-3)))):
        after = watch(loaded, [(Fraction(control), Fraction(treated))], level=0.95).after_stop
        assert after is not None
        held += chance * inside(after, 1.0)
    assert held >= 0.95


def test_arms_that_no_difference_tells() -> None:
    same = ARMS.replace("if arm == 0 then 0.4 else 0.9", "if arm == 0 then 0.6 else 0.6")
    found = watch(load(Source("same", same)), [(Fraction(1), Fraction(3))])
    assert found.after_stop is not None and "same difference" in str(found.after_stop.interval.why_not)


def test_where_nothing_can_be_said_by_stages_the_reason_is_told() -> None:
    text = TEXT.format(domain="{0, 1}", null="bernoulli(0.3)", alternative="bernoulli(0.7)", entry="x", top=1, sign=1,
                       most=2)  # fmt: skip
    found = watch(load(Source("x", text.replace("return accept", "return later"))), [(Fraction(0),)], plan=1)
    assert found.after_stop is not None and found.after_stop.p_value is None
    assert "`reject` and `accept`" in str(found.after_stop.interval.why_not)
    listed = text.replace("bernoulli(0.7)", "{0: 0.2, 1: 0.8}")
    found = watch(load(Source("x", listed)), [(Fraction(0),)], plan=1)
    assert found.after_stop is not None and found.after_stop.p_value is not None
    assert "one family" in str(found.after_stop.interval.why_not)


def futile_p(released: tuple[int, ...]) -> float:
    found = watch(load(Source("futile", FUTILE)), [(Fraction(y),) for y in released]).after_stop
    assert found is not None and found.p_value is not None
    return found.p_value


def test_ends_for_futility_may_be_heeded_or_not() -> None:
    """Of two blocks of 4 the second comes after 2 or 3 ones, and after fewer where they are not heeded. What is not
    known to be heeded counts as not heeded: the p-value of ends that both tests have is the larger one."""
    law = seen(4, coin(0.3))
    above = {s: sum(law[a] * law[b] for a in range(4) for b in range(5) if a + b >= s) for s in range(9)}
    first = law[4]
    for released, p in (
        ((4,), first),
        ((3, 4), first + above[7]),
        ((2, 4), first + above[6]),
        ((1,), first + law[3] + law[2] + law[1]),
    ):
        assert futile_p(released) == pytest.approx(p, abs=1e-12)
    assert futile_p((3, 0)) == pytest.approx(max(first + law[3] + law[2] * (1 - law[0]), first + above[3]), abs=1e-12)
    going = watch(load(Source("futile", FUTILE)), [(Fraction(3),)])
    rejects = law[2] + law[3] + law[4]
    assert going.next_block == 4 and going.outlooks[0].returns["reject"] == pytest.approx(rejects, abs=1e-9)


@pytest.mark.parametrize("heeds", [True, pytest.param(False, marks=pytest.mark.long)])
def test_p_values_and_intervals_hold_whether_ends_for_futility_are_heeded(heeds: bool) -> None:
    """By all ends of the test that heeds each of them, and of that which heeds none."""
    law, level = {p: seen(4, coin(p)) for p in (0.05, 0.3, 0.6)}, 0.5
    runs: list[tuple[int, ...]] = [(a,) for a in range(5) if a == 4 or (heeds and a <= 1)]
    runs += [(a, b) for a in range(2 if heeds else 0, 4) for b in range(5)]
    loaded, told = load(Source("futile", FUTILE)), {}
    for run in runs:
        after = watch(loaded, [(Fraction(y),) for y in run], level=level).after_stop
        assert after is not None and after.p_value is not None
        told[run] = after.p_value, after
    chance = {p: {run: prod(at[y] for y in run) for run in runs} for p, at in law.items()}
    assert sum(chance[0.3].values()) == pytest.approx(1)
    for p_value_, _ in told.values():
        assert sum(c for run, c in chance[0.3].items() if told[run][0] <= p_value_) <= p_value_ + 1e-12
    for number, chances in chance.items():
        assert sum(c for run, c in chances.items() if inside(told[run][1], number)) >= level


def test_an_end_for_futility_that_was_not_heeded() -> None:
    """After a first block with 0 or 1 ones the test that heeds has ended. Without these ends, all (first, second) noisy
    counts lead to the second look, but for a first of 4; those that end alike are added up."""
    loaded = load(Source("futile", FUTILE))
    law = seen(4, coin(0.3))

    for first, second, decision in ((1, 4, "reject"), (0, 4, "accept"), (1, 0, "accept"), (3, 4, "reject")):
        found = watch(loaded, [(Fraction(first),), (Fraction(second),)])
        assert found.decision == decision and found.unheeded == (1 if first <= 1 else None)
        assert found.after_stop is not None and found.after_stop.p_value is not None
        if first <= 1:
            pairs = [law[a] * law[b] for a in range(4) for b in range(5) if a + b >= first + second]
            assert found.after_stop.p_value == pytest.approx(law[4] + sum(pairs), abs=1e-12)
    with pytest.raises(SpecError, match="ended after block 2"):
        watch(loaded, [(Fraction(1),)] * 3)
    with pytest.raises(SpecError, match="ended after block 1"):
        watch(loaded, [(Fraction(4),)] * 2)  # an end that has to be heeded
    assert "was not heeded" in str(watch(loaded, [(Fraction(1),), (Fraction(4),)]))
