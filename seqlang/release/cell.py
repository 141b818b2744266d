"""One cell: the value of its field's domain that it is read as, whatever it holds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, Literal

from seqlang.backends.interpret.data.where import MISSING
from seqlang.diagnostics import SpecError
from seqlang.model.domain import Domain, Finite, Integers, Interval
from seqlang.model.program import Input
from seqlang.release.exact.code import Compiler, plain
from seqlang.release.exact.real import floor
from seqlang.release.form import Form, exact

Value = int | Fraction
Fault = Literal["", "missing", "unreadable", "not listed", "moved"]
"""Nothing is wrong; the cell is empty, or a word for that; it is no number, or no word that was mapped; its number is
not one of those that the domain lists; its number lies outside the domain, and is moved to the nearest end."""
Read = Callable[[str], tuple[Value, Fault]]


def reader_of(field: Input, compiler: Compiler, form: Form) -> Read:
    """From a text to a value of the field's domain, whatever the text. Raises SpecError where `form.missing`, or what a
    word stands for, is none."""
    scale = dict(form.scales).get(field.name, 1)
    nearest = _into(field.domain, compiler)
    instead = nearest(Fraction(0) if form.missing is None else form.missing * scale)
    if form.missing is not None and instead != form.missing * scale:
        raise SpecError.of("E0603", f"--missing {form.missing}: `{field.name}` cannot have that value")
    number = _number_of(field, form)
    absent: Fault = "missing" if form.missing is None else ""
    outside: Fault = "not listed" if isinstance(field.domain, Finite) else "moved"
    for value in _mapped(field, form):
        if _differ(nearest(value * scale), value * scale, scale):
            raise SpecError.of("E0603", f"--columns {field.name}: a word stands for {value}, and `{field.name}` cannot "
                                        "have that value")  # fmt: skip
    known: dict[str, tuple[Value, Fault]] = {}

    def read(text: str) -> tuple[Value, Fault]:
        found = known.get(text)
        if found is None:
            value = number(text)
            if value is None:
                found = instead, absent if text.strip().lower() in MISSING else "unreadable"
            else:
                moved = nearest(value * scale)
                found = moved, outside if _differ(moved, value * scale, scale) else ""
            if len(known) < 1000:
                known[text] = found
        return found

    return read


def _differ(read: Value, wanted: Fraction, scale: int) -> bool:
    """Whether more than the rounding to a grid lies between what is read and what is written."""
    return abs(read - wanted) >= 1 if scale > 1 else read != wanted


def _mapped(field: Input, form: Form) -> list[Fraction]:
    words = form.words_of(field.name)
    if words is None:
        return []
    return [*dict(words.numbers).values(), *(() if words.other is None else (words.other,))]


def _number_of(field: Input, form: Form) -> Callable[[str], Fraction | None]:
    words = form.words_of(field.name)
    if words is None:
        return exact
    numbers, other = dict(words.numbers), words.other
    return lambda text: numbers.get(text.strip(), other)


def _into(domain: Domain, compiler: Compiler) -> Callable[[Fraction], Value]:
    """The nearest value of the domain."""

    def end(e: Any) -> Fraction | None:
        return None if e is None else Fraction(compiler.constant(e))

    match domain:
        case Finite(values):
            listed = sorted(Fraction(compiler.constant(v)) for v in values)
            return lambda x: plain(min(listed, key=lambda v: (abs(v - x), v)))
        case Integers(low, high):
            first, last = end(low), end(high)
            return lambda x: floor(_held(x, first, last) + Fraction(1, 2))
        case Interval(low, high):
            first, last = end(low), end(high)
            return lambda x: plain(_held(x, first, last))
    raise SpecError.of("E0603", "entries that are vectors are not released")


def _held(x: Fraction, low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is not None and x < low:
        return low
    return high if high is not None and x > high else x
