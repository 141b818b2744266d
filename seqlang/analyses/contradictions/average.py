"""The average case: exact laws under a model against bounds for the worst case, and against verdicts on weak claims."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from seqlang.analyses.claims import Verdict
from seqlang.analyses.contradictions.contradiction import Contradiction, above
from seqlang.analyses.contradictions.upper import Upper, about, differ, said
from seqlang.model.program import Program
from seqlang.rules.average_case import not_on_average
from seqlang.rules.claims import longest_run

if TYPE_CHECKING:
    from seqlang.analyses.weak.summary import Curve, Least


def average_above_worst(program: Program, uppers: Iterable[Upper], weak: Sequence[Least]) -> Iterator[Contradiction]:
    """What holds for every stream holds on average, under models for which `rules/average_case` shows it; what is
    reached on average is reached in the worst case."""
    weak = [least for least in weak if not_on_average(program, least.model) is None]
    end = longest_run(program)
    for upper in uppers:
        if upper.horizon is not None and (end is None or end > upper.horizon):
            continue
        for least in weak:
            by = f"the exact law under {least.model}"
            if upper.notion == "pure" and above(least.pure.lower, upper.size):
                yield differ(upper, by, least.pure.lower)
            at_delta = upper.notion == "pure" or (upper.notion == "dp" and upper.delta <= float(least.delta))
            if at_delta and above(least.epsilon.lower, upper.size):
                yield differ(upper, by, least.epsilon.lower)


def weak_claims(
    program: Program, verdicts: Sequence[Verdict], weak: Sequence[Least], profiles: Sequence[Curve]
) -> Iterator[Contradiction]:
    """Verdicts on weak claims against the exact laws under the model that they name."""
    for verdict in verdicts:
        claim = verdict.claim
        bound = said(program, claim) if claim.kind == "weak" else None
        if bound is None or verdict.verdict == "unknown":
            continue
        for least in (w for w in weak if w.model == claim.model):
            yield from _against_least(verdict, bound, least)
        for curve in (c for c in profiles if c.model == claim.model):
            yield from _against_curve(verdict, bound, curve)


def _against_least(verdict: Verdict, said: Upper, least: Least) -> Iterator[Contradiction]:
    """A claim `per step` says less: it is proved more easily, and what refutes it refutes the other as well."""
    by, number = f"the exact law under {least.model}", float(least.delta)
    whole = not verdict.claim.per_step
    if said.notion == "dp" and verdict.verdict == "proved" and whole and said.delta <= number:
        if above(least.epsilon.lower, said.size):
            yield differ(said, by, least.epsilon.lower)
    elif said.notion == "dp" and verdict.verdict == "refuted" and number <= said.delta:
        if above(said.size, least.epsilon.bound):
            yield Contradiction(about(said), said.by, "refuted", by, f"at most {least.epsilon.bound:.10g}")
    elif said.notion == "pure" and verdict.verdict == "proved" and whole and above(least.pure.lower, said.size):
        yield differ(said, by, least.pure.lower)
    elif said.notion == "pure" and verdict.verdict == "refuted" and above(said.size, least.pure.bound):
        yield Contradiction(about(said), said.by, "refuted", by, f"at most {least.pure.bound:.10g}")


def _against_curve(verdict: Verdict, said: Upper, curve: Curve) -> Iterator[Contradiction]:
    if said.notion != "dp":
        return
    by = f"the profile under {curve.model}"
    worst = curve.per_step if verdict.claim.per_step else curve.arbitrary
    for epsilon, delta in zip(curve.epsilons, worst, strict=True):
        about = f"delta at epsilon {epsilon:.6g}"
        if verdict.verdict == "proved" and epsilon >= said.size and above(delta.lower, said.delta):
            yield Contradiction(about, said.by, f"at most {said.delta:.10g}", by, f"at least {delta.lower:.10g}")
        if verdict.verdict == "refuted" and epsilon <= said.size and above(said.delta, delta.bound):
            yield Contradiction(about, said.by, f"above {said.delta:.10g}", by, f"at most {delta.bound:.10g}")
