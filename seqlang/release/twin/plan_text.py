"""What `seqlang release --plan` prints."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.release.exact.plan import lasts, obstacles
from seqlang.release.twin.comparison import Comparison, Row
from seqlang.release.twin.twin import Twin


def plan_lines(twin: Twin, found: Comparison | None, neighbours: str) -> Iterator[str]:
    """The text that would run, how entries are read, what is proved of it, and what the grid costs. `neighbours`: those
    that the price is about, in the words of an account."""
    program = twin.loaded.program
    yield twin.loaded.source.text.rstrip()
    yield ""
    against = obstacles(program)
    if against:
        yield "It is not released:"
        yield from (f"  {sentence}" for sentence in against)
        return
    kept = "a noise of it lasts: after a crash it is drawn anew from its law given what was shown" if lasts(
        program) else "after a crash it goes on where it was"  # fmt: skip
    yield f"It is computed exactly as it is written; {kept}."
    yield from (f"{name}: an entry is read as the whole number nearest to {scale} times it, held in the domain."
                for name, scale in twin.scales if scale > 1)  # fmt: skip
    yield from (f"{name}: shown in units of 1/{scale}." for name, scale in twin.shown)
    yield f'An account that pays for it: seqlang ledger open .. --adjacency "{neighbours}"'
    if found is not None:
        yield from _compared(found)


def _compared(found: Comparison) -> Iterator[str]:
    yield ""
    if found.privacy:
        yield from _table("proved at most", found.privacy)
    if found.laws:
        yield from _table("exact law", found.laws)
    yield from (f"no exact law: {why}" for why in dict.fromkeys(found.unsolved))
    yield from (f"{verdict}: {text}" for text, verdict in found.claims)
    if not found.is_proved:
        yield "It is not released: a strong claim is not proved." if found.claims else (
            "It is not released: it makes no strong claim of privacy.")  # fmt: skip


def _table(title: str, rows: tuple[Row, ...]) -> Iterator[str]:
    width = max(len(title), *(len(row.what) for row in rows)) if rows else len(title)
    yield f"{title:<{width}}  {'spec':>12}  {'twin':>12}"
    for row in rows:
        yield f"{row.what:<{width}}  {_number(row.spec):>12}  {_number(row.twin):>12}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.6g}"
