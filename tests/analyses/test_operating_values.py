"""Claims on operating characteristics just above and just below values worked out by hand."""

from __future__ import annotations

import pytest

import seqlang

# a walk of +-1 between -3 and 5 from 0 with up-probability p: gambler's ruin
RUIN = """\
algorithm ruin
stream x in {{0, 1}}
model fair: x ~ bernoulli(1/2)
model biased: x ~ bernoulli(2/3)
statistic s = sum(2 * x - 1 over steps)
stop when s >= 5  return high
stop when s <= -3 return low
{claims}
"""
BIASED = (1 - 0.5**3) / (1 - 0.5**8)  # P(high) for q/p = 1/2
FAIR_STEPS = 15.0  # 3 * 5


def _verdicts(*claims: str, text: str = RUIN) -> list[str]:
    result = seqlang.check(text.format(claims="\n".join(f"claim {c}" for c in claims)))
    return [v.verdict for v in result.verdicts]


def test_chances_and_expected_steps() -> None:
    assert _verdicts(
        "probability(high) <= 0.375000001 under fair",
        "probability(high) >= 0.374999999 under fair",
        "probability(high) <= 0.374999999 under fair",
        "probability(low) > 0.625000001 under fair",
        f"probability(high) >= {BIASED - 1e-9:.15f} under biased",
        f"probability(high) >= {BIASED + 1e-9:.15f} under biased",
        f"expected(step) <= {FAIR_STEPS + 1e-7:.9f} under fair",
        f"expected(step) <= {FAIR_STEPS - 1e-7:.9f} under fair",
    ) == ["proved", "proved", "refuted", "refuted", "proved", "refuted", "proved", "refuted"]


def test_the_exact_value_itself_is_not_decided_by_rounding() -> None:
    assert _verdicts("probability(high) <= 3/8 under fair", "probability(high) < 3/8 under fair") == ["unknown"] * 2


def test_it_stops() -> None:
    assert _verdicts("probability(stops) >= 1 under fair", "probability(stops) >= 1 under biased") == ["proved"] * 2


def test_without_a_model_every_model_counts() -> None:
    found = _verdicts("probability(high) >= 0.3", "probability(high) >= 0.5", "probability(high) <= 0.5")
    assert found == ["proved", "refuted", "refuted"]


def test_steps_and_labels_together() -> None:
    """The first chance to be low is step 3: 1/8."""
    assert _verdicts(
        "probability(low and step <= 3) >= 0.1249999 under fair",
        "probability(low and step <= 3) >= 0.1250001 under fair",
        "probability(low or high) >= 1 - 1e-9 under fair",
        "probability(step >= 3) >= 1 - 1e-9 under fair",
    ) == ["proved", "refuted", "proved", "proved"]


def test_final_statistics() -> None:
    assert _verdicts("probability(s >= 5) >= 0.3749999 under fair", "probability(s >= 5) >= 0.3750001 under fair") == [
        "proved",
        "refuted",
    ]


def test_arithmetic_around_the_random_values() -> None:
    assert _verdicts(
        "probability(high) + probability(low) >= 1 - 1e-9 under fair",
        "expected(step) <= 41 * probability(high) under fair",  # 15 <= 15.375
        "expected(step) <= 39 * probability(high) under fair",  # 15 > 14.625
    ) == ["proved", "proved", "refuted"]


def test_a_reason_names_the_numbers() -> None:
    result = seqlang.check(RUIN.format(claims="claim probability(high) <= 0.5 under fair"))
    assert "probability(high) = 0.375 against 0.5" in result.verdicts[0].because


@pytest.mark.parametrize("value", ["0.049", "0.051"])
def test_a_noisy_test_on_both_sides_of_its_error(value: str) -> None:
    text = f"""\
algorithm single
stream x in {{0, 1}}
model zero: x ~ bernoulli(0)
statistic s = sum(x over steps)
stop when s >= 2.302585092994046 and step == 1 return high
stop when step >= 1 return low
attach laplace(1) to s
claim probability(high) <= {value} under zero
"""  # P(Lap(1) >= log 10) = 1/20
    (verdict,) = seqlang.check(text).verdicts
    assert verdict.verdict == ("proved" if float(value) > 0.05 else "refuted")
