"""What bounds mean, against laws that are written out."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from checked import checked

import seqlang
from seqlang.accounting import meaning


def largest_advantage(p: list[float], q: list[float]) -> float:
    """Of all tests between two laws: their total variation."""
    return sum(max(0.0, a - b) for a, b in zip(p, q, strict=True))


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.2])
def test_the_worst_pair_reaches_the_advantage(epsilon: float, delta: float) -> None:
    """(epsilon, delta)-DP in both directions, on four points."""
    high, low = (1 - delta) * math.exp(epsilon) / (1 + math.exp(epsilon)), (1 - delta) / (1 + math.exp(epsilon))
    truth = largest_advantage([delta, high, low, 0.0], [0.0, low, high, delta])
    assert truth == pytest.approx(meaning.advantage(epsilon, delta), rel=1e-12, abs=1e-15)
    assert meaning.advantage(epsilon, delta) == pytest.approx(
        (math.exp(epsilon) - 1 + 2 * delta) / (math.exp(epsilon) + 1), rel=1e-12, abs=1e-15
    )


def test_no_law_exceeds_odds_or_advantage() -> None:
    dice = random.Random(5)
    for _ in range(300):
        p, q = ([dice.random() ** 3 + 1e-3 for _ in range(4)] for _ in range(2))
        p, q = ([x / sum(law) for x in law] for law in (p, q))
        losses = [math.log(a / b) for a, b in zip(p, q, strict=True)]
        epsilon = max(map(abs, losses))
        prior = dice.random()
        before = prior / (1 - prior)
        after = [prior * a / ((1 - prior) * b) for a, b in zip(p, q, strict=True)]
        assert max(max(o / before, before / o) for o in after) == pytest.approx(meaning.odds(epsilon), rel=1e-9)
        smaller = epsilon * dice.random()
        delta = max(
            sum(max(0.0, a - math.exp(smaller) * b) for a, b in zip(first, second, strict=True))
            for first, second in ((p, q), (q, p))
        )
        assert largest_advantage(p, q) <= meaning.advantage(smaller, delta) + 1e-12
        assert largest_advantage(p, q) <= meaning.advantage(epsilon) + 1e-12


def test_no_mechanism_overfits_more() -> None:
    """Two fair bits, a random law of four outputs for each pair of them, and the worst quantity for each output."""
    dice, found = random.Random(6), []
    inputs = list(itertools.product((0, 1), repeat=2))
    for _ in range(200):
        sharpness = dice.choice([0.2, 1.0, 3.0])
        tables = {s: [math.exp(sharpness * dice.random()) for _ in range(4)] for s in inputs}
        laws = {s: [x / sum(row) for x in row] for s, row in tables.items()}
        epsilon = max(
            abs(math.log(a / b))
            for s, t in itertools.permutations(inputs, 2)
            if sum(x != y for x, y in zip(s, t, strict=True)) == 1
            for a, b in zip(laws[s], laws[t], strict=True)
        )
        # of output o the quantity h(x) in [0, 1] enters as mean(h on s) - mean(h under the law): its ends are worst
        gap = sum(
            max(sum(laws[s][o] / 4 * ((h[s[0]] + h[s[1]]) / 2 - (h[0] + h[1]) / 2) for s in inputs) for h in inputs)
            for o in range(4)
        )
        assert gap <= meaning.overfitting(epsilon) + 1e-12
        found.append(gap / meaning.overfitting(epsilon))
    assert max(found) > 0.05  # the test looks at mechanisms that do overfit


def test_bounds_that_say_nothing() -> None:
    assert meaning.odds(math.inf) == math.inf
    assert meaning.advantage(math.inf) == 1.0
    assert meaning.advantage(1e4, 0.5) == 1.0
    assert meaning.overfitting(2.0) == 1.0
    with pytest.raises(ValueError, match="epsilon"):
        meaning.odds(-1.0)


def test_what_a_report_says() -> None:
    result = seqlang.check(seqlang.load("@dwork2014/laplace", eps=0.1))
    found = result.to_dict()["strong"]["meaning"]
    assert found["odds"] == pytest.approx(math.exp(0.1), rel=1e-12)
    assert found["advantage"] == pytest.approx(math.tanh(0.05), rel=1e-4)
    assert found["overfitting"] == pytest.approx(math.exp(0.1) - 1, rel=1e-4)
    report = str(result.document(explain=True))
    assert all(f"{word}: " in report for word in ("odds", "attack", "overfitting"))
    assert "What this means" not in str(result)


def test_overfitting_is_about_replaced_entries() -> None:
    """A record that is added or removed, and a number that moves a little, say nothing of a fresh draw."""
    found = checked("suite/laplace_parallel").to_dict()["strong"]["meaning"]
    assert found["odds"] == pytest.approx(math.exp(0.1), rel=1e-12)
    assert found["overfitting"] is None
