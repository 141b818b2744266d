"""A family of witnesses in words, as a table, and in JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from seqlang.proof.entry import Entry
from seqlang.proof.family import Family, FamilyStep
from seqlang.report.document.document import Block, Paragraph, Table, line
from seqlang.report.numbers import shown_down
from seqlang.report.streams import entry_words, stream_words
from seqlang.results.json_number import json_value

SHOWN = 7  # rows of the table: the last ones speak for the others


def family_blocks(family: Family, indent: int) -> Iterator[Block]:
    """What is repeated, and how the loss grows."""
    yield Paragraph(line(family_words(family)), indent, 0)
    rows = _thinned(family.losses)
    yield Table(
        ("steps", *(str(steps) for steps, _ in rows)),
        ((line("loss at least"), *(line(shown_down(loss)) for _, loss in rows)),),
        "l" + "r" * len(rows),
    )


def family_words(family: Family) -> str:
    """The repeated block, what stands around it, and the growth that is proved."""
    parts = [
        _part(family.head, "after "), _part(family.block, "n times "), _part(family.middle, "then "),
        _part(family.again, "n times "), _part(family.tail, "and at the end "),
    ]  # fmt: skip
    size = len(family.block + family.again)
    block = "block" if size == 1 else f"block of {size} steps"
    return (
        f"{', '.join(p for p in parts if p)}: each {block} adds at least {shown_down(family.rate)} to the loss, for "
        f"all values of the noises that stay"
    )


def _part(steps: Sequence[FamilyStep], word: str) -> str:
    if not steps:
        return ""
    first, second = (stream_words(tuple(_bare(getattr(s, side)) for s in steps)) for side in ("first", "second"))
    pair = first if first == second else f"{first} against {second}"
    told = [(words, len(list(same))) for words, same in groupby(map(_told, steps))]
    return f"{word}{pair} with {', then '.join(t if n == 1 else f'{t} ×{n}' for t, n in told)}"


def _bare(entry: Any) -> Entry:
    value: Entry = next(iter(entry.values())) if isinstance(entry, dict) and len(entry) == 1 else entry
    return value


def _told(step: FamilyStep) -> str:
    said = [name + _value(value) for name, value in step.told.items() if name != "stop"]
    stop: Any = step.told["stop"]
    if stop is not None:
        said.append("the stop" + ("" if stop[1] in (None, True) else f" with {entry_words(stop[1])}"))
    return " and ".join(said) or "nothing"


def _value(value: object) -> str:
    if value is True:
        return ""
    return f" in {entry_words(value)}" if isinstance(value, tuple) else f" = {value}"


def _thinned(losses: Sequence[tuple[int, float]]) -> Sequence[tuple[int, float]]:
    step = max(1, -(-len(losses) // SHOWN))
    return losses[(len(losses) - 1) % step :: step] if losses else losses


def family_dict(family: Family) -> dict[str, Any]:
    """`rate` is of one block; `losses` are (steps, loss), rounded down."""
    return {
        "block": _dicts(family.block),
        "head": _dicts(family.head),
        **({"middle": _dicts(family.middle), "again": _dicts(family.again)} if family.again else {}),
        "tail": _dicts(family.tail),
        "rate": family.rate,
        "losses": [[steps, loss] for steps, loss in family.losses],
    }


def _dicts(steps: Sequence[FamilyStep]) -> list[dict[str, Any]]:
    return [
        {
            "entries": [json_value(s.first), json_value(s.second)],
            "told": {name: json_value(value) for name, value in s.told.items() if name != "stop" or value is not None},
        }
        for s in steps
    ]
