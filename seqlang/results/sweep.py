"""What a sweep found: one row a cell and model."""

from __future__ import annotations

from seqlang.record import record
from seqlang.results.shown import Shown, by_report
from seqlang.results.sweep_columns import Value, flat
from seqlang.results.sweep_row import Plain, SweepRow


@record
class SweepResult(Shown):
    """`names` are the parameters that vary, `missing` the number of rows that an interrupt left undone."""

    shown_by = "text.sweep:sweep_blocks"
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
        return [flat(row, self.names) for row in self.rows]

    def save(self, file: str) -> None:
        """Writes the frame to a `.csv` or `.parquet` file (the latter needs the extra `parquet`)."""
        by_report("writable:refuse_unwritable_table", file)
        by_report("table_file:write_table", self.frame(), file)

    def plot(self, file: str, x: str | None = None, y: str | None = None, colour: str | None = None) -> None:
        """Writes a picture: see `seqlang.report.pictures.sweep.plot_sweep` (needs the extra `plot`)."""
        by_report("pictures.sweep:plot_sweep", self, file, x, y, colour)
