"""A coin that decides an answer, and that another gate reads: in a guard, beside its comparison, or as a factor."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.model.program import Program
from seqlang.rules.composition.concurrent import noises_of
from seqlang.rules.mechanism import finite_law
from seqlang.source import Source

HEAD = """algorithm example
stream x in {0, 1}
adjacent replace one
draw z ~ bernoulli(0.4)
draw w ~ laplace(1)
draw u ~ laplace(100)
draw c ~ bernoulli((49 + 2 * x) / 100)
report answer = if z == 1 then x else 1 - x
report other = c + u
"""
OTHERS = (
    "report read when (1 + 1000 * z) * w >= 5\n",  # the chance that it is made is .5 or .003, as the coin falls
    "report read = (1 + 1000 * z) * w\n",
    "report read when z == 1 or w >= 100\n",
    "report read when z == 1 and w >= -100\n",
    "draw v ~ laplace(1) each step\nreport read = argmax([(1 + z) * w, v])\n",
)


def loaded(body: str) -> Program:
    return driver.load(Source("<test>", HEAD + body + "stop\n")).program


@pytest.mark.parametrize("other", OTHERS)
def test_the_answer_has_no_bound_of_its_own(other: str) -> None:
    program = loaded(other)
    answer, read = (next(g for g in program.gates if g.name == name) for name in ("answer", "read"))
    assert "z: read reads the noise too" in str(finite_law.SEARCH.suggest(program, answer))
    assert "z" in noises_of(program, answer) & noises_of(program, read)


def test_a_draw_whose_law_reads_the_coin_shows_it() -> None:
    # of an answer 1 and a reading 0 the chance is .1 with one entry and .45 with the other
    program = loaded("draw d ~ bernoulli((1 + 2 * z) / 4)\nreport read = d\n")
    answer = next(g for g in program.gates if g.name == "answer")
    assert "z: read reads the noise too" in str(finite_law.SEARCH.suggest(program, answer))


def test_it_has_one_if_nothing_else_reads_the_coin() -> None:
    program = loaded("report read when w >= 5\n")
    assert isinstance(finite_law.SEARCH.suggest(program, program.gates[0]), tuple)


def test_a_factor_may_read_a_coin_where_no_choice_reads_the_data() -> None:
    text = (HEAD + OTHERS[0]).replace("draw c ~ bernoulli((49 + 2 * x) / 100)\n", "").replace("other = c", "other = x")
    program = driver.load(Source("<test>", text + "stop\n")).program
    read = next(g for g in program.gates if g.name == "read")
    assert noises_of(program, read) == {"w", "z"}
