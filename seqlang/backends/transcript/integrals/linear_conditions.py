"""Linear conditions on independent noises, and how a system of them falls apart.

A `LinearCondition` is (constant, terms, strict): constant + the sum of factor * noise is >= 0, or > 0 if strict. What a
step asks of the noises is a choice between disjoint conjunctions of them (`Alternatives`); a `System` maps each
distinct step to the number of times that it occurs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from seqlang.model.connected import connected

Key = tuple[object, ...]
Terms = tuple[tuple[Key, float], ...]
LinearCondition = tuple[float, Terms, bool]
Conjunction = tuple[LinearCondition, ...]
Alternatives = tuple[Conjunction, ...]
System = Mapping[Alternatives, int]


def variables(step: Alternatives) -> set[Key]:
    """The draws that the conditions of a step read."""
    return {key for conjunction in step for _, terms, _ in conjunction for key, _ in terms}


def is_shared(key: Key) -> bool:
    """Keys of fresh noises end in `...`: they live in one step only (see `draws.py`)."""
    return key[-1] is not ...


def shared_by(step: Alternatives) -> set[Key]:
    """The persistent noises that a step reads."""
    return {key for conjunction in step for _, terms, _ in conjunction for key, _ in terms if key[-1] is not ...}


def parts_of(system: System) -> list[dict[Alternatives, int]]:
    """Parts of the system that share no persistent noise, and are therefore independent. A step that is one conjunction
    is split into its independent parts first."""
    pieces: dict[Alternatives, int] = {}
    for step, times in system.items():
        for piece in _split(step):
            pieces[piece] = pieces.get(piece, 0) + times
    shared = [frozenset(shared_by(piece)) for piece in pieces]
    group_of = {
        keys: number for number, (sets, _) in enumerate(connected((k, k) for k in set(shared))) for keys in sets
    }
    # thousands of pieces read one of a few sets of noises; what reads none is a part of its own
    groups: dict[object, dict[Alternatives, int]] = {}
    for (piece, times), keys in zip(reversed(pieces.items()), reversed(shared), strict=True):
        groups.setdefault(group_of[keys] if keys else piece, {})[piece] = times
    return [dict(reversed(group.items())) for group in reversed(groups.values())]


def _split(step: Alternatives) -> list[Alternatives]:
    if len(step) != 1 or len(step[0]) == 1:
        return [step]
    return [(tuple(part),) for part in components(step[0])]


def components(conjunction: Sequence[LinearCondition]) -> list[list[LinearCondition]]:
    """The conditions in groups that share no noise."""
    return [part for part, _ in connected((condition, {key for key, _ in condition[1]}) for condition in conjunction)]


def components_given(conjunction: Conjunction, key: Key) -> list[list[LinearCondition]]:
    """Components once the noise `key` is fixed: conditions that share another noise stay together."""
    if len(conjunction) == 1:  # most are
        return [list(conjunction)]
    others = {condition: {k for k, _ in condition[1] if k != key} for condition in conjunction}
    alone = [[condition] for condition in conjunction if not others[condition]]
    return alone + [part for part, _ in connected((condition, keys) for condition, keys in others.items() if keys)]


def of_persistent_noises(system: System) -> Conjunction | None:
    """All conditions of the system as one conjunction, where they read persistent noises only (to repeat such a
    condition changes nothing). None where a step reads a fresh noise, or is a choice between several conjunctions."""
    conditions: dict[LinearCondition, None] = {}
    for step in system:
        if len(step) != 1 or not all(is_shared(key) for key in variables(step)):
            return None
        conditions |= dict.fromkeys(step[0])
    return tuple(conditions)


def exclude_each_other(conjunction: Conjunction) -> bool:
    """Whether two of the conditions contradict each other: they bound the same sum of noises from below and from above,
    and the lower bound exceeds the upper one by more than rounding."""
    return any(
        low - high > 1e-9 * (1 + abs(low)) or (low == high and (above or below))
        for _, (low, above), (high, below) in ranges(conjunction)
    )


End = tuple[float, bool]
"""Where a range ends, and whether it ends before that."""


def ranges(conditions: Iterable[LinearCondition]) -> Iterator[tuple[Terms, End, End]]:
    """The sums of noises that are bounded from below and from above, with their narrowest ends."""
    lows: dict[Terms, End] = {}
    highs: dict[Terms, End] = {}
    for constant, terms, strict in conditions:
        factors: dict[Key, float] = {}
        for key, factor in terms:
            factors[key] = factors.get(key, 0.0) + factor
        direction = sorted(((k, f) for k, f in factors.items() if f), key=str)
        if not direction:
            continue
        first = direction[0][1]
        scaled = tuple((k, f / first) for k, f in direction)
        end = (-constant / first, strict)
        if first > 0:
            lows[scaled] = max(lows.get(scaled, end), end)
        else:  # of equal ends the strict one is the narrower
            highs[scaled] = min(highs.get(scaled, end), end, key=lambda e: (e[0], not e[1]))
    for terms, low in lows.items():
        if terms in highs:
            yield terms, low, highs[terms]


def fixed_at(step: Alternatives, key: Key, x: float) -> Alternatives:
    """The step with the noise `key` fixed at x. Conditions that then hold are dropped; a conjunction of which a
    condition fails is dropped whole."""
    kept = []
    for conjunction in step:
        conditions = []
        for constant, terms, strict in conjunction:
            moved = constant + sum(f * x for k, f in terms if k == key)
            rest = tuple((k, f) for k, f in terms if k != key)
            if rest:
                conditions.append((moved, rest, strict))
            elif moved < 0 or (strict and moved == 0):
                break
        else:
            kept.append(tuple(conditions))
    return tuple(kept)
