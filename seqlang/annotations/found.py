"""What a check and exact laws find of a text, as far as it is shown beside it: values, claims with their derivations,
and fixes. A part of it comes as soon as it is known."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.annotations.edit import Fix
from seqlang.annotations.fixes import expectation, strongest
from seqlang.annotations.reading import Reading
from seqlang.annotations.values import Value, joined, values_of_check, values_of_laws
from seqlang.driver.checking import check
from seqlang.driver.loading import Loaded
from seqlang.process.time_limit import OutOfTime, limited
from seqlang.proof.verdict import VerdictWord
from seqlang.record import record, replace
from seqlang.report.text.check import verdict_text
from seqlang.source import Span
from seqlang.syntax import tree

LAW_SECONDS = 5.0
"""CPU time for the exact laws: they are an extra, and may take minutes."""


@record
class ClaimFound:
    """`span` is the claim's statement; `words` name its verdict, `text` is its part of the report, with the
    derivation; `ok` says whether the verdict is the expected one."""

    span: Span
    verdict: VerdictWord
    words: str
    expected: str
    because: str
    text: str
    witnessed: bool
    ok: bool


@record
class Found:
    """`complete`: nothing more is computed."""

    values: tuple[Value, ...]
    claims: tuple[ClaimFound, ...]
    fixes: tuple[Fix, ...]
    complete: bool = False


def findings(reading: Reading, seconds: float) -> Iterator[Found]:
    """What a check finds within so many seconds of CPU time; the same with exact laws; the same with the strongest
    claims. Nothing for a text with errors."""
    program = reading.program
    if program is None:
        return
    result = check(Loaded(reading.source, program, reading.warnings, {}), time_limit=seconds)
    spans = {s.span.start: s.span for s in reading.file.statements if isinstance(s, tree.Claim)}
    claims = tuple(
        ClaimFound(
            spans.get(v.claim.span.start, v.claim.span), v.verdict, v.shown.words,
            v.claim.expect or "proved", v.because,
            verdict_text(result, v), v.witness is not None, v.ok,
        )
        for v in result.verdicts
    )  # fmt: skip
    found = Found(joined(values_of_check(reading.file, result)), claims, expectation(reading, result))
    yield found
    laws = _laws(reading)
    if laws:
        found = replace(found, values=joined((*found.values, *laws)))
        yield found
    try:
        with limited(seconds):
            found = replace(found, fixes=(*found.fixes, *strongest(reading, result)))
    except OutOfTime:
        pass
    yield replace(found, complete=True)


def _laws(reading: Reading) -> tuple[Value, ...]:
    """Expected steps and chances of returns; nothing where there is no exact law, or it takes too long."""
    from seqlang.diagnostics import SpecError
    from seqlang.driver.contradicted import Contradicted
    from seqlang.driver.solving import solve

    program = reading.program
    if program is None or not program.models or not any(isinstance(s, tree.Stop) for s in reading.file.statements):
        return ()
    try:
        with limited(LAW_SECONDS):
            laws = solve(Loaded(reading.source, program, (), {}))
    except (SpecError, OutOfTime, Contradicted):
        return ()
    return values_of_laws(reading.file, program, laws)
