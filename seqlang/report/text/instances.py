"""The per-instance view as people read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.report.document.document import (
    Block,
    Heading,
    Line,
    Paragraph,
    Table,
    doubt,
    first_line,
    line,
    row,
    table_of,
)
from seqlang.report.numbers import shown

if TYPE_CHECKING:
    from seqlang.analyses.instances import Instance, Instances
    from seqlang.analyses.instances.result import Group, Worst

MOST_STREAMS = 10
"""Streams that get a row of their own: those with the largest losses."""


def instances_blocks(result: Instances) -> Iterator[Block]:
    """Quantiles over the streams, the loss by position and by stopping step, the worst neighbours."""
    about = f" on {len(result.instances)} streams drawn from {result.model}, each against all its neighbours"
    yield first_line(result.algorithm, about, f"seed {result.seed}, {result.seconds:.2f} s")
    if result.interrupted:
        yield doubt("interrupted: these are the streams that were finished")
    for note in result.notes:
        yield doubt(note)
    if not result.instances:
        return
    yield Heading("Quantiles over the streams")
    yield _quantiles(result)
    yield Heading("Neighbours that differ at one position")
    yield _positions(result)
    yield Heading("What a run shows, by its stopping step")
    yield _stopping(result)
    yield Heading("The worst neighbours")
    yield _worst(result)
    yield Paragraph(
        line(
            (
                "The streams are fixed, only the mechanism is random: the chances are exact"
                + (f" (relative error {result.error:.1e} by two orders of quadrature)" if result.error else "")
                + f". A loss is the largest |log P/Q| over the outcomes (step, return) that have a chance of at least"
                f" {result.floor:g} under one of the two; ∞: one of the two cannot show that outcome, or"
                " with a chance below 1e-300. These are the losses of streams that were drawn, no bound for others.",
                "quiet",
            )
        ),
        2,
        0,
    )


def _quantiles(result: Instances) -> Table:
    def over(name: str, found: Mapping[float, float]) -> tuple[Line, ...]:
        return row(name, *(shown(v, 4) for v in found.values()))

    losses = result.loss_quantiles()
    head = ("", *("max" if q == 1 else f"{q:.0%}" for q in losses))
    rows = [over("loss, worst neighbour", losses), over("loss of what a run shows", result.realised_quantiles())]
    rows += [
        over(f"delta at {shown(epsilon, 4)}, worst neighbour", result.delta_quantiles(k))
        for k, epsilon in enumerate(result.epsilons)
    ]
    rows.append(over("mean stopping step", result.length_quantiles()))
    return table_of(head, rows)


def _positions(result: Instances) -> Table:
    deltas = [f"delta at {shown(e, 4)}: median" for e in result.epsilons]
    head = ("position", "streams", "median loss", "max", "loss ∞", *(h for d in deltas for h in (d, "max")))
    rows = []
    for g in result.by_position():
        pairs = zip(g.median_deltas, g.deltas, strict=True)
        numbers = [shown(d, 4) for pair in pairs for d in pair]
        rows.append(row(str(g.first), str(g.count), *_losses(g), *numbers))
    return table_of(head, rows)


def _stopping(result: Instances) -> Table:
    head = ("stops in step", "streams", "chance", "median loss", "max", "loss ∞")
    rows = []
    for g in result.by_step():
        steps = str(g.first) if g.last == g.first else f"{g.first} .. {g.last}"
        rows.append(row(steps, str(g.count), shown(g.chance, 4), *_losses(g)))
    return table_of(head, rows)


def _losses(group: Group) -> tuple[str, str, str]:
    return shown(group.median, 4), shown(group.largest, 4), f"{group.infinite:.0%}"


def _worst(result: Instances) -> Table:
    ordered: Sequence[Instance] = sorted(result.instances, key=lambda i: (-i.loss, -max(i.deltas), i.run))
    head = ("stream", "mean step", "position", "change", "loss", "at outcome", "largest delta")
    rows = []
    for instance in ordered[:MOST_STREAMS]:
        numbers = " ".join(shown(d, 4) for d in instance.deltas)
        step = shown(instance.mean_step, 4)
        if instance.worst is None:
            rows.append(row(str(instance.run + 1), step, "-", "no neighbours", "0", "-", numbers))
            continue
        w = instance.worst
        cells = (str(w.position) + (" on" if w.onward else ""), _change(w), shown(w.loss, 4), _outcome(w), numbers)
        rows.append(row(str(instance.run + 1), step, *cells))
    return Table(head, tuple(rows), "rrrlrll")


def _change(worst: Worst) -> str:
    moved = [(name, old, worst.new[name]) for name, old in worst.old.items() if old != worst.new[name]]
    return ", ".join(f"{name}: {_value(old)} -> {_value(new)}" for name, old, new in moved)


def _value(value: Any) -> str:
    return shown(float(value), 4) if isinstance(value, int | float) else str(value)


def _outcome(worst: Worst) -> str:
    if worst.later:
        return f"after step {worst.step}"
    return f"step {worst.step}" + ("" if worst.result is None else f", {worst.result}")
