"""Whether a certificate establishes its claim."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from seqlang.kernel.conditions import Condition, ghost_conditions, start_conditions, step_conditions
from seqlang.kernel.core import Remove
from seqlang.kernel.cover import check_cover
from seqlang.kernel.judge import check_contradiction
from seqlang.kernel.proof import Certificate
from seqlang.kernel.refused import Refused
from seqlang.kernel.values import is_constant

T = TypeVar("T")


def check(proof: Certificate) -> None:
    """Returns if every condition of theorem 1 (README) is met; raises Refused with the first one that is not."""
    # also of draws that are not moved: with a parameter that reads data their law would differ between the two runs
    if not all(is_constant(a) for draw in proof.program.draws for a in draw.arguments):
        raise Refused("a parameter of a law is no constant")
    program = proof.program
    if program.rows is not None and not all(declared.public for declared in program.inputs):
        raise Refused("a data set beside private streams")
    if program.rows is None and isinstance(program.adjacency, Remove):
        raise Refused("an entry of a stream that is removed moves all later ones")
    check_cover(proof)
    for condition, tree in conditions(proof):
        try:
            check_contradiction(condition.contradictory, tree)
        except Refused as refused:
            raise Refused(f"{condition.about}: {refused}") from None


def conditions(proof: Certificate) -> Iterator[tuple[Condition, Any]]:
    """All conditions of the automaton, each with the tree that is given for it."""
    for ghost in proof.ghosts:
        yield from _matched(list(ghost_conditions(proof, ghost)), ghost.proofs)
    starts = [mode for mode in proof.modes if mode.start]
    for mode, trees in _matched(starts, proof.starts):
        yield from _matched(list(start_conditions(proof, mode)), trees)
    for edge in proof.edges:
        for pair, trees in _matched(list(step_conditions(proof, edge)), edge.proofs):
            yield from _matched(pair, trees)


def _matched(items: Sequence[T], trees: Sequence[Any]) -> Iterator[tuple[T, Any]]:
    if len(items) != len(trees):
        raise Refused(f"{len(trees)} trees are given for {len(items)} conditions")
    return zip(items, trees, strict=True)
