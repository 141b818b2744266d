"""The search for a family of witnesses of which the loss grows with the length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from math import ceil, exp, inf, nextafter
from typing import Any

from seqlang.analyses.witnesses.confirm import recomputed
from seqlang.analyses.witnesses.families.chance import chance
from seqlang.analyses.witnesses.families.patterns import Plan, held_twice, plans
from seqlang.analyses.witnesses.families.proof import guessed, proved
from seqlang.analyses.witnesses.families.repeated import NotPeriodic, Repeated, repeated
from seqlang.analyses.witnesses.families.supremum import Known
from seqlang.analyses.witnesses.neighbours import entry_of, fields_of
from seqlang.analyses.witnesses.play import play_apart
from seqlang.analyses.witnesses.recompute import NotEnclosed, enclosed
from seqlang.analyses.witnesses.scene import Scene
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.proof.family import Family, FamilyStep
from seqlang.proof.witness import Event, Witness
from seqlang.record import replace

MOST_PLANS = 1000
FEW = 3  # plans that promise growth, where each needs much work
MOST_LOOKS = 1500  # new steps, while searching
MOST_STEPS = 100  # of a pattern that is played
MOST_BLOCKS = 1 << 10
READABLE = 20  # steps of a pair that stands for the family
BECAUSE = "one of a family whose loss grows without bound"
CLEAR = 1.0  # loss of a pair that the family's proof gives
TINY, ROUNDED = 1e-280, 1e-9
REFUSED = (NotPeriodic, NotEnclosed, Unsupported)


def growing(scene: Scene) -> Family | None:
    """The family whose proved loss grows fastest with the number of steps; None if none is found."""
    if scene.follower.stepper.reads_step or scene.inserting:
        return None  # no step is like another, or the streams do not differ in a few places
    made = _best(scene, plans(scene), MOST_PLANS)
    return made or _best(scene, held_twice(scene), FEW)


def _best(scene: Scene, candidates: Iterator[Plan], most: int) -> Family | None:
    """The best family that one of these plans makes; no more plans are tried once so many promise one."""
    found: list[tuple[bool, float, int, Family]] = []
    known: Known = {}
    looked = scene.follower.steps_computed
    for number, plan in enumerate(islice(candidates, MOST_PLANS)):
        if (scene.follower.steps_computed - looked) * scene.weight > MOST_LOOKS or len(found) >= most:
            break
        family = _played(scene, plan)
        if family is None:
            continue
        try:
            guess = guessed(scene.follower, family, known=known)
        except REFUSED:
            continue
        if guess is not None:
            (side, _), _, least, most_likely = guess
            shrinks = (most_likely - least) / len(family.block + family.again)
            found.append((len(side.noises) > 1, shrinks, number, family))
    for *_, family in sorted(found, key=lambda one: one[:3])[:4]:
        try:
            made = proved(scene.follower, family)
        except REFUSED:
            continue
        if made is not None:
            return replace(made, losses=losses(scene.follower, made))
    return None


def _played(scene: Scene, plan: Plan) -> Family | None:
    try:
        parts = play_apart(scene, plan.pattern, plan.cuts, MOST_STEPS)
    except Unsupported:
        return None
    if parts is None or not parts[1]:
        return None
    head, block, *two, tail = map(tuple, parts)
    middle, again = two or ((), ())
    return Family(head, block, tail, (), at_least=-inf, at_most=0.0, start=inf, rate=0.0, middle=middle, again=again)


def losses(follower: Follower, family: Family, most_blocks: int = MOST_BLOCKS) -> tuple[tuple[int, float], ...]:
    """(steps, loss rounded down) for 1, 2, 4, .. blocks: computed, and from where on that is too hard as proved."""
    sides = [repeated(follower, family, second) for second in (False, True)]
    found = []
    blocks, hard = 1, False
    while blocks <= most_blocks:
        loss = blocks * family.rate - family.start
        if not hard:
            try:
                (low, _), (_, high) = (_chance(follower, side, blocks) for side in sides)
                loss = max(loss, low - high)
            except REFUSED:
                hard = True
        if loss > 0:
            steps = len(family.steps(blocks))
            found.append((steps, nextafter(loss, 0.0)))
        blocks *= 2
    return tuple(found)


def member(follower: Follower, family: Family) -> Witness | None:
    """A short pair of the family as a witness; where none that people would read stands up to recomputation, the
    shortest of which the family's proof says that its loss is `CLEAR`."""
    best = None
    blocks = 1
    while len(family.steps(blocks)) <= READABLE or blocks == 1:
        draft = _draft(follower, family, blocks)
        try:
            found = enclosed(follower, draft)
        except (NotEnclosed, Unsupported):
            found = recomputed(follower, draft)
        if found is not None and (best is None or found.loss > best.loss):
            best = found
        blocks *= 2
    best = best or _bounded(follower, family)
    return None if best is None else replace(best, family=family)


def _bounded(follower: Follower, family: Family) -> Witness | None:
    """A member with the bounds on its two chances that the proof of the family gives."""
    blocks = ceil((family.start + CLEAR) / family.rate)
    if blocks > MOST_BLOCKS:
        return None
    p, q = (exp(log) for log in (blocks * family.at_least - family.start, blocks * family.at_most))
    loss = blocks * family.rate - family.start - 3 * ROUNDED
    if p < TINY or not loss > 0:
        return None
    draft = _draft(follower, family, blocks)
    return replace(draft, p=p * (1 - ROUNDED), q=q * (1 + ROUNDED), loss=loss, checked="bounded")


def _draft(follower: Follower, family: Family, blocks: int) -> Witness:
    """The pair and its event, without probabilities."""
    steps, fields = family.steps(blocks), fields_of(follower.program)
    one, other = (tuple(entry_of(getattr(step, side), fields) for step in steps) for side in ("first", "second"))
    return Witness((one, other), _event(steps), p=0.0, q=0.0, loss=0.0, because=BECAUSE)


def _event(steps: Sequence[FamilyStep]) -> Event:
    reports = tuple(
        (n, name, value) for n, step in enumerate(steps, 1) for name, value in step.told.items() if name != "stop"
    )
    stop: Any = steps[-1].told["stop"]
    if stop is None:
        return Event(not_by=len(steps), reports=reports)
    return Event(stopped_at=len(steps), result=None if stop[1] is True else stop[1], reports=reports)


def _chance(follower: Follower, side: Repeated, blocks: int) -> tuple[float, float]:
    """Bounds on the log of the event's probability with that many blocks."""
    system = dict(side.around.staying) | dict(side.around.apart)
    for piece, times in side.block.staying:
        system[piece] = system.get(piece, 0) + blocks * times
    low, high = chance(follower, system)
    apart = chance(follower, dict(side.block.apart))
    weight = side.around.weight + blocks * side.block.weight
    slack = 1e-12 * (1 + abs(weight) + blocks * abs(apart[1]))
    return low + blocks * apart[0] + weight - slack, high + blocks * apart[1] + weight + slack
