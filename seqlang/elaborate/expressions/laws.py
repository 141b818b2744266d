"""Laws: `laplace(b)`, `bernoulli(p)`, .. with their arguments checked where they are constant, and their densities."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, cast

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.expressions.arguments import positional
from seqlang.elaborate.expressions.binders import region_of
from seqlang.elaborate.expressions.expect import expect
from seqlang.elaborate.names.builtins import METHODS, Signature
from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.laws.facts import facts
from seqlang.model import expression as m
from seqlang.model.constants import Undefined, evaluate, is_constant
from seqlang.model.kinds import NUMBER, elements, fits, kind_of_draw, law_of, vector
from seqlang.model.limits import suits
from seqlang.record import replace
from seqlang.source import Span
from seqlang.syntax import tree


def law(state: State, scope: Scope, node: tree.Call, name: str) -> Typed:
    """One law by its family. A parameter that is a vector means independent coordinates."""
    signature = _signature(name)
    slots = positional(state, node, name, signature)
    if slots is None:
        return ERROR
    if name == "uniform":
        return _uniform(state, scope, node, slots)
    arguments: list[Typed] = []
    for slot, wanted in zip(slots, signature.kinds, strict=True):
        if slot is not None:
            argument = translate(state, scope, slot)
            _check_kind(state, name, argument, wanted, slot.span)
            _check_value(state, scope, name, argument, wanted, slot.span)
            arguments.append(argument)
    if name == "staircase" and len(arguments) == 2:
        arguments.append(_best_gamma(arguments[0].expression))
    if name == "conditioned":
        _check_order(state, scope, node, arguments[1], arguments[2], strict=False)
    expressions = tuple(a.expression for a in arguments)
    drawn = kind_of_draw(name, expressions, [a.kind for a in arguments])
    return Typed(m.Law(name, expressions, node.span), law_of(drawn))


def _signature(name: str) -> Signature:
    declared = facts(name)
    kinds = tuple(p.kind for p in declared.parameters)
    return Signature(tuple(p.name for p in declared.parameters), kinds, declared.optional)


def _best_gamma(eps: m.Expression) -> Typed:
    """gamma = 1 / (1 + exp(eps / 2)), Geng & Viswanath 2016, optimal for the expected absolute error."""
    half = m.Apply("exp", (m.Apply("/", (eps, m.Number(Fraction(2)))),))
    return Typed(m.Apply("/", (m.Number(Fraction(1)), m.Apply("+", (m.Number(Fraction(1)), half)))), NUMBER)


def _uniform(state: State, scope: Scope, node: tree.Call, slots: Sequence[tree.Expression | None]) -> Typed:
    low, high = slots
    if high is None:
        return ERROR if low is None else _uniform_on(state, scope, node, low)
    if low is None:
        state.problems.add("E0306", "`uniform` takes two ends, or one set", node.span, "the lower end is missing")
        return ERROR
    ends = translate(state, scope, low), translate(state, scope, high)
    expect(state, ends[0], "number", low.span, "`uniform(low, high)`")
    expect(state, ends[1], "number", high.span, "`uniform(low, high)`")
    _check_order(state, scope, node, *ends, strict=True)
    return Typed(m.Law("uniform", (ends[0].expression, ends[1].expression), node.span), law_of(NUMBER))


def _uniform_on(state: State, scope: Scope, node: tree.Call, where: tree.Expression) -> Typed:
    region = region_of(state, scope, where)
    if region is not None:
        if region.radius is None:
            state.problems.add("E0316", "there is no uniform law on `real`", where.span, "unbounded")
        return Typed(m.Law("uniform", (region,), node.span), law_of(vector(region.dimension)))
    typed = translate(state, scope, where)
    if typed.kind.name not in ("set", "list", "unknown"):
        state.problems.add(
            "E0306",
            "`uniform` takes two ends, or one set",
            node.span,
            "one number",
            help="write `uniform(low, high)` or `uniform({a, b})`",
        )
        return ERROR
    return Typed(m.Law("uniform", (typed.expression,), node.span), law_of(elements(typed.kind)))


# ---- checks


def _check_kind(state: State, name: str, argument: Typed, wanted: str, span: Span) -> None:
    match wanted:
        case "law":
            expect(state, argument, "law", span, f"`{name}` is made from a law")
        case "set":
            expect(state, argument, "set", span, f"`{name}` takes a set, such as `records`")
        case "count" | "natural":
            expect(state, argument, "number", span, f"argument of `{name}`")
        case _:
            if argument.kind.name != "vector":
                expect(state, argument, "number", span, f"argument of `{name}`")


_LIMITS: dict[str, str] = {
    "scale": "must be above 0",
    "ratio": "must lie strictly between 0 and 1",
    "probability": "must lie between 0 and 1",
    "count": "must be a whole number from 1",
    "natural": "must be a whole number from 0",
}


def _check_value(state: State, scope: Scope, name: str, argument: Typed, wanted: str, span: Span) -> None:
    """Arguments that are constant are checked under the values of the parameters; others when they are drawn."""
    if wanted in ("law", "set") or not fits(argument.kind, "number") or not is_constant(argument.expression):
        return
    value = evaluate(argument.expression, state.declared.values)
    place = next(p.name for p in facts(name).parameters if p.kind == wanted)
    if isinstance(value, Undefined):
        state.problems.add("E0312", f"the argument of `{name}` has no value: {value.reason}", span, value.reason)
    elif isinstance(value, Fraction) and not suits(wanted, value):
        state.problems.add(
            "E0316",
            f"the {'scale' if wanted == 'scale' else 'argument'} `{place}` of `{name}` {_LIMITS[wanted]}",
            span,
            f"is {short(value)} here",
            help=_value_help(state, argument.expression),
        )


def _value_help(state: State, expression: m.Expression) -> str | None:
    names = dict.fromkeys(n.name for n in m.walk(expression) if isinstance(n, m.ParameterValue))
    values = [f"{n} = {short(state.declared.values[n])}" for n in names if n in state.declared.values]
    return f"with {', '.join(values)}; narrow the domain of a param, or change its value" if values else None


def short(value: Fraction) -> str:
    """A number for a message: whole if it is, else with six digits."""
    return str(value.numerator) if value.denominator == 1 and abs(value) < 10**15 else f"{float(value):.6g}"


def check_radius(state: State, name: str, radius: Typed, span: Span) -> None:
    """A constant radius below 0 would turn vectors round, or make no sense; 0 makes them 0."""
    value = evaluate(radius.expression, state.declared.values) if is_constant(radius.expression) else None
    if isinstance(value, Fraction) and value < 0:
        state.problems.add(
            "E0316",
            f"the radius of `{name}` must not be negative",
            span,
            f"is {short(value)} here",
            help=_value_help(state, radius.expression),
        )


def _check_order(state: State, scope: Scope, node: tree.Call, low: Typed, high: Typed, *, strict: bool) -> None:
    ends = [evaluate(t.expression, state.declared.values) if is_constant(t.expression) else None for t in (low, high)]
    a, b = ends
    if isinstance(a, Fraction) and isinstance(b, Fraction) and (a > b or (strict and a == b)):
        state.problems.add(
            "E0316",
            "the lower end must lie below the upper end",
            node.span,
            f"from {short(a)} to {short(b)}",
        )


# ---- densities


def density(state: State, scope: Scope, node: tree.Member, call: tree.Call | None) -> Typed:
    """`LAW.pmf(x)`, `.pdf`, `.cdf`. A model's name stands for its law; that it was used is kept."""
    base = translate(state, replace(scope, labels=False), node.base)
    if not expect(state, base, "law", node.base.span, "only laws have `.pmf`, `.pdf`, `.cdf`"):
        return ERROR
    method = node.name.name
    if method not in METHODS:
        state.problems.add(
            "E0215",
            f"a law has no `.{method}`",
            node.name.span,
            "unknown method",
            help=hint(method, METHODS) or "there are `.pmf`, `.pdf` and `.cdf`",
        )
        return ERROR
    if call is None:
        state.problems.add(
            "E0207", f"`.{method}` needs a point", node.span, "no argument", help=f"write `LAW.{method}(x)`"
        )
        return ERROR
    slots = positional(state, call, f".{method}", Signature(("x",), ()))
    if slots is None or slots[0] is None:
        return ERROR
    at = translate(state, scope, slots[0])
    element = elements(base.kind)
    if element.name == "vector":
        expect(state, at, "vector", slots[0].span, "the law is one of vectors")
    else:
        expect(state, at, "number", slots[0].span, "the law is one of numbers")
    _check_method(state, node, base.expression, method)
    model = node.base.name if isinstance(node.base, tree.Name) and node.base.name in state.declared.models else None
    kind = cast(Literal["pmf", "pdf", "cdf"], method)
    return Typed(m.Density(kind, base.expression, at.expression, model), NUMBER)


