"""What the entries declare is tried against mpmath: order, bounds, slopes, ranges, Lipschitz constants, forms."""

from __future__ import annotations

import ast
import itertools
import math
import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from plain_kernels import program_of
from thorough import several

import seqlang
from seqlang.arithmetic.formula import Formula, enclose, function, number
from seqlang.operators.catalogue import OPERATORS, numerics
from seqlang.operators.operator import Real
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.real_functions import real_function, value_at
from seqlang.rules.sensitivity.ranges.function_ranges import steepest, values_over
from seqlang.rules.sensitivity.ranges.range import Range

TRUE: dict[str, Callable[[Any], Any]] = {
    "log": mpmath.log,
    "log1p": mpmath.log1p,
    "log2": lambda x: mpmath.log(x, 2),
    "exp": mpmath.exp,
    "sqrt": mpmath.sqrt,
    "abs": abs,
    "floor": mpmath.floor,
    "ceil": mpmath.ceil,
    "zeta": mpmath.zeta,
    "negate": lambda x: -x,
}
ANALYTIC = [name for name, entry in OPERATORS.items() if entry.analytic is not None]
SMOOTH = [name for name in ANALYTIC if real_function(name).slope is not None]
DISTANCES = [1e-9, 1e-3, 0.07, 0.5, 1.0, 1.5, 2.0, 3.75, 20.0, 300.0]


@pytest.fixture(autouse=True)
def _digits() -> Any:
    with mpmath.workdps(40):
        yield


@pytest.fixture(scope="module")
def facts() -> Facts:
    return facts_of(program_of("algorithm a\nstream x in [0, 1]\nstop when step >= 1\n"))


def places(real: Real) -> list[float]:
    """Increasing, inside of the domain."""
    if real.above is None:
        return [-x for x in reversed(DISTANCES)] + [0.0, *DISTANCES]
    first = [float(real.above)] if real.closed else []
    return first + [float(real.above) + x for x in DISTANCES]


def claims_hold(real: Real, true: Callable[[Any], Any]) -> None:
    """Formula, order and bounds of one function at all places."""
    values = [true(mpmath.mpf(x)) for x in places(real)]
    for x, value in zip(places(real), values, strict=True):
        around = enclose(real.formula(function, number(Fraction(x))), {})
        assert around.low - 1e-14 * abs(around.low) <= value <= around.high + 1e-14 * abs(around.high), x
        assert real.least is None or value >= real.least.numerator / mpmath.mpf(real.least.denominator)
        assert real.most is None or value <= real.most.numerator / mpmath.mpf(real.most.denominator)
        assert not real.whole or value == mpmath.floor(value)
    for first, second in itertools.pairwise(values):
        assert real.monotone * (second - first) >= 0


@pytest.mark.parametrize("name", ANALYTIC)
def test_the_function(name: str) -> None:
    real = real_function(name)
    assert real is not None
    claims_hold(real, TRUE[name])


@pytest.mark.parametrize("name", SMOOTH)
def test_the_slope(name: str) -> None:
    real = real_function(name)
    assert real is not None and real.slope is not None
    claims_hold(real.slope, lambda x: mpmath.diff(TRUE[name], x, h=mpmath.mpf(10) ** -18 * (abs(x) + 1e-6)))


@pytest.mark.parametrize("name", ANALYTIC)
def test_nothing_is_known_outside_of_the_domain(name: str, facts: Facts) -> None:
    real = real_function(name)
    assert real is not None
    if real.above is None:
        return
    outside = number(real.above - (1 if real.closed else 0))
    assert value_at(facts, real, outside) is None
    assert values_over(facts, real, Range(outside, outside)).is_bounded is False
    assert steepest(facts, real, Range(number(real.above), None)) is None


@pytest.mark.parametrize("name", ANALYTIC)
@pytest.mark.parametrize("kind", ["bounded", "low", "high"])
def test_ranges_and_lipschitz_constants(name: str, kind: str, facts: Facts) -> None:
    """Pairs of values of random ranges: the values lie in the range found, their difference below the constant."""
    real, rng = real_function(name), random.Random(f"{name} {kind}")
    assert real is not None
    for _ in range(several(10, 25)):
        start = rng.choice(places(real))
        end = start + rng.choice(DISTANCES[1:])
        low = None if kind == "high" else number(Fraction(start))
        high = None if kind == "low" else number(Fraction(end))
        found = values_over(facts, real, Range(low, high))
        steep = steepest(facts, real, Range(low, high))
        outer = [x for x in places(real) if (high is None or x <= end) and (low is None or x >= start)]
        inside = sorted({*outer, *(start + (end - start) * share for share in (0.0, 0.13, 0.5, 0.99, 1.0))})
        true = [TRUE[name](mpmath.mpf(x)) for x in inside]
        for value in true:
            assert found.low is None or _low(found.low) <= value + abs(value) * mpmath.mpf("1e-14")
            assert found.high is None or _high(found.high) >= value - abs(value) * mpmath.mpf("1e-14")
        for (x, value), (y, other) in itertools.combinations(zip(inside, true, strict=True), 2):
            if steep is not None:
                assert abs(value - other) <= mpmath.mpf(_high(steep)) * abs(mpmath.mpf(x) - mpmath.mpf(y)) * (1 + 1e-12)


