"""The model as text: expressions as one would write them, and a dump of a whole program with its table of gates."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.binding import element_of_cell
from seqlang.model.domain import Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.life import EachReport, EachStep, Life, Once

# How tightly each form binds, loosest first; an operand that binds less tightly than its place needs brackets.
IF, OR, AND, NOT, COMPARE, RANGE, SUM, PRODUCT, UNARY, POWER, ATOM = range(11)
BINARY = {
    "or": (OR, OR, AND),
    "and": (AND, AND, NOT),
    **dict.fromkeys(m.COMPARISONS, (COMPARE, RANGE, RANGE)),
    "..": (RANGE, SUM, SUM),
    "+": (SUM, SUM, PRODUCT),
    "-": (SUM, SUM, PRODUCT),
    "*": (PRODUCT, PRODUCT, UNARY),
    "/": (PRODUCT, PRODUCT, UNARY),
    "%": (PRODUCT, PRODUCT, UNARY),
    "^": (POWER, ATOM, UNARY),
}


def show_expression(expression: m.Expression, program: p.Program | None = None) -> str:
    """Source-like text with as few brackets as its reading needs.

    With a `program`, a cell is written as its accumulator (`sum(x over steps)`), else by its name (`sum.1`).
    """
    return _show(expression, program)[0]


def show_number(value: Fraction) -> str:
    """As a decimal where it ends (and is short), else as a quotient: `0.05`, `1 / 3`."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if value.denominator == 1 and abs(value) < 10**16:
        return str(value.numerator)
    if rest == 1 and Fraction(repr(float(value))) == value:
        return repr(float(value))
    if abs(value.numerator) < 10**9 and value.denominator < 10**9:
        return f"{value.numerator} / {value.denominator}"
    return f"{float(value):.6g}"


def _show(e: m.Expression, program: p.Program | None) -> tuple[str, int]:
    """The text, and how tightly it binds."""

    def at(inner: m.Expression, place: int) -> str:
        text, tightness = _show(inner, program)
        return text if tightness >= place else f"({text})"

    def plain(inner: m.Expression) -> str:
        return at(inner, IF)

    def listed(items: tuple[m.Expression, ...]) -> str:
        return ", ".join(plain(i) for i in items)

    match e:
        case m.Number(value=value):
            text = show_number(value)
            return text, PRODUCT if "/" in text else UNARY if value < 0 else ATOM
        case m.Truth(value=truth):
            return ("true" if truth else "false"), ATOM
        case m.StepNumber():
            return "step", ATOM
        case m.Records():
            return "records", ATOM
        case m.CellValue(name=name, at=position) if program is not None:
            cell = next((s for s in program.body if isinstance(s, p.Cell) and s.name == name), None)
            return (show_cell(element_of_cell(cell, position), program) if cell else name), ATOM
        case m.Apply(operator="negate", arguments=(operand,)):
            return f"-{at(operand, UNARY)}", UNARY
        case m.Apply(operator="not", arguments=(operand,)):
            return f"not {at(operand, NOT)}", NOT
        case m.Apply(operator=operator, arguments=(left, right)) if operator in BINARY:
            own, first, second = BINARY[operator]
            space = "" if operator == ".." else " "
            return f"{at(left, first)}{space}{operator}{space}{at(right, second)}", own
        case m.Apply(operator=operator, arguments=arguments):
            return f"{operator}({listed(arguments)})", ATOM
        case m.Choice(test=test, yes=yes, no=no):
            return f"if {at(test, OR)} then {plain(yes)} else {plain(no)}", IF
        case m.Index(base=base, at=position):
            return f"{at(base, ATOM)}[{plain(position)}]", ATOM
        case m.Sequence(kind=kind, items=items):
            return f"[{listed(items)}]" if kind == "list" else f"{{{listed(items)}}}", ATOM
        case m.Quantified():
            inside = f"{plain(e.body)} for {e.variable.letter} in {at(e.domain, OR)}{_where(e.where, at)}"
            return {"list": f"[{inside}]", "set": f"{{{inside}}}"}.get(e.operator, f"{e.operator}({inside})"), ATOM
        case m.RealVectors(dimension=dimension, radius=radius):
            return (
                f"real ^ {at(dimension, UNARY)}" if radius is None else f"ball({listed((radius, dimension))})"
            ), POWER
        case m.Law(family=family, arguments=arguments):
            return f"{family}({listed(arguments)})", ATOM
        case m.Weights(pairs=pairs):
            return "{" + ", ".join(f"{plain(v)}: {plain(w)}" for v, w in pairs) + "}", ATOM
        case m.WeightsOf():
            over = f"for {e.variable.letter} in {at(e.domain, OR)}{_where(e.where, at)}"
            return f"{{{plain(e.value)}: {plain(e.weight)} {over}}}", ATOM
        case m.Density(method=method, law=law, at=point, model=model):
            return f"{model or at(law, ATOM)}.{method}({plain(point)})", ATOM
        case m.Bound(variable=variable):
            return variable.letter, ATOM
        case m.ReleasedValue():
            return "the released value", ATOM
        case _:
            return e.name, ATOM  # every other form is a name


