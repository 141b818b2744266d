"""Laws of short tests for every input: integrals against orthant probabilities, bounds against laws on a plain grid."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import multivariate_normal

from seqlang.accounting import normal_cells
from seqlang.accounting.normal_cells import Between, End, Extreme, chances
from seqlang.arithmetic.formula import enclose
from seqlang.elaborate import elaborate
from seqlang.model.program import Program, PublicGate
from seqlang.proof.derivation import ApproximateBound, Derivation
from seqlang.rules.joint import every_input
from seqlang.source import Source
from seqlang.syntax import parse


def program(*lines: str) -> Program:
    tree, found = parse(Source("<test>", "\n".join(("algorithm t", *lines))))
    assert tree is not None, found
    made, found = elaborate(tree, {})
    assert made is not None, found
    return made


def bound(spec: Program, delta: str = "0.01") -> float | None:
    names = tuple(gate.name for gate in spec.gates if not isinstance(gate, PublicGate))
    found = every_input.SEARCH.suggest(spec, names, Fraction(delta))
    if not isinstance(found, Derivation):
        return None
    assert isinstance(found.conclusion, ApproximateBound)
    assert every_input.RULE.holds(spec, found) is None
    return enclose(found.conclusion.epsilon, {}).high


# ---- integrals


def random_event(rng: random.Random, axes: int) -> tuple[Between, ...]:
    """Lower ends as largest, upper ends as smallest ones: all together linear conditions."""

    def extreme(sign: int) -> Extreme:
        ends = [
            End(rng.randrange(axes), rng.uniform(-1.5, 1.5), rng.choice((-1.0, 0.7, 1.6)))
            for _ in range(rng.choice((1, 1, 2)))
        ]
        return Extreme(sign, tuple(ends))

    sides = [(rng.random() < 0.7, rng.random() < 0.7) for _ in range(rng.choice((1, 2)))]
    return tuple(Between((extreme(1),) * low, (extreme(-1),) * high) for low, high in sides)


def orthant(event: tuple[Between, ...], axes: int) -> float:
    """The chance by the distribution function of a normal vector: w - a - b z >= 0, a + b z - w >= 0."""
    rows, constants = [], []
    for t, factor in enumerate(event):
        for sign, side in ((1.0, factor.lower), (-1.0, factor.upper)):
            for end in (end for extreme in side for end in extreme.ends):
                row = np.zeros(axes + len(event))
                row[axes + t], row[end.axis] = sign, -sign * end.slope
                rows.append(row)
                constants.append(-sign * end.constant)
    if not rows:
        return 1.0
    a = np.array(rows)
    normal = multivariate_normal(np.zeros(len(a)), a @ a.T, allow_singular=True, seed=1)
    return float(normal.cdf(np.array(constants)))


@pytest.mark.parametrize("axes", [1, 2])
def test_integrals_against_orthant_probabilities(axes: int) -> None:
    rng = random.Random(axes)
    for _ in range(3):
        event = random_event(rng, axes)
        found = chances(axes, [[event]])
        assert found is not None
        assert found[0].values[0] == pytest.approx(orthant(event, axes), abs=found[0].error + 2e-5)
        assert found[0].error < 0.02


def test_errors_are_honest_on_coarse_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a few cells the values are off by much, but by no more than is said."""
    rng = random.Random(5)
    events = [random_event(rng, 2) for _ in range(4)]
    truth = [orthant(event, 2) for event in events]
    off = []
    for cells in (6, 14, 40):
        monkeypatch.setattr(normal_cells, "CELLS", {2: cells})
        for event, true in zip(events, truth, strict=True):
            found = chances(2, [[event]])
            assert found is not None
            off.append(abs(found[0].values[0] - true))
            assert off[-1] <= found[0].error + 2e-5
    assert max(off) > 0.003  # a rule without errors would be wrong


# ---- bounds


GRID = np.linspace(-7, 7, 141)
WEIGHT = np.exp(-(GRID**2) / 2)
WEIGHT /= WEIGHT.sum()


