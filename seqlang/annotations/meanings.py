"""What stands at a place of the text: what a name is, who may know it, how it moves, and the page of the manual."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.annotations.levels import level_of
from seqlang.annotations.names import Meaning, Occurrence
from seqlang.annotations.reading import Reading
from seqlang.manual import find
from seqlang.manual.page import Kind as PageKind
from seqlang.model.domain import Domain
from seqlang.model.expression import CellValue, Drawn, Expression, Local, MemoryValue, Reported
from seqlang.model.print import show_domain, show_expression
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.report.document.markdown import code
from seqlang.report.numbers import nearest, shown
from seqlang.report.words import life_words
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.shape import Shape
from seqlang.rules.sensitivity.facts.shapes import shape_of
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.sensitivity.ranges.ranges import range_of
from seqlang.source import Span

if TYPE_CHECKING:
    from seqlang.annotations.found import Found

KIND_OF_PAGE: dict[str, tuple[PageKind, ...]] = {
    "law": ("law",),
    "builtin": ("function", "notion", "value", "domain", "operator", "claim"),
    "word": ("statement", "life", "time clause", "adjacency", "operator", "claim", "domain", "value", "notion"),
}
"""Where the page of a name of the language, or of a word of it, is looked for."""


@record
class Explanation:
    """`text` is Markdown; `span` is what it speaks of."""

    span: Span
    text: str


def explanation(reading: Reading, offset: int, found: Found | None = None) -> Explanation | None:
    """What to tell of a place; None of white space and numbers. `found` is what a check found of this text."""
    occurrence = reading.name_at(offset)
    if occurrence is not None:
        parts = [*_of_name(reading, occurrence), *_page(occurrence)]
        return Explanation(occurrence.span, "\n\n".join(parts)) if parts else None
    place = next((i for i, t in enumerate(reading.tokens) if t.start <= offset < t.end), None)
    if place is None or reading.tokens[place].kind not in ("word", "mark"):
        return None
    token = reading.tokens[place]
    parts = list(_of_claim(offset, found)) if token.text == "claim" else []
    parts += [page for words in _searched(reading, place) if (page := page_on(words)) is not None][:1]
    return Explanation(token.span, "\n\n".join(parts)) if parts else None


_OF_STATEMENT = frozenset({"in", "~", "=", ":", ","})
"""Words and marks that belong to the form of their statement."""


def _searched(reading: Reading, place: int) -> Iterator[str]:
    """What the manual may call the word at that place among the tokens: with the next one (`over last`), alone, or by
    the statement that it belongs to."""
    token, tokens = reading.tokens[place], reading.tokens
    statement = reading.statement_at(token.start)
    bound = place >= 2 and tokens[place - 2].text == "for"
    if token.text in _OF_STATEMENT and statement is not None and not bound:
        yield reading.source.text[statement.span.start : statement.span.end].split(None, 1)[0]
    following = tokens[place + 1].text if place + 1 < len(tokens) else ""
    yield f"{token.text} {following}"
    yield token.text


def page_on(name: str) -> str | None:
    """The page of the manual on a name or a word of the language."""
    kinds = {kind for kinds in KIND_OF_PAGE.values() for kind in kinds}
    return next((page.text for page in find(name) if page.kind in kinds), None)


def _page(occurrence: Occurrence) -> Iterator[str]:
    meaning = occurrence.meaning
    if meaning.kind == "argument":
        yield f"parameter `{meaning.name}` of `{meaning.of}`"
    for name, kind in ((meaning.of, "law"), (meaning.of, "builtin"), (meaning.name, meaning.kind)):
        for page in find(name) if name else ():
            if page.kind in KIND_OF_PAGE.get(kind, ()):
                yield page.text
                return


def _of_name(reading: Reading, occurrence: Occurrence) -> Iterator[str]:
    meaning, program = occurrence.meaning, reading.program
    if meaning.declared is None:
        return
    statement = reading.statement_at(meaning.declared)
    if statement is not None and meaning.kind not in ("variable", "parameter", "label"):
        text = reading.source.text[statement.span.start : statement.span.end]
        yield f"```seq\n{text}\n```"
    yield ", ".join(_facts(reading, meaning))
    if program is None:
        return
    expression = _expression(program, meaning)
    if expression is not None:
        yield from _motion(program, expression)
    level = level_of(reading, meaning)
    for noise in () if level is None else level.noises:
        yield f"carries `{noise.name} ~ {show_expression(noise.law)}`, drawn {life_words(noise.life)}"


def _facts(reading: Reading, meaning: Meaning) -> Iterator[str]:
    """Kind, type, range, level."""
    yield f"{_ARTICLE.get(meaning.kind, meaning.kind)} `{meaning.name}`"
    program = reading.program
    if program is None:
        return
    level = level_of(reading, meaning)
    if level is not None:
        yield f"{level.level}{', noised' * level.noised}"
    domain = _domain(program, meaning)
    if domain is not None:
        yield f"in `{show_domain(domain)}`"
    value = next((p.value for p in program.parameters if p.name == meaning.name and meaning.kind == "param"), None)
    if value is not None:
        yield f"here {shown(float(value))}"
    expression = _expression(program, meaning)
    if expression is not None and domain is None:
        yield _type(program, expression)


_ARTICLE = {"stream": "stream of entries", "public": "public input", "variable": "bound by `for`:", "label": "label"}


def _domain(program: Program, meaning: Meaning) -> Domain | None:
    if meaning.kind == "param":
        return next((p.domain for p in program.parameters if p.name == meaning.name), None)
    if meaning.kind in ("stream", "dataset", "public"):
        return program.input(meaning.name).domain
    return None


def _expression(program: Program, meaning: Meaning) -> Expression | None:
    """The name as the model reads it; None for what has no value in a step."""
    name = meaning.name
    match meaning.kind:
        case "statistic" | "let" if any(getattr(s, "name", None) == name for s in program.body):
            return Local(name)
        case "memory":
            return MemoryValue(name)
        case "report":
            return Reported(name)
        case "draw":
            return Drawn(name)
        case _:
            return None


def _type(program: Program, expression: Expression) -> str:
    facts = facts_of(program)
    shape = shape_of(facts, facts.expand(expression))
    found = range_of(program, expression) if shape.kind == "number" else None
    if found is None or (found.low is None and found.high is None):
        return _shape(shape)
    values = parameter_values(program)
    low, high = ("∞" if end is None else shown(nearest(end, values)) for end in (found.low, found.high))
    what = "a whole number" if found.integer else "a number"
    return f"{what} from {'-' * (found.low is None)}{low} to {high}"


def _shape(shape: Shape) -> str:
    match shape.kind:
        case "number":
            return "a number or truth value"
        case "list":
            element = "" if shape.element is None else _shape(shape.element).removeprefix("a ").split(" or ")[0]
            inner = f"{element}s" if element else "things"
            return f"a list of {'' if shape.length is None else f'{shape.length} '}{inner}"
        case _:
            return "of no type that is known"


def _motion(program: Program, expression: Expression) -> Iterator[str]:
    """How it moves between neighbours, and why."""
    if isinstance(expression, MemoryValue | Reported | CellValue):
        return
    shift = shift_of(program, expression)
    if shift.kind == "none":
        yield "does not move between neighbouring data"
        return
    if shift.radius.is_infinite:
        yield f"sensitivity ∞{f': {shift.note}' if shift.note else ''}"
        return
    formula, number = str(shift.radius), shown(nearest(shift.radius, parameter_values(program)))
    norm = "" if shift.norm == "abs" else f" in {shift.norm} norm"
    size = formula if formula == number else f"{formula} = {number}"
    yield f"sensitivity `{size}`{norm}, {shift.kind}{f': {shift.note}' if shift.note else ''}"


def _of_claim(offset: int, found: Found | None) -> Iterator[str]:
    """The verdict of the claim that a place is in, with its derivation."""
    for claim in () if found is None else found.claims:
        if claim.span.start <= offset <= claim.span.end:
            yield code(claim.text)
