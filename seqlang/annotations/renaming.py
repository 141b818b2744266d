"""A name changed wherever it means the same thing, and nowhere else.

What is changed is found by the scopes. That nothing is captured is not argued but tried: the changed text is read
again, and every name in it must stand for the same declaration as before. What the scopes do not see (a name of the
language that may not be declared, say) shows as an error that was not there.
"""

from __future__ import annotations

import re

from seqlang.annotations.edit import Edit, applied
from seqlang.annotations.names import OURS, Meaning, Occurrence
from seqlang.annotations.reading import Reading, read
from seqlang.syntax.load_table import load_table


def renamed(reading: Reading, offset: int, name: str) -> tuple[Edit, ...] | str:
    """The edits that call the thing at a place `name`; text: why that cannot be done."""
    found = renamable(reading, offset)
    if isinstance(found, str):
        return found
    table = load_table()
    if name in table.reserved:
        return f"`{name}` is a word of the language"
    if not re.fullmatch(table.patterns["NAME"], name):
        return f"`{name}` is no name: names are made of the letters a-z, A-Z, digits and `_`, and begin with no digit"
    meant = found.meaning
    edits = tuple(Edit(o.span, name) for o in reading.names if o.meaning == meant)
    after = read(applied(reading.source.text, edits), reading.source.name)
    before = [m.kind for m in _taken(reading) if m.name == name and m != meant]
    if len(after.errors) > len(reading.errors) or _structure(after) != _structure(reading):
        what = f": it is the name of a {before[0]}" if before else ""
        return f"calling it `{name}` would change what the file means{what}"
    return edits


def renamable(reading: Reading, offset: int) -> Occurrence | str:
    """The name at a place, if the file declares it; text: why it cannot be renamed."""
    found = reading.name_at(offset)
    if found is None:
        return "there is no name here"
    if found.meaning.kind in OURS:
        what = "is declared nowhere in this file" if found.meaning.kind == "unknown" else "is a name of the language"
        return f"`{found.meaning.name}` {what}"
    return found


def references(reading: Reading, offset: int) -> tuple[Occurrence, ...]:
    """Every place at which the thing at a place is named; of a name of the language, all places of that name."""
    found = reading.name_at(offset)
    return () if found is None else tuple(o for o in reading.names if o.meaning == found.meaning)


def _taken(reading: Reading) -> list[Meaning]:
    return [o.meaning for o in reading.names]


def _structure(reading: Reading) -> list[object]:
    """Which of the names stand for one thing: for each, the number of the first one that does; of what is not declared
    here the name itself."""
    first: dict[Meaning, int] = {}
    found: list[object] = []
    for index, occurrence in enumerate(reading.names):
        meaning = occurrence.meaning
        place = first.setdefault(meaning, index)
        found.append((meaning.kind, meaning.name if meaning.kind in OURS else place, occurrence.declares))
    return found
