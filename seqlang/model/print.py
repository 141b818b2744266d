"""The model as text: expressions, domains and adjacencies as one would write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.binding import element_of_cell
from seqlang.model.domain import Ball, Domain, Finite, Integers, Interval, Power

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


def show_double(value: float) -> str:
    """In as few digits as tell it from all other doubles: `10`, `0.1`, `0.3333333333333333`, `1e+17`."""
    return str(int(value)) if value.is_integer() and abs(value) < 10**16 else repr(float(value))


def names_of(values: Iterable[float]) -> dict[float, str]:
    """In 15 digits, of which rounding hides none; in all of them where two of the values agree in 15."""
    short = {v: show_double(v if v.is_integer() else float(f"{v:.15g}")) for v in values}
    alike = Counter(short.values())
    return {v: name if alike[name] == 1 else show_double(v) for v, name in short.items()}


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


def _where(condition: m.Expression | None, at: Callable[[m.Expression, int], str]) -> str:
    return "" if condition is None else f" where {at(condition, OR)}"


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


def show_adjacency(adjacency: p.Adjacency) -> str:
    """As it is declared: `replace 1`, `one x within D`."""
    match adjacency:
        case p.Replace(count=count):
            return f"replace {show_expression(count)}"
        case p.AddRemove(count=count):
            return f"add or remove {show_expression(count)}"
        case p.Within(of=of, radius=radius, extent=extent, same_direction=same, norm=norm):
            text = f"{extent} {show_expression(of)} within {show_expression(radius)}"
            text += "" if norm == "linf" else f" in {norm}"
            return text + (" same direction" if same else "")
