"""Training on rows, and its scores on rows held out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from seqlang.driver.loading import Loaded, shown_in
from seqlang.driver.questions import PREDICTED, RETURNED, TRUTH, has_noise, on_one_row, refused, tracked_as, training

if TYPE_CHECKING:
    from seqlang.backends.montecarlo.simulate import EngineName
    from seqlang.backends.train import Rows
    from seqlang.results.train import TrainResult


def train(
    loaded: Loaded,
    data: str | Path | Rows | Mapping[str, Any],
    *,
    test: str | Path | Rows | Mapping[str, Any] | None = None,
    rows: tuple[int, int] | None = None,
    test_rows: tuple[int, int] | None = None,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    skip: int = 0,
    names: Sequence[str] | None = None,
    predict: str | None = None,
    truth: str | None = None,
    track: Mapping[str, str] | None = None,
    permutations: int | None = None,
    seed: int = 1,
    cap: int | None = None,
    checkpoints: int = 1,
    twin: bool = False,
    tell: Callable[[str, int, int], None] | None = None,
    engine: EngineName = "auto",
) -> tuple[TrainResult, ...]:
    """Runs the spec on rows in one or many orders and scores what it learns on rows held out: one result for the spec,
    and with `twin` one for the same spec without its noise. See `seqlang.train`."""
    from seqlang.backends.train import train as trained
    from seqlang.backends.train.choose import chosen, question
    from seqlang.results.train import TrainResult

    with shown_in(loaded.source):
        scored = test is not None or test_rows is not None
        asked = dict(zip((PREDICTED, TRUTH), question(loaded.program, predict, truth), strict=True)) if scored else {}
        extra = {key: tracked_as(key, text) for key, text in (track or {}).items()}
        extra |= {key: on_one_row(loaded.program, key, text) for key, text in asked.items()}
        if TRUTH in extra and RETURNED in extra[TRUTH].text:
            raise refused(extra[TRUTH], "the truth of a row is no matter of what is returned")
        trainings = [training("as written", loaded, extra, noise=True)]
        if twin and has_noise(loaded):
            trainings.append(training("without noise", loaded, extra, noise=False))

        def read(given: str | Path | Rows | Mapping[str, Any], what: str) -> Rows:
            telling = None if tell is None else lambda done: tell(f"reading {what}", done, 0)
            return _rows(loaded, given, what, columns, where, clip, skip, names, telling)

        whole = read(data, "rows")
        taken, held = chosen(whole, rows, test_rows)
        if test is not None:
            held = read(test, "rows held out")
        done = trained(
            trainings, taken, held, permutations=permutations, seed=seed, checkpoints=checkpoints, cap=cap, tell=tell,
            engine=engine,
        )  # fmt: skip
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
            permutations=permutations,
            seed=seed,
            run=run_,
        )
        for run_ in done
    )


def rows(
    loaded: Loaded,
    file: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    skip: int = 0,
    names: Sequence[str] | None = None,
    tell: Callable[[int], None] | None = None,
) -> Rows:
    """The rows of a file (CSV, Parquet, or `sklearn:NAME`) as the spec's fields, each in its domain."""
    with shown_in(loaded.source):
        return _rows(loaded, file, "rows", columns, where, clip, skip, names, tell)


def _rows(
    loaded: Loaded,
    given: str | Path | Rows | Mapping[str, Any],
    what: str,
    columns: Mapping[str, str] | None,
    where: Sequence[str],
    clip: bool,
    skip: int,
    names: Sequence[str] | None,
    tell: Callable[[int], None] | None,
) -> Rows:
    from seqlang.backends.interpret.data.layout import Layout
    from seqlang.backends.train import Rows, read_rows, rows_from_arrays

    if isinstance(given, Rows):
        return rows_from_arrays(loaded.program, given.fields, clip=clip, name=given.name)
    if isinstance(given, Mapping):
        return rows_from_arrays(loaded.program, given, clip=clip, name=what)
    layout = Layout(skip, None if names is None else tuple(names))
    return read_rows(loaded.program, given, columns=columns, where=where, clip=clip, layout=layout, tell=tell)
