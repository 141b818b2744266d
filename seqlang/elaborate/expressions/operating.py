"""`probability(C)` and `expected(E)` in claims: about how runs end, and final values."""

from __future__ import annotations

from seqlang.elaborate.expressions.arguments import positional
from seqlang.elaborate.expressions.expect import expect
from seqlang.elaborate.names.builtins import Signature
from seqlang.elaborate.state import Scope, State, translate
from seqlang.elaborate.typed import ERROR, Typed
from seqlang.model import expression as m
from seqlang.model.kinds import NUMBER
from seqlang.syntax import tree


def final_value(state: State, scope: Scope, node: tree.Call, name: str) -> Typed:
    """One `probability` or `expected`; inside, a label means "it is returned"."""
    slots = positional(state, node, name, Signature(("C" if name == "probability" else "E",), ()))
    if slots is None or slots[0] is None:
        return ERROR
    argument = translate(state, scope, slots[0])
    if name == "probability":
        expect(state, argument, "truth", slots[0].span, "`probability` takes a condition, or a label")
    else:
        expect(state, argument, "number", slots[0].span, "`expected` takes a number")
    return Typed(m.Apply(name, (argument.expression,), node.span), NUMBER)