def law_of_range(f: tuple[int, ...], ends: tuple[float, float], sds: tuple[float, float, float]) -> Any:
    """Stops above `high` or below `low`, of which both have lasting noise."""
    low, high = ends[0] + sds[0] * GRID[:, None], ends[1] + sds[1] * GRID[None, :]
    alive, found = np.outer(WEIGHT, WEIGHT), []
    for x in f:
        top, bottom = 1 - ndtr((high - x) / sds[2]), ndtr((np.minimum(low, high) - x) / sds[2])
        found += [(alive * top).sum(), (alive * bottom).sum()]
        alive = alive * np.maximum(ndtr((high - x) / sds[2]) - ndtr((low - x) / sds[2]), 0)
    return np.array([*found, alive.sum()])


def law_of_extremes(f: tuple[int, ...], sds: tuple[float, float]) -> Any:
    """The first two noisy entries are kept."""
    a, b = f[0] + sds[0] * GRID[:, None], f[1] + sds[0] * GRID[None, :]
    alive, found = np.outer(WEIGHT, WEIGHT), []
    for x in f[2:]:
        high, low = ndtr((np.maximum(a, b) - x) / sds[1]), ndtr((np.minimum(a, b) - x) / sds[1])
        found += [(alive * (1 - high)).sum(), (alive * low).sum()]
        alive = alive * (high - low)
    return np.array([*found, alive.sum()])


def law_of_winner(f: tuple[int, ...], sd: float) -> Any:
    others = [[ndtr((x - y) / sd + GRID) for j, y in enumerate(f) if j != i] for i, x in enumerate(f)]
    return np.array([(WEIGHT * np.prod(each, axis=0)).sum() for each in others])


def least(laws: dict[tuple[int, ...], Any], delta: float, near: Any) -> float:
    def worst(epsilon: float) -> float:
        pairs = ((p, q) for f, p in laws.items() for g, q in laws.items() if near(f, g))
        return max(float(np.maximum(p - math.exp(epsilon) * q, 0).sum()) for p, q in pairs)

    low, high = 0.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if worst(middle) > delta else (low, middle)
    return high


ADJACENT = {
    "every f within 1": lambda f, g: all(abs(x - y) <= 1 for x, y in zip(f, g, strict=True)),
    "one f within 1": lambda f, g: sum(abs(x - y) for x, y in zip(f, g, strict=True)) <= 1,
    "replace one": lambda f, g: sum(x != y for x, y in zip(f, g, strict=True)) <= 1,
    "every f within 1 same direction": lambda f, g: (
        all(abs(x - y) <= 1 for x, y in zip(f, g, strict=True))
        and (all(x >= y for x, y in zip(f, g, strict=True)) or all(x <= y for x, y in zip(f, g, strict=True)))
    ),
}


@pytest.mark.parametrize("adjacent", ADJACENT)
def test_bounds_against_laws_on_a_grid(adjacent: str) -> None:
    rng = random.Random(adjacent)
    for kind in ("range", "extremes", "winner"):
        domain = rng.choice([(0, 1), (0, 1, 2)])
        n = {"range": 2, "extremes": 3, "winner": 3}[kind]
        sds = rng.choice((1.0, 2.0, 3.0)), rng.choice((1.0, 2.0, 3.0)), rng.choice((1.0, 2.0, 3.0))
        read = f"stream f in {{{', '.join(map(str, domain))}}}"
        end = f"stop when step >= {n}"
        lines: tuple[str, ...]
        if kind == "range":
            lines = (read, "param low = 0", "param high = 2", "stop when f >= high return top",
                     "stop when f < low return bottom",
                     end, f"attach gaussian({sds[0]}) to low once", f"attach gaussian({sds[1]}) to high once",
                     f"attach gaussian({sds[2]}) to f")  # fmt: skip
            laws = {f: law_of_range(f, (0, 2), sds) for f in product(domain, repeat=n)}
        elif kind == "extremes":
            lines = (read, "statistic g = f", "statistic q = f",
                     "statistic highest = max(g where step <= 2 over steps)",
                     "statistic lowest = min(g where step <= 2 over steps)",
                     "stop when step > 2 and q > highest return top",
                     "stop when step > 2 and q < lowest return bottom", end, f"attach gaussian({sds[0]}) to g",
                     f"attach gaussian({sds[1]}) to q")  # fmt: skip
            laws = {f: law_of_extremes(f, sds[:2]) for f in product(domain, repeat=n)}
        else:
            lines = (
                f"{read.replace('stream', 'dataset')} size {n}",
                "stop return argmax(f)",
                f"attach gaussian({sds[0]}) to f",
            )
            laws = {f: law_of_winner(f, sds[0]) for f in product(domain, repeat=n)}
        found = bound(program(*lines, f"adjacent {adjacent}"))
        truth = least(laws, 0.01, ADJACENT[adjacent])
        assert found is not None
        assert truth - 2e-3 <= found <= truth * 1.1 + 0.12, (kind, domain, sds)


