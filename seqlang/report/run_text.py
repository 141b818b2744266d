"""The reports of `run` as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.report.run_result import DataResult, RunResult


def run_report(result: RunResult) -> RenderableType:
    """One model: stopping steps, returns, reports, final statistics."""
    return Group(*_blocks(result))


def _blocks(result: RunResult) -> Iterator[RenderableType]:
    summary = result.to_dict()
    rate = summary["steps_per_second"]
    yield Text.assemble(
        (result.algorithm, "head"), " under ", (result.model, "head"),
        (f"   {summary['runs']:,} runs, seed {summary['seed']}, {summary['seconds']:.2f} s, {rate:,.0f} steps/s", "quiet"),
    )  # fmt: skip
    if summary.get("interrupted"):
        yield Text("  ! interrupted: these are the runs that were finished", style="doubt")
    if summary["unstopped"]:
        share = summary["unstopped"] / summary["runs"]
        yield Text(f"  ! {summary['unstopped']:,} runs ({share:.1%}) had not stopped at the cap of {summary['cap']} steps; "
                   "they count below with the steps they made", style="doubt")  # fmt: skip
    yield _steps(summary["steps"])
    if summary["returns"]:
        yield _returns(summary["returns"])
    if summary["reports"] or summary["statistics"]:
        yield _means(summary)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="quiet", pad_edge=False)
    for i, name in enumerate(columns):
        table.add_column(("  " if i == 0 else "") + name, justify="left" if i == 0 else "right")
    return table


def _steps(steps: dict[str, Any]) -> Table:
    table = _table("steps", "mean", "± se", "sd", "min", *(f"{float(q):.0%}" for q in steps["quantiles"]), "max")
    row = [shown(steps["mean"]), shown(steps["se"], 3), shown(steps["sd"], 4), str(steps["min"])]
    table.add_row("", *row, *(str(v) for v in steps["quantiles"].values()), str(steps["max"]))
    return table


def _returns(returns: dict[str, Any]) -> Table:
    table = _table("return", "probability", "95 % interval")
    for name, r in returns.items():
        low, high = r["ci95"]
        table.add_row("  " + name, shown(r["probability"], 5), f"{shown(low, 4)} .. {shown(high, 4)}")
    return table


def _means(summary: dict[str, Any]) -> Table:
    table = _table("mean of", "value", "± se", "")
    for name, r in summary["reports"].items():
        table.add_row("  " + name, shown(r["mean"], 5), shown(r["se"], 3), f"made in {r['probability']:.2%} of the runs")
    for name, s in summary["statistics"].items():
        if s is not None and isinstance(s["mean"], float):
            table.add_row("  " + name, shown(s["mean"], 5), shown(s["se"], 3), "final value")
    return table


def sweep_report(results: Sequence[RunResult], names: Sequence[str]) -> RenderableType:
    """A grid: one row a cell and model, the swept parameters first."""
    labels = list(dict.fromkeys(label for r in results for label in r.to_dict()["returns"]))
    table = _table(*names, "model", "mean steps", "± se", *(f"P({label})" for label in labels))
    for result in results:
        summary = result.to_dict()
        cells = [shown(result.parameters[n]) for n in names]
        probabilities = (summary["returns"].get(label, {}).get("probability") for label in labels)
        table.add_row(
            "  " + cells[0], *cells[1:], result.model, shown(summary["steps"]["mean"], 5), shown(summary["steps"]["se"], 3),
            *("-" if p is None else shown(p, 4) for p in probabilities),
        )  # fmt: skip
    return table


def data_report(result: DataResult) -> RenderableType:
    """One run on a file: a decision, or honestly none."""
    run = result.run
    lines = [Text.assemble((result.algorithm, "head"), f" on {result.file}", (f"   seed {run.seed}", "quiet"))]
    if run.stopped:
        answer = "" if run.result is None else f" and returned {_value(run.result)}"
        lines.append(Text(f"  stopped at step {run.step}{answer}", style="head"))
    else:
        lines.append(Text(f"  not stopped after {run.rows_used} rows: the data ended first", style="doubt"))
    lines.append(Text(f"  {run.rows_used} of {run.rows} rows were read", style="quiet"))
    shown_reports = run.reports[:20]
    lines += [Text(f"  step {s}: {name}" + ("" if v is True else f" = {_value(v)}")) for s, name, v in shown_reports]
    if len(run.reports) > len(shown_reports):
        lines.append(Text(f"  and {len(run.reports) - len(shown_reports)} more reports (--json lists all)", style="quiet"))
    return Group(*lines)


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return shown(float(value))
