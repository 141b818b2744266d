"""What the showings of a gate cost together, from what each of them costs."""

from __future__ import annotations

from seqlang.arithmetic.formula import ZERO, Formula, product
from seqlang.record import record

NOT_MINE = ""
"""The reason of a rule that is about another kind of gate: nothing that a person would want to read."""
UNLIMITED = "nothing limits how often a changed entry is shown"


@record
class Showings:
    """Neighbours differ in `entries` entries; one of them touches at most `times` showings, each of which is `one`-DP
    given everything shown before (the others do not tell the two apart). Epsilon in nats."""

    entries: Formula
    times: Formula
    one: Formula


def in_all(showings: Showings | str) -> Formula | str:
    """The pure bound of all showings together; text: why there is none."""
    if isinstance(showings, str):
        return showings
    if showings.one == ZERO:
        return ZERO
    return UNLIMITED if showings.times.is_infinite else product((showings.entries, showings.times, showings.one))


def in_all_concentrated(showings: Showings | str, share: int) -> Formula | str:
    """rho of all showings together, of which each is (one^2 / share)-zCDP."""
    if isinstance(showings, str):
        return showings
    if showings.one == ZERO:
        return ZERO
    if showings.times.is_infinite:
        return UNLIMITED
    return product((showings.entries, showings.entries, showings.times, showings.one**2 / share))


def of_several(entries: Formula, one_entry: Formula) -> Formula | str:
    """rho for neighbours in so many entries, from that for neighbours in one. Bun & Steinke 2016, Proposition 1.9."""
    return UNLIMITED if one_entry.is_infinite else product((entries, entries, one_entry))
