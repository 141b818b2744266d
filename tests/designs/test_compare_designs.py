"""Designs that a planner would otherwise take."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from scipy.stats import binom, norm

from seqlang.designs.blocks.blocks import Blocks, walk_lattice
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.mechanism import NoNoise
from seqlang.designs.blocks.policy import Policy, Row
from seqlang.designs.bounds.whole_hypotheses import looked_at
from seqlang.designs.compare import LOOKS, classic_design, compared
from seqlang.designs.design import Design
from seqlang.designs.find import best_design
from seqlang.designs.problem.entry import coin
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.search.master import Column
from seqlang.record import replace


def test_all_are_for_the_same_problem_and_none_is_better() -> None:
    tenth, fifth = Fraction(1, 10), Fraction(1, 5)
    asked = Problem(coin(tenth), coin(Fraction(4, 5)), tenth, fifth, Privacy("pure", (Fraction(2),)))
    design, blocks, fixed = best_design(asked)
    rows = compared(design, blocks, fixed, best_design)
    own, *others = rows
    assert own.expected_steps["null"] == pytest.approx(design.mean("null", "steps"))
    assert [row.privacy for row in rows] == ["pure(2)"] * (len(rows) - 1) + ["none"]
    averages = [sum(row.expected_steps.values()) / 2 for row in rows]
    for row, average in zip(others, averages[1:], strict=True):
        if row.privacy != "none" and row.errors["null"] <= 0.1:  # classic boundaries may not keep it
            assert average >= averages[0] * 0.999
            assert row.errors["alternative"] <= 0.2
    assert averages[-1] <= averages[0]
    assert next(row for row in rows if row.name == "one block").max_steps == fixed


def test_classic_boundaries_on_counts_without_noise() -> None:
    """Pocock's boundaries on three blocks: the error under the null by adding up all counts of which the standardised
    sum passes a boundary, and near the nominal one."""
    twentieth = Fraction(1, 20)
    asked = Problem(coin(Fraction(3, 10)), coin(Fraction(1, 2)), twentieth, Fraction(1, 10), Privacy("none"))
    design = classic_design(Blocks(asked, NoNoise()), "pocock", 60)
    (policy,) = (column.policy for column in design.columns)
    size = policy.sizes[0]
    bound = 1.992  # Jennison & Turnbull 2000, table 2.1 for two-sided .1: C_P(3, .1) = 1.992
    error = steps = 0.0
    law = binom.pmf(range(size + 1), size, 0.3)
    for counts in itertools.product(range(size + 1), repeat=LOOKS):
        part = math.prod(law[c] for c in counts)
        sums = list(itertools.accumulate(counts))
        z = [(s - 0.3 * size * k) / math.sqrt(0.21 * size * k) for k, s in enumerate(sums, 1)]
        first = next((k for k, one in enumerate(z, 1) if one >= bound - 1e-3), None)
        error += part * (first is not None)
        steps += part * size * (first or LOOKS)
    assert design.mean("null", "reject") == pytest.approx(error, rel=0.02)  # scores are rounded, counts are not
    assert design.mean("null", "steps") == pytest.approx(steps, rel=0.01)
    assert error == pytest.approx(0.05, abs=0.02)
    assert design.mean("alternative", "accept") <= 0.1
    assert norm.sf(bound) < error


def test_a_chance_to_reject_that_falls_is_told() -> None:
    """A test that rejects for two ones rises with p; where the hypotheses are exchanged, it falls towards the
    alternative."""
    tenth = Fraction(1, 10)
    asked = Problem(coin(Fraction(3, 10)), coin(Fraction(7, 10)), tenth, tenth, Privacy("none"))
    blocks = Blocks(asked, NoNoise())
    steps = walk_lattice(blocks[1])
    good = Policy(steps, (Row(0, 0, (2,)), Row(2, 1, ())), ends=True)
    side = evaluate(good, blocks.laws(0), blocks.scores(steps))
    assert side.reject == pytest.approx(0.09)  # two ones of two at .3
    design = Design(asked, (Column(good, side, side, (2.0,)),), (Fraction(1),), None)
    assert "is monotone" in looked_at(design, blocks)
    crossed = replace(asked, null=asked.alternative, alternative=asked.null)
    assert "not monotone" in looked_at(replace(design, problem=crossed), blocks)
