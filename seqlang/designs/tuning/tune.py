"""From a spec and its free parameters to the values at which its claims are proved and the objective is least."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf

from seqlang.designs.tuning.free import free_parameters
from seqlang.designs.tuning.objective import with_objective
from seqlang.designs.tuning.oracle import Oracle
from seqlang.designs.tuning.point import UNKNOWN, Point
from seqlang.designs.tuning.search import Frees, Tried, search
from seqlang.designs.tuning.written import with_defaults
from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, check, load
from seqlang.process.doing import doing
from seqlang.process.time_limit import OutOfTime, limited
from seqlang.results.tune import TunedClaim, TuneResult
from seqlang.source import Source

CHECK_LIMIT = 60.0
"""Seconds of CPU time for the check of what was found, whatever the search was allowed."""
INTERRUPT = "an interrupt"
"""What ended a search on Ctrl-C."""
BINDING = 1e-3
"""A constraint binds whose two sides differ by no more than this, relatively."""


def tune(loaded: Loaded, free: Sequence[str], minimise: str, *, time_limit: float | None = None) -> TuneResult:
    """The values of the `free` parameters at which every claim is proved that expects no other verdict, and `minimise`
    is least. The search begins at the values that the parameters have; `time_limit` (seconds of CPU time), like Ctrl-C,
    ends it with the best found so far. Raises SpecError: E0601, E0602 (what is asked for cannot be), E0623 (the
    objective has no exact law)."""
    began = time.perf_counter()
    frees = free_parameters(loaded.program, tuple(free))
    oracle = Oracle(with_objective(loaded, minimise), loaded.settings, tuple(free))
    tried = Tried(oracle)
    best, cut = searched(tried, frees, time_limit)
    start = next(iter(tried.points.values()), None)
    if best is None and tried.points and all(p.objective[1] == inf for p in tried.points.values()):
        message = f"`{loaded.program.name}` has no exact value of {minimise}: {oracle.why or 'no point was possible'}"
        raise SpecError.of("E0623", message, source=loaded.source)
    shown = best or tried.best
    values = {f.name: f.start for f in frees} if shown is None else shown.values
    text = with_defaults(loaded.source, {**loaded.settings, **values})
    doing("checking the claims")
    claims, ok = _checked(loaded, text, shown)
    return TuneResult(
        algorithm=loaded.program.name,
        parameters=dict(values),
        minimised=minimise,
        before=UNKNOWN if start is None else start.objective,
        after=UNKNOWN if shown is None else shown.objective,
        proved_before=start is not None and start.feasible,
        found=best is not None and ok,
        claims=claims,
        evaluations=len(tried.points),
        seconds=time.perf_counter() - began,
        cut_short=cut,
        spec=text,
    )


def searched(tried: Tried, frees: Frees, time_limit: float | None) -> tuple[Point | None, str | None]:
    """The best feasible point, and what ended the search early."""
    try:
        with limited(time_limit, forced=True):
            return search(tried, frees), None
    except KeyboardInterrupt as stop:
        cut = "the time limit" if isinstance(stop, OutOfTime) else INTERRUPT
    best = tried.best
    return (best if best is not None and best.feasible else None), cut


def _checked(loaded: Loaded, text: str, point: Point | None) -> tuple[tuple[TunedClaim, ...], bool]:
    """What `check` says of every claim of the written spec, and whether all are proved that should be."""
    result = check(load(Source(loaded.source.name, text)), time_limit=CHECK_LIMIT)
    excess = iter(() if point is None else point.excess)
    claims = []
    for verdict in result.verdicts:
        claim = verdict.claim
        over = next(excess, None) if claim.expect is None else None
        binds = over is not None and over > -BINDING
        claims.append(TunedClaim(claim.text, verdict.verdict, verdict.because, claim.expect, binds))
    return tuple(claims), all(c.verdict == "proved" for c in claims if c.expect is None)
