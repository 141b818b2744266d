"""`stream`, `dataset` and `public` fields with their domains."""

from __future__ import annotations

from fractions import Fraction

from seqlang.elaborate.declarations.domains import domain, kind_of
from seqlang.elaborate.expressions.expect import translated
from seqlang.elaborate.state import Scope, State
from seqlang.model import expression as m
from seqlang.model.constants import Undefined, evaluate
from seqlang.model.kinds import Kind, vector
from seqlang.model.program import Input
from seqlang.syntax import tree


def inputs(state: State, position: int, node: tree.Inputs) -> None:
    """Enter the fields of one statement."""
    scope = Scope("plain", position)
    size = _size(state, scope, node) if node.kind == "dataset" else None
    _one_sort(state, node)
    for field in node.fields:
        name = field.name.name
        found = domain(state, scope, field.domain)
        kind = kind_of(found)
        if node.kind == "dataset":
            kind = vector(size) if kind.name == "number" else Kind("list", kind)
        state.names.kinds.setdefault(name, kind)
        state.declared.fields.setdefault(name, Input(name, found, node.kind, field.name.span))


_LARGEST = 10_000_000  # records are held in memory


def _size(state: State, scope: Scope, node: tree.Inputs) -> m.Expression | None:
    if node.size is None:
        state.problems.add(
            "E0415",
            "a dataset needs a size",
            node.span,
            "how many records?",
            help="write `dataset x in D size n`",
        )
        return None
    typed = translated(state, scope, node.size, "number", "a size is a whole number")
    value = evaluate(typed.expression, state.declared.values)
    if isinstance(value, Undefined):
        state.problems.add("E0415", f"a size is a whole number from 1: {value.reason}", node.size.span, "no number")
    elif isinstance(value, Fraction) and (value < 1 or value.denominator != 1):
        state.problems.add("E0415", "a size is a whole number from 1", node.size.span, "not a size")
    elif isinstance(value, Fraction) and value > _LARGEST:
        state.problems.add("E0415", f"a dataset has at most {_LARGEST:,} records", node.size.span, "more here")
    if state.declared.size is not None and state.declared.size != typed.expression:
        state.problems.add("E0415", "all datasets of a file have one size", node.size.span, "another size")
    state.declared.size = typed.expression
    return typed.expression


def _one_sort(state: State, node: tree.Inputs) -> None:
    """Neighbours differ in one entry: of a stream, or of a dataset."""
    other = {"stream": "dataset", "dataset": "stream"}.get(node.kind)
    earlier = next((f for f in state.declared.fields.values() if f.kind == other), None)
    if earlier is not None:
        state.problems.add(
            "E0411",
            "a file has a stream or a dataset, not both",
            node.span,
            f"a {node.kind} here",
            [(earlier.span, f"a {earlier.kind} here")],
            help="neighbours differ in an entry: it must be plain which entry is meant",
        )
