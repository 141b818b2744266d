"""Choices by the size of one quantity, looked up for arrays of runs, against the interpreter, which makes each."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from elaborated import elaborated
from thorough import several

from seqlang.backends.arrays import compiler, ladders
from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame, PartialState
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.state import PartialState as OneState
from seqlang.model import expression as ir
from seqlang.model.program import Update

WHERE = [-math.inf, -3.5, -2, -1.25, -1, 0, 0.5, 1, 2, 2.5, 7, math.inf, math.nan]


def tree(random, depth):
    if depth == 0 or random.random() < 0.1:
        return random.choice(["1", "-2", "7", "0.25", "limit + 3"])
    sides = ["score", random.choice(["-2", "-1", "0.5", "2", "1/2 + 1/2", "limit", "-1.25"])]
    random.shuffle(sides)
    test = f" {random.choice(['<', '<=', '>', '>=', '==', '!='])} ".join(sides)
    return f"(if {test} then {tree(random, depth - 1)} else {tree(random, depth - 1)})"


def choice_of(text):
    """A program that has the expression, and the expression."""
    program = elaborated(
        "algorithm a\nparam limit = 2\nstream x in {0, 1}\nmemory score = 0\nmemory other = 0\n"
        f"update score = {text}\nupdate other = step\nstop when step >= 2\n"
    )
    return program, next(s.value for s in program.body if isinstance(s, Update))


def by_arrays(program, e, values):
    memory = {"score": np.array(values), "other": np.arange(float(len(values)))}
    state = PartialState(len(values), fields={}, memory=memory, step_number=1)
    frame = Frame(state)
    frame.doubts = []  # what is no number is no error
    return np.broadcast_to(VectorCompiler(program).compile(e)(frame), (len(values),)).tolist()


def one_by_one(program, e, values):
    code = Compiler(program).compile(e)
    return [code.run(OneState(memory={"score": value, "other": float(i)})) for i, value in enumerate(values)]


@pytest.fixture
def made(monkeypatch):
    """The choices that became look-ups."""
    found = []

    def watched(compiler, jumps, choice):
        run = ladders.ladder(compiler, jumps, choice)
        if run is not None:
            found.append(choice)
        return run

    monkeypatch.setattr(compiler, "ladder", watched)
    return found


def test_a_look_up_is_the_choices_one_by_one(made):
    numbers = random.Random(3)
    for _ in range(several(25, 500)):
        program, e = choice_of(tree(numbers, 5))
        assert by_arrays(program, e, WHERE) == one_by_one(program, e, WHERE)
        whole = list(range(-4, 9))
        assert by_arrays(program, e, whole) == one_by_one(program, e, whole)
    assert len(made) >= 15


@pytest.mark.parametrize(
    "text",
    [
        # three choices; two quantities; an end, a side that is no constant
        "if score < 1 then 1 else if score < 2 then 2 else if score < 3 then 3 else 4",
        "if score < 1 then 1 else if other < 2 then 2 else if score < 3 then 3 else if score < 4 then 4 else 5",
        "if score < 1 then 1 else if score < 2 then 2 else if score < 3 then 3 else if score < 4 then other else 5",
        "if score < 1 then 1 else if score < other then 2 else if score < 3 then 3 else if score < 4 then 4 else 5",
    ],
)
def test_other_choices_are_made_one_by_one(made, text):
    program, e = choice_of(text)
    assert by_arrays(program, e, WHERE) == one_by_one(program, e, WHERE)
    assert not made


def test_a_quantity_that_is_no_number_is_an_error_where_it_is_needed(made):
    program, e = choice_of("if score < 1 then 1 else if score < 2 then 2 else if score < 3 then 3 else " * 2 + "4")
    found = []
    state = PartialState(2, fields={}, memory={"score": np.array([1.5, math.nan])}, step_number=1)
    state.checked = lambda bad, frame, what, span: found.append((np.isnan(bad).tolist(), what, span))
    VectorCompiler(program).compile(e)(Frame(state))
    assert isinstance(e, ir.Choice)
    assert made == [e]
    assert found == [([False, True], "a side of this comparison", e.test.span)]
