"""What enumerated laws say about bounds, witnesses and claims: every comparison allows for the oracle's own error."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from particles import Program, Run, Transcript, Watching
from report_programs import Instance

from seqlang.proof.witness import Event, Witness

Law = dict[Transcript, float]
Pair = tuple[Law, Law]


def laws_of(instance: Instance) -> list[Pair]:
    """The laws of each pair of neighbours. Raises TooWide."""
    run = Run(instance.program)
    known: dict[str, Law] = {}

    def law(stream: Sequence[Any]) -> Law:
        key = str(stream)
        if key not in known:
            known[key] = run.law(stream)
        return known[key]

    return [(law(a), law(b)) for a, b in instance.pairs]


def pure_loss(pairs: Sequence[Pair], error: float) -> tuple[float, Any]:
    """A lower bound on the largest |log ratio|, and where."""
    worst, where = 0.0, None
    for n, (p, q) in enumerate(pairs):
        for seen in p.keys() | q.keys():
            a, b = sorted((p.get(seen, 0.0), q.get(seen, 0.0)))
            if b > 10 * error:
                loss = math.log((b - error) / (a + error + 1e-14))
                if loss > worst:
                    worst, where = loss, (n, seen, a, b)
    return worst, where


def excess(pairs: Sequence[Pair], epsilon: float, error: float) -> float:
    """A lower bound on the least delta at which (epsilon, delta) holds."""
    e = math.exp(epsilon)
    return max(
        sum(max(0.0, a - e * q.get(seen, 0.0)) for seen, a in p.items()) - (1 + e) * error
        for one, other in pairs
        for p, q in ((one, other), (other, one))
    )


def renyi(pairs: Sequence[Pair], order: float, error: float) -> float:
    """A lower bound on the largest divergence of that order: of the common outcomes, all others lumped together."""

    def divergence(p: Law, q: Law) -> float:
        total, rest_p, rest_q = 0.0, 0.0, 0.0
        for seen in p.keys() | q.keys():
            a, b = p.get(seen, 0.0), q.get(seen, 0.0)
            if a > 100 * error:
                total += (a - error) ** order * (b + error + 1e-14) ** (1 - order)
            else:
                rest_p, rest_q = rest_p + a, rest_q + b
        if rest_p > error:
            total += (rest_p - error) ** order * (rest_q + error + 1e-14) ** (1 - order)
        return math.log(total) / (order - 1) if total > 0 else 0.0

    return max(max(divergence(p, q), divergence(q, p)) for p, q in pairs)


def chances(program: Program, witness: Witness) -> tuple[float, float, float] | None:
    """The event's chance under both streams and their error; None where the oracle does not speak of such an event."""
    event = witness.event
    wanted = {(step, name): value for step, name, value in event.reports}
    if len(wanted) < len(event.reports):
        return None
    until = event.stopped_at or event.not_by or max(step for step, _ in wanted)
    if until > 6 or any(isinstance(v, str) for v in wanted.values()) or program.flips_return is not None:
        return None
    watching = Watching(program, wanted, until, event.stopped_at, _result(event))
    p, q = (watching.chance(stream) for stream in witness.streams)
    return p, q, program.missed(until)


def _result(event: Event) -> Any:
    return event.result
