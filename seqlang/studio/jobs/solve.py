"""The exact law of the stopping step and the return."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from seqlang.driver import solve
from seqlang.report.pictures.exact_laws import plot_laws
from seqlang.studio.jobs.pictures import with_pictures
from seqlang.studio.jobs.texts import loaded_of, models_of

if TYPE_CHECKING:
    from seqlang.results.solve import SolveResult


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`report`: as text; `rows`: the law; `pictures`. Of `model`, or of all."""
    loaded = loaded_of(argument)
    results: list[SolveResult] = []
    models = models_of(argument, loaded)
    for place, name in enumerate(models or ("",)):
        results += solve(loaded, models=(name,) if name else ())
        tell({"share": (place + 1) / max(1, len(models))})
    rows = [{"model": one.model, **row} for one in results for row in one.frame()]
    answer = {"report": "\n\n".join(map(str, results)), "rows": rows}
    return with_pictures(answer, lambda file: plot_laws(results, file), tell)
