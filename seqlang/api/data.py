"""Runs and training on real rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from seqlang.api.specs import AnySpec, as_spec

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.backends.interpret.data.source import Data
    from seqlang.backends.montecarlo.simulate import EngineName
    from seqlang.backends.train import Rows
    from seqlang.results.results import Results
    from seqlang.results.run import DataResult
    from seqlang.results.train import TrainResult


def run_data(spec: AnySpec, data: Data, *, seed: int = 1, cap: int | None = None, **options: Any) -> DataResult:
    """Runs the spec once on real rows: a CSV or Parquet file, `sklearn:NAME`, or a data frame (pandas, polars, pyarrow,
    whatever offers Arrow's C stream or the interchange protocol); options as `seqlang run --data`: `columns` (field ->
    column), `where` (a list of conditions), `clip`, `skip`, `names`. Raises SpecError E0610 to E0620.

    >>> import math, pyarrow, seqlang
    >>> trial = pyarrow.table({"x": [0, 1, 1, 1, 0, 1, 1]})
    >>> found = seqlang.run_data("@wald1945/sprt", trial)
    >>> found
    <DataResult sprt on DataFrame: not stopped after 7 steps>
    >>> math.isclose(found.run.statistics["llr"], 3 * math.log(7 / 3))  # two 0 and five 1
    True
    """
    from seqlang import driver
    from seqlang.driver.given import whole

    loaded = as_spec(spec).loaded
    return driver.run_data(loaded, data, _reading(options), seed=whole(seed, "seed", 0), cap=whole(cap, "cap"))


def _reading(options: Mapping[str, Any]) -> Reading:
    """What `columns`, `where`, `clip`, `skip` and `names` say of a file."""
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.driver.given import whole

    return Reading.of(**{**options, "skip": whole(options.get("skip"), "skip", 0)})


def train(
    spec: AnySpec,
    data: Data | Rows | Mapping[str, Any],
    *,
    test: Data | Rows | Mapping[str, Any] | None = None,
    permutations: int | None = None,
    seed: int = 1,
    checkpoints: int = 1,
    cap: int | None = None,
    twin: bool = False,
    engine: EngineName = "auto",
    rows: tuple[int, int] | None = None,
    test_rows: tuple[int, int] | None = None,
    predict: str | None = None,
    truth: str | None = None,
    track: Mapping[str, str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> Results[TrainResult]:
    """Runs a spec on rows, in their order or in some random orders, and scores what it learns on the rows of `test`.

    `data` and `test` are CSV or Parquet files, `sklearn:NAME`, data frames, rows read before (`seqlang.rows`), or
    arrays by field: (rows,), vectors (rows, d).
    What else is given is as for `seqlang run --data`: `rows` and `test_rows` (counted from 1), `predict`, `truth`,
    `track` (name -> expression), and the options `columns`, `where`, `clip`, `skip`, `names`.
    `progress(what, done, of)` is called now and then.

    One result for the spec, and with `twin` one for the same spec without its noise: `.metrics` (accuracy, precision,
    recall, specificity, f1, mcc: mean, sd, se, ci95, n over the orders), `.curve` (the same at each checkpoint),
    `.frame()`, and `.run` with everything. The scores are computed without noise on the rows held out.

    >>> import seqlang
    >>> data = {"x": [[0.5, 0.1], [-0.5, 0.2], [0.4, 0.3], [-0.3, 0.1]] * 5, "y": [1, -1, 1, -1] * 5}
    >>> spec = seqlang.load("@bittner2020/private_sgd", d=2)
    >>> both = seqlang.train(spec, data, test_rows=(17, 20), twin=True)
    >>> both
    <Results of train, private_sgd: as written, without noise>
    >>> both["without noise"].metrics["accuracy"]["mean"]
    1.0
    """
    from seqlang import driver
    from seqlang.backends.train import Passes
    from seqlang.driver.given import whole
    from seqlang.results.results import Results

    def span(given: tuple[int, int] | None, name: str) -> tuple[int, int] | None:
        return None if given is None else (whole(given[0], name), whole(given[1], name))

    passes = Passes(
        whole(permutations, "permutations"), whole(seed, "seed", 0), whole(checkpoints, "checkpoints"),
        whole(cap, "cap"), engine,
    )  # fmt: skip
    found = driver.train(
        as_spec(spec).loaded, data, _reading(options), passes, test=test, rows=span(rows, "rows"),
        test_rows=span(test_rows, "test_rows"), predict=predict, truth=truth, track=track, twin=twin, tell=progress,
    )  # fmt: skip
    return Results(found)


def rows(spec: AnySpec, file: Data, *, tell: Callable[[int], None] | None = None, **options: Any) -> Rows:
    """The rows of a CSV or Parquet file, of `sklearn:NAME`, or of a data frame, as the spec's fields: `.fields[name]`
    is (rows,) or (rows, d), `.part(which)` some rows.

    Options `columns`, `where`, `clip`, `skip`, `names` as of `seqlang run --data`. `tell` gets the number of rows read.

    >>> import pyarrow, seqlang
    >>> found = seqlang.rows("@wald1945/sprt", pyarrow.table({"arm": ["a", "b", "a"], "x": [1, 0, 0]}), where=["arm=a"])
    >>> found.fields["x"].tolist()
    [1.0, 0.0]
    """
    from seqlang import driver

    return driver.rows(as_spec(spec).loaded, file, _reading(options), tell=tell)
