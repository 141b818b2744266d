"""What the search for proofs found."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from seqlang.analyses.grouping import Group
from seqlang.proof.derivation import Derivation
from seqlang.record import record


@record
class Bounds:
    """The best proved bound of each notion for all gates together; None: none was found.

    `rdp` has one derivation for each order that has a bound. `horizon` is what bounds that need one were asked for
    (None: no limit); a bound's own conclusion says for how many steps it holds. `alternatives` are further derivations
    for all gates that other rules or groupings gave. `open_goals` say, group by group, why no rule gave a pure bound.
    `groups` is the partition of the gates that the search thought best.
    """

    pure: Derivation | None
    rdp: tuple[Derivation, ...]
    zcdp: Derivation | None
    dp: Derivation | None
    delta: Fraction
    horizon: int | None
    open_goals: tuple[str, ...]
    alternatives: tuple[Derivation, ...]
    groups: tuple[Group, ...]

    def implying(self, notion: Literal["pure", "dp", "rdp", "zcdp"]) -> tuple[Derivation, ...]:
        """The bounds that say something of that notion: its own, and where it follows at once the pure one."""
        found: dict[str, tuple[Derivation | None, ...]] = {
            "pure": (self.pure,), "dp": (self.pure, self.dp), "zcdp": (self.zcdp,), "rdp": (*self.rdp, self.pure),
        }  # fmt: skip
        return tuple(d for d in found[notion] if d is not None)
