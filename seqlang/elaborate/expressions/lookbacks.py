"""`previous(E, initial)` and `history(E, R)`: values of earlier steps, read before they are stored."""

from __future__ import annotations

from seqlang.elaborate.expressions.aggregates import is_report
from seqlang.elaborate.expressions.arguments import positional
from seqlang.elaborate.expressions.cells import hoist
from seqlang.elaborate.names.builtins import Signature
from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.model import expression as m
from seqlang.model.binding import free_variables
from seqlang.model.kinds import UNKNOWN, Kind, describe, join, same
from seqlang.model.program import AtReports, Previous
from seqlang.record import replace
from seqlang.syntax import tree


def lookback(state: State, scope: Scope, node: tree.Call, name: str) -> Typed:
    """One look-back; what it reads may stand below, and may be what is being defined."""
    names = ("E", "initial") if name == "previous" else ("E", "report")
    slots = positional(state, node, name, Signature(names, ()))
    if slots is None or slots[0] is None or slots[1] is None:
        return ERROR
    if scope.mode != "body":
        state.problems.add(
            "E0213",
            f"`{name}` is not a constant",
            node.span,
            "changes from step to step",
            help="only constants may stand here",
        )
        return ERROR
    if name == "previous":
        return _previous(state, scope, node, slots[0], slots[1])
    return _history(state, scope, node, slots[0], slots[1])


def _previous(state: State, scope: Scope, node: tree.Call, value: tree.Expression, initial: tree.Expression) -> Typed:
    read = len(state.current.readings)
    start = translate(state, replace(scope, mode="constant", known=frozenset(), labels=False), initial)
    for reading in state.current.readings[read:][:1]:
        state.problems.add(
            "E0213",
            f"the initial value is a constant, and `{reading.name}` is {'noised' if reading.noised else 'random'}",
            reading.span,
            "must be known before the first step",
        )
    if free_variables(start.expression):
        state.problems.add(
            "E0213", "the initial value is a constant, and this one reads a bound variable", initial.span,
            "must be the same number for all elements",
        )  # fmt: skip
        return ERROR
    body = translate(state, replace(scope, lookback=True), value)
    if not same(start.kind, body.kind):
        state.problems.add(
            "E0308",
            f"the initial value is {describe(start.kind)}, the value {describe(body.kind)}",
            initial.span,
            describe(start.kind),
            [(value.span, describe(body.kind))],
        )
        return ERROR
    kind = join(start.kind, body.kind)
    if kind.name not in ("number", "truth", "vector", "unknown"):
        state.problems.add(
            "E0301", f"`previous` of {describe(kind)}", node.span, "keeps numbers, vectors, truth values"
        )
        return ERROR
    keep = Previous(start.expression)
    return Typed(hoist(state, scope, "last", body, None, keep, node.span), kind)


def _history(state: State, scope: Scope, node: tree.Call, value: tree.Expression, report: tree.Expression) -> Typed:
    if not isinstance(report, tree.Name):
        state.problems.add(
            "E0211", "`history` looks back at a report", report.span, "not the name of a report",
            help="write `history(E, R)` with `report R when ..`",
        )  # fmt: skip
        return ERROR
    if not is_report(state, report, "history"):
        return ERROR
    facts = frozenset({m.Reported(report.name)})
    body = translate(state, replace(scope, lookback=True, known=scope.known | facts), value)
    kind = Kind("list", UNKNOWN if body.kind.name == "label" else body.kind)
    return Typed(hoist(state, scope, "list", body, None, AtReports(report.name), node.span), kind)
