"""`sum mean count max min argmax argmin`: over time (a cell), over a set, over the elements of a vector."""

from __future__ import annotations

from typing import cast

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.expressions.binders import bind
from seqlang.elaborate.expressions.cells import hoist
from seqlang.elaborate.expressions.conditions import known_if
from seqlang.elaborate.expressions.expect import expect, translated
from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.model import expression as m
from seqlang.model.binding import free_variables, settled
from seqlang.model.constants import is_constant, number
from seqlang.model.kinds import NUMBER, TRUTH, UNKNOWN, Kind, describe, elements
from seqlang.model.program import AllSteps, Keep, LastSteps, SinceReport
from seqlang.operators.catalogue import OPERATORS
from seqlang.operators.groups import EXTREMES, PLACES, SUMS
from seqlang.operators.operator import Fold
from seqlang.record import replace
from seqlang.source import Span
from seqlang.syntax import tree


def aggregate(state: State, scope: Scope, node: tree.Call, name: str) -> Typed:
    """One aggregate, by the form of its argument."""
    operator = cast(Fold, name)
    match node.arguments:
        case (tree.OverTime() as argument,):
            return _over_time(state, scope, node, operator, argument)
        case (tree.OverSet() as argument,):
            return _over_set(state, scope, node, operator, argument)
        case (tree.Positional(value=value),):
            return _over_elements(state, scope, node, operator, value)
        case (tree.Positional(), tree.Positional(), *_) if name in EXTREMES:
            return _of_numbers(state, scope, node, name)
        case _:
            state.problems.add(
                "E0306",
                f"`{name}` takes one range, or one vector",
                node.span,
                f"{len(node.arguments)} arguments",
                help=f"write `{name}(E over steps)`, `{name}(E for k in S)`, or `{name}(v)` for a vector v",
            )
            return ERROR


def _over_time(state: State, scope: Scope, node: tree.Call, operator: Fold, argument: tree.OverTime) -> Typed:
    if scope.mode != "body":
        _no_time_here(state, scope, node.span, operator)
        return ERROR
    where, inner = None, scope
    if argument.where is not None:
        condition = translated(state, scope, argument.where, "truth", "`where` takes a truth value")
        where = condition.expression
        inner = replace(scope, known=scope.known | known_if(where))
    body = translate(state, inner, argument.value)
    kind = _result(state, operator, body, argument.value.span, NUMBER)
    keep = _keep(state, scope, argument.time)
    if kind is None or keep is None:
        return ERROR
    return Typed(hoist(state, scope, operator, body, where, keep, node.span), kind)


def _no_time_here(state: State, scope: Scope, span: Span, operator: str) -> None:
    if scope.mode == "claim":
        state.problems.add(
            "E0507",
            "a claim looks at final values only",
            span,
            f"`{operator}` over time is not kept",
            help="name it in the algorithm, `statistic s = ..`, and claim something about `s`",
        )
        return
    state.problems.add(
        "E0213",
        f"`{operator}` over time is not a constant",
        span,
        "changes from step to step",
        help="only constants may stand here",
    )


def _keep(state: State, scope: Scope, time: tree.TimeRange) -> Keep | None:
    match time:
        case tree.OverSteps():
            return AllSteps()
        case tree.OverLast(count=node):
            count = translated(state, scope, node, "number", "`over last` takes a number of steps")
            steps = number(count.expression, state.declared.values)
            if steps is not None and (steps < 1 or steps.denominator != 1):
                state.problems.add("E0318", "`over last` takes a whole number from 1", node.span, "no number of steps")
            # a window of 2.7 steps has 2: the engines decide `floor` exactly
            fixed = is_constant(count.expression) and not free_variables(count.expression)
            whole = fixed or _is_whole(state, count.expression)
            return LastSteps(count.expression if whole else m.Apply("floor", (count.expression,), node.span))
        case tree.Since(report=report):
            return SinceReport(report.name) if is_report(state, report, "since") else None


def _is_whole(state: State, e: m.Expression) -> bool:
    """Whether all its values are whole numbers, as far as its form shows."""
    constant = number(e, state.declared.values)
    if constant is not None:
        return constant.denominator == 1
    match e:
        case m.StepNumber() | m.Bound(m.Variable(domain=m.Apply(".."))):
            return True
        case m.Apply(operator, parts):
            multiples = OPERATORS[operator].multiples
            on_grid = multiples in ("chosen", "common", "product")
            return multiples == "whole" or (on_grid and all(_is_whole(state, part) for part in parts))
    return False


