"""What is to be said of a text: its errors, its parameters, its claims, and what stands beside its lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from seqlang.annotations.edit import applied
from seqlang.annotations.reading import Reading
from seqlang.annotations.remedies import remedies
from seqlang.annotations.values import values_of_check
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.as_json import diagnostic_dict
from seqlang.driver import check
from seqlang.results.check import CheckResult
from seqlang.source import Source
from seqlang.studio.jobs.parameters import parameters_of
from seqlang.studio.jobs.texts import loaded_of, source_of
from seqlang.studio.jobs.witness import witness_of
from seqlang.studio.jobs.words import words_of

FIRST = 0.1
"""Seconds of CPU time after which is told what is known so far: mostly all proofs, before any witness."""
SECONDS = 60.0
"""Of CPU time, after which what is not decided is unknown."""
QUICK = 10_000
"""Characters of a text, for longer ones of which no remedies are tried."""
FEW = 20
"""Diagnostics, for more of which none are tried either."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`diagnostics` of the text; `parameters` (a dict each); `check`, the command's JSON, and `words` for those who do
    not know it, `witness`; `notes`, (line, text, tooltip, tone), lines from 1. Without `check` where the text has
    errors."""
    source = source_of(argument)
    reading = Reading(source)
    found = {"diagnostics": [_told(d, reading) for d in reading.diagnostics], "parameters": [], "notes": []}
    if reading.program is None:
        return found
    try:
        loaded = loaded_of(argument)
    except SpecError as error:
        return {**found, "parameters": parameters_of(reading.program), "diagnostics": [_placed(d, error) for d in
                error.diagnostics]}  # fmt: skip
    known = {**found, "parameters": parameters_of(loaded.program), "models": [m.name for m in loaded.program.models]}
    tell(known)
    first = check(loaded, time_limit=FIRST)
    if not first.cut_short:
        return known | _found(reading, first)
    tell(known | _found(reading, first) | {"under way": True})
    return known | _found(reading, check(loaded, time_limit=SECONDS))


def _found(reading: Reading, result: CheckResult) -> dict[str, Any]:
    return {
        "check": result.to_dict(), "words": words_of(result), "witness": witness_of(result),
        "notes": list(_notes(reading, result)),
    }  # fmt: skip


def _told(diagnostic: Diagnostic, reading: Reading) -> dict[str, Any]:
    """With `fixes`, (title, changed text) each."""
    quick = len(reading.source.text) <= QUICK and len(reading.diagnostics) <= FEW
    fixes = remedies(reading, diagnostic) if quick else ()
    changed = [(fix.title, applied(reading.source.text, fix.edits)) for fix in fixes]
    return {**diagnostic_dict(diagnostic, reading.source), "fixes": changed}


def _placed(diagnostic: Diagnostic, error: SpecError) -> dict[str, Any]:
    return diagnostic_dict(diagnostic, error.source if isinstance(error.source, Source) else None)


def _notes(reading: Reading, result: CheckResult) -> Iterator[tuple[int, str, str, str]]:
    for value in values_of_check(reading.file, result):
        line, _ = reading.source.line_column(max(0, value.offset - 1))
        yield line, value.text, value.tooltip, value.tone or ""
