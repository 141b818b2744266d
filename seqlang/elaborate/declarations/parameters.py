"""Params and constant lets, with their values and domains."""

from __future__ import annotations

from fractions import Fraction

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.declarations.domains import domain
from seqlang.elaborate.expressions.expect import expect, translated
from seqlang.elaborate.expressions.laws import short
from seqlang.elaborate.expressions.public import require_public
from seqlang.elaborate.state import DEEPEST_EXPRESSION, Scope, State, translate
from seqlang.elaborate.typed import Typed
from seqlang.model import domain as d
from seqlang.model import expression as m
from seqlang.model.constants import LARGEST, Undefined, Values, evaluate
from seqlang.model.limits import holds
from seqlang.model.print import show_expression
from seqlang.model.program import Parameter
from seqlang.source import NOWHERE
from seqlang.syntax import tree


def check_overrides(state: State) -> None:
    """Report every value that was set for something that is no param."""
    params = [s.name for s in state.given.symbols.values() if s.kind == "param"]
    for name in state.given.overrides:
        if name not in params:
            symbol = state.given.symbols.get(name)
            state.problems.add(
                "E0206",
                f"there is no param `{name}` to set" + (f": `{name}` is a {symbol.kind}" if symbol else ""),
                symbol.span if symbol else NOWHERE,
                "not a param" if symbol else "",
                help=hint(name, params) or (f"the params are {', '.join(params)}" if params else "there are no params"),
            )


def parameter(state: State, position: int, node: tree.Param) -> None:
    """Enter one param with its value: the default, or what was set."""
    if state.given.symbols[node.name.name].statement is not node:
        return  # declared twice: the first one counts
    scope = Scope("plain", position)
    name = node.name.name
    limit = _limit(state, scope, node)
    default = translate(state, Scope("constant", position), node.default)
    good = expect(state, default, "number", node.default.span, "a param is a number")
    require_public(state, "param", name, node.default.span)
    if not good:
        return
    value = _value(state, node, default.expression, state.declared.values)
    usual = evaluate(default.expression, state.declared.defaults)
    if isinstance(usual, Fraction):
        state.declared.defaults[name] = usual
    if name in state.given.overrides:
        value = state.given.overrides[name]
    if value is None:
        return
    if value != 0 and not 1 / LARGEST <= abs(value) <= LARGEST:
        state.problems.add(
            "E0311",
            f"the value of `{name}` is too {'large' if abs(value) > 1 else 'small'}",
            node.name.span,
            "values lie between 1e-300 and 1e300",
        )
        return
    state.declared.values[name] = value
    _check_limit(state, node, limit, value)
    state.declared.parameters[name] = Parameter(
        name, limit, value, state.declared.defaults.get(name, value), node.name.span
    )


def _value(state: State, node: tree.Param, default: m.Expression, values: Values) -> Fraction | None:
    found = evaluate(default, values)
    if isinstance(found, Undefined) and node.name.name not in state.given.overrides:
        state.problems.add("E0312", f"`{node.name.name}` has no value: {found.reason}", node.default.span, found.reason)
    elif found is None and not state.problems.failed and node.name.name not in state.given.overrides:
        state.problems.add(
            "E0213", f"the default of `{node.name.name}` cannot be computed", node.default.span, "not a plain number"
        )
    return found if isinstance(found, Fraction) else None


