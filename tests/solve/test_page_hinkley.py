"""Page-Hinkley recursions of three steps: every command ends soon, with an answer or a reason; the answers are those
of an enumeration of all streams."""

from __future__ import annotations

import time
from itertools import product

import pytest

import seqlang
from seqlang import SpecError

BODIES = {
    "clipped": "statistic m = max(0, previous(m, 0) + x - DRIFT)",
    "walk": "statistic m = sum(x - DRIFT over steps)",
}
TEXT = """\
algorithm a "Page-Hinkley, three steps"
param threshold = 2
stream x in DOMAIN
model null: x ~ uniform(LAW)
BODY
statistic least = min(m over steps)
stop when m - least >= threshold return alarm
stop when step >= 3 return quiet
attach NOISE to threshold
claim weak dp(1, 0.1) under null
"""
VALUES = (0, 1, 2)


def text(body: str, noise: str) -> str:
    whole = noise.startswith("geometric")
    domain, law, drift = ("{0, 1, 2}", "{0, 1, 2}", "1") if whole else ("[0, 2]", "0, 2", "0.5")
    made = TEXT.replace("DOMAIN", domain).replace("LAW", law).replace("BODY", BODIES[body])
    return made.replace("DRIFT", drift).replace("NOISE", noise)


def law(body: str, stream: tuple[int, ...]) -> list[float]:
    """P(alarm at 1), .., P(alarm at 3), P(quiet): alarm iff W <= m - least - 2, W two-sided geometric(1/2)."""
    m, least, going, found = 0, None, 1.0, []
    for x in stream:
        m = max(0, m + x - 1) if body == "clipped" else m + x - 1
        least = m if least is None else min(least, m)
        k = m - least - 2
        alarm = 0.5**-k / 1.5 if k <= 0 else 1 - 0.5 ** (k + 1) / 1.5
        found.append(going * alarm)
        going *= 1 - alarm
    return [*found, going]


@pytest.mark.parametrize("body", BODIES)
def test_the_law_is_that_of_all_streams(body: str) -> None:
    (found,) = seqlang.solve(seqlang.load(text(body, "geometric(0.5)")))
    laws = [law(body, stream) for stream in product(VALUES, repeat=3)]
    quiet = sum(each[3] for each in laws) / len(laws)
    assert dict(found.to_dict()["returns"])["quiet"] == pytest.approx(quiet, abs=1e-12)


def weak_delta(body: str, epsilon: float) -> float:
    """The largest hockey-stick divergence when one entry moves and the others follow the model."""
    worst = 0.0
    for i, one, other in product(range(3), VALUES, VALUES):
        sides = []
        for value in (one, other):
            streams = [s for s in product(VALUES, repeat=3) if s[i] == value]
            sides.append([sum(column) / len(streams) for column in zip(*(law(body, s) for s in streams), strict=True)])
        worst = max(worst, sum(max(0.0, p - 2.718281828459045**epsilon * q) for p, q in zip(*sides, strict=True)))
    return worst


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize(("delta", "verdict"), [(1.01, "proved"), (0.99, "refuted")])
def test_weak_claims_beside_the_truth(body: str, delta: float, verdict: str) -> None:
    epsilon = 0.1
    truth = weak_delta(body, epsilon)
    expect = " expect refuted" if verdict == "refuted" else ""
    claim = f"claim weak dp({epsilon}, {truth * delta}) under null{expect}"
    made = text(body, "geometric(0.5)").replace("claim weak dp(1, 0.1) under null", claim)
    (found,) = seqlang.check(seqlang.load(made)).to_dict()["claims"]
    assert found["verdict"] == verdict


@pytest.mark.parametrize("noise", ["laplace(2)", "geometric(0.5)", "laplace(2) to threshold once\nattach laplace(3)"])
@pytest.mark.parametrize("body", BODIES)
def test_every_command_ends_soon(body: str, noise: str) -> None:
    began = time.process_time()
    spec = seqlang.load(text(body, noise))
    try:
        seqlang.solve(spec)
    except SpecError as refused:
        assert [d.code for d in refused.diagnostics] == ["E0623"]
        assert "seqlang run" in (refused.diagnostics[0].help or "")
    (claim,) = seqlang.check(spec).to_dict()["claims"]
    assert claim["verdict"] == "proved" or claim["because"]
    assert time.process_time() - began < 200
