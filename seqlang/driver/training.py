"""Training on rows, and its scores on rows held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from seqlang.driver.loading import Loaded, shown_in
from seqlang.driver.questions import PREDICTED, RETURNED, TRUTH, has_noise, on_one_row, refused, tracked_as, training

if TYPE_CHECKING:
    from typing import TypeAlias

    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.backends.interpret.data.source import Data
    from seqlang.backends.train import Passes, Rows, Training
    from seqlang.results.train import TrainResult

    GivenRows: TypeAlias = Data | Rows | Mapping[str, Any]
    """A file, a data frame, rows read before, or arrays by field."""


def train(
    loaded: Loaded,
    data: GivenRows,
    reading: Reading,
    passes: Passes,
    *,
    test: GivenRows | None = None,
    rows: tuple[int, int] | None = None,
    test_rows: tuple[int, int] | None = None,
    predict: str | None = None,
    truth: str | None = None,
    track: Mapping[str, str] | None = None,
    twin: bool = False,
    tell: Callable[[str, int, int], None] | None = None,
) -> tuple[TrainResult, ...]:
    """Runs the spec on rows in one or many orders and scores what it learns on rows held out: one result for the spec,
    and with `twin` one for the same spec without its noise. See `seqlang.train`."""
    from seqlang.backends.train import train as trained
    from seqlang.backends.train.choose import chosen, question
    from seqlang.results.origin import Origin
    from seqlang.results.train import TrainResult

    with shown_in(loaded.source):
        scored = test is not None or test_rows is not None
        asked = dict(zip((PREDICTED, TRUTH), question(loaded.program, predict, truth), strict=True)) if scored else {}
        programs = trainings(loaded, asked, track or {}, twin)

        def read(given: GivenRows, what: str) -> Rows:
            telling = None if tell is None else lambda done: tell(f"reading {what}", done, 0)
            return _rows(loaded, given, what, reading, telling)

        whole = read(data, "rows")
        taken, held = chosen(whole, rows, test_rows)
        if test is not None:
            held = read(test, "rows held out")
        done = trained(programs, taken, held, passes, tell=tell)
    values = {p.name: float(p.value) for p in loaded.program.parameters}
    return tuple(
        TrainResult(
            algorithm=loaded.program.name,
            parameters=values,
            file=whole.name,
            rows=taken.count,
            test=None if held is None else held.name,
            test_rows=0 if held is None else held.count,
            predict=asked.get(PREDICTED),
            truth=asked.get(TRUTH),
            permutations=passes.permutations,
            seed=passes.seed,
            run=run_,
            origin=Origin(loaded.source, loaded.program),
        )
        for run_ in done
    )


def trainings(loaded: Loaded, asked: Mapping[str, str], track: Mapping[str, str], twin: bool) -> list[Training]:
    """The spec with what is tracked and what is asked of a row held out; with `twin` once more without its noise."""
    extra = {key: tracked_as(key, text) for key, text in track.items()}
    extra |= {key: on_one_row(loaded.program, key, text) for key, text in asked.items()}
    if TRUTH in extra and RETURNED in extra[TRUTH].text:
        raise refused(extra[TRUTH], "the truth of a row is no matter of what is returned")
    found = [training("as written", loaded, extra, noise=True)]
    return [*found, training("without noise", loaded, extra, noise=False)] if twin and has_noise(loaded) else found


def rows(
    loaded: Loaded,
    file: Data,
    reading: Reading,
    *,
    tell: Callable[[int], None] | None = None,
) -> Rows:
    """The rows of a file (CSV, Parquet, or `sklearn:NAME`) as the spec's fields, each in its domain."""
    with shown_in(loaded.source):
        return _rows(loaded, file, "rows", reading, tell)


def _rows(loaded: Loaded, given: GivenRows, what: str, reading: Reading, tell: Callable[[int], None] | None) -> Rows:
    from seqlang.backends.train import Rows, read_rows, rows_from_arrays

    if isinstance(given, Rows):
        return rows_from_arrays(loaded.program, given.fields, clip=reading.clip, name=given.name)
    if isinstance(given, Mapping):
        return rows_from_arrays(loaded.program, given, clip=reading.clip, name=what)
    return read_rows(loaded.program, given, reading, tell)
