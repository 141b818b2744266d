"""`for v in S [where C]`: the variable, its domain, and the scope of what it binds."""

from __future__ import annotations

from fractions import Fraction

from seqlang.elaborate.expressions.conditions import known_if
from seqlang.elaborate.expressions.expect import expect, translated
from seqlang.elaborate.state import Binder, Scope, State, fresh_variable, translate
from seqlang.elaborate.typed import Typed
from seqlang.model import expression as m
from seqlang.model.binding import free_variables
from seqlang.model.constants import CHANGING
from seqlang.model.kinds import UNKNOWN, Kind, describe, elements, vector
from seqlang.record import record, replace
from seqlang.syntax import tree


@record
class Bound:
    """`scope` is for what stands under the binder; `length` is the number of elements where it is plain to see."""

    variable: m.Variable
    domain: m.Expression
    element: Kind
    where: m.Expression | None
    scope: Scope
    length: m.Expression | None


def bind(state: State, scope: Scope, node: tree.ForIn) -> Bound:
    """Translate a binder: a new variable. One that hides an enclosing one is printed with another letter."""
    outside = replace(scope, labels=False)
    domain, element = domain_of(state, outside, node.domain)
    taken = {b.variable.letter for b in scope.binders}
    letter = node.variable.name
    while letter in taken:
        letter += "_"
    variable = fresh_variable(state, letter, domain)
    fixed = is_fixed(domain, scope)
    inside = replace(
        outside,
        bindings={**scope.bindings, node.variable.name: Typed(m.Bound(variable), element)},
        binders=(*scope.binders, Binder(variable, domain, fixed)),
    )
    where = None
    if node.where is not None:
        condition = translated(state, inside, node.where, "truth", "`where` takes a truth value")
        where = condition.expression
        inside = replace(inside, known=inside.known | known_if(where))
    return Bound(variable, domain, element, where, inside, None if where is not None else length_of(domain))


def domain_of(state: State, scope: Scope, node: tree.Expression) -> tuple[m.Expression, Kind]:
    """The domain of a binder and the kind of its elements; `real ^ d` and `ball(r, d)` are domains too."""
    region = region_of(state, scope, node)
    if region is not None:
        return region, vector(region.dimension)
    typed = translate(state, scope, node)
    if typed.kind.name not in ("set", "list", "vector", "unknown"):
        state.problems.add(
            "E0301",
            f"`for` runs over a set, a list or a range, not over {describe(typed.kind)}",
            node.span,
            describe(typed.kind),
            help="write a range `1..k`, a set `{a, b}`, or `records` of a dataset",
        )
        return typed.expression, UNKNOWN
    return typed.expression, elements(typed.kind)


def region_of(state: State, scope: Scope, node: tree.Expression) -> m.RealVectors | None:
    """`real ^ d` or `ball(r, d)`, or None if it is something else."""
    match node:
        case tree.Binary(operator="^", left=tree.Name(name="real"), right=right):
            dimension = translated(state, scope, right, "number", "a dimension is a whole number")
            return m.RealVectors(dimension.expression)
        case tree.Name(name="real"):
            return m.RealVectors(m.Number(Fraction(1)))
        case tree.Call(function=tree.Name(name="ball"), arguments=(tree.Positional() as r, tree.Positional() as d)):
            radius, dimension = translate(state, scope, r.value), translate(state, scope, d.value)
            expect(state, radius, "number", r.span, "a radius is a number")
            expect(state, dimension, "number", d.span, "a dimension is a whole number")
            return m.RealVectors(dimension.expression, radius.expression)
        case tree.Call(function=tree.Name(name="ball")):
            state.problems.add("E0306", "`ball` takes a radius and a dimension", node.span, help="write `ball(1, d)`")
            return m.RealVectors(m.Number(Fraction(1)), m.Number(Fraction(1)))
        case _:
            return None


def is_fixed(expression: m.Expression, scope: Scope) -> bool:
    """A constant: reads no state, and only bound variables whose domain is fixed."""
    changing = any(isinstance(node, m.RealVectors) or type(node) in CHANGING for node in m.walk(expression))
    return not changing and free_variables(expression) <= {b.variable for b in scope.binders if b.fixed}


def length_of(domain: m.Expression) -> m.Expression | None:
    match domain:
        case m.Sequence(kind="list", items=items):
            return m.Number(Fraction(len(items)))
        case m.Apply(operator="..", arguments=(m.Number(value=low), high)) if low == 1:
            return high
        case _:
            return None
