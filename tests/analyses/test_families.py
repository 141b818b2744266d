"""No finite epsilon: families of neighbours whose loss grows, against integrals on a grid, and where there is none."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log
from typing import Any

import numpy as np
import pytest

from seqlang.analyses.prove import prove
from seqlang.analyses.refute import lower_bound, refute
from seqlang.analyses.witnesses.families.find import growing
from seqlang.analyses.witnesses.families.proof import holds
from seqlang.analyses.witnesses.families.repeated import NotPeriodic
from seqlang.analyses.witnesses.scene import Scene
from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.proof.family import Family
from seqlang.record import replace
from seqlang.source import Source
from seqlang.syntax import parse

QUERY = "stream q in real\nadjacent every q within 1\n"
KEPT = "attach laplace(2) to T once\n"
ABOVE = QUERY + "report above when q >= T\n"
CUT_OFF = "stop when count(above over steps) >= 2\n"
NO_CUT_OFF = ABOVE + KEPT + "attach laplace(2) to q"
ANSWERS = ABOVE + "report answer = q when above\n" + CUT_OFF + KEPT + "attach laplace(4) to q"


def program(body: str) -> Program:
    tree, found = parse(Source("<text>", f"algorithm t\nparam T = 0\nparam U = -3\n{body}\n"))
    assert tree is not None, found
    made, found = elaborate(tree)
    assert made is not None, found
    return made


def family(body: str) -> Family | None:
    return growing(Scene(program(body)))


GROWS = {
    "no cut-off": NO_CUT_OFF,
    "answers with the noise of the comparison": ANSWERS,
    "Gaussian noise": ABOVE + "attach gaussian(2) to T once\nattach gaussian(2) to q",
    "threshold drawn anew": ABOVE + "attach laplace(2) to T each above\nattach laplace(2) to q",
    "whole numbers": (
        "stream q in -50..50\nadjacent every q within 1\nreport above when q >= T\n"
        "attach geometric(0.5) to T once\nattach geometric(0.6) to q"
    ),
    "one-sided noise": ABOVE + "attach exponential(2) to T once\nattach exponential(2) to q",
    "a bounded threshold": ABOVE + "attach uniform(-4, 4) to T once\nattach laplace(2) to q",
    "released for ever": QUERY + "report y = q\nattach laplace(2) to q",
    "flipped for ever": (
        "stream x in {0, 1}\nadjacent every x within 1\nreport y = x\nattach randomized_response(0.75) to x"
    ),
    "one entry, thresholds drawn anew": (
        "stream x in [0, 1]\nstatistic s = sum(x over steps)\nreport above when s >= T\n"
        "attach laplace(2) to T each above\nattach laplace(2) to s"
    ),
    "below, with answers": (
        QUERY + "report less when q <= T\nreport answer = q when less\nstop when count(less over steps) >= 3\n"
        + KEPT + "attach laplace(2) to q"
    ),
    "two fresh noises": ABOVE + "attach laplace(2) to T\nattach laplace(2) to q",
    "one direction": ABOVE.replace("within 1", "within 1 same direction") + KEPT + "attach laplace(2) to q",
    "the value at the stop": QUERY + "stop when q >= T return q\n" + KEPT + "attach laplace(2) to q",
}  # fmt: skip

STAYS = {
    "above threshold": QUERY + "stop when q >= T\n" + KEPT + "attach laplace(4) to q",
    "cut-off": ABOVE + CUT_OFF + KEPT + "attach laplace(4) to q",
    "cut-off, drawn anew": ABOVE + CUT_OFF + "attach laplace(4) to T each above\nattach laplace(4) to q",
    "too little noise": ABOVE + CUT_OFF + "attach laplace(4) to T once\nattach laplace(0.7) to q",
    "gap": ABOVE + "report gap = q - T when above\n" + CUT_OFF + KEPT + "attach laplace(2) to q",
    "answers of their own": (
        QUERY + "statistic level = q\nreport above when level >= T\nreport answer = q when above\n" + CUT_OFF + KEPT
        + "attach laplace(4) to level\nattach laplace(4) to q"
    ),
    "cusum": (
        "stream x in [0, 1]\nstatistic g = max(0, previous(g, 0) + x - 0.6)\nstop when g >= T\n" + KEPT
        + "attach laplace(2) to g"
    ),
    "one entry released for ever": "stream x in [0, 1]\nreport y = x\nattach laplace(2) to x",
    "limited length": NO_CUT_OFF + "\nstop when step >= 30",
}  # fmt: skip


@pytest.mark.parametrize("name", GROWS)
def test_losses_that_grow_are_found_and_their_proof_holds(name: str) -> None:
    made = program(GROWS[name])
    assert prove(made, delta=Fraction(1, 10**6), horizon=None).pure is None
    scene = Scene(made)
    found = growing(scene)
    assert found is not None
    assert holds(scene.follower, found)
    assert all(loss >= 0 for _, loss in found.losses)
    size = len(found.block)
    around = len(found.head) + len(found.tail)
    for steps, loss in found.losses:
        assert loss >= (steps - around) / size * found.rate - found.start - 1e-9
    assert found.losses[-1][1] > 50


@pytest.mark.parametrize("name", STAYS)
def test_where_the_loss_is_bounded_nothing_is_found(name: str) -> None:
    made = program(STAYS[name])
    assert prove(made, delta=Fraction(1, 10**6), horizon=None).pure is not None
    assert growing(Scene(made)) is None


GRID = np.linspace(-400, 400, 1_600_001)


def log_tail(x: Any, scale: float) -> Any:
    """log P(Laplace >= x)."""
    return np.where(x >= 0, np.log(0.5) - np.abs(x) / scale, np.log1p(-0.5 * np.exp(-np.abs(x) / scale)))


def log_mean(values: Any) -> float:
    """log E[e^values] over the threshold's noise, Laplace of scale 2, as a sum on the grid."""
    logs = values - np.abs(GRID) / 2 - log(4)
    top = float(logs.max())
    return top + log(float(np.exp(logs - top).sum()) * float(GRID[1] - GRID[0]))


