"""What a repeated block of steps demands of the noises, and what the steps before and after it do.

A block may be repeated if it ends in the state in which it began, but for the numbers that only tell draws apart which
come anew after each report. Where two blocks are repeated equally often, what one of each demands is counted together:
given the noises that stay, all of them are independent, in whatever order they come. Noises then are of three kinds:
fresh in a step; drawn anew in every block (their report is made in the block's last step, or a noisy value is kept
within the block); and those that stay, given which the blocks are independent and alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Any

from seqlang.backends.transcript.draws import is_of_step
from seqlang.backends.transcript.follow import Follower
from seqlang.backends.transcript.integrals.linear_conditions import Alternatives, Key, is_shared, variables
from seqlang.backends.transcript.kept_values import aged
from seqlang.model.life import EachReport
from seqlang.proof.family import Family, FamilyStep
from seqlang.record import record

Pieces = tuple[tuple[Alternatives, int], ...]
"""Conditions on the noises, and how often each occurs."""


class NotPeriodic(Exception):
    """The block cannot be repeated for ever; the text says why."""


@record
class Demand:
    """`weight`: the log of the chances that involve no noise. `staying`: conditions that read a noise that stays,
    `apart`: all others."""

    weight: float
    staying: Pieces
    apart: Pieces


@record
class Repeated:
    """One stream's side of a family. `noises`: the draws that stay and are read by the block, or together with it."""

    around: Demand
    block: Demand
    noises: tuple[Key, ...]


def repeated(follower: Follower, family: Family, second: bool) -> Repeated:
    """Of the family's first streams, or of the `second`. Raises `NotPeriodic`, `Unsupported`."""
    if follower.stepper.draws:
        raise NotPeriodic("hidden choices")
    walk = _Walk(follower, second)
    around, outer = walk.through(family.head)
    block, weight = walk.repeated(family.block)
    for steps, once in ((family.middle, True), (family.again, False), (family.tail, True)):
        more, factor = walk.through(steps) if once else walk.repeated(steps)
        outer, weight = (outer + factor, weight) if once else (outer, weight + factor)
        for piece, times in more.items():
            kept = around if once else block
            kept[piece] = kept.get(piece, 0) + times
    renewed = _renewed(follower, family.block)
    if family.again and (renewed or _renewed(follower, family.again)):
        raise NotPeriodic("noises are drawn anew in one of two blocks")
    own = {key for key in _staying(block) if key[0] in renewed or is_of_step(key)}
    if own & _staying(around):
        raise NotPeriodic("the steps around the block read a noise of the block")
    noises = _staying(block) - own
    if any(_staying([piece]) & own and _staying([piece]) & noises for piece in block):
        raise NotPeriodic("a noise of the block is read together with one that stays")
    while True:  # and what the steps around the block read together with them
        joined = {key for piece in around if (keys := _staying([piece])) & noises for key in keys}
        if joined <= noises:
            break
        noises |= joined
    return Repeated(
        _demand(around, outer, noises), _demand(block, weight, noises),
        tuple(sorted(noises, key=str)),
    )  # fmt: skip


class _Walk:
    """One stream, followed from its start."""

    def __init__(self, follower: Follower, second: bool) -> None:
        self.follower, self.second = follower, second
        self.state: Any = follower.stepper.start

    def repeated(self, steps: Sequence[FamilyStep]) -> tuple[dict[Alternatives, int], float]:
        """The same of a block that may be repeated."""
        start = self.state
        found = self.through(steps)
        if self.state is None or not _alike(self.follower, start, self.state):
            raise NotPeriodic("the block does not end in the state in which it began")
        if any(key[2] <= start[0] for piece in found[0] for key in variables(piece) if is_of_step(key)):
            raise NotPeriodic("the block reads a noisy value that was kept before it")
        return found

    def through(self, steps: Sequence[FamilyStep]) -> tuple[dict[Alternatives, int], float]:
        found: dict[Alternatives, int] = {}
        weight = 0.0
        for step in steps:
            if self.state is None:
                raise NotPeriodic("a step after the stop")
            entry: Any = step.second if self.second else step.first
            self.state, facts = self.follower.step_from(self.state, entry, step.told)
            pieces, factor = self.follower.pieces(facts)
            weight += factor
            if factor > -inf:
                for piece in pieces:
                    found[piece] = found.get(piece, 0) + 1
        return found, weight


def _alike(follower: Follower, one: Any, other: Any) -> bool:
    """But for the numbers that only tell draws apart: of a noisy value that is kept, the step of its draw counts from
    the present one."""
    stepper = follower.stepper
    skipped = {*stepper.counters, *([0] if stepper.kept and not stepper.reads_step else [])}
    return all(
        aged(a, one[0]) == aged(b, other[0])
        for place, (a, b) in enumerate(zip(one, other, strict=True))
        if place not in skipped
    )


def _renewed(follower: Follower, block: Sequence[FamilyStep]) -> set[str]:
    """The noises that are drawn anew in every block."""
    made = {name for step in block for name in step.told if name != "stop"}
    found = {n for n, life in follower.stepper.lives.items() if isinstance(life, EachReport) and life.report in made}
    for name in found:
        if follower.stepper.lives[name].report not in block[-1].told:
            raise NotPeriodic("a noise is drawn anew in the midst of a block")
    return found


def _staying(pieces: Sequence[Alternatives] | dict[Alternatives, int]) -> set[Key]:
    return {key for piece in pieces for key in variables(piece) if is_shared(key)}


def _demand(pieces: dict[Alternatives, int], weight: float, noises: set[Key]) -> Demand:
    staying: list[tuple[Alternatives, int]] = []
    apart: list[tuple[Alternatives, int]] = []
    for piece, times in pieces.items():
        (staying if _staying([piece]) & noises else apart).append((piece, times))
    return Demand(weight, tuple(staying), tuple(apart))
