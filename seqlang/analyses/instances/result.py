"""What the per-instance view found: stream by stream, and over all streams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isinf
from typing import Any

from seqlang.record import record
from seqlang.shown import Shown

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


@record
class Worst:
    """One stream against one neighbour: the entry `old` at `position` is `new` there. `loss` is |log P/Q| (inf: one of
    the two cannot be), at the outcome (`step`, `result`); `later` says that the outcome is stopping after that step.
    `onward` is the direction in which the later entries are moved as well, 0 if they are not."""

    position: int
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    onward: int
    loss: float
    step: int
    result: str | None
    later: bool
    deltas: tuple[float, ...]


@record
class AtStep:
    """One outcome of a stream: P(T = step, result), and its largest loss over the stream's neighbours."""

    step: int
    result: str | None
    chance: float
    loss: float


@record
class Instance:
    """One stream. `length`: steps after which stopping has negligible probability (`later` is left at `steps`, the last
    step that was followed). `worst` is the neighbour with the largest loss, `deltas` the largest delta over all
    neighbours, one an epsilon. `positions`: (position, loss, deltas), the largest over the neighbours there.
    `realised` lists the outcomes. `error` is the relative error of the chances by two orders of quadrature."""

    run: int
    length: int
    steps: int
    later: float
    mean_step: float
    neighbours: int
    worst: Worst | None
    deltas: tuple[float, ...]
    positions: tuple[tuple[int, float, tuple[float, ...]], ...]
    realised: tuple[AtStep, ...]
    error: float

    @property
    def loss(self) -> float:
        """0 where the stream has no neighbours."""
        return 0.0 if self.worst is None else self.worst.loss


@record
class Group:
    """Losses in one class, `first` to `last`: of `count` streams; for stopping steps with the `chance` that a run stops
    there. `infinite` is the part of the losses that are. `deltas` are the largest, one an epsilon."""

    first: int
    last: int
    count: int
    chance: float
    median: float
    largest: float
    infinite: float
    median_deltas: tuple[float, ...]
    deltas: tuple[float, ...]


