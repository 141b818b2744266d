"""The reports of `run` as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlang.report.document.document import (
    Block,
    Line,
    Paragraph,
    Table,
    doubt,
    first_line,
    line,
    remark,
    row,
    table_of,
)
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.results.run import DataResult, RunResult


def run_blocks(result: RunResult) -> Iterator[Block]:
    """One model: stopping steps, returns, reports, final statistics."""
    summary = result.to_dict()
    seconds = f"{summary['seconds']:.2f} s{_prepared(summary)}, {summary['steps_per_second']:,.0f} steps/s"
    how = f"{_runs(summary['runs'])}, seed {summary['seed']}, {seconds}"
    yield first_line(result.algorithm, f" under {result.model}", how)
    if summary.get("interrupted"):
        yield doubt("interrupted: these are the runs that were made")
    if summary["unstopped"]:
        share = summary["unstopped"] / summary["runs"]
        left = "when it was interrupted" if summary.get("interrupted") else f"at the cap of {summary['cap']} steps"
        yield doubt(
            f"{_runs(summary['unstopped'])} ({share:.1%}) had not stopped {left}; counted below with the steps made"
        )
    if result.samples.why_interpreted:
        yield doubt(f"run by the interpreter, which is slow: {result.samples.why_interpreted}")
    if "until_ci" in summary:
        yield _until(summary["until_ci"], summary["runs"])
    yield _steps(summary["steps"])
    if summary["returns"]:
        yield _returns(summary["returns"])
    value = summary.get("return_value")
    if value is not None and isinstance(value["mean"], float) and not _tabulated(summary["returns"]):
        yield _returned_number(value)
    binned = [v["quantiles_within"] for v in (summary["steps"], value) if v is not None and "quantiles_within" in v]
    if binned:
        yield remark(f"quantiles to {binned[0]:.1%}: there are very many different values")
    means = _means(summary)
    if means.rows:
        yield means


_COORDINATES = 6
"""Of a returned vector, so many are shown."""
_JUDGED = {
    "returns": "the 95 % interval of every return",
    "return_value": "the 95 % interval of the mean returned number",
    "steps": "the 95 % interval of the mean steps, relative to the mean,",
}


def _until(until: dict[str, Any], runs: int) -> Paragraph:
    """How it ended, and that the end was chosen by what was seen."""
    what, width = _JUDGED[until["of"]], shown(until["width"], 4)
    looks = f"{until['looks']} look" + ("s" if until["looks"] > 1 else "")
    if not until["reached"]:
        return doubt(f"{what} is not yet at most {width} wide after {_runs(runs)} and {looks}")
    text = f"{what} is at most {width} wide after {runs:,} runs and {looks}. This is itself a stopping rule: intervals"
    return remark(f"{text} at a chosen end hold a little less often than 95 %")


def _prepared(summary: dict[str, Any]) -> str:
    """The rate is that of the rest of the time."""
    seconds = summary.get("seconds_preparing", 0.0)
    return f" ({seconds:.2f} s of them to compile)" if seconds >= 0.05 else ""


def _runs(count: int) -> str:
    return f"{count:,} run" + ("" if count == 1 else "s")


def _error(value: float | str | None) -> str:
    return "" if value is None else shown(float(value), 3)  # JSON's "inf" is a number too


def _table(head: tuple[str, ...], rows: list[tuple[Line, ...]]) -> Table:
    """Columns without a word or number in any row are left out."""
    rest = [i for i in range(1, len(head)) if any(r[i] for r in rows)]
    kept = [(r[0], *(r[i] for i in rest)) for r in rows]
    return table_of((head[0], *(head[i] for i in rest)), kept)


def _steps(steps: dict[str, Any]) -> Table:
    head = ("steps", "mean", "± se", "sd", "min", *(f"{float(q):.0%}" for q in steps["quantiles"]), "max")
    numbers = (
        shown(steps["mean"]),
        _error(steps["se"]),
        "" if steps["sd"] is None else shown(steps["sd"], 4),
        str(steps["min"]),
    )
    return _table(head, [row("", *numbers, *(str(v) for v in steps["quantiles"].values()), str(steps["max"]))])


def _tabulated(returns: dict[str, Any]) -> bool:
    """Whether the returned numbers stand in the table of returns."""
    return any(name[0] in "-+.0123456789" for name in returns)


def _returned_number(value: dict[str, Any]) -> Table:
    marks = value["quantiles"]
    head = ("returned", "mean", "± se", "sd", "min", *(f"{float(q):.0%}" for q in marks), "max")
    sd = "" if value["sd"] is None else _value(value["sd"])
    numbers = (shown(float(value["mean"])), _error(value["se"]), sd, _value(value["min"]))
    return _table(head, [row("", *numbers, *(_value(v) for v in marks.values()), _value(value["max"]))])


def _returns(returns: dict[str, Any]) -> Table:
    rows = []
    for name, r in returns.items():
        low, high = r["ci95"]
        digits = _digits(low, high)
        interval = f"{shown(low, digits)} .. {shown(high, digits)}"
        rows.append(row(name, shown(r["probability"], max(5, digits)), interval))
    return _table(("return", "probability", "95 % interval"), rows)


def _digits(low: float, high: float) -> int:
    """As many as tell the ends of an interval apart, at least four."""
    return 4 if not 0 < high - low < high else max(4, 1 + math.ceil(math.log10(high / (high - low))))


def _means(summary: dict[str, Any]) -> Table:
    rows = []
    for name, r in summary["reports"].items():
        rows.append(row(name, shown(r["mean"], 5), _error(r["se"]), f"made in {r['probability']:.2%} of the runs"))
        last = r.get("last_value")
        if last is not None and isinstance(last["mean"], float | str):
            rows.append(row(name, shown(float(last["mean"]), 5), _error(last["se"]), "last value released"))
    value = summary.get("return_value")
    if value is not None and isinstance(value["mean"], list):
        for place, (mean, se) in enumerate(list(zip(value["mean"], value["se"], strict=True))[:_COORDINATES], start=1):
            if isinstance(mean, float | str):
                rows.append(row(f"return[{place}]", shown(float(mean), 5), _error(se), "returned"))
        if len(value["mean"]) > _COORDINATES:
            rows.append(row("..", "", "", f"{len(value['mean'])} coordinates (--json lists all)"))
    for name, s in summary["statistics"].items():
        if s is not None and isinstance(s["mean"], float | str):
            rows.append(row(name, shown(float(s["mean"]), 5), _error(s["se"]), "final value"))
    return _table(("mean of", "value", "± se", ""), rows)


def data_blocks(result: DataResult) -> Iterator[Block]:
    """One run on a file: a decision, or honestly none."""
    run = result.run
    yield first_line(result.algorithm, f" on {result.file}", f"seed {run.seed}")
    if run.stopped:
        answer = "" if run.result is None else f" and returned {_value(run.result)}"
        yield Paragraph(line((f"stopped at step {run.step}{answer}", "head")), 2)
    else:
        yield Paragraph(line((f"not stopped after {run.rows_used} rows: the data ended first", "doubt")), 2)
    yield remark(f"{run.rows_used} of {run.rows} rows were read")
    if run.left_out:
        yield remark(f"left out, as the file lacks a field that only they read: {', '.join(run.left_out)}")
    for step, name, value in run.reports[:20]:
        yield Paragraph(line(f"step {step}: {name}" + ("" if value is True else f" = {_value(value)}")), 2)
    if len(run.reports) > 20:
        yield remark(f"and {len(run.reports) - 20} more reports (--json lists all)")


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return shown(float(value))
