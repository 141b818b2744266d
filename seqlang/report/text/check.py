"""The report of `check` as people read it. Every formula stands beside its number, every bound beside its theorem."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlang.analyses.claims import Verdict
from seqlang.analyses.declared_size import relying, sizes_words
from seqlang.model.expression import Density, Noised, walk
from seqlang.model.print import show_expression
from seqlang.model.program import Cell, Define, Program
from seqlang.proof.derivation import Derivation, PureBound, RenyiBound, steps_of
from seqlang.proof.witness import Event, Witness
from seqlang.report.document.document import Block, Document, Heading, Line, Paragraph, Table, Tree, line
from seqlang.report.numbers import nearest, shown, shown_down, shown_up, upper
from seqlang.report.streams import entry_words, stream_words
from seqlang.report.text.beside import beside_blocks
from seqlang.report.text.formulas import WIDEST, formulas, order_of, remark
from seqlang.report.text.gates import gate_rows
from seqlang.report.text.kinds import within
from seqlang.report.words import adjacency_words, bound_formula, conclusion_text, life_words
from seqlang.rules.average_case import public_reads_private
from seqlang.rules.computed import bound_up
from seqlang.rules.sensitivity.facts.formulas import parameter_values

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def check_document(result: CheckResult, explain: bool = False) -> Document:
    """The whole report; with `explain` every derivation and every bound that was found."""
    return Document(tuple(_blocks(result, explain)))


def _blocks(result: CheckResult, explain: bool) -> Iterator[Block]:
    yield from _head(result)
    if result.statistics:
        yield from _statistics(result)
    yield from _gates(result)
    yield from _bounds(result)
    yield from _composition(result, explain)
    if explain:
        from seqlang.report.text.meaning import meaning_blocks

        yield from meaning_blocks(result)
        yield from _explanation(result)
    if result.cut_short:
        yield remark("time limit", f"it ended {', '.join(result.cut_short)}: `--time-limit` gives more seconds")
    if result.weak or result.profiles:
        from seqlang.report.text.weak import weak_blocks

        yield from weak_blocks(result.weak, result.profiles)
    if result.verdicts:
        yield from beside_blocks(result)
        yield from _claims(result)


def _composition(result: CheckResult, explain: bool) -> Iterator[Block]:
    from seqlang.report.text.composition import composition_blocks

    yield from composition_blocks(result, explain)


def _head(result: CheckResult) -> Iterator[Block]:
    program = result.program
    yield Paragraph(line((program.name, "head"), f"  {program.title}" if program.title else ""))
    short, long = adjacency_words(program)
    yield remark("neighbours", f"{short}: {long}")
    if program.parameters:
        yield remark("parameters", ", ".join(f"{p.name} = {shown(float(p.value))}" for p in program.parameters))
    used = _densities(result)
    if used:
        yield remark("note", f"uses the density of {', '.join(used)} as a formula, not as an assumption on the data")
    for model in program.models:
        reads = public_reads_private(program, model.name)
        if reads is not None:
            yield remark("note", f"{reads}; strong privacy holds that field fixed, and says nothing of it")


def _densities(result: CheckResult) -> list[str]:
    roots = [
        s.expression if isinstance(s, Define) else s.body for s in result.program.body if isinstance(s, Define | Cell)
    ]
    return sorted({e.model for root in roots for e in walk(root) if isinstance(e, Density) and e.model})


def _statistics(result: CheckResult) -> Iterator[Block]:
    values = parameter_values(result.program)
    rows = []
    for s in result.statistics:
        infinite = s.shift.radius.is_infinite
        text = (
            "unbounded" if infinite else str(s.shift.radius) + ("" if s.shift.norm == "abs" else f" ({s.shift.norm})")
        )
        number = "∞" if infinite else shown(nearest(s.shift.radius, values))
        rows.append((line(s.name), line(s.words), line((text, "formula")), line(number)))
    yield Heading("Statistics")
    yield Table(("statistic", "how it moves", "sensitivity", "value"), tuple(rows), "lllr")
    for s in result.statistics:
        if s.shift.note:
            yield Paragraph(
                line(("! " if s.shift.radius.is_infinite else "  ", "doubt"), f"{s.name}: {s.shift.note}"), 2
            )
    for name, other in _second_names(result):
        advice = f"for noise of its own, write the definition of {other} in place of its name"
        yield Paragraph(line(("  ", "doubt"), f"{name}: read with the noise of {other}; {advice}"), 2)


def _second_names(result: CheckResult) -> list[tuple[str, str]]:
    """The statistics that are defined as another one, and that one, where it has noise."""
    defines = [s for s in result.program.body if isinstance(s, Define)]
    return [(s.name, s.expression.name) for s in defines if isinstance(s.expression, Noised)]


def _gates(result: CheckResult) -> Iterator[Block]:
    program = result.program
    rows = gate_rows(program)
    names = [n.name for row in rows for n in row.noises]
    lines = []
    for row in rows:
        noises = "\n".join(
            f"{n.name} ~ {show_expression(n.law)} {life_words(n.life)}"
            + (", shared" if names.count(n.name) > 1 else "")
            for n in row.noises
        )
        lines.append((line(row.name), line(row.kind), line(row.value), line(row.shift), line(noises)))
    yield Heading("Gates: all that an observer sees")
    yield Table(("gate", "kind", "what is compared or shown", "moves", "noise"), tuple(lines), "lllll")


def _bounds(result: CheckResult) -> Iterator[Block]:
    bounds, witness, program = result.bounds, result.witness, result.program
    pure = line(shown_down(result.lowers.pure) if result.lowers.pure > 0 else "-")
    dp = line(shown_down(result.epsilon_at_delta) if result.epsilon_at_delta > 0 else "-")
    rows: list[tuple[Line, ...]] = [
        (line("pure"), _proved(program, bounds.pure), pure, _by(bounds.pure)),
        (_notion(f"dp at delta {float(result.delta):g}", bounds.dp), _proved(program, bounds.dp), dp, _by(bounds.dp)),
    ]
    if bounds.zcdp is not None:
        zcdp = line(shown_down(result.zcdp_lower) if result.zcdp_lower > 0 else "-")
        rows.append((_notion("zcdp", bounds.zcdp), _proved(program, bounds.zcdp), zcdp, _by(bounds.zcdp)))
    rows.extend(_renyi_rows(result, result.at_orders(bounds.rdp)))
    others = result.at_orders(bounds.alternatives)
    rows.extend(_renyi_rows(result, tuple(d for d in others if not d.premises), "weaker: "))
    yield Heading("Strong privacy: worst case over neighbours and outcomes")
    yield Table(("notion", "proved at most", "witnessed at least", "by"), tuple(rows), "llll")
    yield from formulas(program, bounds, result.order_formula)
    on_size = relying(program, bounds)
    if on_size:
        told = "relies on the declared size: it is" if len(on_size) == 1 else "rely on the declared size: they are"
        yield remark("size", f"{', '.join(on_size)} {told} about {sizes_words(program)}, and no others")
    for goal in bounds.open_goals:
        yield Paragraph(line(("? ", "doubt"), goal), 2)
    if witness is not None:
        yield remark("witness", witness_words(witness))
    if result.lowers.by_average:
        told = "one entry tells still more on average over the others: see weak privacy"
        yield remark("more", f"under {result.lowers.by_average} {told}")
    if result.audit is not None:
        from seqlang.report.text.audit import audit_words

        yield remark("audit", audit_words(result.audit))
    gap = _gap(result)
    if gap:
        yield remark("gap", gap)


def _notion(name: str, derivation: Derivation | None) -> Line:
    """What is bounded, and for how many steps the bound holds."""
    steps = None if derivation is None else steps_of(derivation.conclusion)
    return line(name + within(steps, before="\n"))


def _proved(program: Program, derivation: Derivation | None) -> Line:
    """The number; and its formula where both fit into a column."""
    if derivation is None:
        return line("∞")
    formula = str(bound_formula(program, derivation) or "")
    return _both(bound_up(program, derivation.conclusion), formula if len(formula) <= WIDEST else "")


def _gap(result: CheckResult) -> str:
    """How far the pure bound can be from the truth, in words."""
    pure, least = result.bounds.pure, result.lowers.pure
    if pure is None or not isinstance(pure.conclusion, PureBound):
        return ""
    proved = upper(pure.conclusion.epsilon, parameter_values(result.program))
    if not 0 < proved < math.inf:
        return ""
    if least <= 0:
        return "no witness was found: nothing says how far the pure bound is from the truth"
    factor = proved / least
    if factor < 1.01:
        percent = shown_up(max(1e-4, factor - 1) * 100, 2)  # what is smaller differs from machine to machine
        return f"the pure bound is at most {percent} % above the least epsilon that holds"
    return f"the pure bound is at most {shown_up(factor, 4)} times the least epsilon that holds"


def _both(number: float, formula: str) -> Line:
    text = shown_up(number)
    return line(text) if formula in ("", text) else line(text, (" = ", "quiet"), (formula, "formula"))


def _renyi_rows(result: CheckResult, bounds: tuple[Derivation, ...], remark: str = "") -> Iterator[tuple[Line, ...]]:
    """One row a way of proving, order by order."""
    groups: dict[tuple[Line, Line], list[tuple[str, str]]] = {}
    for d in bounds:
        if isinstance(d.conclusion, RenyiBound):
            number, least = shown_up(bound_up(result.program, d.conclusion)), result.rdp_lower(d.conclusion)
            below = shown_down(least) if least > 0 else "-"
            notion = _notion(f"{remark}rdp by order", d)
            groups.setdefault((notion, _by(d)), []).append((f"{number} at {order_of(d)}", below))
    for (notion, by), found in groups.items():
        above, under = ("\n".join(part) for part in zip(*found, strict=True))
        yield notion, line(above), line(under if under.strip("-\n") else "-"), by


def _by(derivation: Derivation | None) -> Line:
    return (
        ()
        if derivation is None
        else line(derivation.rule, (f"\n{derivation.cite}" if derivation.cite else "", "quiet"))
    )


def _explanation(result: CheckResult) -> Iterator[Block]:
    """The best of each notion in full, a repeated step by its number; then all other bounds, a line each."""
    bounds = result.bounds
    best = tuple(dict.fromkeys(d for d in (bounds.pure, bounds.zcdp, *bounds.rdp, bounds.dp) if d is not None))
    if best:
        yield Heading("Derivations")
    numbers: dict[Derivation, int] = {}
    for derivation in best:
        yield _tree(derivation, numbers)
    others = tuple(dict.fromkeys(d for d in bounds.alternatives if d not in numbers))
    if others:
        rows = tuple(
            (line((conclusion_text(d.conclusion), "formula")), line(d.rule), line(_premises(d))) for d in others
        )
        yield Heading("Other bounds that were found")
        yield Table(("bound", "by", "from"), rows, "lll")


def _premises(derivation: Derivation) -> str:
    return ", ".join(f"{conclusion_text(p.conclusion)} by {p.rule}" for p in derivation.premises) or derivation.cite


def _tree(derivation: Derivation, numbers: dict[Derivation, int], indent: int = 2) -> Tree:
    if derivation in numbers:
        seen = line((conclusion_text(derivation.conclusion), "formula"), (f"  as in ({numbers[derivation]})", "quiet"))
        return Tree(seen, (), indent)
    numbers[derivation] = len(numbers) + 1
    words = line(
        (f"({numbers[derivation]}) ", "quiet"),
        (conclusion_text(derivation.conclusion), "formula"),
        ("  by ", "quiet"),
        derivation.rule,
        (f"  [{derivation.cite}]" if derivation.cite else "", "quiet"),
        f"\n{derivation.because}" if derivation.because else "",
    )
    return Tree(words, tuple(_tree(p, numbers, indent) for p in derivation.premises), indent)


def _claims(result: CheckResult) -> Iterator[Block]:
    yield Heading("Claims")
    for v in result.verdicts:
        yield _claim(result, v)
        yield from _reason(v)


def _claim(result: CheckResult, v: Verdict) -> Paragraph:
    number = result.source.line_column(v.claim.span.start)[0]
    expected = "" if v.claim.expect is None else (" as expected" if v.ok else f", expected {v.claim.expect}")
    return Paragraph(
        line(
            (f"{v.shown.mark} {v.shown.words}{expected}", v.shown.tone),
            f"  line {number}  {v.claim.text}",
            (f'  "{v.claim.label}"' if v.claim.label else "", "quiet"),
        ),
        2,
        4,
    )


def verdict_text(result: CheckResult, verdict: Verdict, width: int = 90) -> str:
    """One claim's part of the report as plain text, with its derivation."""
    from seqlang.report.document.plain_text import render_plain

    blocks: list[Block] = [_claim(result, verdict), *_reason(verdict)]
    if verdict.derivation is not None:
        blocks.append(_tree(verdict.derivation, {}, 0))
    return render_plain(Document(tuple(blocks)), width)


