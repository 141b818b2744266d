"""Which levels the intervals have where nobody asks for one: those that go with the error that the test claims.

A program claims `probability(reject) <= alpha under null`. This is an error to one side: to reject, towards the
alternative. Two intervals go with it.

After the stop the level is 1 - 2 alpha, with alpha for each end: the null is excluded towards the alternative exactly
where its p-value is at most alpha. Let r be the chance to reject under the null, at most alpha by the claim.

- Where the test rejects, the p-value is at most r, as no acceptance is more extreme than a rejection. So each rejection
  excludes the null.
- Where it accepts, the p-value is above r. If r is below alpha, it may still be at most alpha. This has a chance of at
  most alpha - r under the null: P(p <= alpha) <= alpha, and all rejections are among these ends.

At all looks the level is 1 - alpha: the chance that the null is ever excluded is then at most alpha under the null, and
so is the chance that the p-value at all looks is ever at most alpha. Both are bounds on the same kind of error, from
two different martingales (`evidence.py`): one may exclude the null where the other does not.

Where ends for futility need not be heeded, the claim is about a model that says so (`under null_ignored`). The p-value
is the larger one of the rules that have the end, so that it is enough that alpha bounds r of each rule.
"""

from __future__ import annotations

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError
from seqlang.model.expression import Apply, Label
from seqlang.model.program import Claim, Program
from seqlang.results.monitor import Levels

USUAL = 0.95
"""Of intervals of a program that claims no error."""
REJECTED = Apply("probability", (Label("reject"),))


def levels_for(program: Program, null: str, asked: float | None) -> Levels:
    """`asked`: one level for all intervals, if somebody gave it. `null`: the name of its model."""
    alpha = claimed_alpha(program, null)
    if asked is not None:
        return Levels(asked, asked, alpha, "asked")
    if alpha is None:
        return Levels(USUAL, USUAL, None, "usual")
    return Levels(1 - alpha, 1 - 2 * alpha, alpha, "alpha")


def claimed_alpha(program: Program, null: str) -> float | None:
    """The chance to reject that the program claims at most, under the null and under all models in which what is
    private has the same laws; None where it claims none below 1/2."""
    private = {field.name for field in program.inputs if field.kind != "public"}

    def laws(model: str) -> list[object]:
        return [pair for pair in program.model(model).laws if pair[0] in private]

    alike = {model.name for model in program.models if laws(model.name) == laws(null)}
    bounds: dict[str, float] = {}
    for claim in program.claims:
        model = claim.model or null  # without a model it is about each of them
        bound = _bound(program, claim) if claim.expect is None and model in alike else None
        if bound is not None:
            bounds[model] = min(bound, bounds.get(model, 1.0))
    alpha = max(bounds.values(), default=0.0)
    return alpha if 0 < alpha < 0.5 else None


def _bound(program: Program, claim: Claim) -> float | None:
    """The number in `probability(reject) <= NUMBER`."""
    match claim.condition:
        case Apply("<=" | "<", (left, number)) | Apply(">=" | ">", (number, left)) if left == REJECTED:
            try:
                return float(Compiler(program).constant(number))
            except EvaluationError:
                return None
    return None