def _check_method(state: State, node: tree.Member, law: m.Expression, method: str) -> None:
    discrete = is_discrete(law)
    right = {True: "pmf", False: "pdf", None: method}[discrete]
    if method != "cdf" and method != right:
        state.problems.add(
            "E0310",
            f"this law has {'no density' if discrete else 'no probabilities of points'}: use `.{right}`",
            node.name.span,
            f"the law is {'discrete' if discrete else 'continuous'}",
            help=f"write `.{right}(x)`",
        )


def is_discrete(law: m.Expression) -> bool | None:
    """True for laws on points, False for laws with a density, None if it is not plain to see."""
    match law:
        case m.Law(family=family) if facts(family).kind in ("density", "points"):
            return facts(family).kind == "points"
        case m.Law(family="uniform", arguments=arguments):
            return len(arguments) == 1 and not isinstance(arguments[0], m.RealVectors)
        case m.Law(family="conditioned" | "tree", arguments=(inner, *_)):
            return is_discrete(inner)
        case m.Law(family="sum_of", arguments=(_, inner)):
            return is_discrete(inner)
        case m.Law(family="convolve", arguments=(a, b)):
            both = is_discrete(a), is_discrete(b)
            return False if False in both else True if both == (True, True) else None
        case m.Choice(yes=yes, no=no):
            return is_discrete(yes) if is_discrete(yes) == is_discrete(no) else None
        case m.Weights() | m.WeightsOf():
            return True
        case _:
            return None
