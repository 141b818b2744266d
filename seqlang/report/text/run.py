"""The reports of `run` as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from seqlang.report.document.document import Block, Document, Line, Paragraph, Table, line
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.results.run import DataResult, RunResult


def run_document(result: RunResult) -> Document:
    """One model: stopping steps, returns, reports, final statistics."""
    return Document(tuple(_blocks(result)))


def _blocks(result: RunResult) -> Iterator[Block]:
    summary = result.to_dict()
    seconds = f"{summary['seconds']:.2f} s{_prepared(summary)}, {summary['steps_per_second']:,.0f} steps/s"
    yield Paragraph(
        line(
            (result.algorithm, "head"),
            f" under {result.model}",
            (
                f"   {_runs(summary['runs'])}, seed {summary['seed']}, {seconds}",
                "quiet",
            ),
        )
    )
    if summary.get("interrupted"):
        yield _warning("interrupted: these are the runs that were made")
    if summary["unstopped"]:
        share = summary["unstopped"] / summary["runs"]
        left = "when it was interrupted" if summary.get("interrupted") else f"at the cap of {summary['cap']} steps"
        yield _warning(
            f"{_runs(summary['unstopped'])} ({share:.1%}) had not stopped {left}; counted below with the steps made"
        )
    if result.samples.why_interpreted:
        yield _warning(f"run by the interpreter, which is slow: {result.samples.why_interpreted}")
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
        yield Paragraph(line((f"quantiles to {binned[0]:.1%}: there are very many different values", "quiet")), 2)
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
        return _warning(f"{what} is not yet at most {width} wide after {_runs(runs)} and {looks}")
    text = f"{what} is at most {width} wide after {runs:,} runs and {looks}. This is itself a stopping rule: intervals"
    return Paragraph(line((f"{text} at a chosen end hold a little less often than 95 %", "quiet")), 2)


def _prepared(summary: dict[str, Any]) -> str:
    """The rate is that of the rest of the time."""
    seconds = summary.get("seconds_preparing", 0.0)
    return f" ({seconds:.2f} s of them to compile)" if seconds >= 0.05 else ""


def _runs(count: int) -> str:
    return f"{count:,} run" + ("" if count == 1 else "s")


def _warning(text: str) -> Paragraph:
    return Paragraph(line(("! ", "doubt"), text), 2)


def _row(*cells: str) -> tuple[Line, ...]:
    return tuple(line(cell) for cell in cells)


def _error(value: float | str | None) -> str:
    return "" if value is None else shown(float(value), 3)  # JSON's "inf" is a number too


def _table(head: tuple[str, ...], rows: list[tuple[Line, ...]]) -> Table:
    """Columns without a word or number in any row are left out."""
    rest = [i for i in range(1, len(head)) if any(row[i] for row in rows)]
    kept = [(row[0], *(row[i] for i in rest)) for row in rows]
    return Table((head[0], *(head[i] for i in rest)), tuple(kept), "l" + "r" * len(rest))


def _steps(steps: dict[str, Any]) -> Table:
    head = ("steps", "mean", "± se", "sd", "min", *(f"{float(q):.0%}" for q in steps["quantiles"]), "max")
    numbers = (
        shown(steps["mean"]),
        _error(steps["se"]),
        "" if steps["sd"] is None else shown(steps["sd"], 4),
        str(steps["min"]),
    )
    return _table(head, [_row("", *numbers, *(str(v) for v in steps["quantiles"].values()), str(steps["max"]))])


def _tabulated(returns: dict[str, Any]) -> bool:
    """Whether the returned numbers stand in the table of returns."""
    return any(name[0] in "-+.0123456789" for name in returns)


def _returned_number(value: dict[str, Any]) -> Table:
    marks = value["quantiles"]
    head = ("returned", "mean", "± se", "sd", "min", *(f"{float(q):.0%}" for q in marks), "max")
    sd = "" if value["sd"] is None else _value(value["sd"])
    numbers = (shown(float(value["mean"])), _error(value["se"]), sd, _value(value["min"]))
    return _table(head, [_row("", *numbers, *(_value(v) for v in marks.values()), _value(value["max"]))])


def _returns(returns: dict[str, Any]) -> Table:
    rows = []
    for name, r in returns.items():
        low, high = r["ci95"]
        digits = _digits(low, high)
        interval = f"{shown(low, digits)} .. {shown(high, digits)}"
        rows.append(_row(name, shown(r["probability"], max(5, digits)), interval))
    return _table(("return", "probability", "95 % interval"), rows)


def _digits(low: float, high: float) -> int:
    """As many as tell the ends of an interval apart, at least four."""
    return 4 if not 0 < high - low < high else max(4, 1 + math.ceil(math.log10(high / (high - low))))


def _means(summary: dict[str, Any]) -> Table:
    rows = []
    for name, r in summary["reports"].items():
        rows.append(_row(name, shown(r["mean"], 5), _error(r["se"]), f"made in {r['probability']:.2%} of the runs"))
        last = r.get("last_value")
        if last is not None and isinstance(last["mean"], float | str):
            rows.append(_row(name, shown(float(last["mean"]), 5), _error(last["se"]), "last value released"))
    value = summary.get("return_value")
    if value is not None and isinstance(value["mean"], list):
        for place, (mean, se) in enumerate(list(zip(value["mean"], value["se"], strict=True))[:_COORDINATES], start=1):
            if isinstance(mean, float | str):
                rows.append(_row(f"return[{place}]", shown(float(mean), 5), _error(se), "returned"))
        if len(value["mean"]) > _COORDINATES:
            rows.append(_row("..", "", "", f"{len(value['mean'])} coordinates (--json lists all)"))
    for name, s in summary["statistics"].items():
        if s is not None and isinstance(s["mean"], float | str):
            rows.append(_row(name, shown(float(s["mean"]), 5), _error(s["se"]), "final value"))
    return _table(("mean of", "value", "± se", ""), rows)


def data_document(result: DataResult) -> Document:
    """One run on a file: a decision, or honestly none."""
    run = result.run
    blocks = [Paragraph(line((result.algorithm, "head"), f" on {result.file}", (f"   seed {run.seed}", "quiet")))]
    if run.stopped:
        answer = "" if run.result is None else f" and returned {_value(run.result)}"
        blocks.append(Paragraph(line((f"stopped at step {run.step}{answer}", "head")), 2))
    else:
        blocks.append(Paragraph(line((f"not stopped after {run.rows_used} rows: the data ended first", "doubt")), 2))
    blocks.append(Paragraph(line((f"{run.rows_used} of {run.rows} rows were read", "quiet")), 2))
    if run.left_out:
        names = ", ".join(run.left_out)
        blocks.append(
            Paragraph(line((f"left out, as the file lacks a field that only they read: {names}", "quiet")), 2)
        )
    for step, name, value in run.reports[:20]:
        blocks.append(Paragraph(line(f"step {step}: {name}" + ("" if value is True else f" = {_value(value)}")), 2))
    if len(run.reports) > 20:
        blocks.append(Paragraph(line((f"and {len(run.reports) - 20} more reports (--json lists all)", "quiet")), 2))
    return Document(tuple(blocks))


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return shown(float(value))
