"""Which element of a list is read, and what a list is made of: each bound is compared with a loss computed by hand."""

from __future__ import annotations

from math import inf

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of
from seqlang.model.expression import Local
from seqlang.model.program import Program
from seqlang.rules.sensitivity.motion.shifts import shift_of


def program(*lines: str) -> Program:
    return elaborated("\n".join(("algorithm t", *lines)))


def pure(*lines: str) -> float:
    made = program(*lines)
    bound = prove(made).pure
    return inf if bound is None else size_of(made, bound)


def test_an_accumulator_was_filled_before_its_position_was_chosen() -> None:
    """l[step] is the sum of (k - i) x_i over i <= k, not of 0 x_i: the first entry is shown with 1, then with 2."""
    bound = pure(
        "stream x in {0, 1}",
        "statistic l = [sum((k - step) * x over steps) for k in 1..3]",
        "report A = l[clip(step, 1, 3)]",
        "stop when step >= 3",
        "attach laplace(1) to A",
    )
    assert bound >= 3


@pytest.mark.parametrize("position", ["m", "step % 3 + 1", "T"])
def test_another_element_in_each_step_is_no_constant_shift(position: str) -> None:
    made = program(
        "stream x in {0, 1}",
        "param T = 1",
        "memory m = 3",
        "statistic l = [sum(k * x over steps) for k in 1..3]",
        f"statistic s = l[clip({position}, 1, 3)]",
        "update m = if m == 3 then 1 else 3",
        "stop when s >= 3",
        "attach geometric(0.5) to T",
    )
    assert shift_of(made, Local("s")).kind == "same direction"


def test_one_element_is_a_constant_shift() -> None:
    made = program(
        "stream x in {0, 1}", "statistic l = [sum(k * x over steps) for k in 1..3]", "statistic s = l[2]", "stop"
    )
    assert shift_of(made, Local("s")).kind == "uniform"


def test_coordinates_that_move_apart_have_no_common_direction() -> None:
    """A changed entry raises one coordinate and lowers the other; the step decides which of them is read."""
    made = program(
        "stream x in {0, 1}",
        "memory m = 3",
        "statistic l = [sum(x over last m), sum(1 - x over last m)]",
        "statistic s = l[step % 2 + 1]",
        "update m = if m == 3 then 2 else 3",
        "stop",
    )
    assert shift_of(made, Local("s")).kind == "arbitrary"


def test_a_flip_may_answer_with_the_branch_that_is_never_taken() -> None:
    """s is 1 as written, but answers 0 with chance 3/8: then the first element differs from the second."""
    made = program(
        "dataset x in {0, 1} size 1",
        "statistic s = if 1 < 2 then 1 else 0",
        "statistic t = [s, 1][1 + max(x[i] for i in records)]",
        "stop when t > 1 return r",
        "attach randomized_response(0.625) to s",
        "attach geometric(0.0625) to t",
    )
    assert str(shift_of(made, Local("t")).radius) == "1"


def test_a_flip_may_answer_what_is_never_true() -> None:
    """s answers 1 or 2, though u >= 0 always holds: t is up to 3 times the sum."""
    bound = pure(
        "stream x in {0, 1}",
        "public u in {0, 1}",
        "statistic s = if u >= 0 then 1 else 2",
        "report A = sum(x over steps) * (s + min(step, 1))",
        "stop",
        "attach randomized_response(0.75) to s",
        "attach laplace(1) to A",
    )
    assert bound >= 3


def test_the_length_of_a_dataset_is_not_that_of_a_record() -> None:
    bound = pure(
        "dataset x in {0, 1} ^ 2 size 3",
        "adjacent add or remove one",
        "report A = abs(length(x) - 3)",
        "stop",
        "attach laplace(1) to A",
    )
    assert bound == 1


def test_equal_elements_of_a_list_are_all_hit() -> None:
    """One entry that becomes 0 raises all five counts."""
    bound = pure(
        "stream x in {0, 1, 2}",
        "statistic s = [count(x == k over steps) for k in zeros(5)]",
        "report A = s",
        "stop",
        "attach laplace(1) to A",
    )
    assert bound == 5


@pytest.mark.parametrize("part", ["[1, x[i]]", "[1 + x[i], 0]", "[x[i] + k for k in 0..1]"])
def test_a_record_takes_its_constants_with_it(part: str) -> None:
    """(1, 1), (2, 0) and (1, 2) are what a record of value 1 adds."""
    bound = pure(
        "dataset x in {0, 1} size 3",
        "adjacent add or remove one",
        f"report A = sum({part} for i in records)",
        "stop",
        "attach laplace(1) to A",
    )
    assert bound == (3 if "for" in part else 2)


@pytest.mark.parametrize(
    "value",
    [
        "[[sum(k * j * x over steps) for j in 1..k] for k in 1..3][3][2]",
        "[sum(max(x * j for j in 1..k) over steps) for k in 1..3][2]",
        "[f(max(x * j for j in 1..k)) for k in 1..3][2]",
    ],
)
def test_the_set_of_a_binder_may_read_another_one(value: str) -> None:
    """The model is well formed: elaboration itself asserts it."""
    program("stream x in {0, 1}", "let f(v) = sum(v over steps) + max(v over steps)", f"report A = {value}", "stop")


@pytest.mark.parametrize("fold", ["max", "min", "mean"])
def test_a_fold_of_nothing_has_no_value(fold: str) -> None:
    """One side may have no record left, or none that fulfils the condition."""
    lines = ("stop", "attach laplace(1) to A")
    removed = ("dataset x in [0, 1] size 1", "adjacent add or remove one", f"report A = abs({fold}(x))")
    chosen = ("dataset x in {0, 1} size 3", f"report A = abs({fold}([x[i] for i in records where x[i] > 0]))")
    assert pure(*removed, *lines) == inf
    assert pure(*chosen, *lines) == inf
    assert pure("dataset x in [0, 1] size 2", f"report A = abs({fold}(x))", *lines) <= 1


@pytest.mark.parametrize(("length", "kind"), [("m", "same direction"), ("3", "same sign, not growing")])
def test_a_mean_over_a_window_that_changes_may_grow_again(length: str, kind: str) -> None:
    """One entry of three counts a third, and all of it once the window holds no other."""
    made = program(
        "stream x in {0, 1}",
        "memory m = 3",
        f"statistic s = mean(x over last {length})",
        "update m = if m == 1 then 3 else 1",
        "stop when step >= 5",
    )
    assert shift_of(made, Local("s")).kind == kind
