"""Tests whose noises live on the whole numbers: Zhu & Wang's bound beside divergences that are summed up here."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from seqlang.arithmetic.formula import enclose, number
from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, RenyiBound
from seqlang.proof.replay import replay
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.stopping import gaussian_two_ends, shared_noise, zhu_wang
from seqlang.rules.stopping.ends import WITH_DISCRETE, candidates
from seqlang.source import Source
from seqlang.syntax import parse

REACH = 60
HEAD = "algorithm a\nparam T = 0.5\nparam a = 1\nstream q in -9..9\nadjacent every q within 1\nstop when q >= T\n"
NOISE = "attach discrete_gaussian(3 / 2) to T once\nattach discrete_gaussian(2) to q\n"


def load(text: str) -> Program:
    tree, problems = parse(Source("test.seq", text))
    assert tree is not None, problems
    program, problems = elaborate(tree, {})
    assert program is not None, problems
    return program


def weights(sd: float) -> dict[int, float]:
    found = {k: math.exp(-k * k / (2 * sd * sd)) for k in range(-REACH, REACH + 1)}
    whole = math.fsum(found.values())
    return {k: w / whole for k, w in found.items()}


def law(values: list[int], threshold: float, once: float, look: float) -> list[float]:
    """Of the stopping step, the last entry for no stop: every value of both noises is summed over."""
    fresh = weights(look)
    fires = {m: math.fsum(w for k, w in fresh.items() if k >= m) for m in range(-3 * REACH, 3 * REACH)}
    found = [0.0] * (len(values) + 1)
    for z, chance in weights(once).items():
        for t, value in enumerate(values):
            stops = fires[math.ceil(threshold + z - value)]
            found[t] += chance * stops
            chance *= 1 - stops
        found[-1] += chance
    return found


def renyi(p: list[float], q: list[float], order: float) -> float:
    return math.log(math.fsum(a**order * b ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


def offered(program: Program, horizon: int | None = 4) -> list[RenyiBound]:
    found = zhu_wang.SEARCH.suggest(program, (Fraction(3, 2), Fraction(2), Fraction(8)), horizon)
    assert all(replay(program, d) == () for d in found)
    return [d.conclusion for d in found]


def test_the_bound_holds_by_enumeration() -> None:
    """Values that move by -1, 0 or 1, anyhow; by hand the bound is 2 a / 9 + a / 2 + log(5) / (a - 1)."""
    program, coins = load(HEAD + NOISE), random.Random(5)
    bounds = {b.order: enclose(b.epsilon, {**parameter_values(program), "<order>": b.order}).high
              for b in offered(program)}  # fmt: skip
    for order, bound in bounds.items():
        a = float(order)
        assert bound == pytest.approx(2 * a / 9 + a / 2 + math.log(5) / (a - 1), rel=1e-9)
    for _ in range(12):
        values = [coins.randrange(-4, 4) for _ in range(4)]
        moved = [v + coins.choice((-1, 0, 1)) for v in values]
        p, q = law(values, 0.5, 1.5, 2.0), law(moved, 0.5, 1.5, 2.0)
        for order, bound in bounds.items():
            assert renyi(p, q, float(order)) <= bound


@pytest.mark.parametrize("sd", [0.3, 0.8, 2.0])
@pytest.mark.parametrize("order", [1.5, 2.0, 8.0])
def test_a_whole_shift_costs_what_a_gaussian_pays(sd: float, order: float) -> None:
    """Canonne, Kamath & Steinke 2020: at most order shift^2 / (2 sd^2), and no less than that where order * shift is
    whole. So no smaller coefficient would do."""
    whole = math.log(math.fsum(math.exp(-k * k / (2 * sd * sd)) for k in range(-REACH, REACH + 1)))
    for shift in (1, 2):
        inside = [(order * -k * k + (order - 1) * (k - shift) ** 2) / (2 * sd * sd) - whole for k in range(-90, 91)]
        most = max(inside)
        found = (most + math.log(math.fsum(math.exp(e - most) for e in inside))) / (order - 1)
        bound = order * shift**2 / (2 * sd**2)
        assert found <= bound * (1 + 1e-9)
        if float(order * shift).is_integer():
            assert found == pytest.approx(bound, rel=1e-9)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("stream q in -9..9", "stream q in [-9, 9]"),
        ("stop when q >= T", "statistic h = q / 2\nstop when h >= T"),
        ("discrete_gaussian(2) to q", "discrete_gaussian(2) to q\nattach discrete_gaussian(2) to q"),
    ],
)
def test_other_moves_and_noises_are_refused(old: str, new: str) -> None:
    """A value between two whole numbers is not hidden by noise on them at all."""
    text = (HEAD + NOISE).replace(old, new)
    if "h >= T" in new:
        text = text.replace("to q", "to h")
    assert text != HEAD + NOISE
    assert offered(load(text)) == []


def test_multiples_of_the_noise_are_refused() -> None:
    text = HEAD.replace("stop when q >= T", "draw z ~ discrete_gaussian(2)\nstop when q + 2 * z >= T")
    assert offered(load(text + "attach discrete_gaussian(3 / 2) to T once\n")) == []


def test_rules_for_the_normal_law_do_not_take_it() -> None:
    """Their bounds are of integrals over the real line."""
    program = load(HEAD + NOISE)
    assert candidates(program) == () and candidates(program, WITH_DISCRETE) == ("stop 1",)
    wanted = RenyiBound(("stop 1",), Fraction(2), number(10**6), 4)
    assert replay(program, Derivation(wanted, zhu_wang.RULE.name)) == ()
    for rule in (gaussian_two_ends, shared_noise):
        assert replay(program, Derivation(wanted, rule.RULE.name)) != ()
