"""Values that can be computed beforehand: of one input with few possible values, or of the step number alone."""

from __future__ import annotations

from typing import Any

from seqlang.backends.interpret.inputs.alphabet import letters_of
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import List, Scalar, scalar
from seqlang.model import expression as ir
from seqlang.operators.catalogue import OPERATORS, in_group
from seqlang.operators.groups import CONTINUOUS

FEW = 8
STEPS = 1024
_SLOW = frozenset(name for name, entry in OPERATORS.items() if entry.numeric and entry.numeric.costly)
_COSTLY = _SLOW | CONTINUOUS & in_group("arithmetic")
"""What may stand around a slow operator, as part of one table of values."""
_PARTS = (
    ir.Number, ir.Truth, ir.Label, ir.ParameterValue, ir.Field, ir.Apply, ir.Choice, ir.Density, ir.Law, ir.Weights,
    ir.Sequence,
)  # fmt: skip


def tabulated(scope: Scope, e: ir.Expression) -> Scalar | None:
    """The value as a choice among constants, if it is such a one: `log(P.pmf(x) / Q.pmf(x))` for a coin x."""
    if not isinstance(e, (ir.Apply, ir.Choice, ir.Density)):
        return None
    names: set[str] = set()
    for part in ir.walk(e):
        if not isinstance(part, _PARTS):
            return None
        if isinstance(part, ir.Field):
            names.add(part.name)
    if len(names) != 1:
        return None
    name = names.pop()
    entry = scope.program.input(name)
    here = scope.fields.get(name)
    if entry.kind == "dataset" or not isinstance(here, Scalar):
        return None
    letters = letters_of(scope.exact, entry.domain)
    if letters is None or not 1 <= len(letters) <= FEW:
        return None
    code = scope.exact.compile(e)
    try:
        found = [code.run(PartialState(fields={name: letter})) for letter in letters]
    except EvaluationError:
        return None  # an error only where this letter comes
    if not all(isinstance(v, (bool, int, float, str)) for v in found) or len({type(v) is bool for v in found}) > 1:
        return None
    # Without a difference between 1 and 1.0: other values of the parameters have the same kernel.
    numbers = [v if isinstance(v, (bool, str)) else float(v) for v in found]
    values = [scalar(scope.constants.value(v), "a value") for v in numbers]
    kind = values[0].kind
    if any(v.kind != kind for v in values):
        return None
    text = values[-1].text
    for letter, value in zip(letters[-2::-1], values[-2::-1], strict=True):
        text = f"({value.text} if {here.number} == {_letter(scope, letter)} else {text})"
    return Scalar(text, kind, all(v.finite for v in values))


def first_steps(scope: Scope, e: ir.Expression) -> List | None:
    """The values in the first steps, if they depend on the step number alone and cost more than looking them up."""
    if not isinstance(e, ir.Apply) or e.operator not in _COSTLY:
        return None
    parts = list(ir.walk(e))
    if not all(isinstance(x, (*_PARTS, ir.StepNumber)) and not isinstance(x, ir.Field) for x in parts):
        return None
    if not any(isinstance(x, ir.Apply) and x.operator in _SLOW for x in parts):
        return None
    code = scope.exact.compile(e)
    found: list[float] = []
    try:
        for step in range(1, STEPS + 1):
            value = code.run(PartialState(step_number=step))
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                return None
            found.append(float(value))
    except (EvaluationError, AttributeError, OverflowError):
        return None
    values = scope.constants.value(tuple(found))
    assert isinstance(values, List)
    return values


def _letter(scope: Scope, letter: Any) -> str:
    if isinstance(letter, int) and abs(letter) < 1 << 31:
        return repr(float(letter))  # a domain of letters that are written as whole numbers
    return scalar(scope.constants.value(letter), "a letter").text
