"""Sums over a Poisson sample with Gaussian noise: what is amplified, by how much, and every reason against."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import pytest
from amounts import scaled
from elaborated import elaborated

from seqlang.accounting import renyi as curves
from seqlang.accounting.subsampled_gaussian import renyi, renyi_replace
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, RenyiBound, settled
from seqlang.proof.replay import replay
from seqlang.record import replace as changed


def proved(*lines: str, delta: Fraction = Fraction(1, 10**6), horizon: int | None = None) -> tuple[Program, Bounds]:
    made = elaborated("\n".join(("algorithm t", *lines)))
    return made, prove(made, delta=delta, horizon=horizon)


def at_two(*lines: str) -> tuple[float, str]:
    """The order-2 bound, and the rule at the bottom of its proof."""
    made, found = proved(*lines)
    if not found.rdp:
        return inf, ""
    proof = found.rdp[0]
    while proof.premises:
        proof = proof.premises[0]
    return size_of(made, found.rdp[0]), proof.rule


HEAD = ("dataset x in [-1, 1] size 50", "adjacent add or remove one", "draw batch ~ sample(records, 0.1)")
STOP = "stop when step >= 20 return done"
SUM = "report g = sum(x[i] for i in batch)"
NOISE = "attach gaussian(2) to g"
RULE = "mechanism/subsampled_gaussian"


@pytest.mark.parametrize(
    ("lines", "sigma"),
    [
        ((*HEAD, SUM, STOP, NOISE), 2.0),
        # a multiple of the sum, and public values beside it
        ((*HEAD, "report g = sum(x[i] for i in batch) / 4", STOP, "attach gaussian(2) to g"), 8.0),
        ((*HEAD, "report g = 3 - 2 * sum(x[i] for i in batch)", STOP, "attach gaussian(2) to g"), 1.0),
        ((*HEAD, "memory w = 0", "report g = w + sum(x[i] for i in batch)", "update w = g", STOP, NOISE), 2.0),
        # a clipped function of the record and of public memory
        ((*HEAD, "memory w = 0", "report g = sum(clip(w * x[i], -1/2, 1/2) for i in batch)", "update w = g", STOP,
          NOISE), 4.0),
        # only some of the records in the sample
        ((*HEAD, "report g = sum(x[i] for i in batch where x[i] > 0)", STOP, NOISE), 2.0),
        # a statistic that only this report reads
        ((*HEAD, "statistic s = sum(x[i] for i in batch)", "report g = s", STOP, NOISE), 2.0),
        # noise on the statistic
        ((*HEAD, "statistic s = sum(x[i] for i in batch)", "report g = s", STOP, "attach gaussian(2) to s"), 2.0),
    ],
)  # fmt: skip
def test_amplified(lines: tuple[str, ...], sigma: float) -> None:
    bound, rule = at_two(*lines)
    assert rule == RULE
    assert bound == pytest.approx(20 * renyi(0.1, sigma, 2.0), rel=1e-9)


def test_vectors_are_measured_in_l2() -> None:
    vector = ("dataset x in ball(3, 4) size 50", *HEAD[1:])
    bound, rule = at_two(*vector, "report g = sum(clip_norm(x[i], 1/2) for i in batch)", STOP, NOISE)
    assert (rule, bound) == (RULE, pytest.approx(20 * renyi(0.1, 4.0, 2.0), rel=1e-9))


def test_replacing_is_another_pair() -> None:
    lines = (HEAD[0], "adjacent replace one", *HEAD[2:], SUM, STOP, NOISE)
    bound, rule = at_two(*lines)
    assert (rule, bound) == (RULE, pytest.approx(20 * renyi_replace(0.1, 2.0, 2.0), rel=1e-9))


def test_everyone_in_the_sample_is_the_gaussian_mechanism() -> None:
    bound, _ = at_two(*HEAD[:2], "draw batch ~ sample(records, 1)", SUM, STOP, NOISE)
    assert bound == pytest.approx(20 * curves.gaussian(2.0, 2.0), rel=1e-9)


def test_a_stream_of_releases_needs_a_horizon() -> None:
    lines = (*HEAD, SUM, NOISE)
    assert proved(*lines)[1].rdp == ()
    made, found = proved(*lines, horizon=7)
    assert size_of(made, found.rdp[0]) == pytest.approx(7 * renyi(0.1, 2.0, 2.0), rel=1e-9)
    assert all(isinstance(d.conclusion, RenyiBound) and d.conclusion.horizon == 7 for d in found.rdp)
    assert found.dp is not None
    assert isinstance(found.dp.conclusion, ApproximateBound)
    assert found.dp.conclusion.horizon == 7


@pytest.mark.parametrize(
    "lines",
    [
        # the divisor depends on the sample
        (*HEAD, "report g = sum(x[i] for i in batch) / max(1, length(batch))", STOP, NOISE),
        (*HEAD, "report g = mean(x[i] for i in batch)", STOP, NOISE),
        # no bound on a record's part
        ("dataset x in real size 50", *HEAD[1:], SUM, STOP, NOISE),
        # the parts depend on other records, or on the record's number
        (*HEAD, "report g = sum(clip(x[i] * sum(x), -1, 1) for i in batch)", STOP, NOISE),
        (*HEAD, "report g = sum(clip(i * x[i], -1, 1) for i in batch)", STOP, NOISE),
        # noise that serves twice, or hides nothing
        (*HEAD, SUM, STOP, "attach gaussian(2) to g once"),
        (*HEAD, SUM, STOP),
        # a sample that serves twice
        (*HEAD[:2], "draw batch ~ sample(records, 0.1) once", SUM, STOP, NOISE),
        # several entries
        (HEAD[0], "adjacent add or remove 2", HEAD[2], SUM, STOP, NOISE),
        # no sample
        (*HEAD[:2], "report g = sum(x)", STOP, NOISE),
        # the largest of the sample, not its sum
        (*HEAD, "report g = max(x[i] for i in batch)", STOP, NOISE),
    ],
)  # fmt: skip
def test_not_amplified(lines: tuple[str, ...]) -> None:
    """Nothing, or what holds without the sample: never less than one showing of the plain release."""
    bound, rule = at_two(*lines)
    assert rule != RULE
    assert bound >= 20 * curves.gaussian(2.0, 2.0) or bound >= curves.pure(0.5, 2.0)


@pytest.mark.parametrize(
    "more",
    [
        ("report h = sum(x[i] for i in batch)", "attach gaussian(2) to h"),
        ("report h = length(batch)", "attach laplace(2) to h"),
        ("report h = length(batch)",),
    ],
)
def test_a_sample_that_another_report_reads(more: tuple[str, ...]) -> None:
    bound, rule = at_two(*HEAD, SUM, more[0], STOP, NOISE, *more[1:])
    assert rule != RULE
    assert bound >= 20 * curves.gaussian(2.0, 2.0)


def test_two_samples_are_two_mechanisms() -> None:
    second = ("draw other ~ sample(records, 0.2)", "report h = sum(x[i] for i in other)", "attach gaussian(3) to h")
    made, found = proved(*HEAD, SUM, *second[:2], STOP, NOISE, second[2])
    expected = 20 * renyi(0.1, 2.0, 2.0) + 20 * renyi(0.2, 3.0, 2.0)
    assert size_of(made, found.rdp[0]) == pytest.approx(expected, rel=1e-9)


def test_a_smaller_claim_does_not_replay() -> None:
    made, found = proved(*HEAD, SUM, STOP, NOISE)
    proof = next(d for d in (*found.rdp, *found.alternatives) if d.rule == RULE)
    assert not replay(made, proof)
    claim = proof.conclusion
    assert isinstance(claim, RenyiBound)
    for wrong in (scaled(claim, 0.999999), changed(claim, order=claim.order * 2, epsilon=settled(claim)),
                  changed(claim, gates=("stop 1",)), changed(claim, gates=("g", "stop 1"))):  # fmt: skip
        assert replay(made, changed(proof, conclusion=wrong))