def _low(f: Formula) -> float:
    return enclose(f, {}).low


def _high(f: Formula) -> float:
    return enclose(f, {}).high


@pytest.mark.parametrize("name", [name for name, entry in OPERATORS.items() if entry.directions])
def test_directions(name: str) -> None:
    """A larger argument never lowers the value, or never raises it, whatever the others are."""
    entry, rng = OPERATORS[name], random.Random(name)
    plain: dict[str, Callable[..., Any]] = {
        "and": lambda a, b: a and b, "or": lambda a, b: a or b, "not": lambda a: not a, "max": max, "min": min,
    }  # fmt: skip
    value = entry.numeric.scalar if entry.numeric else plain[name]
    signs = entry.directions if entry.arguments else entry.directions * 3
    truth = entry.group == "logic"
    for _ in range(200):
        first = [rng.random() < 0.5 if truth else rng.uniform(-3, 3) for _ in signs]
        for place, sign in enumerate(signs):
            second = [*first]
            second[place] = True if truth else first[place] + rng.choice((1e-3, 0.5, 4.0))
            assert sign * (value(*second) - value(*first)) >= 0


# ---- what runs compute


@pytest.mark.parametrize("name", numerics(1))
def test_one_number_in_every_form(name: str) -> None:
    """Scalars, arrays and exact constants against mpmath; where there is no number, all say so in one way."""
    numeric, real = OPERATORS[name].numeric, OPERATORS[name].analytic
    assert numeric is not None
    array = numeric.array(np)
    for x in places(real) if real else DISTANCES:
        true = float(TRUE[name](mpmath.mpf(x)))
        for found in (numeric.scalar(x), array(np.array([x]))[0], float(numeric.exact(Fraction(x)))):
            assert found == pytest.approx(true, rel=4e-15, abs=0), x
    for x in (-math.inf, -2.0, -1.0, 0.0, 1.0, math.inf):
        with np.errstate(all="ignore"):
            assert numeric.scalar(x) == pytest.approx(float(array(np.array([x]))[0]), rel=4e-15, nan_ok=True), x


@pytest.mark.parametrize("name", [name for name, numeric in numerics(1).items() if numeric.slopes is not None])
def test_gradients(name: str) -> None:
    numeric, real = OPERATORS[name].numeric, OPERATORS[name].analytic
    assert numeric is not None and numeric.slopes is not None
    for x in places(real) if real else DISTANCES:
        if x in (0.0, 1.0, -1.0) or x == round(x):
            continue  # kinks, jumps and the edge of a root
        true = float(mpmath.diff(TRUE[name], mpmath.mpf(x), h=mpmath.mpf(10) ** -18 * (abs(x) + 1e-6)))
        (found,) = numeric.slopes(2.0, np.float64(numeric.scalar(x)), np.float64(x))
        assert found == pytest.approx(2 * true, rel=1e-12), x


@pytest.mark.parametrize("name", numerics(2))
def test_gradients_of_pairs(name: str) -> None:
    numeric = OPERATORS[name].numeric
    assert numeric is not None
    if numeric.slopes is None:
        return
    for a, b in ((2.5, 0.75), (0.3, 3.0), (7.0, 2.0)):
        for at, found in enumerate(numeric.slopes(1.0, np.float64(numeric.scalar(a, b)), np.float64(a), np.float64(b))):
            step = [1e-6 * (i == at) for i in (0, 1)]
            up, down = (numeric.scalar(a + side * step[0], b + side * step[1]) for side in (1, -1))
            assert found is None or found == pytest.approx((up - down) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("name", numerics(1))
def test_jumps_and_rational_values(name: str) -> None:
    entry = OPERATORS[name]
    assert entry.numeric is not None
    xs = [1.0 + k / 4 for k in range(1, 9)]
    gaps = [abs(entry.numeric.scalar(x + 1e-9) - entry.numeric.scalar(x - 1e-9)) for x in xs]
    assert (max(gaps) > 0.5) == entry.jumps
    exact = [entry.numeric.exact(Fraction(k, 7)) for k in range(8, 30)]
    assert all(value.denominator <= 7 for value in exact) == entry.rational


# ---- the two parts of an entry are read by different sides


def test_proofs_read_no_numbers_and_runs_no_facts() -> None:
    """An engine that used a declared fact would repeat its error; so would a proof that used an engine's number."""
    package = Path(seqlang.__file__).parent
    for rooms, forbidden in (("rules proof certificate arithmetic", "numeric"), ("backends elaborate", "analytic")):
        for path in (path for room in rooms.split() for path in (package / room).rglob("*.py")):
            nodes = ast.walk(ast.parse(path.read_text("utf-8")))
            assert forbidden not in {node.attr for node in nodes if isinstance(node, ast.Attribute)}, path