def is_report(state: State, name: tree.Name, word: str) -> bool:
    """Does the name stand for a report? `since`, `history` and `each` look back at reports."""
    symbol = state.given.symbols.get(name.name)
    if symbol is not None and symbol.kind == "report":
        state.usage.used.add(name.name)
        return True
    reports = [s.name for s in state.given.symbols.values() if s.kind == "report"]
    if symbol is not None:
        state.problems.add(
            "E0211",
            f"`{name.name}` is not a report",
            name.span,
            f"a {symbol.kind}; `{word}` looks back at a report",
            [(symbol.span, "defined here")],
            help=f"report the event: `report {name.name}_seen when ..`",
        )
    else:
        state.problems.add(
            "E0211",
            f"there is no report `{name.name}`",
            name.span,
            f"`{word}` looks back at a report",
            help=hint(name.name, reports),
        )
    return False


def _result(state: State, operator: Fold, body: Typed, span: Span, element: Kind) -> Kind | None:
    """The kind of the aggregate of such bodies; None after an error."""
    if operator == "count":
        return NUMBER if expect(state, body, "truth", span, "`count` counts how often something is true") else None
    if operator in SUMS:
        if body.kind.name in ("number", "vector", "unknown"):
            return body.kind
        if body.kind == TRUTH:
            state.problems.add(
                "E0301",
                f"`{operator}` of a truth value",
                span,
                "true or false, not a number",
                help="to count how often it is true write `count(C over steps)`; for 1 or 0 write `if C then 1 else 0`",
            )
        else:
            expect(state, body, "number", span, f"`{operator}` adds numbers or vectors")
        return None
    if not expect(state, body, "number", span, f"`{operator}` compares numbers"):
        return None
    return element if operator in PLACES else NUMBER


def _over_set(state: State, scope: Scope, node: tree.Call, operator: Fold, argument: tree.OverSet) -> Typed:
    bound = bind(state, scope, argument.binder)
    body = translate(state, bound.scope, argument.value)
    kind = _result(state, operator, body, argument.value.span, bound.element)
    if kind is None:
        return ERROR
    folded = m.Quantified(operator, body.expression, bound.variable, bound.domain, bound.where, node.span)
    return Typed(settled(folded, state.bound.by_form), kind)


def _over_elements(state: State, scope: Scope, node: tree.Call, operator: Fold, value: tree.Expression) -> Typed:
    argument = translate(state, scope, value)
    kind = argument.kind
    if kind.name in ("number", "truth"):
        _which_range(state, node, operator, kind)
        return ERROR
    if kind.name not in ("vector", "list", "set", "unknown"):
        expect(state, argument, "vector", value.span, f"`{operator}` runs over elements")
        return ERROR
    of = Typed(argument.expression, elements(kind)) if kind.name != "unknown" else Typed(argument.expression, UNKNOWN)
    result = _result(state, operator, of, value.span, NUMBER)
    return ERROR if result is None else Typed(m.Apply(operator, (argument.expression,), node.span), result)


def _which_range(state: State, node: tree.Call, operator: Fold, kind: Kind) -> None:
    state.problems.add(
        "E0304",
        f"`{operator}` of {describe(kind)}: over which range?",
        node.span,
        f"one value is {describe(kind)}, there is nothing to run over",
        help=f"write `{operator}(.. over steps)`, `{operator}(.. over last m)` or `{operator}(.. since REPORT)`"
        + (f", or give `{operator}` two numbers" if operator in EXTREMES else ""),
    )


def _of_numbers(state: State, scope: Scope, node: tree.Call, name: str) -> Typed:
    arguments: list[m.Expression] = []
    for argument in node.arguments:
        if not isinstance(argument, tree.Positional):
            state.problems.add("E0319", f"`{name}` takes a range or numbers, not both", argument.span)
            return ERROR
        typed = translate(state, scope, argument.value)
        expect(state, typed, "number", argument.span, f"`{name}` of several numbers")
        arguments.append(typed.expression)
    return Typed(m.Apply(name, tuple(arguments), node.span), NUMBER)