RANGE = ("stream f in {0, 1}", "adjacent every f within 1", "param t = 0", "stop when f >= t return top",
         "stop when step >= 2", "attach gaussian(4) to t once", "attach gaussian(2) to f")  # fmt: skip
STORED = ("stream f in {0, 1}", "adjacent every f within 1", "statistic g = f", "statistic q = f",
          "statistic x = max(g where step <= 2 over steps)", "stop when step > 2 and q > x", "stop when step >= 3",
          "attach gaussian(4) to g", "attach gaussian(2) to q")  # fmt: skip


def test_inside_of_the_rule() -> None:
    assert bound(program(*RANGE)) is not None and bound(program(*STORED)) is not None


@pytest.mark.parametrize(
    ("lines", "old", "new"),
    [
        (RANGE, "in {0, 1}", "in [0, 1]"),
        (RANGE, "stop when step >= 2", "stop when step >= 9"),  # 512 inputs
        (RANGE, "stop when step >= 2", "public u in {0, 1}"),
        (RANGE, "gaussian(2)", "laplace(2)"),
        (RANGE, "gaussian(4) to t once", "gaussian(4) to t"),  # two fresh noises in one comparison
        (RANGE, "to f", "to f once"),
        (RANGE, "stop when f >= t return top", "report up when f >= t"),
        (RANGE, "return top", "return f"),
        (RANGE, "f >= t", "f * f >= t and f < t"),
        (STORED, "step > 2", "step > 1"),  # read while it grows
        (STORED, "step <= 2", "step <= 3"),
        (STORED, "statistic q = f", "statistic q = g"),  # the stored noise is compared too
        (STORED, "q > x", "f > x"),  # nothing fresh
    ],
)
def test_outside_of_the_rule(lines: tuple[str, ...], old: str, new: str) -> None:
    changed = tuple(line.replace(old, new) for line in lines)
    assert changed != lines
    assert bound(program(*changed)) is None


def test_other_gates_are_not_covered() -> None:
    spec = program(*RANGE)
    assert not isinstance(every_input.SEARCH.suggest(spec, (), Fraction(1, 100)), Derivation)


def test_a_pair_left_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst neighbours differ in every entry; without them the bound would be too small."""
    lines = (
        "dataset f in {0, 1} size 4",
        "adjacent every f within 1",
        "stop return argmax(f)",
        "attach gaussian(4) to f",
    )
    truth = least({f: law_of_winner(f, 4.0) for f in product((0, 1), repeat=4)}, 0.01, ADJACENT["every f within 1"])
    found = bound(program(*lines))
    assert found is not None and truth - 1e-4 <= found <= truth + 1e-2
    whole = every_input._neighbours
    monkeypatch.setattr(every_input, "_neighbours", lambda p, i: [(a, b) for a, b in whole(p, i) if a + b != 15])
    less = bound(program(*lines))
    assert less is not None and less < truth - 1e-2
