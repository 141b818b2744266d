"""Sensitivities are tried: neighbours are run, and what is derived of their differences is held against them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from seqlang.analyses.trials.claimed import Claimed, claimed, in_words
from seqlang.analyses.trials.confirm import confirmed
from seqlang.analyses.trials.fits import Seen, direction, misfit
from seqlang.analyses.trials.pairs import Pair, pairs_of
from seqlang.analyses.trials.play import Drawn, Duel, Shared
from seqlang.analyses.trials.quantities import Quantity, quantities_of
from seqlang.analyses.trials.work import work_of
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.rules.alignment.layout import single_entry
from seqlang.rules.alignment.reach import revealed_choices

QUICK = 120_000
"""Evaluations of a node, about: what a `check` tries."""
THOROUGH = 20_000_000
MOST_PAIRS = 20_000
STEPS = 3  # of a dataset that nothing is streamed beside


@record
class Failed:
    """A quantity moved as was proved impossible. `claim` and `why` are sentences; the values are those of `step`."""

    quantity: str
    claim: str
    why: str
    step: int
    first: Any
    second: Any
    pair: Pair


def failures(program: Program, *, work: int = QUICK, seed: int = 1) -> tuple[Failed, ...]:
    """What fails of the derived shifts, at most one failure a quantity. The same seed tries the same pairs."""
    from random import Random

    _, single = single_entry(program)
    programs = (program,) if single is program else (program, single)
    hidden = revealed_choices(program)
    settings = [(p, revealed) for p in programs for revealed in ((frozenset(), hidden) if hidden else (hidden,))]
    found: list[Failed] = []
    for number, (one, revealed) in enumerate(settings):
        found += _tried(one, revealed, work // len(settings), Random(f"trials {seed} {number}"))
    return tuple({f.quantity: f for f in reversed(found)}.values())


def _tried(program: Program, revealed: frozenset[str], work: int, random: Any) -> Iterator[Failed]:
    claims = [(q, claimed(program, q.expression, revealed)) for q in quantities_of(program)]
    known = [(q, claim) for q, claim in claims if claim is not None]
    if not known:
        return
    quantities = [q for q, _ in known]
    duel = Duel(program, quantities, revealed)
    each = work_of(program) + 8 * len(quantities)
    failed: set[int] = set()
    for pair in islice(pairs_of(program, random), MOST_PAIRS):
        steps = len(pair.entries[0]) or STEPS
        work -= 2 * each * steps
        if work < 0:
            return
        drawn: Drawn = {}
        seen = duel.play(pair, Shared(random, pair.noisy, drawn), steps)
        for number, series in seen.items():
            quantity, claim = known[number]
            if number not in failed and misfit(claim, series, pair.single) is not None:
                failure = _failure(program, quantity, claim, revealed, pair, drawn, steps)
                if failure is not None:
                    failed.add(number)
                    yield failure
        turned = _both_ways(known, seen, pair)
        if turned is not None and -1 not in failed:
            failed.add(-1)
            yield turned


def _failure(
    program: Program,
    quantity: Quantity,
    claim: Claimed,
    revealed: frozenset[str],
    pair: Pair,
    drawn: Drawn,
    steps: int,
) -> Failed | None:
    found = confirmed(program, quantity, claim, revealed, pair, drawn, steps)
    if found is None:
        return None
    seen, why = found
    return Failed(quantity.name, in_words(claim), why, seen.step, seen.first, seen.second, pair)


def _both_ways(known: Sequence[tuple[Quantity, Claimed]], seen: Any, pair: Pair) -> Failed | None:
    """Two quantities of which the same thing decides the sign, and that move against each other."""
    signs: dict[object, tuple[int, Quantity]] = {}
    for number, series in seen.items():
        quantity, claim = known[number]
        if claim.sign is None or not pair.single:
            continue
        key, turn = claim.sign
        way = direction(series) * turn
        if way == 0:
            continue
        other = signs.setdefault(key, (way, quantity))
        if other[0] != way:
            last: Seen = series[-1]
            claim_text = f"it moves as {other[1].name} does" if turn > 0 else f"it moves against {other[1].name}"
            return Failed(quantity.name, claim_text, "it does not", last.step, last.first, last.second, pair)
    return None
