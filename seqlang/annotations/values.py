"""Values in line: what was found out about a statement, in a few words behind it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.annotations.costs import costs_of
from seqlang.model.expression import Label
from seqlang.model.program import Noise, Program, Stop
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, PureBound, RenyiBound, steps_of
from seqlang.proof.verdict import Tone
from seqlang.record import record
from seqlang.report.numbers import nearest, shown, shown_down, shown_up
from seqlang.report.text.check import witness_words
from seqlang.report.text.kinds import returns_of, within
from seqlang.report.text.kinds import steps_of as steps_of_law
from seqlang.report.words import bound_formula, conclusion_text
from seqlang.rules.computed import bound_up
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.syntax import tree

if TYPE_CHECKING:
    from seqlang.analyses.claims import Verdict
    from seqlang.analyses.shifts import StatisticShift
    from seqlang.results.check import CheckResult
    from seqlang.results.solve import SolveResult

LONGEST = 72
"""Characters of what stands in line; the tooltip has the rest."""


@record
class Value:
    """`text` is to be shown behind the character before `offset`, `tooltip` to whoever asks for more. `tone` is that
    of a verdict."""

    offset: int
    text: str
    tooltip: str
    tone: Tone | None = None


def values_of_check(file: tree.File, result: CheckResult) -> tuple[Value, ...]:
    """Sensitivities of statistics, verdicts of claims, costs of noises, in order of place."""
    statements = {part.start: part.end for part in (s.span for s in file.statements)}
    ends = _Ends(file)
    found = [_shift(result.program, s, ends.of_name(s.name)) for s in result.statistics]
    found += [_verdict(result, v, statements.get(v.claim.span.start, v.claim.span.end)) for v in result.verdicts]
    for noise in result.program.noises:
        value = _cost(result.program, noise, ends)
        found += [] if value is None else [value]
    return tuple(sorted(found, key=lambda v: v.offset))


def values_of_laws(file: tree.File, program: Program, laws: Sequence[SolveResult]) -> tuple[Value, ...]:
    """Expected steps beside the first stop, and beside each stop that returns a label how likely that is."""
    stops = [s for s in file.statements if isinstance(s, tree.Stop)]
    made = [s for s in program.body if isinstance(s, Stop)]
    found = []
    for index, (node, stop) in enumerate(zip(stops, made, strict=True)):
        parts = [_steps(laws)] if index == 0 and laws else []
        if isinstance(stop.result, Label) and laws:
            parts.append(_chance(laws, stop.result.name))
        if parts:
            found.append(Value(node.span.end, _short("; ".join(parts)), "\n\n".join(parts)))
    return tuple(found)


class _Ends:
    """Where the statements end that declare a name or attach a noise."""

    def __init__(self, file: tree.File) -> None:
        self.spans = [s.span for s in file.statements]
        self.names = {s.name.name: s.span.end for s in file.statements if isinstance(s, tree.Statistic)}

    def of_name(self, name: str) -> int:
        return self.names.get(name, 0)

    def around(self, offset: int) -> int | None:
        return next((span.end for span in self.spans if span.start <= offset < span.end), None)


def _shift(program: Program, statistic: StatisticShift, offset: int) -> Value:
    shift, words = statistic.shift, statistic.words
    if shift.kind == "none":
        return Value(offset, "does not move", "The same on neighbouring data.")
    if shift.radius.is_infinite:
        return Value(offset, "sensitivity ∞", shift.note or "No bound was found on how far it moves.")
    number = shown(nearest(shift.radius, parameter_values(program)))
    size, short = _size(str(shift.radius), number)
    norm = "" if shift.norm == "abs" else f" in {shift.norm} norm"
    tooltip = f"Between neighbouring data `{statistic.name}` moves by at most {size}{norm}; how it moves: {words}."
    return Value(offset, _short(f"sensitivity {short}{norm}, {words}"), f"{tooltip} {shift.note}".strip())


def _verdict(result: CheckResult, verdict: Verdict, offset: int) -> Value:
    claim, said = verdict.claim, verdict.shown
    expected = "" if claim.expect is None else " as expected" if verdict.ok else f", expected {claim.expect}"
    if claim.privacy is None or (verdict.derivation is None and verdict.witness is None):
        because = verdict.because.removeprefix(f"under {claim.model}: ").split(" against ")[0]
        return Value(offset, _short(f"{said.words}{expected}: {because}"), verdict.because, said.tone)
    if verdict.witness is not None:
        pure = claim.privacy.notion == "pure"
        least = f"≥ {shown_down(verdict.witness.loss)} witnessed" if pure else verdict.because
        words = f"{verdict.because}\n\n{witness_words(verdict.witness)}"
        return Value(offset, _short(f"{said.words}{expected}: {least}"), words, said.tone)
    assert verdict.derivation is not None
    derivation = verdict.derivation
    number = shown_up(bound_up(result.program, derivation.conclusion))
    size = _size(str(bound_formula(result.program, derivation) or number), number)[1]
    notion = _NOTIONS[type(derivation.conclusion)]
    size = f"{size} proved{within(steps_of(derivation.conclusion))}"
    size = size if notion == claim.privacy.notion else f"{notion}: {size}"
    lower = _witnessed(result, claim.privacy.notion)
    least = f", ≥ {lower} witnessed" if lower else ""
    because = f"{verdict.because}\n\n{conclusion_text(derivation.conclusion)} by {derivation.rule}: {derivation.cite}"
    return Value(offset, _short(f"{size}{least}{expected}"), because, said.tone)


_NOTIONS = {PureBound: "pure", ConcentratedBound: "zcdp", RenyiBound: "rdp", ApproximateBound: "dp"}


def _witnessed(result: CheckResult, notion: str) -> str:
    """The largest epsilon that a witness forces; nothing where it speaks of another notion or delta."""
    if notion != "pure" or result.lowers.pure <= 0:
        return ""
    return shown_down(result.lowers.pure)


def _cost(program: Program, noise: Noise, ends: _Ends) -> Value | None:
    found = costs_of(program, noise)
    offset = ends.around(noise.span.start)
    if found is None or offset is None or noise.target is None:
        return None
    return Value(offset, _short(found.text), found.words)


def _size(formula: str, number: str) -> tuple[str, str]:
    """A formula with its value, and the same where it must be short."""
    if formula == number:
        return number, number
    whole = f"{formula} = {number}"
    return whole, whole if len(formula) <= LONGEST // 2 else number


def _steps(laws: Sequence[SolveResult]) -> str:
    parts = (f"{steps_of_law(law, 4).estimate} under {law.model}" for law in laws)
    return f"estimated steps: {', '.join(parts)}"


def _chance(laws: Sequence[SolveResult], label: str) -> str:
    parts = []
    for law in laws:
        known = {figure.name: figure.estimate for figure in returns_of(law, 4)}
        parts.append(f"{known.get(label, '0' if law.resolved else 'unknown')} under {law.model}")
    return f"estimated P({label}): {', '.join(parts)}"


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 2].rstrip()} .."


def joined(values: Sequence[Value]) -> tuple[Value, ...]:
    """In order of place; what stands behind one character is joined, and said once."""
    found: dict[int, dict[str, str]] = {}
    for value in values:
        found.setdefault(value.offset, {}).setdefault(value.text, value.tooltip)
    return tuple(
        Value(at, "; ".join(said), "\n\n".join(dict.fromkeys(said.values()))) for at, said in sorted(found.items())
    )