def exact(found: Family, blocks: int, second: bool, scale: float) -> float:
    """log P of the event by hand: one query and one threshold, answers at most what is told."""
    total = np.zeros_like(GRID)
    for times, steps in ((1, found.head), (blocks, found.block), (1, found.tail)):
        for step in steps:
            entry: Any = step.second if second else step.first
            told: Any = step.told
            q = float(entry["q"])
            if "above" not in told:
                total += times * log_tail(q - GRID, scale)  # W < z - q
            elif "answer" in told:
                low, high = GRID - q, told["answer"][1] - q
                with np.errstate(divide="ignore", invalid="ignore"):
                    inside = np.exp(log_tail(low, scale)) - np.exp(log_tail(np.full_like(low, high), scale))
                    total += times * np.where(low < high, np.log(np.maximum(inside, 1e-300)), -np.inf)
            else:
                total += times * log_tail(GRID - q, scale)
    return log_mean(total)


@pytest.mark.parametrize("body, scale", [(NO_CUT_OFF, 2.0), (ANSWERS, 4.0)])
def test_losses_against_integrals_on_a_grid(body: str, scale: float) -> None:
    found = family(body)
    assert found is not None
    for steps, loss in found.losses:
        blocks = (steps - len(found.head) - len(found.tail)) // len(found.block)
        if blocks <= 256:
            by_hand = exact(found, blocks, False, scale) - exact(found, blocks, True, scale)
            assert loss == pytest.approx(by_hand, rel=2e-4)
            assert by_hand >= blocks * found.rate - found.start


def test_the_rates_are_the_largest_there_are() -> None:
    # two queries, each of which can tell 1/2; one query, which can tell 1/4
    none, answers = family(NO_CUT_OFF), family(ANSWERS)
    assert none is not None and answers is not None
    assert 0.97 < none.rate < 1.0 and len(none.block) == 2
    assert 0.24 < answers.rate < 0.25 and len(answers.block) == 1


def test_a_proof_that_claims_more_is_refused() -> None:
    scene = Scene(program(NO_CUT_OFF))
    found = growing(scene)
    assert found is not None
    follower = scene.follower
    assert not holds(follower, replace(found, rate=found.rate * 1.01))
    assert not holds(follower, replace(found, rate=0.0))
    assert not holds(follower, replace(found, at_most=found.at_most - 0.05, rate=found.rate))
    assert not holds(follower, replace(found, at_least=found.at_least + 0.05))
    assert not holds(follower, replace(found, start=0.0))
    assert not holds(follower, replace(found, likely=()))
    far = tuple(replace(one, low=one.low + 3, high=one.high + 3) for one in found.likely)
    assert not holds(follower, replace(found, likely=far))


def test_streams_that_are_no_neighbours_are_refused() -> None:
    scene = Scene(program(NO_CUT_OFF))
    found = growing(scene)
    assert found is not None
    block = tuple(replace(step, second={"q": 3.0}) for step in found.block)
    assert not holds(scene.follower, replace(found, block=block))


def test_a_changed_entry_cannot_be_repeated() -> None:
    scene = Scene(program(GROWS["one entry, thresholds drawn anew"]))
    found = growing(scene)
    assert found is not None
    assert found.head and all(step.first == step.second for step in found.block)
    assert not holds(scene.follower, replace(found, head=(), block=found.head))


def test_a_block_that_leaves_another_state_is_refused() -> None:
    body = ABOVE + CUT_OFF.replace("2", "1000") + KEPT + "attach laplace(2) to q"
    found = family(NO_CUT_OFF)
    assert found is not None
    with pytest.raises(NotPeriodic):
        holds(Scene(program(body)).follower, found)


def test_a_stop_that_another_one_may_be_taken_for_is_refused() -> None:
    scene = Scene(program(GROWS["the value at the stop"]))
    found = growing(scene)
    assert found is not None and found.tail[-1].told["stop"] is not None
    other = "stop when q >= 50 return q\n"
    twice = program(
        GROWS["the value at the stop"].replace("attach laplace(2) to T", other + "attach laplace(2) to T", 1)
    )
    assert growing(Scene(twice)) is None or growing(Scene(twice)).tail == ()  # type: ignore[union-attr]


def test_a_lower_bound_without_end_refutes_every_claim() -> None:
    made = program(NO_CUT_OFF)
    witness = lower_bound(made)
    assert witness is not None and witness.family is not None
    assert witness.lower == inf and 0 < witness.loss < inf
    assert witness.loss <= log(witness.p / witness.q)
    assert refute(made, "pure", 1000.0, start=witness) is witness
    assert refute(made, "pure", 1000.0) is not None
    # runs of at most ten steps are private, with a loss of at most ten times 1/2
    assert refute(made, "pure", 5.0, horizon=10, start=witness) is None
    assert lower_bound(made, horizon=10).lower < 5.0  # type: ignore[union-attr]
