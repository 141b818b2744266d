"""`f(..)`: functions of the file (inlined), functions of the language, and what each name before a bracket means."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from seqlang.diagnostics.suggest import hint
from seqlang.elaborate.expressions.aggregates import aggregate
from seqlang.elaborate.expressions.arguments import positional
from seqlang.elaborate.expressions.binders import region_of
from seqlang.elaborate.expressions.expect import expect, same_length, translated
from seqlang.elaborate.expressions.laws import check_radius, density, law
from seqlang.elaborate.expressions.lookbacks import lookback
from seqlang.elaborate.expressions.operating import final_value
from seqlang.elaborate.names.builtins import AGGREGATES, CALLABLE, FUNCTIONS, LOOKBACKS, Signature
from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.laws.facts import names
from seqlang.model import expression as m
from seqlang.model.kinds import NUMBER, Kind, vector
from seqlang.operators.catalogue import OPERATORS
from seqlang.record import replace
from seqlang.syntax import tree


def call(state: State, scope: Scope, node: tree.Call) -> Typed:
    """One call, by what stands before the bracket."""
    scope = replace(scope, labels=False) if scope.labels else scope
    if isinstance(node.function, tree.Member):
        return density(state, scope, node.function, node)
    if not isinstance(node.function, tree.Name):
        state.problems.add("E0214", "only a name can be called", node.function.span, "not a function")
        return ERROR
    name = node.function.name
    symbol = state.given.symbols.get(name)
    if symbol is not None and symbol.kind == "function":
        return _inline(state, scope, node, node.function)
    if name in ("probability", "expected") and scope.mode == "claim":
        return final_value(state, scope, node, name)
    if name in AGGREGATES:
        return aggregate(state, scope, node, name)
    if name in LOOKBACKS:
        return lookback(state, scope, node, name)
    if name in names():
        return law(state, scope, node, name)
    if name in FUNCTIONS:
        return _function(state, scope, node, name)
    return _unknown(state, node.function)


def _unknown(state: State, function: tree.Name) -> Typed:
    name = function.name
    symbol = state.given.symbols.get(name)
    if symbol is not None:
        state.problems.add(
            "E0214",
            f"`{name}` is not a function",
            function.span,
            f"a {symbol.kind} takes no arguments",
            [(symbol.span, "defined here")],
            help=f"an element of a vector is `{name}[1]`; a product is `{name} * (..)`",
        )
    elif name == "ball":
        state.problems.add(
            "E0214",
            "`ball` is a region, not a value",
            function.span,
            "cannot stand here",
            help="`ball(r, d)` stands in domains, `project(v, ball(r, d))`, `uniform(ball(r, d))` and after `for v in`",
        )
    elif name in ("probability", "expected"):
        state.problems.add(
            "E0214",
            f"`{name}` speaks of whole runs",
            function.span,
            "cannot stand here",
            help=f"it belongs in a claim: `claim {name}(..) <= 0.05 under MODEL`",
        )
    else:
        functions = (s.name for s in state.given.symbols.values() if s.kind == "function")
        state.problems.add(
            "E0214",
            f"there is no function `{name}`",
            function.span,
            "unknown function",
            help=None if state.problems.many else hint(name, [*functions, *CALLABLE]),
        )
    return ERROR


def _function(state: State, scope: Scope, node: tree.Call, name: str) -> Typed:
    signature = FUNCTIONS[name]
    slots = positional(state, node, name, signature)
    if slots is None:
        return ERROR
    if name == "project":
        return _project(state, scope, node, slots)
    arguments: list[Typed] = []
    for slot, wanted in zip(slots, signature.kinds, strict=True):
        assert slot is not None  # these functions have no optional arguments
        argument = translate(state, scope, slot)
        if wanted == "collection":
            if argument.kind.name not in ("vector", "list", "set", "unknown"):
                expect(state, argument, "list", slot.span, f"`{name}` counts elements")
        else:
            kind = "vector" if wanted == "vector" else "number"
            expect(state, argument, kind, slot.span, f"argument of `{name}`")  # type: ignore[arg-type]
        arguments.append(argument)
    if name == "dot" and slots[0] is not None and slots[1] is not None:
        same_length(state, node.span, (arguments[0], slots[0].span), (arguments[1], slots[1].span))
    if name == "clip_norm" and slots[1] is not None:
        check_radius(state, name, arguments[1], slots[1].span)
    operands = tuple(a.expression for a in arguments)
    written = OPERATORS[name].written
    if written is not None:  # nothing else has to know of it

        def apply(operator: str, *parts: m.Expression | Fraction) -> m.Expression:
            made = tuple(m.Number(part) if isinstance(part, Fraction) else part for part in parts)
            return m.Apply(operator, made, node.span)

        return Typed(written(apply, *operands), NUMBER)
    return Typed(m.Apply(name, operands, node.span), _result(name, arguments))


def _result(name: str, arguments: Sequence[Typed]) -> Kind:
    if OPERATORS[name].result != "vector":
        return NUMBER
    return vector(arguments[0].expression) if name == "zeros" else arguments[0].kind


def _project(state: State, scope: Scope, node: tree.Call, slots: Sequence[tree.Expression | None]) -> Typed:
    value, onto = slots
    assert value is not None and onto is not None
    argument = translated(state, scope, value, "vector", "`project` takes a vector")
    region = region_of(state, scope, onto)
    if region is None or region.radius is None:
        state.problems.add(
            "E0301",
            "`project` needs a ball to project onto",
            onto.span,
            "not a ball",
            help="write `project(v, ball(r, d))`",
        )
        return ERROR
    check_radius(state, "project", Typed(region.radius, NUMBER), onto.span)
    return Typed(m.Apply("project", (argument.expression, region.radius), node.span), argument.kind)


# ---- functions of the file


def _inline(state: State, scope: Scope, node: tree.Call, function: tree.Name) -> Typed:
    """The body with the arguments in place: each argument is translated once, so its accumulators are hoisted once."""
    symbol = state.given.symbols[function.name]
    definition = symbol.statement
    assert isinstance(definition, tree.Let) and definition.parameters is not None
    name = function.name
    state.usage.used.add(name)
    state.usage.called.add(name)
    if name in scope.calls:
        state.problems.add(
            "E0205",
            f"`{name}` calls itself",
            function.span,
            "recursive call",
            [(symbol.span, "defined here")],
            help="the only recursion is `previous(E, initial)`, from one step to the next",
        )
        return ERROR
    if symbol.position > scope.position and scope.mode in ("body", "constant") and not scope.calls:
        state.problems.add(
            "E0204",
            f"`{name}` is used above its definition",
            function.span,
            "not defined yet",
            [(symbol.span, "defined here")],
            help="a file is read from top to bottom: move the definition up",
        )
        return ERROR
    signature = Signature(tuple(p.name for p in definition.parameters), ())
    slots = positional(state, node, name, signature)
    if slots is None:
        return ERROR
    bindings = {
        key: translate(state, scope, slot) for key, slot in zip(signature.names, slots, strict=True) if slot is not None
    }
    inner = replace(scope, bindings=bindings, calls=(*scope.calls, name))
    return translate(state, inner, definition.value)
