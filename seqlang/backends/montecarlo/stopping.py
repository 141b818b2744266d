"""Whether a simulation can end, and under which model."""

from __future__ import annotations

import math

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError
from seqlang.diagnostics import Diagnostic, Label, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model import expression as ir
from seqlang.model.program import Model, Program, Stop
from seqlang.operators.groups import AT_MOST, TURNED


def can_stop(program: Program) -> bool:
    """False if there is no stop, or every stop's condition is a constant that is false."""
    compiler = Compiler(program)

    def may_fire(stop: Stop) -> bool:
        if stop.when is None:
            return True
        try:
            return bool(compiler.compile(stop.when).reads) or bool(compiler.constant(stop.when))
        except EvaluationError:
            return True

    return any(may_fire(s) for s in program.body if isinstance(s, Stop))


def latest_end(program: Program) -> int | None:
    """The step in which a run stops at the latest, where a stop says so: `stop when step >= n`, also as one part of an
    `or`, or unconditionally."""
    compiler = Compiler(program)
    ends = (1 if s.when is None else _holds_from(compiler, s.when) for s in program.body if isinstance(s, Stop))
    return min((end for end in ends if end is not None), default=None)


def _holds_from(compiler: Compiler, when: ir.Expression) -> int | None:
    """A step in which the condition holds whatever happened, if it is plain to see."""
    match when:
        case ir.Apply("or", parts):
            ends = [_holds_from(compiler, part) for part in parts]
            return min((end for end in ends if end is not None), default=None)
        case ir.Apply(operator, (bound, ir.StepNumber())) if operator in AT_MOST and bound != ir.StepNumber():
            return _holds_from(compiler, ir.Apply(TURNED[operator], (ir.StepNumber(), bound)))
        case ir.Apply(">=" | ">" | "==", (ir.StepNumber(), bound)) if not compiler.compile(bound).reads:
            return _step_from(when.operator, compiler.constant(bound))
        case _:
            return None


def _step_from(operator: str, bound: float) -> int | None:
    """The first step with `step operator bound`."""
    if not math.isfinite(bound):
        return 1 if bound < 0 and operator != "==" else None
    if operator == "==":
        return int(bound) if bound >= 1 and bound == int(bound) else None
    return max(1, math.floor(bound) + 1 if operator == ">" else math.ceil(bound))


def require_end(program: Program, cap: int | None) -> None:
    """Raises SpecError E0606 for a program that runs for ever and has no cap."""
    if cap is not None or can_stop(program):
        return
    has_stop = any(isinstance(s, Stop) for s in program.body)
    why = "its stop conditions are never true" if has_stop else "it has no `stop` statement"
    stops = [s for s in program.body if isinstance(s, Stop)]
    where = Label(stops[0].span, "never true") if stops else None
    message = f"`{program.name}` cannot stop, {why}: a simulation needs a cap on its steps"
    raise SpecError((Diagnostic("E0606", message, where, help="give --cap N, the largest number of steps of a run"),))


def chosen_model(program: Program, model: Model | str | None) -> Model:
    """The model to draw inputs from; None is the first one of the file.

    Raises SpecError: E0607 if the file has none, E0608 for a name it does not have, E0609 for a field without a law.
    """
    names = [m.name for m in program.models]
    if isinstance(model, str):
        if model not in names and names:
            near = did_you_mean(model, names)
            hint = f"did you mean `{near}`?" if near else "it has " + ", ".join(f"`{n}`" for n in names)
            raise SpecError((Diagnostic("E0608", f"`{program.name}` has no model `{model}`", help=hint),))
        model = next((m for m in program.models if m.name == model), None)
    if model is None and not program.models:
        fields = ", ".join(f"{i.name} ~ LAW" for i in program.inputs)
        message = f"`{program.name}` has no `model` statement: there is no law to draw its inputs from"
        remedy = f"add a line such as `model NAME: {fields}`, or give --data"
        raise SpecError((Diagnostic("E0607", message, help=remedy),))
    found = program.models[0] if model is None else model
    missing = [i.name for i in program.inputs if i.name not in dict(found.laws)]
    if missing:
        text = ", ".join(f"`{name}`" for name in missing)
        where = Label(found.span)
        raise SpecError((Diagnostic("E0609", f"model `{found.name}` has no law for {text}", where),))
    return found
