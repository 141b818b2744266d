"""The report of `check` as people read it. Every formula stands beside its number, every bound beside its theorem."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from seqlang.analyses.claims import Verdict
from seqlang.model.expression import Density, walk
from seqlang.model.print import show_expression
from seqlang.model.program import Define
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound
from seqlang.proof.witness import Entry, Event, Witness
from seqlang.report.check_json import dp_lower
from seqlang.report.gates import gate_rows
from seqlang.report.numbers import nearest, shown, shown_down, shown_up, upper
from seqlang.report.words import adjacency_words, conclusion_text, life_words
from seqlang.rules.sensitivity.formulas import parameter_values

if TYPE_CHECKING:
    from seqlang.report.check_result import CheckResult

_STYLE = {"proved": "good", "refuted": "bad", "unknown": "doubt"}
_SIGN = {"proved": "✓", "refuted": "✗", "unknown": "?"}


def check_report(result: CheckResult, explain: bool = False) -> RenderableType:
    """The whole report; with `explain` every derivation and every bound that was found."""
    return Group(*_blocks(result, explain))


def _blocks(result: CheckResult, explain: bool) -> Iterator[RenderableType]:
    yield from _head(result)
    if result.statistics:
        yield _statistics(result)
    yield _gates(result)
    yield from _bounds(result, explain)
    if result.verdicts:
        yield from _claims(result, explain)


def _section(name: str) -> Text:
    return Text(f"\n{name}", style="head")


def _table(*columns: tuple[str, str]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="quiet", pad_edge=False)
    for i, (name, justify) in enumerate(columns):
        table.add_column(("  " if i == 0 else "") + name, justify="right" if justify == "r" else "left", overflow="fold")
    return table


def _head(result: CheckResult) -> Iterator[RenderableType]:
    program = result.program
    yield Text.assemble((program.name, "head"), f"  {program.title}" if program.title else "")
    short, long = adjacency_words(program)
    yield Text.assemble(("  neighbours  ", "quiet"), f"{short}: {long}")
    if program.parameters:
        given = ", ".join(f"{p.name} = {shown(float(p.value))}" for p in program.parameters)
        yield Text.assemble(("  parameters  ", "quiet"), given)
    used = _densities(result)
    if used:
        yield Text.assemble(("  note        ", "quiet"), f"uses the density of {', '.join(used)} as a formula, "
                            "not as an assumption on the data")  # fmt: skip


def _densities(result: CheckResult) -> list[str]:
    expressions = (s.expression for s in result.program.body if isinstance(s, Define))
    bodies = (s.body for s in result.program.body if hasattr(s, "body"))
    found = (e.model for root in (*expressions, *bodies) for e in walk(root) if isinstance(e, Density))
    return sorted({m for m in found if m})


def _statistics(result: CheckResult) -> RenderableType:
    values = parameter_values(result.program)
    table = _table(("statistic", "l"), ("how it moves", "l"), ("sensitivity", "l"), ("value", "r"))
    notes = []
    for s in result.statistics:
        infinite = s.shift.radius.is_infinite
        text = "unbounded" if infinite else str(s.shift.radius)
        number = "∞" if infinite else shown(nearest(s.shift.radius, values))
        norm = "" if s.shift.norm == "abs" else f" ({s.shift.norm})"
        table.add_row("  " + s.name, s.words, Text(text + norm, style="formula"), number)
        if s.shift.note and infinite:
            notes.append(Text.assemble(("  ! ", "doubt"), f"{s.name}: {s.shift.note}"))
    return Group(_section("Statistics"), table, *notes)


def _gates(result: CheckResult) -> RenderableType:
    program = result.program
    rows = gate_rows(program)
    shared = [n.name for row in rows for n in row.noises]
    table = _table(("gate", "l"), ("kind", "l"), ("what is compared or shown", "l"), ("moves", "l"), ("noise", "l"))
    for row in rows:
        noises = "\n".join(
            f"{n.name} ~ {show_expression(n.law)} {life_words(n.life)}" + (" (shared)" if shared.count(n.name) > 1 else "")
            for n in row.noises
        )
        table.add_row("  " + row.name, row.kind, Text(row.value), row.shift, Text(noises))
    return Group(_section("Gates: all that an observer sees"), table)


def _bounds(result: CheckResult, explain: bool) -> Iterator[RenderableType]:
    bounds, witness = result.bounds, result.witness
    values = parameter_values(result.program)
    yield _section("Strong privacy, worst case over neighbours and all outcomes")
    table = _table(("notion", "l"), ("proved at most", "l"), ("witnessed at least", "l"), ("by", "l"))
    pure = bounds.pure
    lower = Text("-" if witness is None else shown_down(witness.loss))
    if pure is not None and isinstance(pure.conclusion, PureBound):
        number = upper(pure.conclusion.epsilon, values)
        text = Text.assemble(shown_up(number), ("  = ", "quiet"), (str(pure.conclusion.epsilon), "formula"))
        table.add_row("  pure", text, lower, _cite(pure))
    else:
        table.add_row("  pure", "∞", lower, "")
    delta = float(result.delta)
    deep = None if witness is None else dp_lower(witness, result.delta)
    low = Text("-" if deep is None else shown_down(deep))
    if bounds.dp is not None and isinstance(bounds.dp.conclusion, ApproximateBound):
        table.add_row(f"  dp, delta {delta:g}", shown_up(bounds.dp.conclusion.epsilon), low, _cite(bounds.dp))
    else:
        table.add_row(f"  dp, delta {delta:g}", "∞", low, "")
    if bounds.zcdp is not None and isinstance(bounds.zcdp.conclusion, ConcentratedBound):
        rho = bounds.zcdp.conclusion.rho
        text = Text.assemble(shown_up(upper(rho, values)), ("  = ", "quiet"), (str(rho), "formula"))
        table.add_row("  zCDP", text, "", _cite(bounds.zcdp))
    if bounds.rdp:
        by_rule: dict[str, list[Derivation]] = {}
        for d in bounds.rdp:
            by_rule.setdefault(_cite(d), []).append(d)
        for cite, group in by_rule.items():
            text = ", ".join(
                f"{shown_up(d.conclusion.epsilon, 5)} at {d.conclusion.order:g}"
                for d in group
                if isinstance(d.conclusion, RenyiBound)
            )
            table.add_row("  RDP", text, "", cite)
    yield table
    if bounds.horizon is not None:
        yield Text.assemble(("  horizon  ", "quiet"), f"{bounds.horizon} steps")
    for goal in bounds.open_goals:
        yield Text.assemble(("  ? ", "doubt"), goal)
    if witness is not None:
        yield Text.assemble(("  witness  ", "quiet"), witness_words(witness))
    if explain:
        yield from _explanation(result)


def _cite(derivation: Derivation) -> str:
    return derivation.cite or derivation.rule


def _explanation(result: CheckResult) -> Iterator[RenderableType]:
    bounds = result.bounds
    yield _section("Derivations")
    seen: list[Derivation] = []
    for d in (bounds.pure, bounds.zcdp, *bounds.rdp, bounds.dp, *bounds.alternatives):
        if d is not None and d not in seen:
            seen.append(d)
            yield _derivation(d)


def _derivation(derivation: Derivation) -> Tree:
    tree = Tree(_step(derivation), guide_style="quiet")
    _grow(tree, derivation)
    return tree


def _grow(tree: Tree, derivation: Derivation) -> None:
    for premise in derivation.premises:
        _grow(tree.add(_step(premise)), premise)


def _step(derivation: Derivation) -> Text:
    return Text.assemble(
        (conclusion_text(derivation.conclusion), "formula"),
        ("  by ", "quiet"),
        derivation.rule,
        (f"  [{derivation.cite}]" if derivation.cite else "", "quiet"),
        f"\n{derivation.because}" if derivation.because else "",
    )


def _claims(result: CheckResult, explain: bool) -> Iterator[RenderableType]:
    yield _section("Claims")
    for v in result.verdicts:
        line = result.source.line_column(v.claim.span.start)[0]
        expected = "" if v.claim.expect is None else (" as expected" if v.ok else f", expected {v.claim.expect}")
        yield Text.assemble(
            (f"  {_SIGN[v.verdict]} {v.verdict}{expected}", _STYLE[v.verdict]),
            ("  line ", "quiet"),
            f"{line}  {v.claim.text}",
            (f'  "{v.claim.label}"' if v.claim.label else "", "quiet"),
        )
        yield from _reason(v, explain)


def _reason(verdict: Verdict, explain: bool) -> Iterator[RenderableType]:
    from rich.padding import Padding

    if verdict.witness is not None:
        yield Padding(Text(witness_words(verdict.witness)), (0, 0, 0, 6))
    elif verdict.because:
        yield Padding(Text(verdict.because), (0, 0, 0, 6))
    if explain and verdict.derivation is not None:
        yield Padding(_derivation(verdict.derivation), (0, 0, 0, 6))


def witness_words(witness: Witness) -> str:
    """The pair of streams, the event, both probabilities, in one sentence or two."""
    first, second = (_stream(s) for s in witness.streams)
    if witness.q + witness.q_error <= 0:
        rest = f"has probability {_probability(witness.p)} under the first and 0 under the second"
    else:
        rest = (
            f"has probability {_probability(witness.p)} under the first and {_probability(witness.q)} under the second: "
            f"a loss of {shown_down(witness.loss)}"
        )
    why = f" ({witness.because})" if witness.because else ""
    return f"{first} against {second}: {event_words(witness.event)} {rest}{why}"


def _probability(p: float) -> str:
    return shown(p, 5)


def _stream(entries: tuple[Entry, ...]) -> str:
    """Runs of equal entries are written once: 0, 1 ×12."""
    parts: list[str] = []
    i = 0
    while i < len(entries):
        j = i
        while j < len(entries) and entries[j] == entries[i]:
            j += 1
        parts.append(_entry(entries[i]) + (f" ×{j - i}" if j - i > 1 else ""))
        i = j
    return "[" + ", ".join(parts) + "]"


def _entry(entry: Entry) -> str:
    if isinstance(entry, dict):
        return "(" + ", ".join(f"{k} {_entry(v)}" for k, v in entry.items()) + ")"  # type: ignore[arg-type]
    if isinstance(entry, tuple):
        return "(" + ", ".join(_entry(e) for e in entry) + ")"
    return shown(entry) if isinstance(entry, int | float) and math.isfinite(entry) else str(entry)


def event_words(event: Event) -> str:
    """An event as a phrase that can be the subject of `has probability`."""
    parts = [f"{report} at step {step}" + _value(value) for step, report, value in event.reports]
    if event.stopped_at is not None:
        result = "" if event.result is None else f" with {_entry(event.result)}"  # type: ignore[arg-type]
        parts.append(f"stopping at step {event.stopped_at}{result}")
    elif event.not_by is not None:
        parts.append(f"nothing{' more' if parts else ''} by step {event.not_by}")
    return "the event `" + ", ".join(parts) + "`"


def _value(value: object) -> str:
    if value is True:
        return ""
    if isinstance(value, tuple) and len(value) == 2:
        return f" in [{shown(float(value[0]))}, {shown(float(value[1]))}]"
    return f" = {value}"
