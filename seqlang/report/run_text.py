"""The reports of `run` as people read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.document import Block, Document, Line, Paragraph, Table, line
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.report.run_result import DataResult, RunResult


def run_document(result: RunResult) -> Document:
    """One model: stopping steps, returns, reports, final statistics."""
    return Document(tuple(_blocks(result)))


def _blocks(result: RunResult) -> Iterator[Block]:
    summary = result.to_dict()
    rate = summary["steps_per_second"]
    yield Paragraph(
        line(
            (result.algorithm, "head"),
            f" under {result.model}",
            (
                f"   {summary['runs']:,} runs, seed {summary['seed']}, {summary['seconds']:.2f} s, {rate:,.0f} steps/s",
                "quiet",
            ),
        )
    )
    if summary.get("interrupted"):
        yield _warning("interrupted: these are the runs that were finished")
    if summary["unstopped"]:
        share = summary["unstopped"] / summary["runs"]
        left = "when it was interrupted" if summary.get("interrupted") else f"at the cap of {summary['cap']} steps"
        yield _warning(
            f"{summary['unstopped']:,} runs ({share:.1%}) had not stopped {left}; counted below with the steps made"
        )
    if result.samples.why_interpreted:
        yield _warning(f"run by the interpreter, which is slow: {result.samples.why_interpreted}")
    yield _steps(summary["steps"])
    if summary["returns"]:
        yield _returns(summary["returns"])
    if summary["reports"] or summary["statistics"]:
        yield _means(summary)


def _warning(text: str) -> Paragraph:
    return Paragraph(line(("! ", "doubt"), text), 2)


def _row(*cells: str) -> tuple[Line, ...]:
    return tuple(line(cell) for cell in cells)


def _table(head: tuple[str, ...], rows: list[tuple[Line, ...]]) -> Table:
    return Table(head, tuple(rows), "l" + "r" * (len(head) - 1))


def _steps(steps: dict[str, Any]) -> Table:
    head = ("steps", "mean", "± se", "sd", "min", *(f"{float(q):.0%}" for q in steps["quantiles"]), "max")
    numbers = (shown(steps["mean"]), shown(steps["se"], 3), shown(steps["sd"], 4), str(steps["min"]))
    return _table(head, [_row("", *numbers, *(str(v) for v in steps["quantiles"].values()), str(steps["max"]))])


def _returns(returns: dict[str, Any]) -> Table:
    rows = []
    for name, r in returns.items():
        low, high = r["ci95"]
        rows.append(_row(name, shown(r["probability"], 5), f"{shown(low, 4)} .. {shown(high, 4)}"))
    return _table(("return", "probability", "95 % interval"), rows)


def _means(summary: dict[str, Any]) -> Table:
    rows = []
    for name, r in summary["reports"].items():
        rows.append(_row(name, shown(r["mean"], 5), shown(r["se"], 3), f"made in {r['probability']:.2%} of the runs"))
    for name, s in summary["statistics"].items():
        if s is not None and isinstance(s["mean"], float):
            rows.append(_row(name, shown(s["mean"], 5), shown(s["se"], 3), "final value"))
    return _table(("mean of", "value", "± se", ""), rows)


def sweep_document(results: Sequence[RunResult], names: Sequence[str]) -> Document:
    """A grid: one row a cell and model, the swept parameters first."""
    labels = list(dict.fromkeys(label for r in results for label in r.to_dict()["returns"]))
    rows = []
    for result in results:
        summary = result.to_dict()
        found = (summary["returns"].get(label, {}).get("probability") for label in labels)
        chances = ("-" if p is None else shown(p, 4) for p in found)
        steps = (shown(summary["steps"]["mean"], 5), shown(summary["steps"]["se"], 3))
        rows.append(_row(*(shown(result.parameters[n]) for n in names), result.model, *steps, *chances))
    return Document((_table((*names, "model", "mean steps", "± se", *(f"P({label})" for label in labels)), rows),))


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
    for step, name, value in run.reports[:20]:
        blocks.append(Paragraph(line(f"step {step}: {name}" + ("" if value is True else f" = {_value(value)}")), 2))
    if len(run.reports) > 20:
        blocks.append(Paragraph(line((f"and {len(run.reports) - 20} more reports (--json lists all)", "quiet")), 2))
    return Document(tuple(blocks))


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return shown(float(value))
