"""Pages that are written by hand: `written/KIND/NAME.md`, with a heading, one paragraph that sums it up, and the rest.

The name is that of the file. A first line `names: a | b | c` gives it other names, the first of which is its own: marks
such as `<=` cannot be names of files, and several words may share a page.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

from seqlang.manual.page import KINDS, Kind, Page

_FOLDER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "written")
_NAMES = "names: "


@cache
def written() -> tuple[Page, ...]:
    """All of them, by kind and name."""
    return tuple(page for kind in KINDS for page in _of_kind(kind))


def _of_kind(kind: Kind) -> Iterator[Page]:
    folder = os.path.join(_FOLDER, kind.replace(" ", "_"))
    if not os.path.isdir(folder):
        return
    for file in sorted(os.listdir(folder)):
        if file.endswith(".md"):
            with open(os.path.join(folder, file), encoding="utf-8") as opened:
                yield page_of(kind, file.removesuffix(".md"), opened.read())


def page_of(kind: Kind, name: str, text: str) -> Page:
    """The page that such a file holds."""
    names: tuple[str, ...] = (name,)
    if text.startswith(_NAMES):
        line, _, text = text.partition("\n")
        names = tuple(part.strip() for part in line.removeprefix(_NAMES).split(" | "))
    title, summary = heading(text)
    return Page(names[0], kind, title, summary, text, names)


def heading(text: str) -> tuple[str, str]:
    """The heading of a page and its first sentence, on one line each."""
    first, _, rest = text.lstrip("\n").partition("\n")
    paragraph = " ".join(rest.strip("\n").split("\n\n")[0].split())
    end = paragraph.find(". ")
    return first.removeprefix("# ").strip(), paragraph if end < 0 else paragraph[: end + 1]
