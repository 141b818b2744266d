"""A release that is watched: what its looks say block by block, for `monitor`, and a report with the private budget.

All of it follows from what was released. Looks are believed only as far as the program agrees: a decision that does not
follow from them is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded
from seqlang.monitoring.paths import PLAN
from seqlang.monitoring.watch import sums_of
from seqlang.record import record
from seqlang.release.foreseen import one_order_only
from seqlang.release.ledger.book import Book, Charge
from seqlang.release.ledger.refusal import refused
from seqlang.release.transcript import value_in
from seqlang.release.verification import disagreement, fault_of, loaded_of, replayed
from seqlang.report.document.document import Block, Heading, Paragraph, line, row, table_of
from seqlang.report.document.markdown import as_markdown, as_page, code
from seqlang.version import __version__

if TYPE_CHECKING:
    from seqlang.results.monitor import MonitorResult

Look = Mapping[str, Any]


@record
class Watched:
    """A program, and what its blocks released: a number for each sum. `plan`: the face of the public coin, if one was
    thrown. `charge`: in the ledger that the looks are from, if they are from one. `rows_checked`: the release
    would have refused rows whose public values are not those that the program's models say."""

    loaded: Loaded
    counts: tuple[tuple[Fraction, ...], ...]
    plan: int | None = None
    looks: Sequence[Look] = ()
    charge: Charge | None = None
    rows_checked: bool = False


def from_ledger(book: Book, reference: str | None) -> Watched:
    """The release with that reference, or the only one. Raises SpecError E0670 where it is not there, or where its
    decisions do not follow from what was released."""
    found = [c for c in book.charges.values() if c.spec != "" and reference in (None, c.reference)]
    if len(found) != 1:
        known = ", ".join(c.reference for c in book.charges.values() if c.spec != "") or "none"
        said = "which release?" if reference is None else f"the ledger has no release `{reference}`."
        raise refused(f"{said} It has: {known}", "--reference NAME")
    (charge,) = found
    wrong = fault_of(charge)
    if wrong is not None:
        raise refused(f"`{charge.reference}` cannot be followed: {wrong}", "`seqlang ledger verify`")
    loaded = loaded_of(charge)
    return Watched(loaded, *_sums(loaded, charge.looks), charge.looks, charge, one_order_only(loaded.program))


def from_transcript(loaded: Loaded, said: Any, name: str) -> Watched:
    """`said`: the JSON value that `seqlang release --json` printed of that program, in the file `name`. Raises
    SpecError E0603 where it cannot be of it."""
    try:
        program, looks = said["program"], said["looks"]
        wrong = disagreement(loaded.program, looks)
    except (ValueError, TypeError, KeyError, AttributeError):
        raise SpecError.of("E0603", f"`{name}` is no transcript that `seqlang release --json` printed") from None
    if program != loaded.program.name:
        wrong = f"it is of the program `{program}`"
    if wrong is not None:
        raise SpecError.of("E0603", f"`{name}` is no transcript of `{loaded.program.name}`: {wrong}",
                           help="the spec that was released, with the same --set")  # fmt: skip
    return Watched(loaded, *_sums(loaded, looks), looks, None, one_order_only(loaded.program))


def _sums(loaded: Loaded, looks: Sequence[Look]) -> tuple[tuple[tuple[Fraction, ...], ...], int | None]:
    """Block by block, and the plan that a public coin chose: the program's own memory of it, after these looks."""
    names, counts = sums_of(loaded), []
    for look in looks:
        shown = look.get("reports", {})
        if any(name in shown for name in names):
            block = [value_in(shown.get(name)) for name in names]
            if not all(isinstance(value, int | Fraction) for value in block):
                raise SpecError.of(
                    "E0603", f"step {look['step']} does not show a number for each of {', '.join(names)}"
                )
            counts.append(tuple(map(Fraction, block)))
    plan = None
    if looks and any(m.name == PLAN for m in loaded.program.memories):
        plan = replayed(loaded.program, looks).memory.get(PLAN) or None
    return tuple(counts), plan


def report(result: MonitorResult, watched: Watched, book: Book | None, kind: Literal["html", "md"]) -> str:
    """One file without links: where the test stands, what was released, and, from a ledger, what it cost, what is left
    and how all of it is verified."""
    name = watched.charge.reference if watched.charge is not None else result.algorithm
    title = f"Report: {name}"
    parts = [f"# {as_markdown((Paragraph(line(title)),)).strip()}\n", as_markdown(result.document().blocks)]
    if watched.looks:
        parts.append(as_markdown(tuple(_transcript(watched))))
    if book is not None and watched.charge is not None:
        parts.append(as_markdown(tuple(_budget(book, watched.charge))))
        parts.append(code(f"seqlang ledger verify LEDGER --anchor {book.head}"))
    parts += [as_markdown((Heading("The program"),)), code(watched.loaded.source.text, "seq")]
    text = "\n".join(parts)
    return as_page(text, title) if kind == "html" else text


def shown_rows(looks: Sequence[Look], names: Sequence[str]) -> list[dict[str, str]]:
    """A row for each entry at which something was shown: `step`, those reports of these names that were ever made, and
    `return`. No report is called as the first or the last: both are words of the language."""
    seen = [look for look in looks if look["reports"] or look.get("stopped")]
    made = [name for name in names if any(name in look["reports"] for look in seen)]
    return [
        {"step": str(look["step"]), **{n: _cell(look["reports"].get(n)) for n in made},
         "return": _cell(look.get("result"))}
        for look in seen
    ]  # fmt: skip


def _transcript(watched: Watched) -> Iterator[Block]:
    yield Heading("All that was shown")
    rows = shown_rows(watched.looks, watched.loaded.program.report_names)
    names = list(rows[0])[1:-1] if rows else []
    yield table_of(("entry", *names, "returned"), [row(*one.values()) for one in rows])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return "yes" if value is True else str(value_in(value))


def _budget(book: Book, charge: Charge) -> Iterator[Block]:
    account = book.account(charge.account)
    yield Heading("The private budget")
    yield Paragraph(line(
        f"The release {charge.reference} cost {charge.price.text} of the account {account.name}, before its first "
        f"entry was read. Neighbours: {account.adjacency}. Of the budget {account.budget.text}, {account.spent.text} "
        f"is spent by all releases together, and {account.left.text} is left."
    ))  # fmt: skip
    yield Heading("How it is verified")
    yield Paragraph(line(
        "Whoever has a copy of the ledger replays every decision from what was shown, without the data. The digest is "
        f"that of its last row; seqlang {__version__}."
    ))  # fmt: skip
