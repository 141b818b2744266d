"""A sweep as a table: one row a cell and model, the parameters that vary first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.document.document import Block, Paragraph, Table, doubt, first_line, remark, row
from seqlang.report.numbers import shown, shown_chance, shown_down, shown_up
from seqlang.report.text.kinds import digits
from seqlang.results.solve import chance_interval
from seqlang.results.z_scores import return_scores, steps_score

if TYPE_CHECKING:
    from seqlang.results.sweep import SweepResult
from seqlang.results.sweep_row import SweepRow


def sweep_blocks(result: SweepResult) -> Iterator[Block]:
    """The table, and below it what its rows need to be read."""
    table = _table if result.simulated else _exact_table
    yield _headline(result)
    yield table(result.rows, result.names)
    yield from _remarks(result)


def _headline(result: SweepResult) -> Paragraph:
    """The spec, what varies, and what a row is made of."""
    models = list(dict.fromkeys(row.model for row in result.rows))
    under = f" under {models[0]}" if len(models) == 1 else f" under {len(models)} models"
    over = f" over {', '.join(result.names)}" if result.names else ""
    count = len(result.rows)
    parts = [f"{count:,} row" + ("" if count == 1 else "s")]
    runs = [row.run for row in result.rows if row.run is not None]
    if runs:
        each = _range([r["runs"] for r in runs])
        parts.append(f"{each} run{'' if each == '1' else 's'} each")
        parts.append(f"seed {_range([r['seed'] for r in runs], '')}")
        caps = {r["cap"] for r in runs} - {None}
        parts += [f"at most {_range(list(caps))} steps"] if caps else []
    if any(row.exact is not None for row in result.rows):
        parts.append("with exact values" if runs else "exact laws")
    return first_line(result.algorithm, over + under, ", ".join(parts))


def _range(values: Sequence[int], by: str = ",") -> str:
    """The one value, or the least and the largest."""
    low, high = f"{min(values):{by}}", f"{max(values):{by}}"
    return low if low == high else f"{low} to {high}"


def _cells(row: SweepRow, names: Sequence[str], labels: Sequence[str], exact: bool) -> list[str]:
    run = row.run or {}
    steps = [shown(run["steps"]["mean"], 5), _value(run["steps"]["se"], 3)]
    if exact:
        mean = None if row.exact is None else row.exact["expected_steps"]
        steps += [_value(mean, 7), _score(None if row.exact is None else steps_score(run, row.exact))]
    scores = {} if row.exact is None else return_scores(run, row.exact)
    chances = []
    for label in labels:
        found = run["returns"].get(label, {}).get("probability")
        chances.append("-" if found is None else shown_chance(found, 4))
        if exact:
            known = row.exact is not None and label in row.exact["returns"]
            exactly = digits(*chance_interval(row.exact or {}, label), 5) if known else "-"
            chances += [exactly, _score(scores.get(label))]
    return [*(shown(row.parameters[n]) for n in names), row.model, *steps, *chances]


def _counts(row: SweepRow, cut: bool, counted: bool) -> list[str]:
    run = row.run or {}
    left = [f"{run['unstopped']:,} of {run['runs']:,}"] if cut else []
    return [*left, f"{run['runs']:,}"] if counted else left


def _table(rows: Sequence[SweepRow], names: Sequence[str]) -> Table:
    labels = list(dict.fromkeys(label for r in rows for label in (r.run or {})["returns"]))
    exact = any(r.exact is not None or r.unsolved is not None for r in rows)
    cut = any((r.run or {})["unstopped"] for r in rows)  # their steps are cut short
    counted = len({(r.run or {})["runs"] for r in rows}) > 1
    beside = ("exact", "z") if exact else ()
    head = (*names, "model", "mean steps", "± se", *beside)
    head += tuple(word for label in labels for word in (f"P({label})", *beside))
    head += ("not stopped",) if cut else ()
    head += ("runs",) if counted else ()
    found = tuple(row(*_cells(r, names, labels, exact), *_counts(r, cut, counted)) for r in rows)
    return Table(head, found, "r" * len(names) + "l" + "r" * (len(head) - len(names) - 1))


def _exact_table(rows: Sequence[SweepRow], names: Sequence[str]) -> Table:
    labels = list(dict.fromkeys(label for r in rows for label in (r.exact or {"returns": {}})["returns"]))
    found = []
    for r in rows:
        exact = r.exact or {}
        mean, sd = exact["expected_steps"], exact["sd_steps"]
        between = exact.get("expected_steps_interval")
        expected = f"> {shown_down(exact['steps_so_far'], 5)}" if mean is None else _value(mean, 9)
        expected = expected if between is None else digits(between[0], between[1], 9)
        chances = (digits(*chance_interval(exact, label), 9) for label in labels)
        error = shown_up(exact["error_bound"] + exact["mass_unresolved"], 2)
        values = (shown(r.parameters[n]) for n in names)
        found.append(row(*values, r.model, expected, _value(sd, 6), *chances, error))
    head = (*names, "model", "expected steps", "sd", *(f"P({label})" for label in labels), "error")
    return Table(head, tuple(found), "r" * len(names) + "l" + "r" * (3 + len(labels)))


def _remarks(result: SweepResult) -> Iterator[Block]:
    for why in dict.fromkeys(r.unsolved for r in result.rows if r.unsolved is not None):
        yield doubt(f"no exact value: {why}")
    if any(r.exact is not None and r.run is not None and r.exact["expected_steps"] is None for r in result.rows):
        text = "no exact mean of the steps where too much mass is unresolved: `seqlang solve` of that row tells more"
        yield doubt(text)
    if any(r.exact is not None and r.run is not None and r.run["unstopped"] for r in result.rows):
        yield doubt("no z where runs were left at the cap: the exact law has none")
    until = [r.run["until_ci"] for r in result.rows if r.run is not None and "until_ci" in r.run]
    if until:
        text = "each row ended when its intervals were narrow enough: such intervals hold a little less often than 95 %"
        yield remark(text)
        if any(not u["reached"] for u in until):
            yield doubt("in some rows the runs ended before that")
    if result.missing:
        done = f"{len(result.rows)} of {len(result.rows) + result.missing} rows"
        yield doubt(f"interrupted: these are the {done} that were finished")


def _value(value: Any, digits: int) -> str:
    if value is None:
        return "-"
    return shown(math.inf if value == "inf" else float(value), digits)


def _score(z: float | None) -> str:
    return "-" if z is None else "∞" if math.isinf(z) else f"{z:+.2f}" if abs(z) >= 0.005 else "0.00"
