"""What a sweep found: one row a cell and model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seqlang.record import record
from seqlang.report.numbers import json_number
from seqlang.report.z_scores import return_scores, steps_score

if TYPE_CHECKING:
    from seqlang.report.document import Document
    from seqlang.report.sweep_columns import Value

Plain = dict[str, Any]


@record
class SweepRow:
    """`run` and `exact` are the JSON objects of `seqlang run` and `seqlang solve` (None: not asked for, or not done);
    `unsolved` says why there is no exact law."""

    parameters: Mapping[str, float]
    model: str
    run: Plain | None
    exact: Plain | None = None
    unsolved: str | None = None

    def to_dict(self) -> Plain:
        """That of the simulation; beside it, where it was asked for, the exact law as `exact`, and `z`, how far the
        estimates are from it in standard errors. Without a simulation that of the exact law alone."""
        if self.run is None:
            return dict(self.exact or {})
        found = dict(self.run)
        if self.exact is not None:
            found["exact"] = self.exact
            scores = {name: json_number(z) for name, z in return_scores(self.run, self.exact).items()}
            found["z"] = {"steps": json_number(steps_score(self.run, self.exact)), "returns": scores}
        elif self.unsolved is not None:
            found |= {"exact": None, "exact_why_not": self.unsolved}
        return found


@record
class SweepResult:
    """`names` are the parameters that vary, `missing` the number of rows that an interrupt left undone."""

    algorithm: str
    names: tuple[str, ...]
    rows: tuple[SweepRow, ...]
    missing: int = 0
    title: str = ""

    @property
    def heading(self) -> str:
        """Of a picture."""
        return f"{self.algorithm}: {self.title}" if self.title else self.algorithm

    @property
    def simulated(self) -> bool:
        """Whether there are estimates, and not exact values alone."""
        return any(row.run is not None for row in self.rows)

    def to_dict(self) -> Plain:
        """One JSON object with all rows."""
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "swept": list(self.names),
            "rows": [row.to_dict() for row in self.rows],
            "missing": self.missing,
        }

    def frame(self) -> list[dict[str, Value]]:
        """One row a cell and model, one value a column, no times. `pandas.DataFrame(result.frame())` takes it."""
        from seqlang.report.sweep_columns import flat

        return [flat(row, self.names) for row in self.rows]

    def save(self, file: str) -> None:
        """Writes the frame to a `.csv` or `.parquet` file (the latter needs the extra `parquet`)."""
        from seqlang.report.table_file import refuse_unwritable_table, write_table

        refuse_unwritable_table(file)
        write_table(self.frame(), file)

    def plot(self, file: str, x: str | None = None, y: str | None = None, colour: str | None = None) -> None:
        """Writes a picture: see `seqlang.report.sweep_plot.plot_sweep` (needs the extra `plot`)."""
        from seqlang.report.sweep_plot import plot_sweep

        plot_sweep(self, file, x, y, colour)

    def document(self) -> Document:
        """The report."""
        from seqlang.report.sweep_text import sweep_document

        return sweep_document(self)

    def __str__(self) -> str:
        from seqlang.report.plain import render_plain

        return render_plain(self.document())

    def _repr_html_(self) -> str:
        from seqlang.report.rich_document import as_html

        return as_html(self.document())
