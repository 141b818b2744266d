"""What sort of value an expression has: just enough typing to catch mistakes with a sensible sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from seqlang.model.expression import Expression
from seqlang.record import field, record

KindName = Literal["number", "truth", "label", "vector", "list", "set", "law", "region", "unknown"]


@record
class Kind:
    """`element` for lists, sets and laws; `dimension` of a vector (a constant expression) where it is known.

    `unknown` fits everything: it stands for what an earlier error, or an untyped argument, left open.
    """

    name: KindName
    element: Kind | None = None
    dimension: Expression | None = field(default=None, compare=False)


NUMBER = Kind("number")
TRUTH = Kind("truth")
LABEL = Kind("label")
UNKNOWN = Kind("unknown")


def vector(dimension: Expression | None = None) -> Kind:
    return Kind("vector", NUMBER, dimension)


def law_of(element: Kind) -> Kind:
    return Kind("law", element)


def elements(kind: Kind) -> Kind:
    """The kind of the elements of a vector, list, set or law."""
    return kind.element or UNKNOWN


def fits(kind: Kind, name: str) -> bool:
    return kind.name in (name, "unknown")


def same(a: Kind, b: Kind) -> bool:
    """Could both be one kind? Vectors are lists of numbers."""
    if "unknown" in (a.name, b.name):
        return True
    if {a.name, b.name} <= {"vector", "list"}:
        return same(elements(a), elements(b))
    return a.name == b.name and same(elements(a), elements(b))


def join(a: Kind, b: Kind) -> Kind:
    """The more informative of two kinds that are the same."""
    if a.name == "unknown" or (a.name == "list" and b.name == "vector"):
        return b
    return b if a.dimension is None and b.name == a.name and b.dimension is not None else a


def describe(kind: Kind) -> str:
    """With its article: `a number`, `a list of vectors`."""
    match kind.name:
        case "truth":
            return "a truth value"
        case "unknown":
            return "something unknown"
        case "region":
            return "a continuous region"
        case "list" | "set" | "law" if kind.element is not None and kind.element.name not in ("unknown", kind.name):
            return f"a {kind.name} of {describe(kind.element).split(' ', 1)[1]}s"
        case _:
            return f"a {kind.name}"


def kind_of_draw(family: str, arguments: Sequence[Expression], kinds: Sequence[Kind]) -> Kind:
    """The kind of one draw of a law of this family, from its arguments and their kinds. A parameter that is a vector
    means independent coordinates."""
    match family:
        case "sample":
            return Kind("set", NUMBER)
        case "l2_laplace":
            return vector(arguments[1] if len(arguments) == 2 else None)
        case "tree" | "conditioned" | "convolve":
            return elements(kinds[0])
        case "sum_of":
            return elements(kinds[1])
        case "randomized_response":
            return UNKNOWN
        case _:
            return next((kind for kind in kinds if kind.name == "vector"), NUMBER)
