"""Witnesses as data: from streams and event back to probabilities, with the finest quadrature.

Nothing of the search is used here but the streams and the event that stand in the witness.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import exp, inf, isinf, log, log1p, nextafter
from typing import Any

from seqlang.analyses.witnesses.near_misses import rests_on_a_near_miss
from seqlang.analyses.witnesses.neighbours import are_neighbours, rows_inside, rows_of
from seqlang.analyses.witnesses.ties import rests_on_rounding
from seqlang.backends.interpret.values import numbers_in
from seqlang.backends.transcript.follow import Follower, Phase, told_apart
from seqlang.backends.transcript.integrals.noise_laws import log_sum
from seqlang.backends.transcript.integrals.quadrature import FINE, FINEST, IMPOSSIBLE, Accuracy, Answer
from seqlang.backends.transcript.unsupported import Unsupported, Work
from seqlang.model.expression import Label
from seqlang.model.program import Program, Stop
from seqlang.proof.entry import Entry
from seqlang.proof.witness import Event, Witness

MOST_FINE = 3_000_000  # conditional probabilities for one pair of streams
ROUNDED = 2.0**-52  # of a number
SEEN = 1e-7  # of the scale of a noise: about what a difference so large makes of the loss
MOST_ERROR = 1e-3  # relative, of a probability
LEAST_LOG = -640.0  # below e^-640 a probability is not told apart from 0 as a float


def log_chance(
    follower: Follower, stream: Sequence[Entry], event: Event, accuracy: Accuracy, work: Work | None = None
) -> Answer:
    """log P(event | stream): the sum over the stops that give the event's result. Raises `Unsupported`."""
    ways = phases_of(follower.program, stream, event)
    answers = [follower.log_probability(phases, accuracy, work) for phases in ways]
    if event.stopped_at is None:
        return answers[0]
    found = [a for a in answers if a != IMPOSSIBLE]
    if not found:
        return IMPOSSIBLE
    return Answer(min(0.0, log_sum([a.log for a in found])), max(a.error for a in found))


def phases_of(program: Program, stream: Sequence[Entry], event: Event) -> list[list[Phase]]:
    """What the event tells of each step, once for each stop that it may be."""
    if event.stopped_at is None:
        last = max([event.not_by or 0, *(step for step, _, _ in event.reports)])
        return [_phases(program, stream, event, last, None)]
    return [
        _phases(program, stream, event, event.stopped_at, stop.index)
        for stop in program.body
        if isinstance(stop, Stop)
        and not (isinstance(stop.result, Label) and event.result not in (None, stop.result.name))
    ]


def _phases(program: Program, stream: Sequence[Entry], event: Event, steps: int, stop: int | None) -> list[Phase]:
    entries = entries_of(program, stream, steps)
    told: dict[int, dict[str, Any]] = {}
    for step, report, value in event.reports:
        told.setdefault(step, {})[report] = value
    phases: list[Phase] = []
    for step, entry in enumerate(entries, 1):
        here: dict[str, Any] = {"stop": None, **told.get(step, {})}
        if stop is not None and step == steps:
            here["stop"] = (stop, event.result)
        if phases and phases[-1].entry == entry and told_apart(phases[-1].observed) == told_apart(here):
            phases[-1] = Phase(entry, here, phases[-1].repeat + 1)
        else:
            phases.append(Phase(entry, here, 1))
    return phases


def entries_of(program: Program, stream: Sequence[Entry], steps: int) -> list[Mapping[str, Any]]:
    """One mapping field -> value a step; a dataset (all its records) is there in every step."""
    datasets = program.data_set
    rows = rows_of(program, stream)
    if len(datasets) == len(program.inputs):
        table = {name: tuple(row[name] for row in rows) for name in datasets}
        return [table] * steps
    if datasets:
        raise Unsupported("a stream beside a dataset")
    if len(rows) < steps:
        raise Unsupported("the stream ends before the event")
    return list(rows[:steps])


def confirmed(
    follower: Follower,
    streams: tuple[tuple[Entry, ...], tuple[Entry, ...]],
    event: Event,
    because: str,
    how: Accuracy,
    work: Work | None = None,
) -> Witness | None:
    """The witness with freshly computed probabilities, the likelier stream first; None if they prove nothing, if a
    value lies outside its domain, or if the streams are not neighbours."""
    if not all(inside(follower.program, stream) for stream in streams):
        return None
    if not are_neighbours(follower.program, *streams):
        return None
    answers: list[Answer] = []
    off = follower.stepper.rounding * max(1, *map(len, streams))
    for stream in streams:
        found = log_chance(follower, stream, event, how, work)
        answers.append(found if found == IMPOSSIBLE else Answer(found.log, found.error + off))
        if found != IMPOSSIBLE and answers[-1].error > MOST_ERROR:
            return None
    if answers[0].log < answers[1].log:
        answers.reverse()
        streams = (streams[1], streams[0])
    first, second = answers
    if first.log < LEAST_LOG:
        return None
    if second == IMPOSSIBLE:
        loss = inf
    elif second.log < LEAST_LOG:
        return None
    else:
        loss = first.log + log1p(-first.error) - second.log - log1p(second.error)
        loss = nextafter(loss - 1e-13 * (abs(first.log) + abs(second.log)), -inf)
        if loss <= 0:
            return None
    p, q = exp(first.log), exp(second.log) if not isinf(second.log) else 0.0
    rounding = 1e-15 * (1 - first.log)
    return Witness(
        streams=streams, event=event, p=p, q=q, loss=loss,
        p_error=p * (first.error + rounding), q_error=q * (second.error + 1e-15 * (1 - second.log)) if q else 0.0,
        because=because,
    )  # fmt: skip


