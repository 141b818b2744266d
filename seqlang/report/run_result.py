"""What a simulation under one model found, and what one run on real data did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from seqlang.backends.interpret.data import DataRun
from seqlang.backends.simulate import Samples
from seqlang.record import record
from seqlang.report.numbers import json_number

if TYPE_CHECKING:
    from seqlang.report.document import Document


@record
class RunResult:
    """`parameters` are the values of this cell of a sweep; `samples` is what the runs found."""

    algorithm: str
    parameters: Mapping[str, float]
    samples: Samples

    @property
    def model(self) -> str:
        """The model that the data came from."""
        return self.samples.model

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang run --json`, schema 1."""
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "parameters": {name: json_number(value) for name, value in self.parameters.items()},
            **self.samples.summary(),
            "metrics": {},
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row a run: run, model, steps, stopped, return, statistics, reports; `pandas.DataFrame(result.frame())`
        makes a data frame of it. Of very many runs `samples.rows()` gives the same one by one."""
        return list(self.samples.rows())

    def document(self) -> Document:
        """The report."""
        from seqlang.report.run_text import run_document

        return run_document(self)

    def __str__(self) -> str:
        from seqlang.report.plain import render_plain

        return render_plain(self.document())

    def _repr_html_(self) -> str:
        from seqlang.report.rich_document import as_html

        return as_html(self.document())


@record
class DataResult:
    """One run of a spec on a real stream."""

    algorithm: str
    file: str
    run: DataRun

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang run --data --json`."""
        return {"schema": 1, "algorithm": self.algorithm, "file": self.file, **self.run.to_dict()}

    def document(self) -> Document:
        """The report."""
        from seqlang.report.run_text import data_document

        return data_document(self)

    def __str__(self) -> str:
        from seqlang.report.plain import render_plain

        return render_plain(self.document())

    def _repr_html_(self) -> str:
        from seqlang.report.rich_document import as_html

        return as_html(self.document())
