"""The untrusted half of a rule file: what it is asked with, and the function that offers derivations."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from seqlang.proof.derivation import Derivation
from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.model.program import Gate, Program
    from seqlang.rules.gates.showings import Showings

Need = Literal["gate", "gates", "part", "parts", "delta", "horizon", "orders"]

Offer = Derivation | tuple[Derivation, ...] | str | None


@record
class Search:
    """`suggest(program, **{need: value})` offers derivations that end with the rule `rule`, or says why there are none.

    `needs` names every argument beside the program. A rule is asked only where all of them are at hand. `showings`
    tells what one showing of a gate costs; rules about a single gate have it where their bound is made of showings.
    """

    rule: str
    needs: tuple[Need, ...]
    suggest: Callable[..., Offer]
    showings: Callable[[Program, Gate], Showings | str] | None = None