def _where(condition: m.Expression | None, at: object) -> str:
    return "" if condition is None else f" where {at(condition, OR)}"  # type: ignore[operator]


def show_cell(cell: p.Cell, program: p.Program | None = None) -> str:
    """`sum(x where c over steps)`, `previous(E, 0)`, `history(E, R)`."""
    body = show_expression(cell.body, program if not _reads(cell.body, cell.name) else None)
    where = "" if cell.where is None else f" where {show_expression(cell.where, program)}"
    match cell.keep:
        case p.AllSteps():
            return f"{cell.operator}({body}{where} over steps)"
        case p.LastSteps(count=count):
            return f"{cell.operator}({body}{where} over last {show_expression(count, program)})"
        case p.SinceReport(report=report):
            return f"{cell.operator}({body}{where} since {report})"
        case p.AtReports(report=report):
            return f"history({body}, {report})"
        case p.Previous(initial=initial):
            return f"previous({body}, {show_expression(initial, program)})"


def _reads(expression: m.Expression, cell: str) -> bool:
    return any(isinstance(n, m.CellValue) and n.name == cell for n in m.walk(expression))


def show_terms(value: m.Expression | None, terms: tuple[m.Term, ...]) -> str:
    """A linear form: `llr - b + b.step - 2 * b.once`."""
    text, tightness = ("", ATOM) if value is None else _show(value, None)
    if terms and tightness < SUM:
        text = f"({text})"
    for term in terms:
        match term.factor:
            case m.Number(value=factor):
                sign, size = ("-", -factor) if factor < 0 else ("+", factor)
                part = term.noise if size == 1 else f"{show_number(size)} * {term.noise}"
            case m.Apply(operator="negate", arguments=(factor_,)):
                sign, part = "-", f"{_tight(factor_)} * {term.noise}"
            case factor_:
                sign, part = "+", f"{_tight(factor_)} * {term.noise}"
        text = f"{text} {sign} {part}" if text else part if sign == "+" else f"-{part}"
    return text or "0"


def _tight(factor: m.Expression) -> str:
    text, tightness = _show(factor, None)
    return text if tightness >= PRODUCT else f"({text})"


def show_domain(domain: Domain) -> str:
    """As written after `in`."""
    match domain:
        case Interval(low=None, high=None):
            return "real"
        case Interval(low=low, high=high, low_open=low_open, high_open=high_open):
            if low is None or high is None:
                return f"{'(' if low_open or low is None else '['}{_end(low, '-inf')}, {_end(high, 'inf')})"
            return f"{'(' if low_open else '['}{_end(low, '')}, {_end(high, '')}{')' if high_open else ']'}"
        case Integers(low=low, high=high):
            return f"{_end(low, '')}..{_end(high, '')}"
        case Finite(values=values):
            return "{" + ", ".join(show_expression(v) for v in values) + "}"
        case Ball(radius=radius, dimension=dimension):
            return f"ball({show_expression(radius)}, {show_expression(dimension)})"
        case Power(of=of, dimension=dimension):
            return f"{show_domain(of)} ^ {show_expression(dimension)}"


def _end(end: m.Expression | None, missing: str) -> str:
    return missing if end is None else show_expression(end)


def show_life(life: Life) -> str:
    match life:
        case Once():
            return "once"
        case EachStep():
            return "each step"
        case EachReport(report=report):
            return f"each {report}"


# ---- tests and gates


def show_test(test: p.Test) -> str:
    """A test of margins: `llr - b + b.step >= 0 and not (..)`."""
    match test:
        case p.Margin(value=value, terms=terms, strict=strict):
            return f"{show_terms(value, terms)} {'>' if strict else '>='} 0"
        case p.PublicTest(expression=expression):
            return show_expression(expression)
        case p.And(parts=parts):
            return " and ".join(f"({show_test(part)})" for part in parts)
        case p.Or(parts=parts):
            return " or ".join(f"({show_test(part)})" for part in parts)
        case p.Not(part=part):
            return f"not ({show_test(part)})"


