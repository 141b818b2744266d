"""Changes of the text of a spec that change nothing it says, by its tokens alone: names and letters."""

from __future__ import annotations

import re
from collections.abc import Iterator

TOKEN = re.compile(
    r'"[^"\r\n]*"|#[^\r\n]*|[a-zA-Z_][a-zA-Z_0-9]*|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\s+|\.\.|.', re.S
)
OPENS, CLOSES = "([{", ")]}"


def tokens(source: str) -> list[str]:
    return TOKEN.findall(source)


def declared(source: str) -> list[str]:
    """Names that statements define, in order."""
    words = "param|let|stream|dataset|public|memory|statistic|draw|report|model"
    bare = re.sub(r'"[^"\r\n]*"|#[^\r\n]*', "", source)
    found = re.findall(rf"\b(?:{words})\s+([a-zA-Z_]\w*)", bare)
    return list(dict.fromkeys(found))


WORDS = frozenset(
    {
        "size",
        "one",
        "every",
        "within",
        "steps",
        "last",
        "same",
        "direction",
        "replace",
        "add",
        "remove",
        "strong",
        "weak",
        "per",
    }
)


def renamed(source: str, names: dict[str, str]) -> str:
    """Each name replaced wherever it stands: it means the same if the new names are new."""
    return "".join(names.get(t, t) for t in tokens(source))


def fresh_names(source: str) -> dict[str, str]:
    """A new name for everything that a statement defines; words of the language that are also names are left alone."""
    used = set(tokens(source))
    out = {}
    for i, n in enumerate(n for n in declared(source) if n not in WORDS):
        out[n] = next(c for c in (f"g{i}", f"g{i}_", f"g{i}__") if c not in used)
    return out


def one_letter(source: str, letter: str = "i") -> str:
    """Every binder's variable is called `letter`, where the text in its bracket does not use that name already."""
    parts = tokens(source)
    for place, low, high in sorted(_binders(parts), key=lambda b: b[2] - b[1]):
        old = parts[place]
        if old == letter or letter in parts[low:high]:
            continue
        domain = _domain(parts, place, high)
        if old in parts[domain[0] : domain[1]]:
            continue
        for i in range(low, high):
            if parts[i] == old:
                parts[i] = letter
    return "".join(parts)


def _binders(parts: list[str]) -> Iterator[tuple[int, int, int]]:
    """Of each `for NAME`: the place of the name, and where its bracket begins and ends."""
    for i, t in enumerate(parts):
        if t != "for":
            continue
        place = next(j for j in range(i + 1, len(parts)) if not parts[j].isspace())
        yield place, _begin(parts, i), _end(parts, i)


def _begin(parts: list[str], i: int) -> int:
    depth = 0
    for j in range(i, -1, -1):
        if parts[j] in CLOSES and len(parts[j]) == 1:
            depth += 1
        elif parts[j] in OPENS and len(parts[j]) == 1:
            if depth == 0:
                return j
            depth -= 1
    raise ValueError("a binder without a bracket")


def _end(parts: list[str], i: int) -> int:
    depth = 0
    for j in range(i, len(parts)):
        if parts[j] in OPENS and len(parts[j]) == 1:
            depth += 1
        elif parts[j] in CLOSES and len(parts[j]) == 1:
            if depth == 0:
                return j
            depth -= 1
    raise ValueError("a binder without a bracket")


def _domain(parts: list[str], place: int, high: int) -> tuple[int, int]:
    """From `in` to `where` or the bracket's end."""
    low = next(j for j in range(place, high) if parts[j] == "in")
    return low, next((j for j in range(low, high) if parts[j] == "where"), high)