def _reason(verdict: Verdict) -> Iterator[Block]:
    if verdict.witness is not None and verdict.because != verdict.witness.because:
        yield Paragraph(line(verdict.because), 6, 0)
    if verdict.witness is not None and verdict.witness.family is not None:
        from seqlang.report.text.family import family_blocks

        yield from family_blocks(verdict.witness.family, 6)
    elif verdict.witness is not None:
        yield Paragraph(line(witness_words(verdict.witness)), 6, 0)
    elif verdict.because:
        yield Paragraph(line(verdict.because), 6, 0)


def witness_words(witness: Witness) -> str:
    """The pair of streams, the event, both probabilities, in one sentence or two."""
    first, second = (stream_words(s) for s in witness.streams)
    if witness.q + witness.q_error <= 0:
        rest = f"has probability {_probability(witness.p)} under the first and 0 under the second"
    else:
        least, most = ("at least ", "at most ") if witness.checked == "bounded" else ("", "")
        rest = (
            f"has probability {least}{_probability(witness.p)} under the first and {most}{_probability(witness.q)} "
            f"under the second: a loss of {shown_down(witness.loss)}"
        )
    why = f" ({witness.because})" if witness.because else ""
    return f"{first} against {second}: {event_words(witness.event)} {rest}{why}"