def show_gate(gate: p.Gate) -> str:
    """One line: name, kind, what is seen, and its guard."""
    match gate:
        case p.PublicGate(expression=expression):
            kind, seen, guard = "public", "always" if expression is None else show_expression(expression), None
        case p.CompareGate(test=test, guard=guard):
            kind, seen = "compare", show_test(test)
        case p.ReleaseGate(value=value, terms=terms, post=post, guard=guard):
            kind, seen = "release", show_terms(value, terms)
            seen += f" as released in {show_expression(post)}" if post is not None else ""
        case p.ChooseGate(law=law, visible=visible, guard=guard):
            kind, seen = "choose" if visible else "select", _show_choice(law)
        case p.OpaqueGate(expression=expression, reason=reason, guard=guard):
            kind, seen = "opaque", f"{show_expression(expression)} ({reason})"
    when = "" if guard is None else f" when {show_expression(guard)}"
    return f"{gate.name:<12} {kind:<8} {seen}{when}"


def _show_choice(law: p.FlipLaw | p.NoisyMaxLaw | p.PrivateLaw) -> str:
    match law:
        case p.FlipLaw(of=of, truth=truth, alphabet=alphabet):
            values = ", ".join(show_expression(a) for a in alphabet)
            return f"{show_expression(of)}, true with {show_expression(truth)}, among {{{values}}}"
        case p.NoisyMaxLaw(of=of, terms=terms, sign=sign):
            return f"{'argmax' if sign > 0 else 'argmin'} of {show_terms(of, terms)}"
        case p.PrivateLaw(law=inner):
            return show_expression(inner)


# ---- the whole program


def show(program: p.Program) -> str:
    """A readable dump: declarations, the step, the table of gates, the claims."""
    return "\n".join(_lines(program)) + "\n"


def _lines(program: p.Program) -> Iterator[str]:
    yield f"algorithm {program.name} {program.title!r}"
    for parameter in program.parameters:
        yield f"param {parameter.name} in {show_domain(parameter.domain)} = {show_number(parameter.value)}"
    for field in program.inputs:
        yield f"{field.kind} {field.name} in {show_domain(field.domain)}"
    if program.size is not None:
        yield f"size {show_expression(program.size)}"
    yield f"adjacent {show_adjacency(program.adjacency)}"
    for model in program.models:
        yield f"model {model.name}: " + ", ".join(f"{f} ~ {show_expression(law)}" for f, law in model.laws)
    for memory in program.memories:
        yield f"memory {memory.name} = {show_expression(memory.initial)}"
    for noise in program.noises:
        yield f"noise {noise.name} ~ {show_expression(noise.law)} {show_life(noise.life)}"
    yield "step:"
    yield from (f"  {_show_statement(s)}" for s in program.body)
    yield "gates:"
    yield from (f"  {show_gate(gate)}" for gate in program.gates)
    for claim in program.claims:
        yield claim.text + (f" expect {claim.expect}" if claim.expect else "")


def show_adjacency(adjacency: p.Adjacency) -> str:
    """As it is declared: `replace 1`, `one x within D`."""
    match adjacency:
        case p.Replace(count=count):
            return f"replace {show_expression(count)}"
        case p.AddRemove(count=count):
            return f"add or remove {show_expression(count)}"
        case p.Within(of=of, radius=radius, extent=extent, same_direction=same):
            text = f"{extent} {show_expression(of)} within {show_expression(radius)}"
            return text + (" same direction" if same else "")


def _show_statement(statement: p.Statement) -> str:
    def when(condition: m.Expression | None) -> str:
        return "" if condition is None else f" when {show_expression(condition)}"

    match statement:
        case p.Define(name=name, expression=expression, kind=kind, level=level):
            return f"{kind} {name} = {show_expression(expression)}    # {level.name.lower()}"
        case p.Cell(name=name, binders=binders, level=level):
            held = "".join(f" for {v.letter} in {show_expression(d)}" for v, d in binders)
            return f"cell {name} = {show_cell(statement)}{held}    # {level.name.lower()}"
        case p.Draw(name=name, law=law, life=life):
            return f"draw {name} ~ {show_expression(law)} {show_life(life)}"
        case p.Report(name=name, when=condition, value=value):
            return f"report {name}" + ("" if value is None else f" = {_shown(value, name)}") + when(condition)
        case p.Update(memory=memory, value=value, when=condition):
            return f"update {memory} = {show_expression(value)}{when(condition)}"
        case p.Stop(when=condition, result=result):
            return f"stop{when(condition)}" + ("" if result is None else f" return {_shown(result, 'return')}")


def _shown(value: m.Expression, own: str) -> str:
    """A value that carries its own noise is written out."""
    if isinstance(value, m.Noised) and value.name == own:
        return show_terms(value.base, value.terms)
    return show_expression(value)
