"""Which rows of a sweep make a line, or a cloud of points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from seqlang.diagnostics import SpecError
from seqlang.record import record
from seqlang.report.numbers import shown
from seqlang.report.pictures.quantities import Quantity

if TYPE_CHECKING:
    from seqlang.results.sweep import SweepResult
    from seqlang.results.sweep_row import SweepRow

MOST = 12
"""Lines, or kinds of points, that can be told apart."""

Groups = dict[tuple[str, str], list["SweepRow"]]


@record
class Grouped:
    """`groups`: (the other parameters in words, model) -> rows. `cloud`: other parameters differ within a group too,
    those in `within`, so that no line joins its points."""

    groups: Groups
    cloud: bool
    within: tuple[str, ...] = ()


def grouped(result: SweepResult, axes: Sequence[Quantity]) -> Grouped:
    """The rows by what else varies than the axes. Between two quantities a line follows the last parameter that varies,
    and in a list of cases also those that move together with what it follows, such as two thresholds that are equal.
    Where a list of cases leaves too many groups, the parameters with the most values are passed over. Raises SpecError
    E0644 for more lines than can be told apart."""
    on_axes = {q.name for q in axes if q.kind == "parameter"}
    followed = () if on_axes else result.names[-1:]
    values = {
        n: len({row.parameters[n] for row in result.rows}) for n in result.names if n not in {*on_axes, *followed}
    }
    others = [name for name, count in values.items() if count > 1]
    for parameter in followed:
        others = _apart(result, others, parameter)
    groups = _by(result.rows, others)
    if len(groups) <= MOST:
        return Grouped(groups, False)
    if all(len(rows) > 1 for rows in groups.values()):
        message = f"a picture with {len(groups)} lines cannot be read (at most {MOST})"
        raise SpecError.of("E0644", message, help="vary fewer parameters or models, or put two of them on --x and --y")
    within: list[str] = []
    while len(groups) > MOST and others:
        within.append(max(others, key=lambda name: values[name]))
        others.remove(within[-1])
        groups = _by(result.rows, others)
    return Grouped(groups, True, tuple(within))


def _apart(result: SweepResult, others: Sequence[str], followed: str) -> list[str]:
    """Of the other parameters those that tell lines apart: not those of which each value goes with one value of the
    parameter that a line follows, and the other way round, on every line."""
    kept = list(others)
    for name in reversed(others):
        rest = [one for one in kept if one != name]
        if _together(_by(result.rows, rest), name, followed):
            kept = rest
    return kept


def _together(groups: Groups, name: str, followed: str) -> bool:
    """Whether two parameters determine each other within each group, and vary there in one group at least."""
    several = False
    for rows in groups.values():
        pairs = {(row.parameters[name], row.parameters[followed]) for row in rows}
        sizes = {len(pairs), *(len({pair[i] for pair in pairs}) for i in (0, 1))}
        if len(sizes) > 1:
            return False
        several |= len(pairs) > 1
    return several


def _by(rows: Sequence[SweepRow], names: Sequence[str]) -> Groups:
    groups: Groups = {}
    for row in rows:
        words = ", ".join(f"{name} = {shown(row.parameters[name])}" for name in names)
        groups.setdefault((words, row.model), []).append(row)
    return groups
