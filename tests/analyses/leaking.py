"""Witnesses with infinite loss."""

from __future__ import annotations

from math import isinf

from seqlang.analyses.refute import FARTHEST, THOROUGH, chances_of
from seqlang.analyses.witnesses.search import Search, loss
from seqlang.model.program import Program
from seqlang.proof.witness import Witness


def leaks(program: Program) -> Witness | None:
    """A transcript that one of two neighbouring streams can give and the other cannot."""
    chances = chances_of(program)
    assert chances is not None
    search = Search(chances, loss, FARTHEST, THOROUGH, True, 1e6 - 100)
    search.best()
    found = (search.witness(pattern) for _, pattern in search.ranked()[:6])
    return next((witness for witness in found if witness is not None and isinf(witness.loss)), None)
