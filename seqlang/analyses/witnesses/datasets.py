"""Neighbouring datasets that a search tries.

Records that are all alike, and one of them replaced, removed or moved; and, between two values, the shares of both at
which something changes that is seen without noise: there two neighbours lie on its two sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from seqlang.analyses.witnesses.domains import tidy
from seqlang.analyses.witnesses.margins import margins
from seqlang.analyses.witnesses.scene import Scene
from seqlang.backends.transcript.follow import NOTHING
from seqlang.backends.transcript.reported_value import UNKNOWN
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.expression import Field
from seqlang.model.program import AddRemove, Input, Within

Entry = Mapping[str, Any]
Row = dict[str, Any]
Pair = tuple[Entry, Entry]
DEEP = 20
"""Scales of the largest noise by which one record may lie below or above the others."""
BASES, OTHERS = 4, 8
"""So many values of a record that most hold, and that the changed one holds."""
MOST_LOOKS = 300
"""First steps that are looked at in search of what is seen without noise, for a small program."""
HALVINGS = 60


def data_pairs(scene: Scene) -> list[Pair]:
    """The likeliest first; none where it is not known how records may move."""
    if scene.known_pairs is None:
        try:
            scene.known_pairs = _pairs(scene)
        except Unsupported:  # no pair, no witness
            scene.known_pairs = []
    return scene.known_pairs


def _pairs(scene: Scene) -> list[Pair]:
    match scene.program.adjacency:
        case Within(Field(name), radius, extent) if len(scene.datasets) == 1:
            start = scene.domains.values(scene.datasets[0])[-1]
            if isinstance(start, tuple):
                return _unique([*_vector_moves(scene, scene.datasets[0], extent == "every")])
            radius_value = scene.value(radius)
            found = [*_straddling_moves(scene, name, radius_value, extent == "every")]
            for base in dict.fromkeys(_starts(scene, name, start)):
                found += _moves(scene, name, base, extent == "every")
            return _unique(found)
        case Within():
            raise Unsupported("how a record may move is not one field")
        case _:
            return _swaps(scene)


# ---- records replaced, added or removed


def _swaps(scene: Scene) -> list[Pair]:
    records: list[Row] = [{}]
    for source in scene.datasets:
        records = [{**r, source.name: v} for r in records for v in scene.domains.values(source)]
    both = [(base, other) for base in records[:BASES] for other in records[:OTHERS]]
    n, k = scene.size(), min(scene.size(), scene.changes)
    found = [*_straddling(scene, records[:OTHERS])]
    if isinstance(scene.program.adjacency, AddRemove):
        found += [(_table(base, n, other, k), _table(base, n - k, base)) for base, other in both]
    else:
        found += [(_table(base, n, base), _table(base, n, other, k)) for base, other in both if base != other]
    different = [(base, other) for base, other in both if base != other]
    return found + [pair for base, other in different[:2] for pair in _near(scene, base, other, n // 2)]


def _straddling(scene: Scene, records: list[Row]) -> Iterator[Pair]:
    """Neighbours between which something changes that is seen without noise, for the first pairs of values."""
    n = scene.size()
    look = _Looks(scene)
    for base, other in ((a, b) for i, a in enumerate(records) for b in records[i + 1 :]):

        def seen(count: int, base: Row = base, other: Row = other) -> object:
            return look.seen(_table(base, n, other, count))

        if not look.plain:
            return
        for low, high in ((0, n), (0, n // 2)):
            count = _change_between(low, high, seen)
            if count is not None:
                for pair in _near(scene, base, other, count):
                    yield from (pair, pair[::-1])
                return


def _near(scene: Scene, base: Row, other: Row, count: int) -> list[Pair]:
    """Neighbours of which one holds `count` records of the second value and the other one more, or one less of all."""
    n, k = scene.size(), min(scene.size(), scene.changes)
    if not isinstance(scene.program.adjacency, AddRemove):
        return [(_table(base, n, other, count), _table(base, n, other, min(n, count + k)))]
    fewer = _table(base, n - 1, other, min(count, n - 1))
    return [(_table(base, n, other, held), fewer) for held in (count, count + 1)]


# ---- records that move


def _starts(scene: Scene, name: str, usual: float) -> Iterator[float]:
    """Where all records lie: at 0 if they may, and where there is room below and above."""
    low, high = scene.ranges[name]
    yield 0.0 if low <= 0 <= high else usual
    room = DEEP * scene.noise_scale(scene.radius) + 2 * scene.radius
    if high - low < 2 * room:
        middle = (low + high) / 2
        yield float(int(middle)) if scene.is_whole(name) else middle
    else:
        inside = min(max(0.0, low + room), high - room)
        yield float(int(inside)) if scene.is_whole(name) else inside


def _moves(scene: Scene, name: str, start: float, every: bool) -> list[Pair]:
    n = scene.size()
    up, down = (tidy(scene.clip(name, start + s * scene.radius)) for s in (1, -1))
    rest = (tidy(start),) * (n - 1)
    pairs: list[Pair] = [({name: (tidy(start), *rest)}, {name: (up, *rest)})]
    if every:
        pairs += [({name: (tidy(start), *rest)}, {name: m}) for m in ((up,) * n, (up,) + (down,) * (n - 1))]
    # the first record far below the others: what depends on the largest sees it in its tail only
    far = DEEP * scene.noise_scale(scene.radius)
    deep = tidy(scene.clip(name, start - far))
    near = tidy(scene.clip(name, deep + scene.radius))
    others = (down,) * (n - 1) if every else rest
    pairs.append(({name: (deep, *rest)}, {name: (near, *others)}))
    # and above them, for the smallest
    high = tidy(scene.clip(name, start + far))
    above = tidy(scene.clip(name, high + scene.radius))
    pairs.append(({name: (high, *rest)}, {name: (above, *others)}))
    if every and n > 1:
        # two records far above the others and near each other: light tails need more than a rare event
        for lead in (1, 2):
            second = tidy(scene.clip(name, start + lead * scene.noise_scale(scene.radius)))
            moved = second if scene.one_way else tidy(scene.clip(name, second - scene.radius))
            pairs.append(({name: (tidy(start), second, *(deep,) * (n - 2))}, {name: (up, moved, *(deep,) * (n - 2))}))
    if every:
        below = tidy(scene.clip(name, high - scene.radius))
        pairs.append(({name: (high, *rest)}, {name: (below, *((up,) * (n - 1)))}))
    return pairs


def _vector_moves(scene: Scene, source: Input, every: bool) -> Iterator[Pair]:
    """Records that are one vector, and the first of them, or all, moved by the radius."""
    n = scene.size()
    for base in scene.domains.values(source):
        for direction in (1, -1):
            new = scene.moved_vector(source, base, direction, scene.radius, True)
            if new != base:
                for changed in (1, n) if every else (1,):
                    yield {source.name: (base,) * n}, {source.name: (new,) * changed + (base,) * (n - changed)}


def _straddling_moves(scene: Scene, name: str, radius: float, every: bool) -> Iterator[Pair]:
    """All records at one value, and at another, near by, where something else is seen without noise; where one record
    moves at a time, the number of them that have moved at which it is."""
    low, high = scene.ranges[name]
    n, look = scene.size(), _Looks(scene)
    far = DEEP * max(1.0, scene.noise_scale(radius))
    ends = max(low, min(0.0, high) - far), min(high, max(0.0, low) + far)

    def seen(value: float) -> object:
        return look.seen({name: (tidy(value),) * n})

    first, last = ends
    if not radius > 0 or seen(first) == seen(last) or not look.plain:
        return
    for _ in range(HALVINGS):
        if last - first <= radius:
            break
        middle = (first + last) / 2
        middle = float(int(middle)) if scene.is_whole(name) else middle
        first, last = (first, middle) if seen(middle) != seen(first) else (middle, last)
    low_value, high_value = tidy(first), tidy(last)
    if every:
        yield {name: (low_value,) * n}, {name: (high_value,) * n}
        return
    count = _change_between(0, n, lambda k: look.seen({name: (high_value,) * k + (low_value,) * (n - k)}))
    if count is not None:
        one, other = ((high_value,) * k + (low_value,) * (n - k) for k in (count, count + 1))
        yield {name: one}, {name: other}


# ---- what is seen without noise


class _Looks:
    """Looks at first steps. `plain`: whether anything is seen without noise, as far as is known."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.left = MOST_LOOKS / scene.weight
        self.plain = True
        names = dict.fromkeys(scene.optional, True)
        stops: list[Any] = [(index, True) for index in dict.fromkeys(scene.result_gates.values())]
        self.told: list[Mapping[str, Any]] = [NOTHING]
        if names or stops:
            self.told += [{"stop": stop, **names} for stop in (stops or [None])]

    def seen(self, data: Entry) -> object:
        """What noise has no part in; alike for all data once enough was looked at."""
        if self.left <= 0:
            return ()
        entry = {**self.scene.entries[0], **data}
        found: list[object] = []
        for told in self.told:
            self.left -= 1
            try:
                _, facts = self.scene.follower.step_from(self.scene.start, entry, told)
            except Unsupported:
                continue
            found += [one for fact in facts for one in _without_noise(fact)]
        self.plain = bool(found)
        return tuple(found)


