"""The per-instance view (Wang, Sibai, Mitra & Dullerud 2020, Proposition 1).

Streams are drawn from a model. For each of them, and for each neighbour of this very stream, the law of what is seen
(the stopping step and the return) is computed exactly: the entries are fixed, only the mechanism is random. Strong
privacy bounds the loss between all neighbours, weak privacy that of a mixture over the other entries; here one sees
what lies between: the loss of the streams that occur.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from seqlang.analyses.instances.compare import Compared, Comparison
from seqlang.analyses.instances.neighbours import Entry, Neighbours, Streams
from seqlang.analyses.instances.result import AtStep, Instance, Instances, Worst
from seqlang.backends.montecarlo.stopping import chosen_model
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.backends.transcript.fixed_streams.walk import Walk
from seqlang.backends.transcript.stepper import Stepper, stepper
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.program import Model, Program
from seqlang.process.time_limit import poll
from seqlang.rules.average_case import public_reads_private

FLOOR = 1e-9
LONGEST = 2048


def instances(
    program: Program,
    model: Model | str | None,
    *,
    count: int = 20,
    seed: int = 1,
    horizon: int | None = None,
    epsilons: Sequence[float] | None = None,
    floor: float = FLOOR,
    progress: Callable[[int, int], None] | None = None,
) -> Instances:
    """`count` streams of the model against all their neighbours.

    A stream is drawn until the chance that the test goes on is below 1e-9, at most to `horizon` steps (2048). `replace`
    neighbours have one entry replaced by every other value of a finite domain, or by the ends of an interval; `within`
    neighbours have it moved by the radius up and down (`every`: it and all later ones). `epsilons` are those at which
    delta is computed: by default those of the file's pure and dp claims, else 1. Outcomes with a chance below `floor`
    under both streams do not count in a loss. `progress(done, count)` is called after each stream. A KeyboardInterrupt
    ends it early.

    Raises Unsolved where the law is not computed (reports besides the stop, datasets, added and removed entries, noises
    that would have to be integrated together) and SpecError for the model (E0607 to E0609, E0620, E0621).
    """
    began = time.perf_counter()
    found = chosen_model(program, model)
    try:
        plain = stepper(program)
        walk = Walk(program, plain)
        neighbours = Neighbours(program, plain, lambda old, new: _works(walk, old, new))
        chosen = tuple(epsilons) if epsilons is not None else _claimed(program, plain)
        cap = LONGEST if horizon is None else horizon
        comparison = Comparison(walk, neighbours, chosen, floor, cap)
        streams = Streams(program, found, seed)
        done: list[Instance] = []
        interrupted = thinned = False
        try:
            for run in range(count):
                poll()
                compared = comparison.compare(streams.stream(run))
                thinned |= compared.thinned
                done.append(_instance(run, compared, walk))
                if progress is not None:
                    progress(run + 1, count)
        except KeyboardInterrupt:
            interrupted = True
    except Unsupported as why:
        raise Unsolved(str(why)) from None
    return Instances(
        algorithm=program.name,
        model=found.name,
        seed=seed,
        epsilons=chosen,
        floor=floor,
        cap=cap,
        instances=tuple(done),
        interrupted=interrupted,
        notes=(*_held(program, found.name), *dict.fromkeys(neighbours.notes), *_notes(done, thinned, cap)),
        seconds=time.perf_counter() - began,
    )


def _held(program: Program, model: str) -> Iterator[str]:
    """That neighbours have the same public fields although one entry tells of them."""
    reads = public_reads_private(program, model)
    if reads is not None:
        yield f"{reads}; neighbours have the same values of that field: what it tells of the entry is not counted"


def _notes(done: Sequence[Instance], thinned: bool, cap: int) -> Iterator[str]:
    """What a reader should know of these streams."""
    if thinned:
        yield "of long streams not every position was changed: all early ones, later ones ever wider apart"
    longest = [i.later for i in done if i.later >= 1e-9]
    if longest:
        yield f"{len(longest)} streams have not stopped by step {cap} with a chance of up to {max(longest):.3g}"


def _works(walk: Walk, old: Entry, new: Entry) -> bool:
    """Whether a step on the new entry after two steps on the old one has a plain value."""
    try:
        state, _ = walk.move(walk.start, walk.entry(new))
        if state >= 0:
            walk.move(state, walk.entry(old))
    except Unsupported:
        return False
    return True


def _claimed(program: Program, plain: Stepper) -> tuple[float, ...]:
    found = {
        float(plain.value(claim.privacy.arguments[0]))
        for claim in program.claims
        if claim.privacy is not None and claim.privacy.notion in ("pure", "dp")
    }
    return tuple(sorted(found)) or (1.0,)


def _instance(run: int, compared: Compared, walk: Walk) -> Instance:
    table = compared.law.table
    steps = len(table)
    at = np.arange(1, steps + 1)
    chances = table.sum(axis=1)
    survivors = compared.law.later + np.cumsum(chances[::-1])[::-1]
    places = range(len(walk.outcomes))
    worst = None
    if compared.neighbours:
        # of equal losses, infinite ones above all, the one with the largest delta
        order = np.lexsort((compared.deltas.max(axis=1), compared.loss))
        worst = _worst(compared, int(order[-1]), walk)
    return Instance(
        run=run,
        length=int(np.count_nonzero(survivors >= 1e-9)),
        steps=steps,
        later=compared.law.later,
        mean_step=float(at @ chances) + compared.law.later * (steps + 1),
        neighbours=len(compared.neighbours),
        worst=worst,
        deltas=tuple(compared.deltas.max(axis=0, initial=0.0).tolist()),
        positions=_positions(compared),
        realised=tuple(
            AtStep(t, walk.outcomes[o], float(table[t - 1, o]), float(compared.realised[t - 1, o]))
            for t in at.tolist()
            for o in places
            if not np.isnan(compared.realised[t - 1, o])
        ),
        error=compared.error,
    )


def _worst(compared: Compared, which: int, walk: Walk) -> Worst:
    neighbour = compared.neighbours[which]
    step, place = compared.at[which]
    later = step > len(compared.law.table)
    return Worst(
        position=neighbour.position,
        old=neighbour.old,
        new=neighbour.new,
        onward=neighbour.onward,
        loss=float(compared.loss[which]),
        step=step - later,
        result=None if later else walk.outcomes[place],
        later=later,
        deltas=tuple(compared.deltas[which].tolist()),
    )


def _positions(compared: Compared) -> tuple[tuple[int, float, tuple[float, ...]], ...]:
    found: dict[int, tuple[float, Any]] = {}
    for neighbour, loss, deltas in zip(compared.neighbours, compared.loss.tolist(), compared.deltas, strict=True):
        before = found.get(neighbour.position, (0.0, np.zeros_like(deltas)))
        found[neighbour.position] = (max(before[0], loss), np.maximum(before[1], deltas))
    return tuple((n, loss, tuple(deltas.tolist())) for n, (loss, deltas) in sorted(found.items()))
