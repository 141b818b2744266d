"""Programs that look at their data in blocks: the chain of blocks against the chain of steps, and by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from thorough import spread

from seqlang.backends.solve import spaces
from seqlang.backends.solve.blocks.block_plan import block_plan
from seqlang.backends.solve.blocks.clipped import clips_of
from seqlang.backends.solve.recursion import follow
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.step.integration_plan import integration_plan
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.driver.loading import load
from seqlang.model.program import Program
from seqlang.source import Source

BLOCKS = """
algorithm blocks
stream x in {{0, 1}}
model coin: x ~ bernoulli(0.4)
memory score = 0
memory plan = 0
draw face ~ {{1: 0.25, 2: 0.75}}
report chosen = face when plan == 0
update plan = chosen when plan == 0
let size = if plan == 1 then 3 else if score == 0 then 4 else 1
report block when sum(1 since block) >= size
report ones = sum({body} since block) when block
let seen = if block then clip(ones, 0, 3) else 0
update score = score + (if seen >= 2 then 1 else -1) when block
stop when score >= 2 return high
stop when score <= -2 return low
{rest}
"""
NOISY = "attach geometric(1 / 3) to ones"


def program(body: str = "x", rest: str = NOISY) -> Program:
    return load(Source("blocks", BLOCKS.format(body=body, rest=rest))).program


@pytest.mark.parametrize(("body", "rest"), [("x", NOISY), ("2 * x - 1", NOISY), ("x", "")])
def test_blocks_and_steps_have_one_law(body: str, rest: str) -> None:
    """The other chain lists every state of every step; it knows nothing of blocks."""
    asked = program(body, rest)
    found = solve(asked, "coin")
    assert found.method == "blocks of steps"
    space = spaces.space_of(asked, "coin")
    course = follow(space.make(0), tolerance=1e-9)
    steps = min(len(course.table), len(found.table), 25)
    order = [course.outcomes.index(o) for o in found.outcomes]
    assert np.abs(course.table[:steps][:, order] - found.table[:steps]).max() < 1e-12
    assert found.unresolved < 1e-12


def test_a_walk_of_blocks_by_hand() -> None:
    """Plan 2 begins with 4 entries, plan 1 with 3. Without noise, of 3 entries at least 2 are ones with chance
    a = 3 * 0.16 * 0.6 + 0.064 = 0.352; a walk from 0 that ends at 2 or -2 in steps of 1 rises with
    a^2 / (a^2 + (1 - a)^2) and takes 2 / (1 - 2 a (1 - a)) blocks. Under plan 2 a block at score 1 or -1 has one entry,
    which is never 2 ones: it falls; of 4 entries at least 2 are ones with b = 1 - 0.6^4 - 4 * 0.4 * 0.6^3 = 0.5248."""
    found = solve(program(rest=""), "coin")
    a, b = 0.352, 0.5248
    low = 0.25 * (1 - a) ** 2 / (a**2 + (1 - a) ** 2) + 0.75
    assert found.method == "blocks of steps"
    sums = found.table.sum(axis=0) + (0 if found.tail is None else found.tail.outcomes)
    assert sums[found.outcomes.index("low")] == pytest.approx(low, abs=1e-12)
    steps = float(np.arange(1, len(found.table) + 1) @ found.table.sum(axis=1))
    steps += 0 if found.tail is None else found.tail.steps
    first = 3 * 2 / (1 - 2 * a * (1 - a))
    second = 5 / (1 - b)  # each round of 4 and 1 entries ends it with the chance 1 - b that the 4 fall too
    assert steps == pytest.approx(0.25 * first + 0.75 * second, rel=1e-10)


OTHERWISE = {
    "a memory that changes within a block": "memory age = 0\nupdate age = 1 - age\nstop when age > 5",
    "a memory that changes within some blocks only": "memory mood = 0\nupdate mood = 1 - mood when score == 1\n"
    "stop when mood > 5",
    "a stop that reads a sum within a block": "stop when sum(x since block) >= 4 return early",
    "a sum over all steps": "stop when sum(x over steps) >= 30 return late",
    "something that reads the step": "stop when step >= 50 return late",
    "noise that lasts": "draw z ~ geometric(1 / 2) once\nstop when score + z >= 9 return late",
}


@pytest.mark.parametrize("rest", spread(OTHERWISE.values(), 3))
def test_other_programs_are_followed_step_by_step(rest: str) -> None:
    asked = program(rest=f"{rest}\n{NOISY}")
    try:
        assert not solve(asked, "coin", work=2e8).method.startswith("blocks")
    except Unsolved as why:
        assert "block" not in str(why)


def test_the_plan_names_its_parts() -> None:
    asked = program()
    plan = block_plan(asked, integration_plan(asked))
    (one,) = plan.sums
    assert (plan.end, one.shown, one.cell.operator) == ("block", "ones", "sum")


ARMS = """
algorithm arms
public arm in {{0, 1}}
stream y in {{0, 1}}
model trial: arm ~ point(step % 2), y ~ bernoulli(if arm == 1 then 0.5 else 0.3)
memory score = 0
let size = if score == 0 then {first} else 2
report block when sum(1 since block) >= size
report treated = sum(y where {treated} since block) when block
report control = sum(y{where} since block) when block
update score = score + clip(treated - control, -1, 1) when block
stop when score >= 2 return high
stop when score <= -2 return low
attach geometric(1 / 4) to treated, control
"""


def arms(first: int = 4, where: str = " where arm == 0", treated: str = "arm == 1") -> Program:
    return load(Source("arms", ARMS.format(first=first, where=where, treated=treated))).program


BY_STEP = {"where": " where step % 2 == 0", "treated": "step % 2 == 1"}


@pytest.mark.parametrize(
    "changed",
    [pytest.param({}, id="by what an entry says", marks=pytest.mark.long), pytest.param(BY_STEP, id="by the step")],
)
def test_two_sums_over_a_block_are_independent(changed: dict[str, Any]) -> None:
    """Steps take turns between two arms. Against the chain of steps, which lists both sums."""
    asked = arms(**changed)
    found = solve(asked, "trial")
    assert found.method == "blocks of steps"
    course = follow(spaces.space_of(asked, "trial").make(0), tolerance=0.3)
    steps = min(len(course.table), len(found.table), 25)
    assert steps >= 8
    order = [course.outcomes.index(o) for o in found.outcomes]
    assert np.abs(course.table[:steps][:, order] - found.table[:steps]).max() < 1e-12


SHARED = {
    "an entry in both sums": {"where": ""},
    "an odd block": {"first": 3},
    "steps that have no period": {**BY_STEP, "treated": "step > 3"},
}


@pytest.mark.parametrize("changed", SHARED.values(), ids=SHARED)
def test_sums_that_are_not_independent_are_followed_step_by_step(changed: dict[str, Any]) -> None:
    assert spaces.space_of(arms(**changed), "trial").unforced is None


READINGS = {
    # what stands between the report and the score; whether values beyond the limits may be told together
    "within fixed limits": ("let seen = if block then clip(ones, 0, 3) else 0", True),
    "within the size, which changes": ("let seen = if block then clip(ones, 1, size) else 0", True),
    "within a memory that is set later": ("let seen = if block then clip(ones, 0, top) else 0\nupdate top = 1", True),
    "within a memory that was just set": ("update top = 1\nlet seen = if block then clip(ones, 0, top) else 0", False),
    "twice": ("let seen = (if block then clip(ones, 0, 3) else 0) + (if block then clip(ones, 2, 9) else 0)", True),
    "and once without limits": (
        "let seen = (if block then clip(ones, 0, 3) else 0) - (if block and ones >= 6 then 9 else 0)", False
    ),
    "within limits that nobody reaches": ("let seen = if block then clip(ones, -99, 99) else 0", True),
    "the wrong way round": ("let seen = if block then clip(3, 0, ones) else 0", False),
}  # fmt: skip


@pytest.mark.parametrize(("reading", "together"), READINGS.values(), ids=READINGS)
def test_values_beyond_the_limits_of_all_readings_are_told_together(reading: str, together: bool) -> None:
    """Against the chain that lists every state of every step, and knows of no limits."""
    text = BLOCKS.format(body="x", rest=NOISY).replace("let seen = if block then clip(ones, 0, 3) else 0", reading)
    asked = load(Source("blocks", text.replace("memory plan", "memory top = 5\nmemory plan"))).program
    assert (clips_of(asked, "ones") is not None) == together
    found = solve(asked, "coin")
    assert found.method == "blocks of steps"
    course = follow(spaces.space_of(asked, "coin").make(0), tolerance=1e-9)
    steps = min(len(course.table), len(found.table), 20)
    order = [course.outcomes.index(o) for o in found.outcomes]
    assert np.abs(course.table[:steps][:, order] - found.table[:steps]).max() < 1e-12
