"""Claims on operating characteristics: error rates, expected steps, whether it stops, from the exact law.

Both sides of the comparison are intervals that hold the true values: the solver's error bound, the mass that it has not
resolved, and rounding are all counted against the verdict.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TYPE_CHECKING, Literal

from seqlang.analyses.operating.almost_surely import surely_stops
from seqlang.analyses.operating.failing_steps import may_fail
from seqlang.analyses.operating.quantities import BeyondTheTable, Interval, Open, Values
from seqlang.analyses.operating.quantities import Watches as Watches
from seqlang.model import expression as e
from seqlang.model.program import Claim, Program
from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.backends.solve import Solution

Solve = Callable[[str, Watches, float], "Solution"]
"""The solution under a model, with these expressions watched, at a tolerance; raises Unsolved."""
TOLERANCES = (1e-8, 1e-11)
"""Asked of the exact law: the second where the first leaves the claim open."""


@record
class Decision:
    """What the exact law says of a claim under one model; `because` names the value and its bound."""

    verdict: Literal["proved", "refuted", "unknown"]
    because: str


def decide_operating(program: Program, claim: Claim, solve: Solve) -> Decision:
    """The verdict on `claim E [under M]`: without a model it speaks of every model of the file."""
    from seqlang.backends.solve import Unsolved

    models = (claim.model,) if claim.model is not None else tuple(m.name for m in program.models)
    if not models:
        return Decision("unknown", "there is no model to take it under")
    if (why_not := may_fail(program)) is not None:
        return Decision("unknown", f"a step may fail for some data, and no law tells of it: {why_not}")
    decisions = []
    for model in models:
        surely = surely_stops(program, claim, model)
        if surely is not None:
            decisions.append(Decision("proved", f"under {model}: {surely}"))
            continue
        try:
            decisions.append(_decide(program, claim, model, solve))
        except (Unsolved, Open) as why:
            decisions.append(Decision("unknown", f"no exact law under {model}: {why}; `seqlang run` estimates it"))
    refuted = [d for d in decisions if d.verdict == "refuted"]
    unknown = [d for d in decisions if d.verdict == "unknown"]
    if refuted:
        return refuted[0]
    return unknown[0] if unknown else Decision("proved", "; ".join(d.because for d in decisions))


def _decide(program: Program, claim: Claim, model: str, solve: Solve) -> Decision:
    condition = claim.condition
    assert isinstance(condition, e.Apply) and len(condition.arguments) == 2
    found = Decision("unknown", "")
    for tolerance in TOLERANCES:
        left, right = sides(program, condition, solve, model, tolerance)
        found = _compared(condition, model, left, right)
        if found.verdict != "unknown":
            break
    return found


def sides(
    program: Program, condition: e.Apply, solve: Solve, model: str, tolerance: float = TOLERANCES[0]
) -> tuple[Interval, Interval]:
    """Both sides of the comparison under the model, as intervals that hold their values. Raises Unsolved, Open."""
    try:
        return _sides(program, condition, solve, model, tolerance, False)
    except BeyondTheTable:
        return _sides(program, condition, solve, model, tolerance, True)


def _sides(
    program: Program, condition: e.Apply, solve: Solve, model: str, tolerance: float, steps: bool
) -> tuple[Interval, Interval]:
    watches = tuple(dict.fromkeys(_watched(condition, steps)))
    values = Values(program, model, solve(model, watches, tolerance), watches)
    left, right = (values.interval(side) for side in condition.arguments)
    return left, right


def _compared(condition: e.Apply, model: str, left: Interval, right: Interval) -> Decision:
    if condition.operator in (">=", ">"):
        holds, fails = left[0] - right[1], right[0] - left[1]
    else:
        holds, fails = right[0] - left[1], left[0] - right[1]
    strict = condition.operator in (">", "<")
    words = f"under {model}: {_words(condition.arguments[0], left)} against {_words(condition.arguments[1], right)}"
    if holds > 0 or (holds == 0 and not strict):
        return Decision("proved", words)
    if fails > 0 or (fails == 0 and strict):
        return Decision("refuted", words)
    return Decision("unknown", f"{words}: too close to tell, or too much mass is unresolved")


def _words(side: e.Expression, value: Interval) -> str:
    from seqlang.model.print import show_expression

    text, number = show_expression(side), between(*value)
    return text if number == f"= {text}" else f"{text} {number}"


def between(low: float, high: float) -> str:
    """An interval in words: the digits that both ends share, three to six; both ends where they share fewer."""
    if low == high:
        return f"= {low:.6g}"
    for digits in range(6, 2, -1):
        if f"{low:.{digits}g}" == f"{high:.{digits}g}":
            return f"= {low:.{digits}g}"
    if low == -inf or high == inf:
        return "is not known" if low == -inf and high == inf else (f">= {low:.6g}" if high == inf else f"<= {high:.6g}")
    return f"in [{low:.6g}, {high:.6g}]"


_FINAL = e.Local | e.Reported | e.CellValue | e.MemoryValue | e.Drawn | e.Field | e.Noised


def _watched(condition: e.Expression, steps: bool) -> list[e.Expression]:
    """Bodies of `probability` and `expected` that read more than the step and what is returned; with `steps` also
    those that read the step beside other things."""
    found = []
    for node in e.walk(condition):
        if isinstance(node, e.Apply) and node.operator in ("probability", "expected"):
            body = node.arguments[0]
            final = _FINAL | e.StepNumber if steps and body != e.StepNumber() else _FINAL
            if any(isinstance(part, final) for part in e.walk(body)):
                found.append(body)
    return found