def _probability(p: float) -> str:
    return shown(p, 5)


def event_words(event: Event) -> str:
    """An event as a phrase that can be the subject of `has probability`."""
    parts = [f"{report} at step {step}" + _value(value) for step, report, value in event.reports]
    if event.stopped_at is not None:
        result = "" if event.result is None else f" with {entry_words(event.result)}"
        parts.append(f"stopping at step {event.stopped_at}{result}")
    elif event.not_by is not None:
        parts.append(f"nothing{' more' if parts else ''} by step {event.not_by}")
    return "the event `" + ", ".join(parts) + "`"


def _value(value: object) -> str:
    if value is True:
        return ""
    if isinstance(value, tuple) and any(isinstance(part, tuple) for part in value):  # of a vector
        if any(part is True for part in value):
            told = (f"element {i} in {_interval(part)}" for i, part in enumerate(value, 1) if part is not True)
            return " with " + " and ".join(told)
        return " in " + " x ".join(_interval(part) for part in value)
    match value:
        case (float() | int() as low, float() | int() as high) if not isinstance(low, bool) | isinstance(high, bool):
            return f" in {_interval(value)}"
    return f" = {value}"


def _interval(ends: Any) -> str:
    match ends:
        case (low, high):
            return f"[{shown(float(low))}, {shown(float(high))}]"
        case _:
            return str(ends)