@record
class Instances(Shown):
    """`floor`: outcomes that have a smaller chance under both streams do not count in a loss. `error`: as in
    `Instance`, the largest."""

    shown_by = "text.instances:instances_blocks"
    algorithm: str
    model: str
    seed: int
    epsilons: tuple[float, ...]
    floor: float
    cap: int
    instances: tuple[Instance, ...]
    interrupted: bool
    notes: tuple[str, ...]
    seconds: float

    @property
    def summary(self) -> str:
        largest = max((i.loss for i in self.instances), default=0.0)
        return f"{self.algorithm} on {len(self.instances)} streams from {self.model}: largest loss {largest:.4g}"

    def frame(self) -> list[dict[str, Any]]:
        """One row a stream: its loss against the worst neighbour, the deltas, and the mean stopping step."""
        deltas = [f"delta at {epsilon:g}" for epsilon in self.epsilons]
        return [
            {
                "run": i.run, "loss": i.loss, **dict(zip(deltas, i.deltas, strict=True)), "mean_step": i.mean_step,
                "position": None if i.worst is None else i.worst.position, "relative_error": i.error,
            }
            for i in self.instances
        ]  # fmt: skip

    @property
    def error(self) -> float:
        return max((i.error for i in self.instances), default=0.0)

    def loss_quantiles(self) -> dict[float, float]:
        """Quantiles, over the streams, of the loss against the worst neighbour."""
        return {q: quantile([(i.loss, 1.0) for i in self.instances], q) for q in QUANTILES}

    def delta_quantiles(self, at: int) -> dict[float, float]:
        """Quantiles of the largest delta at `epsilons[at]`."""
        return {q: quantile([(i.deltas[at], 1.0) for i in self.instances], q) for q in QUANTILES}

    def length_quantiles(self) -> dict[float, float]:
        """Quantiles of the mean stopping step of a stream."""
        return {q: quantile([(i.mean_step, 1.0) for i in self.instances], q) for q in QUANTILES}

    def realised_quantiles(self) -> dict[float, float]:
        """Quantiles of the loss of the outcome that a run shows, over streams and runs of them."""
        found = [(o.loss, o.chance) for i in self.instances for o in i.realised]
        return {q: quantile(found, q) for q in QUANTILES}

    def by_position(self) -> tuple[Group, ...]:
        """Losses of neighbours that differ at position 1, 2, 4, 8, .. only: over the streams that come so far."""
        groups = []
        n = 1
        while found := [p for i in self.instances for p in i.positions if p[0] == n]:
            losses = [(loss, 1.0) for _, loss, _ in found]
            groups.append(_group(n, n, len(found), 0.0, losses, [d for _, _, d in found]))
            n *= 2
        return tuple(groups)

    def by_step(self) -> tuple[Group, ...]:
        """The loss of what a run shows, by the step in which it stops: 1, 2-3, 4-7, 8-15, .. (medians over runs)."""
        groups = []
        first = 1
        while any(o.step >= first for i in self.instances for o in i.realised):
            chosen = [(i.run, o) for i in self.instances for o in i.realised if first <= o.step < 2 * first]
            chance = sum(o.chance for _, o in chosen) / len(self.instances)
            if chosen:
                losses = [(o.loss, o.chance) for _, o in chosen]
                groups.append(_group(first, 2 * first - 1, len({r for r, _ in chosen}), chance, losses, []))
            first *= 2
        return tuple(groups)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of the view, schema 1. Infinity is "inf"."""

        def quantiles(found: Mapping[float, float]) -> dict[str, Any]:
            return {f"{q:g}": _number(v) for q, v in found.items()}

        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "model": self.model,
            "seed": self.seed,
            "streams": len(self.instances),
            "interrupted": self.interrupted,
            "cap": self.cap,
            "floor": self.floor,
            "relative_error": self.error,
            "epsilons": list(self.epsilons),
            "loss": quantiles(self.loss_quantiles()),
            "delta": [quantiles(self.delta_quantiles(k)) for k in range(len(self.epsilons))],
            "mean_step": quantiles(self.length_quantiles()),
            "loss_of_a_run": quantiles(self.realised_quantiles()),
            "by_position": [_group_dict(g) for g in self.by_position()],
            "by_stopping_step": [_group_dict(g) for g in self.by_step()],
            "instances": [_instance_dict(i) for i in self.instances],
            "notes": list(self.notes),
            "seconds": self.seconds,
        }


def quantile(weighted: Sequence[tuple[float, float]], q: float) -> float:
    """The least value with at least the part q of the weight at or below it; 0 of nothing. Infinity is a value."""
    total = sum(w for _, w in weighted)
    if not total:
        return 0.0
    ordered = sorted(weighted)
    sum_so_far = 0.0
    for value, weight in ordered:
        sum_so_far += weight
        if sum_so_far >= q * total * (1 - 1e-12):
            return value
    return ordered[-1][0]


def _group(
    first: int,
    last: int,
    count: int,
    chance: float,
    losses: Sequence[tuple[float, float]],
    deltas: Sequence[tuple[float, ...]],
) -> Group:
    total = sum(w for _, w in losses)
    infinite = sum(w for v, w in losses if isinf(v)) / total if total else 0.0
    columns = list(zip(*deltas, strict=True))
    return Group(
        first,
        last,
        count,
        chance,
        quantile(losses, 0.5),
        max(v for v, _ in losses),
        infinite,
        tuple(quantile([(d, 1.0) for d in column], 0.5) for column in columns),
        tuple(max(column) for column in columns),
    )


def _number(value: float) -> Any:
    return "inf" if value == inf else value


def _group_dict(group: Group) -> dict[str, Any]:
    return {
        "first": group.first,
        "last": group.last,
        "streams": group.count,
        "chance": group.chance,
        "median": _number(group.median),
        "max": _number(group.largest),
        "infinite": group.infinite,
        "median_delta": list(group.median_deltas),
        "delta": list(group.deltas),
    }


def _instance_dict(instance: Instance) -> dict[str, Any]:
    worst = instance.worst
    return {
        "run": instance.run,
        "length": instance.length,
        "steps": instance.steps,
        "later": instance.later,
        "mean_step": instance.mean_step,
        "neighbours": instance.neighbours,
        "relative_error": instance.error,
        "delta": list(instance.deltas),
        "worst": None
        if worst is None
        else {
            "position": worst.position,
            "old": dict(worst.old),
            "new": dict(worst.new),
            "onward": worst.onward,
            "loss": _number(worst.loss),
            "step": worst.step,
            "return": worst.result,
            "later": worst.later,
            "delta": list(worst.deltas),
        },
        "positions": [
            {"position": n, "loss": _number(loss), "delta": list(deltas)} for n, loss, deltas in instance.positions
        ],
        "outcomes": [
            {"step": o.step, "return": o.result, "chance": o.chance, "loss": _number(o.loss)} for o in instance.realised
        ],
    }
