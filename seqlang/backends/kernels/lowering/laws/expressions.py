"""Laws as the program writes them."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.backends.interpret.values import BallSet, is_vector
from seqlang.backends.kernels.lowering.binders import domain_of
from seqlang.backends.kernels.lowering.laws.forms import (
    SHORT,
    Conditioned,
    Convolved,
    Either,
    Family,
    LawForm,
    OfVectors,
    PointAt,
    Table,
    coordinate,
    lengths_of,
)
from seqlang.backends.kernels.lowering.scope import Scope, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.runtime import collect
from seqlang.laws.law import law as law_of_family
from seqlang.model import expression as ir
from seqlang.source import Span


def law_of(scope: Scope, e: ir.Expression) -> LawForm:
    """The law that an expression is. Raises EvaluationError where constant arguments are no parameters of it."""
    if isinstance(e, (ir.Law, ir.Weights, ir.WeightsOf)) and not scope.exact.compile(e).reads:
        scope.exact.constant(e)  # an error here and now, with its place
    form = scope.exact.jumps.run(e)
    if isinstance(form, ir.Law | ir.Weights | ir.WeightsOf) and form is not e:
        return law_of(scope, form)
    match e:
        case ir.Choice(test, yes, no):
            which = scalar(scope.value_of(test), "a test")
            if which.text in ("True", "False"):
                return law_of(scope, yes if which.text == "True" else no)
            return _either(scope, scope.writer.named(which.truth, "truth"), yes, no)
        case ir.Weights(pairs):
            values = [scope.value_of(v) for v, _ in pairs]
            weights = [scope.value_of(w) for _, w in pairs]
            return _table(scope, values, weights, not any(scope.reads(x) for pair in pairs for x in pair))
        case ir.WeightsOf():
            return _weights_of(scope, e)
        case ir.Law("uniform", (low, high), span):
            return _validated(scope, e, Family("uniform", (scope.value_of(low), scope.value_of(high)), span))
        case ir.Law("uniform", (domain,), span):
            return _uniform(scope, domain, span)
        case ir.Law("point", (value,)):
            return PointAt(scope.value_of(value))
        case ir.Law("conditioned", (law, low, high), span):
            ends = (scalar(scope.value_of(x), "a bound") for x in (low, high))
            return Conditioned(law_of(scope, law), next(ends), next(ends), span)
        case ir.Law("convolve", (first, second)):
            return Convolved(law_of(scope, first), law_of(scope, second))
        case ir.Law("l2_laplace", arguments, span):
            scale = scalar(scope.value_of(arguments[0]), "a scale")
            dimension = None
            if len(arguments) > 1:
                dimension = scope.constants.whole(int(scope.exact.constant(arguments[1])))
            return OfVectors("l2_laplace", scale, dimension, span)
        case ir.Law(family, arguments, span) if _is_drawn(family):
            given = tuple(scope.value_of(a) for a in arguments)
            return _validated(scope, e, Family(family, given, span))
        case ir.Law(family):
            raise CannotCompile(f"the law {family}")
        case _:
            raise CannotCompile("a law that is no law of the language")


def _is_drawn(family: str) -> bool:
    """Whether kernels draw from the law: from a standard variate, or by a function of its own."""
    return law_of_family(family).variate is not None or f"sample_{family}" in collect.names()


def _either(scope: Scope, test: str, yes: ir.Expression, no: ir.Expression) -> Either:
    def written(law: ir.Expression, holds: str) -> LawForm:
        items, found = scope.writer.capture(lambda: law_of(scope, law))
        scope.writer.only_where(scope.writer.named(holds, "truth"), items)
        return found

    return Either(test, written(yes, test), written(no, f"not {test}"))


def _validated(scope: Scope, e: ir.Expression, law: Family) -> Family:
    """The law, with a fault where arguments that change are no parameters of it."""
    if not scope.exact.compile(e).reads or f"valid_{law.name}" not in collect.names():
        return law
    w, site = scope.writer, scope.site(f"the law {law.name} here", law.span)
    lengths = lengths_of(law)
    if not lengths:
        w.check(f"not {_valid(law)}", site)
        return law
    with w.loop(lengths[0]) as i:
        one = coordinate(law, i)
        assert isinstance(one, Family)
        w.check(f"not {_valid(one)}", site)
    return law


def _valid(law: Family) -> str:
    return f"valid_{law.name}({', '.join(scalar(v, 'an argument').number for v in law.arguments)})"


def _table(scope: Scope, values: list[Value], weights: list[Value], constant: bool) -> Table:
    if not values or any(isinstance(v, List) for v in values):
        raise CannotCompile("a law whose values are vectors")
    rows = [(scalar(v, "a value"), scalar(w, "a weight")) for v, w in zip(values, weights, strict=True)]

    def at(column: int) -> Callable[[str], Value]:
        names = [scope.named(r[column]) for r in rows]
        if len(names) <= SHORT:
            return lambda i: names[int(i)] if i.isdigit() else _listed(scope, names).at(i)
        return _listed(scope, names).at

    n = str(len(rows))
    return Table(List(n, at(0)), List(n, at(1)), constant, len(rows))


def _listed(scope: Scope, items: list[Scalar]) -> List:
    kind = items[0].kind
    name = scope.buffer((str(len(items)),), kind)
    for i, item in enumerate(items):
        scope.writer.text(f"{name}[{i}] = {item.text}")
    return array_of(name, (str(len(items)),), kind, all(v.finite for v in items))


def _weights_of(scope: Scope, e: ir.WeightsOf) -> Table:
    domain = domain_of(scope, e.domain)
    if domain.present is not None:
        raise CannotCompile("weights over a random set")
    outer = dict(scope.bound)

    def inside(i: str, read: ir.Expression) -> Value:
        with scope.within({**outer, e.variable.number: domain.at(i)}):
            return scope.value_of(read)

    def weight(i: str) -> Value:
        found = scalar(inside(i, e.weight), "a weight")
        if e.where is None:
            return found
        test = scalar(inside(i, e.where), "a condition")
        return Scalar(f"({found.number} if {test.truth} else 0.0)", "number", found.finite)

    return Table(List(domain.length, lambda i: inside(i, e.value)), List(domain.length, weight), False, None)


def _uniform(scope: Scope, domain: ir.Expression, span: Span) -> LawForm:
    if scope.exact.compile(domain).reads:
        raise CannotCompile("a uniform law on a set that changes")
    found = scope.exact.constant(domain)
    if isinstance(found, BallSet):
        if not isinstance(domain, ir.RealVectors) or domain.radius is None:
            raise CannotCompile("a uniform law on an unbounded set")
        radius = scalar(scope.value_of(domain.radius), "a radius")
        return OfVectors("uniform_ball", radius, scope.constants.whole(found.dimension), span)
    if not is_vector(found):
        raise CannotCompile("a uniform law on something else than a finite set")
    values = tuple(dict.fromkeys(found))
    if any(is_vector(v) for v in values):
        raise CannotCompile("a law whose values are vectors")
    listed = scope.constants.value(values)
    assert isinstance(listed, List)
    return Table(listed, List(listed.length, lambda i: Scalar("1.0")), True, len(values))
