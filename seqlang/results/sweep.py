"""What a sweep found: one row a cell and model."""

from __future__ import annotations

from typing import Any

from seqlang.record import field, record
from seqlang.results.sweep_columns import Value, flat
from seqlang.results.sweep_row import Plain, SweepRow
from seqlang.shown import Drawn, by_report, draw
from seqlang.source import Source


@record
class SweepResult(Drawn):
    """`names` are the parameters that vary, `missing` the number of rows that an interrupt left undone."""

    shown_by = "text.sweep:sweep_blocks"
    drawn_by = "pictures.sweep:plot_sweeps"
    algorithm: str
    names: tuple[str, ...]
    rows: tuple[SweepRow, ...]
    missing: int = 0
    title: str = ""
    source: Source | None = field(default=None, compare=False)

    @property
    def summary(self) -> str:
        over = ", ".join(self.names)
        return f"{self.algorithm}: {len(self.rows)} rows{f' over {over}' if over else ''}"

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

    def plot(
        self,
        file: str | None = None,
        x: str | None = None,
        y: str | None = None,
        colour: str | None = None,
        *,
        style: str | None = None,
        size: tuple[float, float] | None = None,
    ) -> Any:
        """As `plot` of other results. `x` (default: the first parameter that varies) and `y` are parameters, labels
        (also `P(label)`), statistics, reports, `steps` or `returned`; between two parameters there is a map, with the
        `colour` of a quantity. Where there are exact values alone and one parameter varies, the default is the
        operating characteristic. Raises SpecError E0644 for an axis that there is not."""
        return draw((self,), file, style, size, x=x, y=y, colour=colour)