def _limit(state: State, scope: Scope, node: tree.Param) -> d.Domain:
    match node.limit:
        case None:
            return d.REAL
        case tree.DomainLimit(domain=limit):
            found = domain(state, scope, limit)
            if isinstance(found, d.Ball | d.Power):
                state.problems.add(
                    "E0313", "a param is one number", limit.span, "a domain of vectors",
                    help="say `stream` or `public` for vectors that are given from outside",
                )  # fmt: skip
                return d.REAL
            return found
        case tree.BoundLimit(operator=operator, bound=bound):
            typed = translated(state, scope, bound, "number", "a param is bounded by a number")
            match operator:
                case ">" | ">=":
                    return d.Interval(typed.expression, None, low_open=operator == ">")
                case "<" | "<=":
                    return d.Interval(None, typed.expression, high_open=operator == "<")
                case _:
                    state.problems.add(
                        "E0313",
                        f"a param cannot be limited by `{operator}`",
                        node.limit.span,
                        "no domain",
                        help=f"`param {node.name.name} = ..` gives its value; limits are `> E`, `< E`, `in [a, b]`",
                    )
                    return d.REAL


def _check_limit(state: State, node: tree.Param, limit: d.Domain, value: Fraction) -> None:
    name = node.name.name
    if node.limit is None or holds(limit, value, state.declared.values) is not False:
        return
    given = name in state.given.overrides
    others = _others(state, limit)
    state.problems.add(
        "E0314",
        f"{name} = {short(value)} is not in its domain: it must be {limit_text(limit)}",
        node.limit.span if given else node.default.span,
        f"{'set' if given else 'the default'} to {short(value)}" + (f", with {others}" if others else ""),
        [] if given else [(node.limit.span, "its domain")],
        help=None if given or not others else f"with these values set `{name}` too",
    )
    del state.declared.values[name]  # unknown from here on: what reads it is not blamed too


def limit_text(limit: d.Domain) -> str:
    """A domain as the end of `it must be ..`."""
    from seqlang.model.print import show_domain

    match limit:
        case d.Interval(low=low, high=None) if low is not None:
            return f"{'above' if limit.low_open else 'at least'} {show_expression(low)}"
        case d.Interval(low=None, high=high) if high is not None:
            return f"{'below' if limit.high_open else 'at most'} {show_expression(high)}"
        case d.Integers(low=low, high=None) if low is not None:
            return f"a whole number from {show_expression(low)}"
        case d.Integers():
            return f"a whole number in {show_domain(limit)}"
        case _:
            return f"in {show_domain(limit)}"


def _others(state: State, limit: d.Domain) -> str:
    """The params that the domain reads, with their values."""
    match limit:
        case d.Finite(values):
            ends: tuple[m.Expression | None, ...] = values
        case d.Interval(low=low, high=high) | d.Integers(low=low, high=high):
            ends = (low, high)
        case _:
            ends = ()
    names = {n.name for e in ends if e is not None for n in m.walk(e) if isinstance(n, m.ParameterValue)}
    return ", ".join(f"{n} = {short(state.declared.values[n])}" for n in sorted(names) if n in state.declared.values)


def depth_of(expression: m.Expression) -> int:
    """How deep the expression is nested."""
    depth, level = 0, [expression]
    while level:
        depth += 1
        level = [child for node in level for child in m.children(node)]
    return depth


def constant_let(state: State, position: int, node: tree.Let) -> None:
    """Enter one let that is the same in all steps; it is inlined where it is read."""
    if state.given.symbols[node.name.name].statement is not node:
        return  # declared twice: the first one counts
    name = node.name.name
    known = len(state.problems)
    typed = translate(state, Scope("constant", position), node.value)
    if not require_public(state, "let", name, node.value.span) or len(state.problems) > known:
        return
    if depth_of(typed.expression) > DEEPEST_EXPRESSION:
        state.problems.add(
            "E0309",
            f"`{name}` is nested too deeply, with the lets that it reads",
            node.value.span,
            f"more than {DEEPEST_EXPRESSION} levels",
            help="name a part with `statistic`, which is not written out where it is read",
        )
        return
    value = evaluate(typed.expression, state.declared.values)
    if isinstance(value, Undefined):
        state.problems.add("E0312", f"`{name}` has no value: {value.reason}", node.value.span, value.reason)
    state.names.kinds[name] = typed.kind
    state.names.inlined[name] = Typed(typed.expression, typed.kind, typed.size)
