"""What a certificate says: a finite automaton that reads two neighbouring runs side by side, with the same transcript.

Its expressions are those of core programs, but that `Read.run` says of which run (1 or 2) something is read, and
`Read("ghost", k)` is ghost k. The conditions that it must meet are in `conditions.py` and `cover.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from seqlang.kernel.core import Expression, Program


@dataclass(frozen=True, slots=True)
class Side:
    """Ghost `ghost` is >= 0 (or <= 0, if not `positive`); None: the direction in which entries move, of an adjacency
    with one direction."""

    ghost: int | None
    positive: bool


@dataclass(frozen=True, slots=True)
class Mode:
    """`relation`: truths about the states of both runs at the beginning of a step. `paid`: at most what has been paid
    before it. `kept`: (draw, translation) of draws that live longer than a step; the others are not moved."""

    sides: tuple[Side, ...]
    relation: tuple[Expression, ...]
    paid: Expression
    kept: tuple[tuple[int, Expression], ...]
    start: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """A class of what one step shows: for each report whether it is made (None: either), and which stop happens."""

    reports: tuple[bool | None, ...]
    stop: int | None


@dataclass(frozen=True, slots=True)
class Edge:
    """From mode to mode, at a step in which an entry is `changed` or not, and that shows `outcome`. `moves`: the
    translations of this step's draws. `picks`: (pick, price) of those that are the same in both runs; whatever the
    others are in either run, the step shows the same. `proofs`: one tree for each case of the entry, see
    `conditions.py`."""

    source: int
    target: int
    changed: bool
    outcome: Outcome
    moves: tuple[tuple[int, Expression], ...]
    proofs: tuple[tuple[Any, ...], ...]
    picks: tuple[tuple[int, Expression], ...] = ()


@dataclass(frozen=True, slots=True)
class Ghost:
    """A number of the changed step, over the entries and the states at its beginning, of both runs; where there is a
    data set, one of its rows. It lies between the constants `low` <= 0 and `high` >= 0; `proofs`: one tree for each
    case of the entry or the rows."""

    value: Expression
    low: Expression
    high: Expression
    proofs: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Certificate:
    """`epsilon`: what is claimed, strong pure privacy; a constant. `starts`: for each mode with `start`, in order, one
    tree for each case of the rows."""

    program: Program
    epsilon: Expression
    ghosts: tuple[Ghost, ...]
    modes: tuple[Mode, ...]
    edges: tuple[Edge, ...]
    starts: tuple[tuple[Any, ...], ...]
