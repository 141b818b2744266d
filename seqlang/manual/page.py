"""A page of the manual."""

from __future__ import annotations

from typing import Literal, get_args

from seqlang.record import record

Kind = Literal[
    "guide", "statement", "adjacency", "domain", "time clause", "operator", "value", "function", "law", "life", "claim",
    "notion", "command", "option", "term", "diagnostic", "rule",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)
"""In the order in which they are listed."""


@record
class Page:
    """`name` is what the page is called in lists; `names` are all words by which it is found, `name` first. `title` is
    its heading, `summary` one sentence, and `text` the whole page as Markdown, with the heading."""

    name: str
    kind: Kind
    title: str
    summary: str
    text: str
    names: tuple[str, ...]
