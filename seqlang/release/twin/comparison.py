"""What discretising costs: the proved privacy, the error rates and the expected steps of a spec and of its twin."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, check, solve
from seqlang.proof.derivation import Derivation
from seqlang.record import record
from seqlang.results.check import CheckResult
from seqlang.results.solve import SolveResult
from seqlang.rules.computed import bound_up

LONGEST = 60.0
"""Seconds of CPU time for the check of each."""
MOST = 6
"""Returned values whose chances are compared."""


@record
class Row:
    """One number of both; None where it is not known."""

    what: str
    spec: float | None
    twin: float | None


@record
class Comparison:
    """`privacy` proved at most, in every notion in which one of both is bounded; `claims` with the verdicts on the twin
    of what it claims strongly; `laws` by model, where one of both is solved to its end; `unsolved` why not."""

    privacy: tuple[Row, ...]
    claims: tuple[tuple[str, str], ...]
    laws: tuple[Row, ...]
    unsolved: tuple[str, ...]

    @property
    def is_proved(self) -> bool:
        """Whether the twin makes a strong claim, and every one is proved."""
        return bool(self.claims) and all(verdict == "proved" for _, verdict in self.claims)


def compared(spec: Loaded, twin: Loaded) -> Comparison:
    """By `check` and `solve` of both texts. Of a spec that is its own twin only the claims."""
    two = check(twin, time_limit=LONGEST)
    claims = tuple((v.claim.text, v.verdict) for v in two.verdicts if v.claim.kind == "strong")
    if spec is twin:
        return Comparison((), claims, (), ())
    one = check(spec, time_limit=LONGEST)
    laws: list[Row] = []
    unsolved: list[str] = []
    for model in twin.program.models:
        solved: list[SolveResult | None] = []
        for loaded in (spec, twin):
            try:
                (result,) = solve(loaded, models=(model.name,))
            except SpecError as why:
                solved.append(None)
                unsolved.append(why.diagnostics[0].message)
                continue
            solved.append(result if result.resolved else None)
            if not result.resolved:
                which, steps = "spec" if loaded is spec else "twin", len(result.solution.table)
                unsolved.append(
                    f"after {steps:,} steps under {model.name} too many runs of the {which} have not stopped"
                )
        laws += _laws(model.name, *solved)
    return Comparison(tuple(_privacy(one, two)), claims, tuple(laws), tuple(unsolved))


def _privacy(one: CheckResult, two: CheckResult) -> Iterator[Row]:
    for what in ("pure", "zcdp", "dp"):
        a, b = (_bound(result, getattr(result.bounds, what)) for result in (one, two))
        if a is not None or b is not None:
            yield Row(f"dp at delta {float(one.delta):g}" if what == "dp" else what, a, b)


def _bound(result: CheckResult, derivation: Derivation | None) -> float | None:
    found = None if derivation is None else bound_up(result.program, derivation.conclusion)
    return None if found == float("inf") else found


def _laws(model: str, one: SolveResult | None, two: SolveResult | None) -> Iterator[Row]:
    found = [result for result in (one, two) if result is not None]
    names = list(dict.fromkeys(name for result in found for name in result.returns))
    for name in names[:MOST] if len(names) > 1 else ():
        a, b = (None if result is None else result.returns.get(name, 0.0) for result in (one, two))
        yield Row(f"P({name}) under {model}", a, b)
    if found:
        a, b = (None if result is None else result.expected_steps for result in (one, two))
        yield Row(f"E(step) under {model}", a, b)
