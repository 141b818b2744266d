"""Operating characteristics and expected steps along a parameter, exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.report.pictures.exact_laws import plot_curve
from seqlang.studio.jobs.pictures import with_pictures
from seqlang.studio.jobs.texts import loaded_of, models_of, values_of
from seqlang.sweeps.requested import requested


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`report`, `rows`, `pictures`, for `parameter` at `count` values `from` .. `to`."""
    loaded, name = loaded_of(argument), str(argument["parameter"])
    if name not in {p.name for p in loaded.program.parameters}:
        raise SpecError.of("E0601", f"there is no parameter `{name[:60]}`")
    found = requested(
        loaded, grid={name: values_of(argument)}, listed=(), models=models_of(argument, loaded), run=None, solve={},
        store=None, workers=1, cluster=None, progress=lambda done, rows: tell({"share": done / rows}),
    )  # fmt: skip
    answer = {"report": str(found), "rows": found.frame()}
    return with_pictures(answer, lambda file: plot_curve(found, file), tell)
