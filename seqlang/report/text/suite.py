"""Many specs in one table: each claim with what its source printed of it, beside our verdict, bound and seconds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from seqlang.proof.verdict import VERDICTS
from seqlang.report.document.document import Document, Heading, Line, Paragraph, Table, line
from seqlang.report.numbers import shown, shown_down, shown_up
from seqlang.rules.computed import bound_up

if TYPE_CHECKING:
    from seqlang.analyses.claims import Verdict
    from seqlang.proof.derivation import Derivation
    from seqlang.results.check import CheckResult

T = TypeVar("T")
_HEAD: tuple[str, ...] = ("spec", "claim", "labelled", "verdict", "at most", "pure at least", "CPU s")


def suite_document(results: Sequence[CheckResult], invalid: Sequence[str] = ()) -> Document:
    """One row a claim, with the least epsilon that is proved of its notion (rho for zCDP), at its delta or order; what
    belongs to the spec stands in its first row. `invalid` are the files with errors. The text that stands behind
    a claim in its file, such as what a source printed of it, has a column if some claim has one."""
    rows = tuple(row for result in results for row in _rows(result))
    rows += tuple((line(name), (), (), line(("invalid", "bad")), (), (), ()) for name in invalid)
    head, align = _HEAD, "llllrrr"
    if not any(row[2] for row in rows):
        head, align, rows = _without_labels(head), "lllrrr", tuple(map(_without_labels, rows))
    return Document((Heading("Suite"), Table(head, rows, align), Paragraph(_total(results, invalid), 2)))


def _without_labels(row: tuple[T, ...]) -> tuple[T, ...]:
    return row[:2] + row[3:]


def _rows(result: CheckResult) -> Iterator[tuple[Line, ...]]:
    at_least = shown_down(result.lowers.pure) if result.lowers.pure > 0 else "-"
    pure = result.bounds.pure
    last = line(at_least), line(f"{result.seconds:.2f}")
    name = line((result.program.name, "head"))
    if not result.verdicts:
        yield name, (), (), line(("no claim", "quiet")), line(_at_most(result, pure)), *last
    for number, verdict in enumerate(result.verdicts):
        claim = line((verdict.claim.text.removeprefix("claim "), "formula"))
        label = line((verdict.claim.label, "quiet")) if verdict.claim.label else ()
        ours = line(_at_most(result, verdict.derivation or pure) if verdict.claim.kind == "strong" else "-")
        first, rest = (name, last) if number == 0 else ((), ((), ()))
        yield first, claim, label, _verdict(verdict), ours, *rest


def _verdict(verdict: Verdict) -> Line:
    expected = "" if verdict.claim.expect is None else " as expected"
    return line((verdict.verdict, verdict.shown.tone), expected if verdict.ok else ("  not as expected", "bad"))


def _at_most(result: CheckResult, found: Derivation | None) -> str:
    """The amount of the bound as a number, rounded up; infinity where there is none."""
    return shown(math.inf) if found is None else shown_up(bound_up(result.program, found.conclusion))


def _total(results: Sequence[CheckResult], invalid: Sequence[str]) -> Line:
    verdicts = [v for result in results for v in result.verdicts]
    counts = {kind: sum(v.verdict == kind for v in verdicts) for kind in VERDICTS}
    text = f"{len(results)} specs, {len(verdicts)} claims: " + ", ".join(f"{n} {kind}" for kind, n in counts.items())
    wrong = sum(not result.ok for result in results)
    return line(
        f"{text}; {sum(r.seconds for r in results):.1f} s",
        (f"; {wrong} specs not as expected" if wrong else "", "bad"),
        (f"; {len(invalid)} invalid" if invalid else "", "bad"),
    )
