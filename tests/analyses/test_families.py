"""No finite epsilon: families of neighbours whose loss grows, against integrals on a grid, and where there is none."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log
from typing import Any

import numpy as np
import pytest
from elaborated import elaborated
from thorough import spread

from seqlang.analyses.prove import prove
from seqlang.analyses.refute import lower_bound, refute
from seqlang.analyses.witnesses import recompute
from seqlang.analyses.witnesses.families.find import growing
from seqlang.analyses.witnesses.families.proof import holds
from seqlang.analyses.witnesses.families.repeated import NotPeriodic
from seqlang.analyses.witnesses.scene import Scene
from seqlang.backends.transcript.integrals import probability
from seqlang.model.program import Program
from seqlang.proof.family import Family
from seqlang.record import replace

QUERY = "stream q in real\nadjacent every q within 1\n"
KEPT = "attach laplace(2) to T once\n"
ABOVE = QUERY + "report above when q >= T\n"
CUT_OFF = "stop when count(above over steps) >= 2\n"
NO_CUT_OFF = ABOVE + KEPT + "attach laplace(2) to q"
BOTH_SIDES = (
    QUERY + "memory phase = 1\nreport above when phase == 1 and q >= T\nstop when phase == 2 and q < T\n"
    "update phase = 2 when above\nattach laplace(2) to q\n"
)
ANSWERS = ABOVE + "report answer = q when above\n" + CUT_OFF + KEPT + "attach laplace(4) to q"


def program(body: str) -> Program:
    return elaborated(f"algorithm t\nparam T = 0\nparam U = -3\nparam R = 1\n{body}\n")


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
    "both sides of one threshold": BOTH_SIDES + KEPT,
    "both sides, between two more": (
        QUERY + "stop when q >= R\nmemory phase = 1\nstop when phase == 1 and q < U\nstop when phase == 2 and q < T\n"
        "report above when phase == 1 and q > T\nupdate phase = 2 when above\n"
        "attach laplace(2) to R, T, U once\nattach laplace(2) to q"
    ),
    "a kept value that was shown": (
        QUERY + "memory phase = 0\nstatistic x = sum(q where phase == 0 over steps)\nstatistic level = q\n"
        "report shown = x when phase == 0\nstop when phase == 1 and level > x\nupdate phase = 1\n"
        "attach laplace(4) to x once\nattach laplace(2) to level"
    ),
    "the compared value at one of two stops": (
        QUERY + "stop when q >= R return q\nstop when q < T return none\nattach laplace(2) to T, R once\n"
        "attach laplace(2) to q"
    ),
    "the compared value between two thresholds": (
        QUERY + "report y = q when q >= T and q < R\nstop when q >= R\nstop when q < T\n"
        "attach laplace(2) to T, R once\nattach laplace(2) to q"
    ),
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
    "both sides of two thresholds": BOTH_SIDES.replace("q < T", "q < U") + "attach laplace(2) to T, U once",
    "cusum": (
        "stream x in [0, 1]\nstatistic g = max(0, previous(g, 0) + x - 0.6)\nstop when g >= T\n" + KEPT
        + "attach laplace(2) to g"
    ),
    "one entry released for ever": "stream x in [0, 1]\nreport y = x\nattach laplace(2) to x",
    "limited length": NO_CUT_OFF + "\nstop when step >= 30",
}  # fmt: skip


SLOW = "the compared value between two thresholds"


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.long if n == SLOW else ()) for n in GROWS])
def test_losses_that_grow_are_found_and_their_proof_holds(name: str) -> None:
    made = program(GROWS[name])
    assert prove(made, delta=Fraction(1, 10**6), horizon=None).pure is None
    scene = Scene(made)
    found = growing(scene)
    assert found is not None
    assert holds(scene.follower, found)
    assert all(loss >= 0 for _, loss in found.losses)
    around = len(found.steps(0))
    size = len(found.steps(1)) - around
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


@pytest.mark.parametrize("body, scale", spread([(NO_CUT_OFF, 2.0), (ANSWERS, 4.0)], 1))
def test_losses_against_integrals_on_a_grid(body: str, scale: float) -> None:
    found = family(body)
    assert found is not None
    for steps, loss in found.losses:
        blocks = (steps - len(found.head) - len(found.tail)) // len(found.block)
        if blocks <= 256:
            by_hand = exact(found, blocks, False, scale) - exact(found, blocks, True, scale)
            assert loss == pytest.approx(by_hand, rel=2e-4)
            assert by_hand >= blocks * found.rate - found.start


def test_both_sides_against_integrals_on_a_grid() -> None:
    """q + W < T in the first phase, >= T at its end and in the second."""
    found = family(BOTH_SIDES + KEPT)
    assert found is not None and found.again
    for steps, loss in found.losses:
        blocks = (steps - len(found.steps(0))) // (len(found.block) + len(found.again))
        if blocks > 256:
            continue
        sides = []
        for second in (False, True):
            total = np.zeros_like(GRID)
            below = True
            parts = ((1, found.head), (blocks, found.block), (1, found.middle), (blocks, found.again), (1, found.tail))
            for times, part in parts:
                for step in part:
                    entry: Any = step.second if second else step.first
                    told: Any = step.told
                    below = below and "above" not in told
                    q = float(entry["q"])
                    total += times * log_tail(q - GRID if below else GRID - q, 2.0)
            sides.append(log_mean(total))
        assert loss == pytest.approx(sides[0] - sides[1], rel=2e-4)
    assert 0.9 < found.rate < 1.0  # each entry can tell 1/2


def test_two_sides_of_two_draws_tell_little() -> None:
    assert family(BOTH_SIDES + "attach laplace(2) to T each above") is None


def test_a_second_block_is_checked() -> None:
    scene = Scene(program(BOTH_SIDES + KEPT))
    found = growing(scene)
    assert found is not None and holds(scene.follower, found)
    still = tuple(replace(step, second=step.first) for step in found.again)
    assert not holds(scene.follower, replace(found, again=still))
    far = tuple(replace(step, second={"q": 9.0}) for step in found.again)
    assert not holds(scene.follower, replace(found, again=far))
    with pytest.raises(NotPeriodic):  # the report in between ends the first phase
        holds(scene.follower, replace(found, again=found.middle, middle=()))
    renewed = Scene(program(BOTH_SIDES.replace("phase == 1 and ", "") + "attach laplace(2) to T each above"))
    with pytest.raises(NotPeriodic):
        holds(renewed.follower, replace(found, block=found.middle))


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
    assert growing(Scene(twice)) is None or growing(Scene(twice)).tail == ()


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
    assert lower_bound(made, horizon=10).lower < 5.0


def test_a_pair_with_the_bounds_of_the_proof_against_an_integral_on_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three thresholds stay: but for comparisons in order no recomputation reaches that, and without it the chances are
    bounds from the family's proof."""
    for module in (probability, recompute):
        monkeypatch.setattr(module, "ordering", lambda system: None)
    body = GROWS["both sides, between two more"].replace("    ", "")
    witness = lower_bound(program(body))
    assert witness is not None and witness.family is not None
    assert witness.checked == "bounded" and 0 < witness.loss <= log(witness.p / witness.q)
    blocks = len(witness.streams[0]) // 2
    grid = np.linspace(-60, 60, 161)
    weight = np.log(np.exp(-np.abs(grid) / 2) / 4 * (grid[1] - grid[0]))

    def below(x: Any) -> Any:
        return np.where(x < 0, np.exp(np.minimum(x, 0) / 2) / 2, 1 - np.exp(-np.maximum(x, 0) / 2) / 2)

    def chance(stream: Any) -> float:
        first, fired, last = (float(stream[n]) for n in (0, blocks, -1))
        (high, low), total = (1 + grid, -3 + grid), []
        with np.errstate(divide="ignore"):
            for t, w in zip(grid, weight, strict=True):  # T = 0 + t: what fires lies in (max(T, U), R)
                quiet = np.maximum(below(np.minimum(t, high[:, None]) - first) - below(low[None, :] - first), 0)
                up = np.maximum(below(high[:, None] - fired) - below(np.maximum(t, low)[None, :] - fired), 0)
                later = np.maximum(below(high - last) - below(t - last), 0)[:, None]
                logs = blocks * (np.log(quiet) + np.log(later)) + np.log(up) + weight[:, None] + weight[None, :] + w
                total.append(np.logaddexp.reduce(logs, axis=None))
        return float(np.logaddexp.reduce(total))

    one, other = map(chance, witness.streams)
    assert one >= log(witness.p) and other <= log(witness.q)
    assert one - other >= witness.loss