def _without_noise(fact: Any) -> list[object]:
    match fact:
        case ("compare" | "idle", *_, test, gate):
            plain = [(value, strict) for value, terms, strict in margins(test) if not terms]
            return [(gate, value > 0 or (value == 0 and not strict)) for value, strict in plain]
        case ("release", *_, ("above", holds, *_), gate):
            return [(gate, tuple(holds))]
        case ("release", _, value, (), _, gate) if value is not UNKNOWN:
            return [(gate, tuple(value) if isinstance(value, range) else value)]
        case ("certain", holds):
            return [holds]
    return []


def _change_between(low: int, high: int, seen: Callable[[int], object]) -> int | None:
    """A number from which to the next what is seen changes; None if it is the same at both ends."""
    first = seen(low)
    if seen(high) == first:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if seen(middle) == first:
            low = middle
        else:
            high = middle
    return low


def _table(base: Mapping[str, Any], count: int, first: Mapping[str, Any], changed: int = 1) -> Entry:
    """`count` records, the first (or as many as are `changed`) being `first`, all others `base`, by fields."""
    return {name: (first[name],) * changed + (base[name],) * (count - changed) for name in base}


def _unique(pairs: list[Pair]) -> list[Pair]:
    found: dict[object, Pair] = {}
    for pair in pairs:
        found.setdefault(tuple(tuple(side.items()) for side in pair), pair)
    return list(found.values())
