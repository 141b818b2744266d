"""A list of cases: a CSV file whose header names parameters, and whose rows are the cells of a sweep.

The columns `model`, `seed` and `runs`, unless the spec has parameters of these names, are the cell's own. An empty
field leaves the value as it is without the list. Semicolons or tabs may stand in place of the commas.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from seqlang.diagnostics import Label, SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.model.program import Program
from seqlang.source import Source
from seqlang.sweeps.cells import MOST_CELLS, Cell
from seqlang.sweeps.fields import Field, lines


def own_columns(program: Program) -> tuple[str, ...]:
    """The columns that are a cell's own."""
    parameters = {p.name for p in program.parameters}
    return tuple(name for name in ("model", "seed", "runs") if name not in parameters)


def cases(source: Source, program: Program) -> tuple[Cell, ...]:
    """The cells in the order of the file. Raises SpecError E0640 that points at the field."""
    found = list(lines(source))
    if not found:
        raise SpecError.of(
            "E0640",
            f"`{source.name}` has no header",
            help="its first line names parameters: A,eps,model",
            source=source,
        )
    (_, header), rows = found[0], found[1:]
    _check_header(source, header, program)
    if not rows:
        raise _at(source, header[0], f"`{source.name}` has a header and no rows")
    if len(rows) > MOST_CELLS:
        raise _at(source, header[0], f"{len(rows):,} rows: at most {MOST_CELLS:,} are possible")
    names = [f.text for f in header]
    return tuple(_cell(source, names, number, fields, program) for number, fields in rows)


def _check_header(source: Source, header: Sequence[Field], program: Program) -> None:
    parameters, own = [p.name for p in program.parameters], own_columns(program)
    for i, field in enumerate(header):
        if field.text in [f.text for f in header[:i]]:
            raise _at(source, field, f"`{field.text}` names two columns")
        if field.text in parameters or field.text in own:
            continue
        known = ", ".join(f"`{name}`" for name in parameters) or "none"
        remedy = hint(field.text, [*parameters, *own]) or f"its parameters: {known}"
        raise _at(source, field, f"no param `{field.text}`", remedy)


def _cell(source: Source, names: Sequence[str], number: int, fields: Sequence[Field], program: Program) -> Cell:
    if len(fields) != len(names):
        message = f"line {number} has {len(fields)} fields, the header {len(names)}"
        raise _at(source, fields[min(len(names), len(fields) - 1)], message)
    own: dict[str, Field] = {}
    values: list[tuple[str, Fraction]] = []
    parameters = {p.name for p in program.parameters}
    for name, field in zip(names, fields, strict=True):
        if not field.text:
            continue
        if name in parameters:
            values.append((name, _number(source, field)))
        else:
            own[name] = field
    model = own.get("model")
    if model is not None:
        _check_model(source, model, program)
    return Cell(
        tuple(values),
        None if model is None else model.text,
        _whole(source, own.get("seed"), 0),
        _whole(source, own.get("runs"), 1),
        number,
    )


def _check_model(source: Source, field: Field, program: Program) -> None:
    known = [m.name for m in program.models]
    if field.text not in known:
        remedy = hint(field.text, known) or "it has " + (", ".join(f"`{n}`" for n in known) or "none")
        raise _at(source, field, f"`{program.name}` has no model `{field.text}`", remedy)


def _number(source: Source, field: Field) -> Fraction:
    """A decimal or a fraction, exactly; what no float can hold is refused, as on the command line."""
    text = field.text
    mantissa, _, exponent = text.lower().partition("e")
    try:
        value = Fraction(text) if len(mantissa) <= 400 and len(exponent) <= 5 else None
    except (ValueError, ZeroDivisionError):
        value = None
    if value is None or (value != 0 and not 1e-300 < abs(value) < 1e300):
        message = f"`{text[:40]}` is not a number that can be used here"
        raise _at(source, field, message, "write a decimal (0.25, 1e-6) or a fraction (1/3)")
    return value


def _whole(source: Source, field: Field | None, least: int) -> int | None:
    if field is None:
        return None
    value = _number(source, field)
    if value.denominator != 1 or value < least:
        raise _at(source, field, f"`{field.text}`: it must be a whole number of at least {least}")
    return int(value)


def _at(source: Source, field: Field, message: str, remedy: str | None = None) -> SpecError:
    return SpecError.of("E0640", message, place=Label(field.span), help=remedy, source=source)
