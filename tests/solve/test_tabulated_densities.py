"""Densities by table, rare rows, and what is said when states explode."""

from __future__ import annotations

import numpy as np
from checked import checked

from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.states.batch import rarest
from seqlang.backends.solve.states.tabulated_densities import TabledCompiler, distinct
from seqlang.backends.solve.step.body import Stage
from seqlang.driver import load, read
from seqlang.model.program import Update
from seqlang.source import Source


def test_distinct_rows() -> None:
    random = np.random.default_rng(3)
    columns = [random.integers(-3, 4, 500).astype(float), np.array([7.0]), random.choice([0.1, 0.25, -2.5], 500)]
    found = distinct(columns, 500)
    assert found is not None
    first, group = found
    rows = np.stack([np.broadcast_to(c, 500) for c in columns])
    assert np.array_equal(rows[:, first][:, group], rows)
    assert len(first) == len(np.unique(rows, axis=1).T)


def test_rare_rows_have_less_than_is_allowed() -> None:
    mass = np.random.default_rng(4).exponential(size=1000) ** 6
    for allowed in (1e-12, 1e-6, 1e-2, 10.0):
        assert mass[mass < rarest(mass, allowed)].sum() < allowed


def test_exploding_states_end_early_with_an_estimate_and_the_same_answer_twice() -> None:
    """The stop that never happens counts over all steps, which the chain of blocks leaves to others."""
    blocks = read("@tight/blocks")
    text = blocks.text.replace("stop when score >= bar", "stop when sum(1 over steps) < 0\nstop when score >= bar")
    program = load(Source("blocks", text), {}).program
    one, two = (solve(program, "null", work=2e8) for _ in range(2))
    assert np.array_equal(one.table, two.table)
    assert 0 < one.unresolved < 0.02
    steps = float(np.arange(1, len(one.table) + 1) @ one.table.sum(axis=1))
    assert steps < 16.2068 < steps + one.steps_error < 17.5
    assert any("estimate" in note for note in one.notes)


def test_claims_of_blocks_hold() -> None:
    verdicts = [v.verdict for v in checked("tight/blocks").verdicts]
    assert verdicts == ["proved", "proved", "proved", "unknown"]  # nothing here bounds how long a run may go on


TABLES = """
algorithm tables
stream x in {0, 1}
memory w = 1
memory at = 0
memory p = 0
update p = convolve({0: w, 1: 1}, geometric(1 / 2)).pmf(at)
update w = w + 1
stop when step >= 3
"""


def test_a_table_of_weights_that_differ_from_row_to_row() -> None:
    """P(k) = (1/3) (1/2)^|k|: the mass at k is (w P(k) + P(k - 1)) / (w + 1)."""
    program = load(Source("tables", TABLES), {}).program
    (update,) = (s for s in program.body if isinstance(s, Update) and s.memory == "p")
    compiler = TabledCompiler(program)
    stage = Stage(compiler, 200)
    w, at = np.tile([1.0, 2.0, 5.0, 9.0], 50), np.repeat([-1.0, 0.0, 1.0, 4.0], 50)
    stage.memory = {"w": w, "at": at, "p": at}
    found = stage.numbers(compiler.compile(update.value))
    expected = (w * 0.5 ** np.abs(at) + 0.5 ** np.abs(at - 1)) / (3 * (w + 1))
    assert np.allclose(found, expected, rtol=1e-13)
