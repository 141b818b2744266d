"""The exact law of a spec."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from seqlang.diagnostics import SpecError
from seqlang.driver.contradicted import refuse
from seqlang.driver.loading import Loaded, shown_in
from seqlang.process.doing import doing
from seqlang.process.time_limit import OutOfTime, over
from seqlang.record import replace

if TYPE_CHECKING:
    from seqlang.results.solve import SolveResult


def solve(
    loaded: Loaded, *, models: tuple[str, ...] = (), tolerance: float = 1e-11, partly: bool = False
) -> tuple[SolveResult, ...]:
    """The exact law under the named models, or under every model of the file: one result a model, in file order.
    `partly`: where the time limit ends the work, the steps so far, of a law without quadrature.

    Raises SpecError E0623 where there is no exact law here; the remedy is `run`. Raises Contradicted where the law
    excludes what is known without it.
    """
    from seqlang.analyses.contradictions.law import law_contradictions
    from seqlang.analyses.operating.certain_law import certain_law
    from seqlang.analyses.operating.failing_steps import may_fail
    from seqlang.backends.montecarlo.stopping import chosen_model
    from seqlang.backends.solve import Unsolved
    from seqlang.backends.solve import solve as solved
    from seqlang.results.origin import Origin
    from seqlang.results.solve import SolveResult

    program = loaded.program
    failing = may_fail(program)
    values = {p.name: float(p.value) for p in program.parameters}
    results = []
    for chosen in models or tuple(m.name for m in program.models) or (None,):
        began = time.perf_counter()
        with shown_in(loaded.source):
            name = chosen_model(program, chosen).name
            doing("exact law")
            try:
                solution = solved(program, name, tolerance=tolerance, partly=partly)
            except Unsolved as why:
                message = f"`{program.name}` under {name} has no exact law here: {why}"
                remedy = f"`seqlang run {loaded.source.name}` estimates the same numbers by simulation"
                raise SpecError.of("E0623", message, help=remedy) from None
            sure = None
            with suppress(OutOfTime):
                if not over():
                    sure = certain_law(program, name)
        refuse(loaded, law_contradictions(program, name, solution))
        if failing is not None:
            note = f"a step may fail for some data, and the law is that of a run in which none does: {failing}"
            solution = replace(solution, notes=(*solution.notes, note))
        seconds = time.perf_counter() - began
        origin = Origin(loaded.source, program)
        results.append(SolveResult(program.name, name, values, solution, seconds, origin, sure))
    return tuple(results)
