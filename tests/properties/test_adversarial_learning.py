"""Specs of learning made to fool the prover: samples that are seen twice, minimisers that are not smooth, accounts that
are kept too late. Where no finite bound is true, none may be given; else none below the truth, found without it."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import pytest
from elaborated import elaborated

from seqlang.accounting.numeric import search
from seqlang.accounting.numeric.parts import Subsampled
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import enclose
from seqlang.proof.derivation import RenyiBound, settled


def bounds_of(text: str) -> Bounds:
    program = elaborated(f'algorithm adversarial "made to fool the prover"\n{text}')
    return prove(program, delta=Fraction(1, 10**5), orders=(Fraction(2), Fraction(4)))


# ---- no finite bound is true, or none follows from these rules

SAMPLE = """
dataset x in [0, 1] size 1000
adjacent add or remove one
draw batch ~ sample(records, 0.01)
stop when step >= 100
"""
SUM = "sum(x[i] for i in batch)"
NOISE = "\nattach gaussian(4) to g"

PLAIN = {
    "the size of the sample is shown": f"report g = {SUM}\nreport n = length(batch){NOISE}",
    "the divisor is the size of the sample": f"report g = {SUM} / length(batch){NOISE}",
    "divided after the noise": f"statistic s = {SUM}\nreport g = s / length(batch)\nattach gaussian(4) to s",
    "a stop reads the sample": f"report g = {SUM}\nstop when length(batch) == 0{NOISE}",
    "one noise for all steps": f"report g = {SUM}{NOISE} once",
    "a part that depends on the record's number": f"report g = sum(clip(x[i] * i, 0, 1) for i in batch){NOISE}",
    "a part that depends on all records":
        f"statistic m = sum(x[i] for i in records)\nreport g = sum(clip(x[i] * m, 0, 1) for i in batch){NOISE}",
    "nothing is clipped to what memory holds": f"memory w = 1\nreport g = w * {SUM}\nupdate w = g{NOISE}",
}  # fmt: skip

OBJECTIVE = """
dataset x in ball(1, 3), y in {{-1, 1}}, c in [-1, 2] size 10
draw z ~ l2_laplace(2, 3) once
stop return argmin({} for v in {})
"""
LOSS = "sum(log(1 + exp(-y[i] * dot(v, x[i]))) for i in records)"
MINIMISED = {
    "no regulariser": (f"{LOSS} + dot(z, v)", "real ^ 3"),
    "a regulariser with the wrong sign": (f"{LOSS} - dot(v, v) + dot(z, v)", "real ^ 3"),
    "a regulariser of each record": ("sum(log(1 + exp(dot(v, x[i]))) + dot(v, v) for i in records) + dot(z, v)",
                                     "real ^ 3"),
    "a regulariser that the data scale": (f"{LOSS} + (2 + c[1]) * dot(v, v) + dot(z, v)", "real ^ 3"),
    "a minimum on the edge of a ball": (f"{LOSS} + dot(v, v) + dot(z, v)", "ball(1, 3)"),
    "the noise cancels": (f"{LOSS} + dot(v, v) + dot(z, v) - dot(z, v)", "real ^ 3"),
    "noise that the data scale": (f"{LOSS} + dot(v, v) + (2 + c[1]) * dot(z, v)", "real ^ 3"),
    "a loss with a kink": ("sum(max(0, 1 - dot(v, x[i])) for i in records) + dot(v, v) + dot(z, v)", "real ^ 3"),
    "a loss without a steepest slope": ("sum((1 - dot(v, x[i])) ^ 2 for i in records) + dot(v, v) + dot(z, v)",
                                        "real ^ 3"),
    "weights below 0": ("sum(c[i] * log(1 + exp(dot(v, x[i]))) for i in records) + dot(v, v) + dot(z, v)", "real ^ 3"),
    "a public part with a kink": (f"{LOSS} + dot(v, v) + norm(v) + dot(z, v)", "real ^ 3"),
    "two records in one loss": ("sum(log(1 + exp(y[1] * dot(v, x[i]))) for i in records) + dot(v, v) + dot(z, v)",
                                "real ^ 3"),
}  # fmt: skip

OTHERS = {
    # there is no mean of nothing: such a run ends in an error, and whether it does depends on one entry
    "a coin with the mean of what may be nothing":
        "stream x in [0.5, 0.6]\ndraw s ~ bernoulli(mean(x where x > 0.55 over steps))\n"
        "report r = s when step == 1\nstop when step >= 2",
    "a coin with the largest of what may be nothing":
        "dataset x in [0.5, 0.6] size 5\ndraw s ~ bernoulli(max(x[i] for i in records where x[i] > 0.55))\n"
        "report r = s when step == 1\nstop when step >= 2",
    "a coin with the mean of records that come and go":
        "dataset x in [0.5, 0.6] size 5\nadjacent add or remove one\n"
        "draw s ~ bernoulli(mean(x[i] for i in records))\nreport r = s when step == 1\nstop when step >= 2",
    "an account without end":
        "dataset x in [0, 1] size 10\npublic a in [0, 10]\nmemory M = 0\nstop when M + a > 1 and step >= 1000\n"
        "report v = a * sum(x[i] for i in records)\nupdate M = M + a\nattach laplace(1) to v",
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(SAMPLE + text, id=name) for name, text in PLAIN.items()),
        *(pytest.param(OBJECTIVE.format(*parts), id=name) for name, parts in MINIMISED.items()),
        *(pytest.param(text, id=name) for name, text in OTHERS.items()),
    ],
)
def test_no_bound_is_given(text: str) -> None:
    bounds = bounds_of(text)
    assert bounds.pure is None
    assert bounds.dp is None
    assert not bounds.rdp


# ---- a finite bound, not below the truth


def mixture(order: float, rate: float, deviation: float) -> float:
    """RDP of (1 - q) N(0, s^2) + q N(1, s^2) against N(0, s^2), for a whole order: by binomial expansion."""
    k = round(order)
    terms = (
        math.comb(k, j) * (1 - rate) ** (k - j) * rate**j * math.exp((j * j - j) / (2 * deviation**2))
        for j in range(k + 1)
    )
    return math.log(math.fsum(terms)) / (k - 1)


RENYI: dict[str, tuple[str, Callable[[float], float]]] = {
    # one sample for 100 releases: in all of them or in none, one Gaussian release with a tenth of the deviation
    "one sample for all steps": (
        f"{SAMPLE.replace('0.01)', '0.01) once')}report g = {SUM}{NOISE}",
        lambda order: mixture(order, 0.01, 0.4),
    ),
    # the second release of the same step has the same sample
    "one sample for two releases": (
        f"{SAMPLE.replace('100', '2')}report g = [{SUM}, {SUM}]{NOISE}",
        lambda order: mixture(order, 0.01, 4 / math.sqrt(2)),
    ),
    "new samples": (f"{SAMPLE}report g = {SUM}{NOISE}", lambda order: 100 * mixture(order, 0.01, 4)),
}


@pytest.mark.parametrize("name", RENYI)
def test_renyi_bounds_are_not_below_the_truth(name: str) -> None:
    text, truth = RENYI[name]
    found = bounds_of(text).rdp
    assert len(found) == 2
    for bound in found:
        assert isinstance(bound.conclusion, RenyiBound)
        size = enclose(settled(bound.conclusion), {}).high  # the programs have no parameters
        assert math.inf > size >= truth(float(bound.conclusion.order)) * (1 - 1e-9)


@pytest.mark.long
def test_a_sample_in_a_wide_delta_is_no_error() -> None:
    """Where the Renyi bound is next to nothing the grid would be too fine for its part."""
    part = Subsampled(0.004751351876999032, 0.5093597430233073, True, 2)
    assert 0 <= search.epsilon((part,), 0.031094399143070935) < 1
