"""What a value is made of: a number, or a list of so many things of one shape, or something that is not known.

A proof that needs a number asks `is_number`, one that needs a list of numbers `is_vector`. Whatever is neither for
certain (a list of lists, a number in one step and a list in another) is neither, and no bound follows.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from seqlang.arithmetic.formula import Formula
from seqlang.record import record
from seqlang.rules.sensitivity.facts.definitions import Definitions


@record
class Shape:
    """`number` also stands for truth values. A `list` holds `length` things (None: not known, or not always the same),
    each of the shape `element`. `none` is the shape of what never has a value: it holds nothing and spoils nothing.
    """

    kind: Literal["none", "number", "list", "unknown"]
    length: Formula | None = None
    element: Shape | None = None

    @property
    def is_number(self) -> bool:
        """Certainly one number or truth value."""
        return self.kind == "number"

    @property
    def is_vector(self) -> bool:
        """Certainly a list, all elements of which are numbers."""
        return self.kind == "list" and self.element is not None and self.element.kind in ("number", "none")


NEVER = Shape("none")
NUMBER = Shape("number")
UNKNOWN = Shape("unknown")


def list_of(element: Shape, length: Formula | None) -> Shape:
    """A list of `length` things of one shape."""
    return Shape("list", length, element)


def element(shape: Shape) -> Shape:
    """The shape of every element of a list."""
    if shape.kind == "none":
        return NEVER
    return UNKNOWN if shape.element is None else shape.element


def joined(facts: Definitions, shapes: Iterable[Shape]) -> Shape:
    """The shape of a value that has one of these, nobody knows which. A length is known if all agree on it."""
    found = NEVER
    for shape in shapes:
        found = _either(facts, found, shape)
    return found


def _either(facts: Definitions, a: Shape, b: Shape) -> Shape:
    if a == b or b.kind == "none":
        return a
    if a.kind == "none":
        return b
    if a.kind != "list" or b.kind != "list":
        return UNKNOWN
    same = a.length is not None and b.length is not None and facts.compare(a.length, b.length) == "equal"
    return list_of(_either(facts, element(a), element(b)), a.length if same else None)


def coordinatewise(shapes: Iterable[Shape]) -> Shape:
    """The shape of a function of numbers that meets lists coordinate by coordinate, and numbers every coordinate.

    Lists of different lengths do not fit, so that there is no value: the first length that is known is the length.
    """
    parts = tuple(shapes)
    if any(part.kind == "unknown" for part in parts):
        return UNKNOWN
    if any(part.kind == "none" for part in parts):
        return NEVER
    lists = [part for part in parts if part.kind == "list"]
    if not lists:
        return NUMBER
    length = next((part.length for part in lists if part.length is not None), None)
    return list_of(coordinatewise(element(part) if part.kind == "list" else part for part in parts), length)


def added_up(summand: Shape) -> Shape:
    """The shape of a sum of things of this shape, of which there may be none: the interpreter's sum of no numbers is
    0, that of no lists is a list of noughts if their length is known, else the number 0."""
    match summand.kind:
        case "none" | "number" | "unknown":
            return summand
        case "list":
            return UNKNOWN if summand.length is None or not summand.is_vector else summand


def largest(each: Shape) -> Shape:
    """The shape of a largest or smallest of things of this shape: only numbers have an order."""
    return each if each.kind in ("none", "number") else UNKNOWN