def recomputed(follower: Follower, draft: Witness) -> Witness | None:
    """The draft's streams and event by the search's integrator, finely and once more with other panels; None also
    where the rounding of floats decides a comparison."""
    streams, event = draft.streams, draft.event
    if by_rounding(follower, draft):
        return None
    try:
        first = confirmed(follower, streams, event, draft.because, FINE, Work(MOST_FINE))
        if first is None:
            return None
        again = confirmed(follower, streams, event, draft.because, FINEST, Work(MOST_FINE))
    except Unsupported:
        return None
    if again is None or first.streams != again.streams:
        return None
    gap = abs(first.p - again.p) + abs(first.q - again.q)
    allowed = first.p_error + again.p_error + first.q_error + again.q_error + 1e-12 * first.p
    return again if gap <= 4 * allowed else None


def by_rounding(follower: Follower, draft: Witness) -> bool:
    """Whether the rounding of floats decides a comparison on one of the streams, or is no less than what the noise
    tells apart: of real numbers nothing is known."""
    program = follower.program
    if _beyond_floats(follower, draft):
        return True
    try:
        ways = [phases_of(program, s, draft.event) for s in draft.streams]
        return any(
            rests_on_rounding(program, one) or any(rests_on_a_near_miss(follower, phases) for phases in one)
            for one in ways
        )
    except Unsupported:
        return False


def _beyond_floats(follower: Follower, draft: Witness) -> bool:
    """Whether sums of the entries and the parameters are rounded by so much, beside the noise, that it may be seen."""
    largest = max((abs(float(p.value)) for p in follower.program.parameters), default=0.0)
    for stream in draft.streams:
        for row in rows_of(follower.program, stream):
            numbers = (n for value in row.values() for n in numbers_in(value) if isinstance(n, float | int))
            largest = max(largest, *map(abs, numbers), 0.0)
    scales = []
    for name in follower.stepper.laws:
        with suppress(Unsupported):
            scales.append(follower.law((name,)).scale)
    return bool(scales) and largest * ROUNDED > SEEN * min(scales)


def inside(program: Program, stream: Sequence[Entry]) -> bool:
    """Every value lies in its field's domain."""
    return rows_inside(program, rows_of(program, stream))


def excess(witness: Witness, eps: float) -> float:
    """p - e^eps q, rounded down: a lower bound on the delta of (eps, delta)-DP."""
    low, high = witness.p - witness.p_error, witness.q + witness.q_error
    if high == 0:
        return low
    try:
        return low - nextafter(exp(eps), inf) * (1 + 1e-14) * high - 1e-15
    except OverflowError:
        return -inf


def epsilon_at(witness: Witness, delta: float) -> float:
    """The largest epsilon of which the witness refutes (epsilon, delta)-DP, rounded down; 0 if it refutes none."""
    low, high = witness.p - witness.p_error - delta, witness.q + witness.q_error
    if low <= 0:
        return 0.0
    return inf if high == 0 else max(0.0, (log(low) - log(high)) * (1 - 1e-13) - 1e-13)


def renyi(witness: Witness, order: float) -> float:
    """A lower bound on the Renyi divergence of that order (> 1) between the transcripts: that of the event and its
    complement (data processing), the larger of both directions; rounded down."""
    p, q = max(0.0, witness.p - witness.p_error), witness.q + witness.q_error
    if q <= 0:
        return inf if p > 0 else 0.0
    if p <= q:
        return 0.0
    rounding = 1e-13 + 1e-14 * order * (1 - log(min(p, q))) / (order - 1)
    return max(two_point(p, q, order), two_point(q, p, order)) * (1 - 1e-12) - rounding


def two_point(p: float, q: float, order: float) -> float:
    """Renyi divergence of that order between coins of bias p and q."""

    def part(a: float, b: float) -> float:
        if a <= 0:
            return -inf
        return order * log(a) + (1 - order) * log(b) if b > 0 else inf

    return log_sum([part(p, q), part(1 - p, 1 - q)]) / (order - 1) if p < 1 or q < 1 else 0.0
