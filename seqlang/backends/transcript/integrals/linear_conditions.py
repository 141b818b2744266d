"""Linear conditions on independent noises, and how a system of them falls apart.

A `Half` is one condition: constant + sum of factor * noise >= 0 (> 0 if strict). A step (`Alternatives`) is a choice of
disjoint conjunctions of halves; a `System` maps each distinct step to how often it occurs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqlang.connected import connected

Key = tuple[object, ...]
Terms = tuple[tuple[Key, float], ...]
Half = tuple[float, Terms, bool]
Conjunction = tuple[Half, ...]
Alternatives = tuple[Conjunction, ...]
System = Mapping[Alternatives, int]


def variables(step: Alternatives) -> set[Key]:
    return {key for conjunction in step for _, terms, _ in conjunction for key, _ in terms}


def is_shared(key: Key) -> bool:
    """Keys of fresh noises end in `...`: they live in one step only (see `instances`)."""
    return key[-1] is not ...


def shared_by(step: Alternatives) -> list[Key]:
    """The persistent noises that a step reads, each as often as it does."""
    return [key for conjunction in step for _, terms, _ in conjunction for key, _ in terms if key[-1] is not ...]


def parts_of(system: System) -> list[dict[Alternatives, int]]:
    """The system cut where no persistent noise connects. A step that is one conjunction falls apart by itself."""
    pieces: dict[Alternatives, int] = {}
    for step, times in system.items():
        for piece in _split(step):
            pieces[piece] = pieces.get(piece, 0) + times
    shared = {piece: frozenset(shared_by(piece)) for piece in pieces}
    group_of = {
        keys: number
        for number, (sets, _) in enumerate(connected((k, k) for k in set(shared.values())))
        for keys in sets
    }
    # thousands of pieces read one of a few sets of noises; what reads none is a part of its own
    groups: dict[object, dict[Alternatives, int]] = {}
    for piece, keys in reversed(shared.items()):
        groups.setdefault(group_of[keys] if keys else piece, {})[piece] = pieces[piece]
    return [dict(reversed(group.items())) for group in reversed(groups.values())]


def _split(step: Alternatives) -> list[Alternatives]:
    if len(step) != 1 or len(step[0]) == 1:
        return [step]
    return [(tuple(part),) for part in components(step[0])]


def components(conjunction: Sequence[Half]) -> list[list[Half]]:
    """Conditions that share no noise, apart."""
    return [part for part, _ in connected((half, {key for key, _ in half[1]}) for half in conjunction)]


def components_given(conjunction: Conjunction, key: Key) -> list[list[Half]]:
    """Components once the noise `key` is fixed: conditions that share another noise stay together."""
    if len(conjunction) == 1:  # most are
        return [list(conjunction)]
    others = {half: {k for k, _ in half[1] if k != key} for half in conjunction}
    alone = [[half] for half in conjunction if not others[half]]
    return alone + [part for part, _ in connected((half, keys) for half, keys in others.items() if keys)]


def of_persistent_noises(system: System) -> Conjunction | None:
    """All conditions together, where they read persistent noises only: to repeat one of these changes nothing. None
    where a step reads a fresh noise, or has several ways."""
    halves: dict[Half, None] = {}
    for step in system:
        if len(step) != 1 or not all(is_shared(key) for key in variables(step)):
            return None
        halves |= dict.fromkeys(step[0])
    return tuple(halves)


def exclude_each_other(conjunction: Conjunction) -> bool:
    """Whether two of the conditions leave no value of one and the same sum of noises, by more than rounding."""
    lows: dict[Terms, tuple[float, bool]] = {}
    highs: dict[Terms, tuple[float, bool]] = {}
    for constant, terms, strict in conjunction:
        factors: dict[Key, float] = {}
        for key, factor in terms:
            factors[key] = factors.get(key, 0.0) + factor
        direction = sorted(((k, f) for k, f in factors.items() if f), key=str)
        if not direction:
            continue
        first = direction[0][1]
        scaled = tuple((k, f / first) for k, f in direction)
        end = -constant / first
        if first > 0:
            lows[scaled] = max(lows.get(scaled, (end, strict)), (end, strict))
        else:  # of equal ends the strict one is the narrower
            highs[scaled] = min(highs.get(scaled, (end, strict)), (end, strict), key=lambda e: (e[0], not e[1]))
    return any(
        low - highs[s][0] > 1e-9 * (1 + abs(low)) or (low == highs[s][0] and (strict or highs[s][1]))
        for s, (low, strict) in lows.items()
        if s in highs
    )


def fixed_at(step: Alternatives, key: Key, x: float) -> Alternatives:
    """The step with the noise `key` at x; conditions that are decided are dropped, with their conjunctions."""
    kept = []
    for conjunction in step:
        halves = []
        for constant, terms, strict in conjunction:
            moved = constant + sum(f * x for k, f in terms if k == key)
            rest = tuple((k, f) for k, f in terms if k != key)
            if rest:
                halves.append((moved, rest, strict))
            elif moved < 0 or (strict and moved == 0):
                break
        else:
            kept.append(tuple(halves))
    return tuple(kept)
