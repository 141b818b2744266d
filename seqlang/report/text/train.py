"""The report of a training as people read it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.document.document import (
    Block,
    Document,
    Paragraph,
    Table,
    first_line,
    line,
    remark,
    row,
    table_of,
)
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.results.train import TrainResult


def train_document(results: Sequence[TrainResult]) -> Document:
    """The spec and its twin side by side: what was read, the scores, the learning curve."""
    first = results[0]
    read = sum(int(r.run.steps.sum()) for r in results)
    seconds = sum(r.run.seconds for r in results)
    orders = "in the file's order" if first.permutations is None else f"{first.permutations} random orders"
    rate = f", {read / max(seconds, 1e-9):,.0f} rows/s" if read > sum(len(r.run.steps) for r in results) else ""
    cost = f"{orders}, seed {first.seed}, {seconds:.2f} s{rate}"
    blocks: list[Block] = [first_line(first.algorithm, f" on {first.file}", cost)]
    blocks += map(remark, _what(first))
    for result in results:
        blocks += [Paragraph(line((f"! {text}", "doubt")), 2) for text in _doubts(result)]
    blocks.append(_reports(results))
    if first.run.scores is not None:
        blocks.append(_scores(results))
    if len(first.run.checkpoints) > 1:
        blocks.append(_curve(results))
    blocks += map(remark, _not_covered(first))
    return Document(tuple(blocks))


def _what(result: TrainResult) -> list[str]:
    found = [f"{result.rows:,} rows to train on"]
    if result.test_rows:
        found.append(
            f"{result.test_rows:,} rows of {result.test} held out: predicted is {result.predict}, "
            f"true is {result.truth}"
        )
    return found


def _doubts(result: TrainResult) -> list[str]:
    left = int((~result.run.stopped).sum())
    found = []
    if left:
        whose = "the run" if len(result.run.steps) == 1 else f"{left} of {len(result.run.steps)} runs"
        said = f"{result.variant}: {whose} had not stopped when the rows ended; what was begun has no effect"
        unscored = result.run.scores is not None and bool((result.run.scores.tp != result.run.scores.tp).any())
        found.append(said + (", nothing was returned, and nothing is scored" if unscored else ""))
    if result.run.why_interpreted:
        found.append(f"{result.variant}: run by the interpreter, which is slow: {result.run.why_interpreted}")
    return found


def _not_covered(result: TrainResult) -> list[str]:
    found = []
    runs = len(result.run.steps)
    if runs > 1:
        cut = ", cut to the range of a score" if result.run.scores is not None else ""
        found.append(f"intervals: Student's t for the mean of {runs} orders, {runs - 1} degrees of freedom{cut}")
        found.append(
            "the runs read the same rows: the guarantee of check is for one of them, and all together cost "
            f"{runs} times as much"
        )
    if result.test_rows:
        found.append("the scores are computed without noise: they are not private for the rows held out")
    return found


def _both(value: dict[str, Any], digits: int = 4) -> tuple[str, str]:
    if value["mean"] is None:
        return "-", ""
    if value["ci95"] is None:
        return shown(value["mean"], digits), ""
    low, high = value["ci95"]
    return shown(value["mean"], digits), f"{shown(low, 3)} .. {shown(high, 3)}"


def _reports(results: Sequence[TrainResult]) -> Table:
    from seqlang.results.train import spread

    head = ("mean number of", *(name for r in results for name in (r.variant, "95 % interval")))
    names = ["steps", *results[0].run.reports]
    rows = []
    for name in names:
        found = [spread(r.run.steps if name == "steps" else r.run.reports[name]) for r in results]
        rows.append(row(name, *(text for value in found for text in _both(value))))
    for name in results[0].run.tracked:
        found = [spread(r.run.tracked[name][-1]) for r in results]
        rows.append(row(f"{name}, at the end", *(text for value in found for text in _both(value))))
    return table_of(head, rows)


def _scores(results: Sequence[TrainResult]) -> Table:
    head = ("on rows held out", *(name for r in results for name in (r.variant, "95 % interval")))
    found = [r.metrics for r in results]
    rows = [
        row(name.upper() if name in ("f1", "mcc") else name, *(t for f in found for t in _both(f[name])))
        for name in found[0]
    ]
    return table_of(head, rows)


def _curve(results: Sequence[TrainResult]) -> Table:
    tracked = tuple(results[0].run.tracked)
    shown_ = (("accuracy",) if results[0].run.scores is not None else ()) + tracked
    columns = tuple(f"{name}, {r.variant}" for r in results for name in shown_)
    curves = [r.curve for r in results]
    rows = []
    for c, step in enumerate(results[0].run.checkpoints):
        cells = []
        for curve in curves:
            values = {**curve[c]["metrics"], **curve[c]["tracked"]}
            cells += [_both(values[name])[0] for name in shown_]
        rows.append(row(str(step), *cells))
    return table_of(("after step", *columns), rows)
