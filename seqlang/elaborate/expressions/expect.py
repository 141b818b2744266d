"""The one sentence for a value of the wrong kind."""

from __future__ import annotations

from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import Typed
from seqlang.model.constants import number
from seqlang.model.kinds import Kind, KindName, describe, fits
from seqlang.source import Span
from seqlang.syntax import tree


def expect(state: State, typed: Typed, name: KindName, span: Span, why: str) -> bool:
    """Is it of that kind? If not, say so at `span`; `why` is a short clause about what stands around it."""
    numbers = typed.kind.element is None or fits(typed.kind.element, "number")
    if fits(typed.kind, name) or (name == "vector" and typed.kind.name == "list" and numbers):
        return True
    state.problems.add(
        "E0301",
        f"expected {describe(Kind(name))}, found {describe(typed.kind)}",
        span,
        why,
        help=_remedy(name, typed.kind),
    )
    return False


def translated(state: State, scope: Scope, node: tree.Expression, name: KindName, why: str) -> Typed:
    """The typed expression of a tree, which has to be of that kind; see `expect`."""
    typed = translate(state, scope, node)
    expect(state, typed, name, node.span, why)
    return typed


def same_length(state: State, span: Span, left: tuple[Typed, Span], right: tuple[Typed, Span]) -> None:
    """Vectors that are added, or multiplied, have the same number of coordinates, where that is known."""
    sizes = [
        None if t.kind.dimension is None else number(t.kind.dimension, state.declared.values) for t, _ in (left, right)
    ]
    if sizes[0] is not None and sizes[1] is not None and sizes[0] != sizes[1]:
        state.problems.add(
            "E0303",
            f"a vector of {sizes[0]} coordinates and one of {sizes[1]}",
            span,
            "the lengths differ",
            [(left[1], f"{sizes[0]} coordinates"), (right[1], f"{sizes[1]} coordinates")],
        )


def _remedy(wanted: KindName, found: Kind) -> str | None:
    match wanted, found.name:
        case "truth", "number":
            return "compare it with something: `E == 1`, `E >= bound`"
        case "number", "truth":
            return "to count true values write `count(C over steps)`; for 1 or 0 write `if C then 1 else 0`"
        case "number", "vector" | "list":
            return "take an element `v[1]`, or a number of it: `norm(v)`, `sum(v)`, `length(v)`"
        case "number", "law":
            return "a law is not a value: `draw z ~ LAW` names a draw from it; `LAW.pmf(x)` is its density"
        case "number" | "vector", "set":
            return "loop over a set with `for v in S`, or take `max(..)`, `sum(..)` of its elements"
        case "number", "label":
            return "labels stand for themselves and can only be returned"
        case "vector", "number":
            return "`[x]` is a vector of one number"
        case "law", _:
            return "laws are written `laplace(1)`, `bernoulli(p)`, `{0: 0.3, 1: 0.7}`"
        case _:
            return None
