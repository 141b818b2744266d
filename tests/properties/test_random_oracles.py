"""The oracles of random programs themselves: they must be right before they judge anything."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from random_programs.densities import DENSITIES, at_least, quadrature
from random_programs.enumeration import laws
from random_programs.generate_transcripts import label
from random_programs.inputs import inputs_of
from random_programs.losses import gumbel_divergence
from random_programs.sequential_tests import over
from random_programs.syntax import Field, Noise, Program, Statement, name, op
from random_programs.winners import chances_of

BIT = (Field("x", "{0, 1}", (0.0, 1.0)),)


def _program(statements: tuple[Statement, ...], noises: tuple[Noise, ...], steps: int, *bars: float) -> Program:
    parameters = tuple((f"T{i}", bar) for i, bar in enumerate(bars))
    return Program("stream", BIT, 1, steps, ("replace", 1), statements, noises, parameters=parameters)


@pytest.mark.parametrize("family", DENSITIES)
def test_nodes_agree_with_tails(family: str) -> None:
    law = (family, 1.0, 1.0, 0.5)
    x, w = (np.array(column) for column in quadrature(law))
    assert w.sum() == pytest.approx(1, abs=1e-8)
    for edge in (-1.5, -0.5, 0.0, 0.5, 2.0):
        assert w[x >= edge].sum() == pytest.approx(float(at_least(law, np.array(edge))), abs=1e-8)


def test_two_ends_that_share_both_noises() -> None:
    """s + W >= 1 + Z or s + W <= -Z, run 200,000 times as written."""
    rng, n = np.random.default_rng(7), 200_000
    up, down = op(">=", name("s0"), name("T0")), op("<=", name("s0"), name("T1"))
    stops = (Statement("stop", "", label("r0"), up), Statement("stop", "", label("r1"), down))
    noises = (Noise(("laplace", 1.0), ("T0", "T1"), "once", "z", (1, -1)), Noise(("exponential", 2.0), ("s0",)))
    program = _program((Statement("statistic", "s0", over("sum", name("x"))), *stops), noises, 3, 1.0, 0.0)
    inputs = inputs_of(program)
    stream = (1.0, 0.0, 1.0)
    row = next(i for i, entries in enumerate(inputs.entries["x"].tolist()) if tuple(entries) == stream)
    z, alive, counts = rng.laplace(0, 1, n), np.ones(n, dtype=bool), {}
    for step, s in enumerate(np.cumsum(stream), 1):
        noisy = s + rng.exponential(2, n)
        high = alive & (noisy >= 1 + z)
        low = alive & ~high & (noisy <= -z)
        counts |= {(step, "r0"): high.sum() / n, (step, "r1"): low.sum() / n}
        alive &= ~high & ~low
    law = laws(program, inputs).ends[row]
    assert set(law) <= {*counts, (3, "goes on")}
    for key, seen in counts.items():
        assert seen == pytest.approx(law.get(key, 0.0), abs=0.001 + 5 * math.sqrt(law.get(key, 0.0) / n)), key


def test_known_losses() -> None:
    """A flip tells log(p / (1 - p)), a geometric release log(1 / ratio) a unit; shown anew, each time."""
    for law, loss in ((("randomized_response", 0.75), math.log(3)), (("geometric", 0.125), math.log(8))):
        shown = (Statement("report", "v", over("sum", name("x"), "last", 1)),)
        program = _program(shown, (Noise(law, ("v",)),), 2)
        assert laws(program, inputs_of(program)).loss(inputs_of(program))[0] == pytest.approx(loss, abs=2e-2)


def test_the_step_of_a_stop_is_seen() -> None:
    """Without noise the step tells the entry, whatever else is the same."""
    program = _program((Statement("stop", "", label("r0"), op(">=", name("x"), name("T0"))),), (), 2, 1.0)
    inputs = inputs_of(program)
    assert laws(program, inputs).loss(inputs)[0] > 20


def test_a_flipped_return_is_one_of_the_labels() -> None:
    stops = (
        Statement("stop", "", label("yes"), op(">=", name("x"), name("T0"))),
        Statement("stop", "", label("no"), op("<", name("x"), name("T0"))),
    )
    program = _program(stops, (Noise(("randomized_response", 0.7), ("return",)),), 1, 1.0)
    inputs = inputs_of(program)
    assert laws(program, inputs).loss(inputs)[0] == pytest.approx(math.log(7 / 3), abs=1e-9)


@pytest.mark.parametrize(
    ("law", "draw"),
    [
        (("gumbel", 2.0), lambda rng, n: rng.gumbel(0, 2, (n, 3))),
        (("laplace", 1.0), lambda rng, n: rng.laplace(0, 1, (n, 3))),
        (("gaussian", 2.0), lambda rng, n: rng.normal(0, 2, (n, 3))),
        (("exponential", 1.0), lambda rng, n: rng.exponential(1, (n, 3))),
        (("geometric", 0.5), lambda rng, n: rng.geometric(0.5, (n, 3)) - rng.geometric(0.5, (n, 3))),
    ],
)
@pytest.mark.parametrize("smallest", [False, True])
def test_winners(law: tuple[str, float], draw: Callable[..., np.ndarray], smallest: bool) -> None:
    """200,000 noisy lists."""
    rng, n, numbers = np.random.default_rng(3), 200_000, np.array([0.0, 1.0, 3.0])
    noisy = numbers + draw(rng, n)
    places = noisy.argmin(axis=1) if smallest else noisy.argmax(axis=1)
    known = chances_of(law, numbers[None, :], smallest)[0]
    assert known.sum() == pytest.approx(1, abs=1e-9)
    assert np.bincount(places, minlength=3) / n == pytest.approx(known, abs=0.005)


def test_the_divergence_of_shifted_gumbel_noise() -> None:
    """By a sum over a fine grid."""
    z = np.linspace(-6, 60, 400_001)
    log_p = -z - np.exp(-z)
    log_q = -(z - 0.5) - np.exp(-(z - 0.5))
    both = [math.log(np.exp(2 * a - b).sum() * (z[1] - z[0])) for a, b in ((log_p, log_q), (log_q, log_p))]
    assert float(gumbel_divergence(np.array([0.5]), 2.0)[0]) == pytest.approx(min(both), rel=1e-3)
