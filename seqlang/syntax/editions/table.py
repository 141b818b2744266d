"""All editions, and what each writes otherwise than the one before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from seqlang.record import record
from seqlang.syntax.token import Token

Tokens = Sequence[Token]


@record
class Rewrite:
    """Makes of a text of one edition what means the same in the next. `change` takes and returns all tokens, comments
    included, in the order of the text. A token that stands for others has their place (`start`, `end`), so that
    diagnostics point at what was written; one that is added has an empty place."""

    from_edition: int
    to_edition: int
    about: str
    change: Callable[[Tokens], Tokens]


EDITIONS: tuple[int, ...] = (2026,)
"""From the first, in which a text is read that states none, to the newest. All of them are understood."""

REWRITES: tuple[Rewrite, ...] = ()
"""In the order in which they apply. There is one edition so far. A rewrite must not change what a text means: one that
takes a word for the language renames what has that name."""
