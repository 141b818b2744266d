"""Tests that may use all entries again at every look, by an exact program, against enumeration, and against blocks."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, product

import pytest
from histories import ACCEPT, ON, Histories
from published import Tell

from seqlang.designs.bounds.universal import universal_bound
from seqlang.designs.find import best_design
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.entry import coin
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem

P, ERROR, EPS = Fraction(1, 10), Fraction(3, 20), Fraction(1)
SIZES = (3, 3, 2)


def asked(looks: tuple[int, ...]) -> Problem:
    return Problem(coin(P), coin(1 - P), ERROR, ERROR, Privacy("pure", (EPS,)), limits=Limits(looks=looks))


def test_every_solution_is_a_private_test_and_better_than_blocks() -> None:
    """All sequences of 8 flips, their neighbours, and all that can be shown; errors and flips are summed over them."""
    known = Histories(SIZES, float(P), float(EPS))
    value, x = known.least(float(ERROR))
    looks = tuple(accumulate(SIZES))

    def shown(flips: tuple[int, ...]) -> list[float]:
        """The chances of (look, accept), (look, reject), look by look."""
        counts = [sum(flips[n - m : n]) for n, m in zip(looks, SIZES, strict=True)]
        stories = [tuple(counts[: j + 1]) for j in range(len(SIZES))]
        return [x[known.place(ACCEPT, s)] for story in stories for s in (story, known.flipped(story))]

    laws = {flips: shown(flips) for flips in product((0, 1), repeat=8)}
    wrong = steps = 0.0
    for flips, law in laws.items():
        assert sum(law) == pytest.approx(1, abs=1e-7) and min(law) >= 0
        chance = float(P) ** sum(flips) * float(1 - P) ** (8 - sum(flips))
        wrong += chance * sum(law[1::2])
        steps += chance * sum(n * (a + b) for n, a, b in zip(looks, law[::2], law[1::2], strict=True))
        for i in range(8):
            other = laws[*flips[:i], 1 - flips[i], *flips[i + 1 :]]
            assert all(a <= math.exp(EPS) * b * (1 + 1e-6) + 1e-9 for a, b in zip(law, other, strict=True))
    assert wrong <= float(ERROR) + 1e-8 and steps == pytest.approx(value, abs=1e-6)
    bound, blocks = universal_bound(asked(looks), 8), best_design(asked(looks))[0].cost
    assert bound is not None and bound <= value + 1e-6 < blocks - 0.02
    assert x[known.place(ON, (2, 1))] > 0 and not any(x[known.place(ON, (2, 1, k))] for k in range(3))


def test_one_look_is_the_best_fixed_size() -> None:
    """21 flips at .3 against .7, eps 1, errors .05, and 20 are too few: the published table of fixed sizes."""
    assert Histories((21,), 0.3, 1.0).least(0.05)[0] == 21
    assert Histories((20,), 0.3, 1.0).least(0.05)[0] == math.inf


@pytest.mark.long
@pytest.mark.parametrize(("sizes", "most"), [((11, 7, 9), 15.357), ((11, 4, 5, 8), 15.16), ((11, 5, 6, 11), 14.907)])
def test_published_four_looks(sizes: tuple[int, ...], most: float, published: Tell) -> None:
    """15.16 is published for four looks at .3 against .7, eps 1, where the best adaptive blocks need 15.70; other looks
    do better."""
    found = Histories(sizes, 0.3, 1.0).least(0.05)[0]
    published("Entries used again at every look (published: 15.16 with four)", f"blocks of {sizes}", found, 15.16)
    assert found == pytest.approx(most, abs=5e-3)
