"""Sensitivities are tried: neighbours are run, and what is derived of their differences is held against them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from seqlang.analyses.trials.choices import choices_of
from seqlang.analyses.trials.claimed import Claimed, claimed, in_words
from seqlang.analyses.trials.fits import SLACK, Seen, direction, misfit
from seqlang.analyses.trials.pairs import Pair, pairs_of
from seqlang.analyses.trials.play import STEPS_WITH_VALUES, Drawn, Duel, Shared
from seqlang.analyses.trials.quantities import Quantity, comparisons_of, quantities_of
from seqlang.analyses.trials.together import Direction, directions, outside
from seqlang.analyses.trials.work import work_of
from seqlang.model.expression import Expression, RealVectors
from seqlang.model.program import Program, expressions_in, expressions_read
from seqlang.record import record
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.totality.values import obstacle

if TYPE_CHECKING:
    from random import Random

    from seqlang.analyses.trials.confirm import Judge

QUICK = 75_000
"""Evaluations of a node, about: what a `check` tries."""
THOROUGH = 4_000_000
"""What `check --audit` tries."""
MOST_PAIRS = 20_000
"""Pairs of neighbours in one call, also where they cost next to nothing."""
LEAST_PAIRS = 3  # also where one alone is dearer, but not much
DEAR = 4
"""So many times the work allowed may the fewest pairs cost; beyond, nothing is tried."""
DOUBTS = 6  # in one claim: what rounding makes look suspicious so often is left alone
PAIR = 150  # evaluations that the making and judging of a pair are worth
STEPS = 2  # of a dataset that nothing is streamed beside


@record
class Failed:
    """A quantity moved as was proved impossible. `claim` and `why` are sentences; the values are those of `step`.
    `in_floats`: exact numbers do not, but floats, as a run computes, do by more than they are rounded."""

    quantity: str
    claim: str
    why: str
    step: int
    first: Any
    second: Any
    pair: Pair
    in_floats: bool = False


def failures(program: Program, *, work: int = QUICK, seed: int = 1, minimisers: bool = False) -> tuple[Failed, ...]:
    """What of the derived shifts is wrong."""
    return tuple(f for f in tried(program, work=work, seed=seed, minimisers=minimisers) if not f.in_floats)


def tried(program: Program, *, work: int = QUICK, seed: int = 1, minimisers: bool = False) -> tuple[Failed, ...]:
    """What fails of the derived shifts, at most one failure a quantity. The same seed tries the same pairs.
    `minimisers`: also where vectors are found numerically, which takes numpy, scipy and time."""
    from random import Random

    _, single = single_entry(program)
    programs = (program,) if single is program else (program, single)
    sets = dict.fromkeys((frozenset[str](), revealed_choices(program)))
    settings = [(p, revealed) for p in programs for revealed in sets]
    found: list[Failed] = []
    for number, (one, revealed) in enumerate(settings):
        claims = _claims(one, revealed, minimisers)
        found += _tried(one, revealed, claims, work // len(settings), Random(f"trials {seed} {number}"))
    found.sort(key=lambda failed: failed.in_floats)
    return tuple({f.quantity: f for f in reversed(found)}.values())


def _tried(
    program: Program, revealed: frozenset[str], claims: Sequence[_Claim], work: int, random: Random
) -> Iterator[Failed]:
    every = tuple(dict.fromkeys(q for claim in claims for q in claim.quantities))
    duel = Duel(program, every, revealed)
    numbers = [[every.index(q) for q in claim.quantities] for claim in claims]
    each = work_of(program) + 8 * len(every)
    done: set[int] = set()
    doubted = [0] * len(claims)
    spent = 0
    if not claims or 2 * each * STEPS > DEAR * work:
        return
    for number, pair in enumerate(islice(pairs_of(program, random), MOST_PAIRS), 1):
        steps = len(pair.entries[0]) or STEPS
        cost = PAIR + 2 * each * steps
        spent += cost
        if spent > work and (number > LEAST_PAIRS or cost > DEAR * work):
            return
        drawn: Drawn = {}
        seen = duel.play(pair, Shared(random, pair.noisy, drawn), steps)
        for place, claim in enumerate(claims):
            here = {i: seen[q] for i, q in enumerate(numbers[place]) if q in seen}
            if STEPS_WITH_VALUES in seen:
                here[STEPS_WITH_VALUES] = seen[STEPS_WITH_VALUES]
            if place in done or not here or claim.judge(pair)(here, False, SLACK) is None:
                continue
            reads = claim.reads or tuple(q.expression for q in claim.quantities)
            from seqlang.analyses.trials.confirm import Suspicion, confirmed, in_floats

            doubt = Suspicion(program, claim.quantities, reads, claim.judge(pair), revealed, pair, drawn, steps)
            found = confirmed(doubt)
            doubted[place] += 1
            if found is not None or doubted[place] == DOUBTS:
                done.add(place)
            rounded = in_floats(doubt) if found is None else None
            for (at, why), floats in ((f, f is rounded) for f in (found, rounded) if f is not None):
                yield Failed(claim.name, claim.words, why, at.step, at.first, at.second, pair, floats)


@record
class _Claim:
    """Something that is said of one quantity, of several together, or of all that a step `reads`."""

    name: str
    words: str
    quantities: tuple[Quantity, ...]
    judge: Callable[[Pair], Judge]
    reads: tuple[Expression, ...] = ()


def _claims(program: Program, revealed: frozenset[str], minimisers: bool) -> tuple[_Claim, ...]:
    _, single = single_entry(program)
    alone = single is program
    body = tuple(e for statement in program.body for e in expressions_in(statement))
    plain = [q for q in quantities_of(program) if minimisers or not _minimises(program, (q.expression,))]
    quantities = [(q, claimed(program, q.expression, revealed)) for q in plain]
    known = [(q, claim) for q, claim in quantities if claim is not None]
    if alone and revealed == revealed_choices(program):
        known += choices_of(program)
    found = [_Claim(q.name, in_words(claim), (q,), _alone(claim)) for q, claim in known]
    if obstacle(program) is None and (minimisers or not _minimises(program, body)):
        words = "it has values for all data"
        found.append(_Claim("every step", words, (), lambda pair: _has_values, body))
    found += _signs(known)
    compared = comparisons_of(program) if alone else ()
    allowed = directions(program, compared, revealed)
    if allowed:
        names = " and ".join(dict.fromkeys(c.quantity.name for c in compared))
        words = f"they move as the vertices of {len(compared)} margins allow"
        found.append(_Claim(names, words, tuple(c.quantity for c in compared), _within(allowed, len(compared))))
    return tuple(found)


def _minimises(program: Program, expressions: tuple[Expression, ...]) -> bool:
    return any(isinstance(node, RealVectors) for node in expressions_read(program, expressions))


def _has_values(seen: Mapping[int, Sequence[Seen]], exact: bool, slack: float) -> tuple[int, str] | None:
    lack = next(iter(seen.get(STEPS_WITH_VALUES, ())), None)
    return None if lack is None else (lack.step, "one side fails and the other does not")


def _alone(claim: Claimed) -> Callable[[Pair], Judge]:
    def of(pair: Pair) -> Judge:
        return lambda seen, exact, slack: misfit(claim, seen.get(0, ()), pair.single, exact, slack)

    return of


def _within(allowed: tuple[Direction, ...], size: int) -> Callable[[Pair], Judge]:
    return lambda pair: lambda seen, exact, slack: outside(allowed, seen, range(size), slack)


def _signs(known: Sequence[tuple[Quantity, Claimed]]) -> Iterator[_Claim]:
    """Pairs of quantities of which the same thing decides the sign."""
    first: dict[object, tuple[Quantity, int]] = {}
    for quantity, claim in known:
        if claim.sign is None:
            continue
        key, turn = claim.sign
        other, other_turn = first.setdefault(key, (quantity, turn))
        if other != quantity:
            agree = turn * other_turn
            words = f"it moves {'as' if agree > 0 else 'against'} {other.name}{' does' if agree > 0 else ''}"
            yield _Claim(quantity.name, words, (quantity, other), _agreeing(agree))


def _agreeing(agree: int) -> Callable[[Pair], Judge]:
    def judge(seen: Mapping[int, list[Seen]], exact: bool, slack: float) -> tuple[int, str] | None:
        ways = [direction(seen.get(number, ()), slack) for number in (0, 1)]
        if 0 in ways or ways[0] * ways[1] == agree:
            return None
        return seen[0][-1].step, "they move the other way round"

    return lambda pair: judge
