"""The patterns a search starts from: the worst cases known from the tightness proofs, for any gates.

Hover-then-stop (one-sided tests), hover, cross, hover, drop (two ends), the same with queries that move against each
other, changes that leave a window or merge again, several reports, plain conditions straddled, and plain runs for
programs that only release or choose.
"""

from __future__ import annotations

from itertools import permutations
from math import inf

from seqlang.analyses.witnesses.datasets import data_pairs
from seqlang.analyses.witnesses.play import Leg, Pattern
from seqlang.analyses.witnesses.scene import Scene
from seqlang.record import replace

UP_TO_THE_END = 4000
MODES = ("tail", "low", "high", "between")


def seeds(scene: Scene, far: bool) -> list[Pattern]:
    """Patterns, the likeliest first; `far` adds those with many repetitions."""
    if not scene.streams:
        return _data_seeds(scene)
    found: list[Pattern] = []
    noisy = [i for i, t in enumerate(scene.targets) if t.noisy]
    plain = [i for i, t in enumerate(scene.targets) if not t.noisy]
    reports = {i for i in range(len(scene.targets)) if not scene.targets[i].stops}
    for i in plain:
        found += _plain(scene, i, noisy, far)
    if not scene.everywhere:  # two ends see more than one: first
        found += [p for i in noisy for j in noisy if i != j for p in _changing_pair(i, j, far)]
    for i in noisy:
        if scene.everywhere:
            found += _moving(scene, i, i in reports, far)
        else:
            found += _changing(i, i in reports, scene.merging, far)
            if not scene.targets[i].fresh:
                found += _bracketing(i, noisy, far)
    if scene.everywhere:
        found += [p for i in noisy for j in noisy if i != j for p in _moving_pair(scene, i, j, far)]
    found += _runs(scene, far)
    if scene.follower.stepper.kept and scene.everywhere:
        turns = (3, 9, 17) if far else (9, 3)
        found = [*[Pattern(block * n) for n in turns for block in replacing(noisy, reports)], *found]
    if scene.repeats_a_noise:
        found = [*_windows(scene, far), *found]
    if scene.inserting:
        found += _shifted(scene)
    if scene.shown_after and not scene.everywhere:
        found += _late(scene)
    if scene.ends_by_itself and not scene.everywhere:
        found += _fed(scene, far)
    if scene.closed and not scene.everywhere:
        found = [*(p for i in noisy for p in _opened(scene, i)), *found]
    if scene.changes > 1:  # what two entries add may cancel, or be twice as much
        found += [replace(p, turned=True) for p in found]
    unique = list(dict.fromkeys(found))
    if scene.one_way:
        unique = [p for p in unique if len({leg.move for leg in p.legs} - {0}) <= 1]
    return unique


def _hover(target: int, level: float, count: int, move: int = 0, change: bool = False) -> Leg:
    return Leg("hover", target, level, count, move, change)


def _fire(target: int, level: float, count: int = 1, move: int = 0, change: bool = False) -> Leg:
    return Leg("fire", target, level, count, move, change)


def _now(target: int, level: float = -inf, move: int = 0) -> Leg:
    return Leg("now", target, level, 1, move)


def _changing(i: int, reports: bool, merging: bool, far: bool) -> list[Pattern]:
    """One entry changes."""
    found = [
        Pattern((_hover(i, 2, 2, change=True),)),
        Pattern((_hover(i, -4, 24), _fire(i, -4, change=True))),
    ]
    if merging:
        for swap in (0, 1):
            end = (Leg("merge", i, -inf, 0), _fire(i, -12))
            found.append(Pattern((_hover(i, -6, 0), _hover(i, 2, 3, change=True), *end), swap))
            found.append(Pattern((_hover(i, 2, 2, change=True), Leg("merge", i, 2, 0), _fire(i, -3)), swap))
            # a statistic that is kept from falling shows a change in full only once it has left its floor
            found += [
                Pattern((Leg("rise", i, inf, 2), _hover(i, x, m, change=True), *end), swap)
                for x, m in ((0, 3), (2, 15))
            ]
    if reports:
        for c in (2, 3):
            found.append(Pattern((_hover(i, -4, 24), _fire(i, -4, c, change=True))))
            found.append(Pattern((_fire(i, -3, c - 1), _hover(i, 2, 3, change=True))))
            cycle = (_hover(i, 2, 2), _fire(i, -2))
            found.append(Pattern((_hover(i, 2, 2, change=True), _fire(i, -2), *cycle * (c - 1))))
    if far:
        found.append(Pattern((_fire(i, -3, change=True),)))
        found += [Pattern((_hover(i, level, m, change=True),)) for m in (16, 60) for level in (2, -1)]
        found += [Pattern((_hover(i, level, m), _fire(i, -4, change=True))) for m in (8, 40) for level in (1, 0)]
    return found


def _bracketing(i: int, noisy: list[int], far: bool) -> list[Pattern]:
    """A noise that stays for the whole run, and no other: steps that only some of its values allow."""
    found = []
    for level in (-0.6, -0.1, 0.4, 2.0) if far else (-0.6, -0.1):
        for swap in range(6) if far else (0, 1):
            found.append(Pattern((_fire(i, level, change=True),), swap))
            legs = (_hover(i, level - 0.3, 0), _fire(i, level, change=True))
            found += [Pattern(legs, swap, mode) for mode in ("tail", "any")]
            found += [Pattern((_hover(j, level, 0), _hover(i, level, 0, change=True)), swap) for j in noisy if j != i]
    return found


def _changing_pair(i: int, j: int, far: bool) -> list[Pattern]:
    """Change, hover at the end j, and stop at i from there, however far that is: in the tails of both noises. Or hover
    at j, change, hover at i, drop towards j and stop there."""
    there = (Leg("reach", j, 1, 3), _hover(j, -6, 0))  # and back, so that the way across is seen by neither
    found = [
        *(Pattern((Leg("reach", j, x, m, 0, True), _now(i))) for x, m in ((1, 1), (3, 3))),
        *(Pattern((*there, Leg("reach", i, 1, 3, 0, True), last)) for last in (_now(j), _fire(j, -14))),
        Pattern((_hover(j, -3, 40), _hover(i, 1, 3, change=True), _fire(j, -14))),
        Pattern((_hover(j, 1, 3), _hover(i, 1, 3, change=True))),
    ]
    if far:
        found += [Pattern((Leg("reach", j, x, m, 0, True), _now(i)), s) for x, m in ((0, 8), (2, 3)) for s in (0, 1)]
        found += [Pattern((_hover(j, 1, m), _hover(i, 1, m, change=True)), s) for m in (3, 8, 30) for s in (0, 1)]
        found += [Pattern((_hover(j, 0, 0), _hover(i, 0, 0, change=True)), s) for s in (0, 1)]
        found.append(Pattern((_hover(j, -3, 40), _hover(i, 1, 3, change=True), _fire(j, -14)), 1))
    return found


def _moving(scene: Scene, i: int, reports: bool, far: bool) -> list[Pattern]:
    """Every entry may move."""
    found = [
        Pattern((_hover(i, 2, 3, 1), _fire(i, -4, 1, -1))),
        Pattern((_hover(i, 2, 8, 1), _fire(i, -1, 1, -1))),
        Pattern((_hover(i, 3, 8, 1), _fire(i, -5, 1, -1))),
        Pattern((_hover(i, 0, 3, 0), _hover(i, 2, 3, 1), _fire(i, -4, 1, -1))),
        Pattern((_hover(i, 2, 4, 1),)),
        Pattern((_hover(i, 0, 3, 0), _fire(i, -4, 1, -1))),
        Pattern((_hover(i, 0, 3, 0), _fire(i, -4, 1, 1))),
        Pattern((_hover(i, 2, 3, 1), _fire(i, -4, 1, 0))),
    ]
    if not scene.targets[i].fresh:
        # only a noise that stays: two entries bracket it in one stream and miss it in the other
        # half of the radius; of whole numbers it would lie between two
        near = (0.5 if scene.continuous else 0.6) * scene.radius / scene.targets[i].scale
        found.insert(0, Pattern((_hover(i, -near, 1, 1), _fire(i, near, 1, -1))))
    answers = any(name for name in scene.optional)
    if reports:
        for c in (2, 3):
            found.append(Pattern((_hover(i, 3, 6, 1), _fire(i, -5, c, -1))))
            found.append(Pattern((_hover(i, 2, 3, 1), *((_fire(i, -3, 1, -1), _hover(i, 2, 3, 1)) * c))))
            found.append(Pattern((_hover(i, 0, 3, 0), _fire(i, -4, c, 1))))
            if c == 2 and scene.length > 4:
                half = scene.length // 2
                found.append(Pattern((_hover(i, 3, scene.length - half, 1), _fire(i, -3, half, -1))))
            if scene.one_way:
                found.append(Pattern((_hover(i, 3, 6, 1), _fire(i, -5, c, 0))))
        if answers:
            for mode in ("low", "high"):
                found.append(Pattern((_hover(i, 2, 4, 1), _fire(i, 0, 1, 0)), release=mode))
                found.append(Pattern((_hover(i, 2, 4, 1), _fire(i, 0, 1, -1)), release=mode))
    if far:
        for m in (4, 12, 40):
            found.append(Pattern((_hover(i, 1, m, 1), _fire(i, -1, m if reports else 1, -1))))
            found.append(Pattern((_hover(i, 3, m, 1), _fire(i, -1, 1, -1))))
            found.append(Pattern((_hover(i, 3, m, 1),)))
            if answers:
                found += [Pattern((_hover(i, 3, m, 1), _fire(i, 0, 1, 0)), release="low", depth=d) for d in (0, 2, -2)]
    return found


def _moving_pair(scene: Scene, i: int, j: int, far: bool) -> list[Pattern]:
    found = [
        Pattern((_hover(i, 1, 3, 1), _fire(j, -4, 1, 1))),
        Pattern((_hover(i, 1, 3, 1), _fire(j, -4, 1, -1))),
        Pattern((_hover(i, 1, 3, 1), _hover(j, 1, 3, -1), _fire(i, -4, 1, -1))),
        Pattern((_hover(i, 1, 3, 1), _hover(j, 1, 3, 1))),
    ]
    if scene.value_reports:
        both = (_hover(i, 2, 6, 1), _fire(i, 0, 1, 0), _fire(j, -4, 1, -1))
        found += [Pattern(both, release=mode) for mode in ("low", "high")]
    if far:
        found += [Pattern((_hover(i, 1, m, 1), _hover(j, 1, m, s))) for m in (8, 30) for s in (1, -1)]
    return found


def replacing(noisy: list[int], reports: set[int]) -> list[tuple[Leg, ...]]:
    """A kept noisy value is compared with the next one, which takes its place: values that should come out in one order
    come out in the other, again and again. Of two reports one may store what the other is compared with."""
    blocks: list[tuple[Leg, ...]] = []
    for i, j in permutations(sorted(reports.intersection(noisy)), 2):
        blocks += [(_fire(i, -level, 1, s), _fire(j, 0, 1, -s)) for level in (2, 4) for s in (1, -1)]
    for level in (2, 4):
        for i in noisy:
            for s in (1, -1):
                blocks.append((_hover(i, -s * level, 1, -s), _hover(i, s * level, 1, s)))
                blocks.append((Leg("run", 0, 0, 1, s), _hover(i, level, 1, -s)))
                if i in reports:
                    blocks.append((_fire(i, -level, 1, s), _fire(i, level, 1, -s)))
                    blocks.append((Leg("run", 0, 0, 1, s), _now(i, -level, -s)))
            for j in noisy:
                if j != i:
                    aside = _hover(j, -level, 1)
                    blocks.append((aside, _hover(i, -level, 1, -1), aside, _hover(i, level, 1, 1)))
    return blocks


def _plain(scene: Scene, i: int, noisy: list[int], far: bool) -> list[Pattern]:
    """A condition without noise: the streams stand on its two sides."""
    if scene.everywhere:
        found = [Pattern((_fire(i, 0.0, 1, move),)) for move in (1, -1)]
        for j in noisy:
            for m in (1, 40) if not far else (1, 10, 40, 100, 200):
                found += [Pattern((_hover(i, 0, m, move), _fire(j, 5, 1, 0))) for move in (1, -1)]
        return found
    found = [Pattern((_fire(i, inf, 1, change=True),), swap) for swap in range(10 if far else 4)]
    found += [Pattern((_hover(i, inf, 0, change=True), _fire(i, inf)), swap) for swap in (0, 1)]
    return found


def _runs(scene: Scene, far: bool) -> list[Pattern]:
    found = []
    quiet = not any(t.noisy for t in scene.targets)  # nothing to hover at: what is released is all there is
    steps = (1, 2, 4, 16, 64) if far or quiet else (1, 4)
    for n in steps:
        found += [Pattern((Leg("run", 0, 0, n, 1, True),), release=mode) for mode in ("tail", "point")]
    found.append(Pattern((Leg("run", 0, 0, 1, 1, True),), swap=1))
    found.append(Pattern((Leg("run", 0, 0, 1, 1, True),), release="between"))
    if far:
        found += [Pattern((Leg("run", 0, 0, 1, 1, True),), swap=s, pick=k) for s in range(8) for k in (0, 1)]
        found += [Pattern((Leg("run", 0, 0, 400, 1, True),), swap=s) for s in range(4)]
    return found


def _windows(scene: Scene, far: bool) -> list[Pattern]:
    """One noise under several released values: these lie as far apart as their plain values do."""
    change = Leg("run", 0, 0, 2, 1, True)
    shapes: list[tuple[Leg, ...]] = [(change,), (Leg("run", 0, 0, 1), change)]
    if scene.shown_after:
        shapes.append((Leg("run", 0, 0, scene.shown_after + 1), Leg("run", 0, 0, scene.shown_after + 1, 1, True)))
    swaps = range(1 if scene.everywhere else 12 if far else 4)
    return [
        Pattern(legs, swap, "window", depth) for swap in swaps for legs in shapes for depth in ((0, 3) if far else (0,))
    ]


def _shifted(scene: Scene) -> list[Pattern]:
    """An entry is put in, and later ones come later: of two in turn all change places."""
    a, b = 0, len(scene.entries) - 1
    turn = (Leg("feed", b, 0, 1), Leg("feed", a, 0, 1))
    return [Pattern((Leg("run", 0, 0, 1, 0, True), *(turn * m))) for m in (1, 4, 16)]


def _late(scene: Scene) -> list[Pattern]:
    """What is shown only after some steps: the change lies in the first such step, or just before."""
    found = []
    for before in (scene.shown_after, scene.shown_after - 1):
        legs = (Leg("run", 0, 0, before), Leg("run", 0, 0, scene.shown_after + 1 - before, 1, True))
        found += [Pattern(legs, swap) for swap in (0, 1)]
    return found


def _fed(scene: Scene, far: bool) -> list[Pattern]:
    """Programs that show or choose something after a number of steps: change, some of one entry, then of another one.
    What is chosen among sums from different places on is then unlikely in both streams."""
    kinds = range(min(3, len(scene.entries)))
    counts = (4, 32, 120) if far else (4, 32)
    return [
        Pattern((Leg("feed", a, 0, m, 0, True), Leg("feed", b, 0, UP_TO_THE_END)), swap=swap)
        for m in counts for a in kinds for b in kinds if a != b for swap in (range(4) if far else (0, 1))
    ]  # fmt: skip


def _opened(scene: Scene, i: int) -> list[Pattern]:
    """Comparisons that begin after a number of steps: the change lies before."""
    found = []
    for b in range(min(3, len(scene.entries))):
        for swap in (0, 1):
            half = scene.closed // 2
            before = (Leg("feed", b, 0, half), Leg("feed", b, 0, scene.closed - half, 0, True))
            found.append(Pattern((*before, _hover(i, 2, 12), _now(i)), swap))
            found.append(Pattern((Leg("feed", b, 0, scene.closed, 0, True), _now(i)), swap))
    return found


def _data_seeds(scene: Scene) -> list[Pattern]:
    run = (Leg("run", 0, 0, 64, 1, True),)
    pairs = range(len(data_pairs(scene)))
    found = [Pattern(run, release="tail", data=data) for data in pairs]
    if scene.repeats_a_noise:
        found += [Pattern(run, release="window", data=data) for data in pairs]
    if scene.chooses:
        found += [Pattern(run, release="tail", data=data, pick=k) for k in (1, 2, 3) for data in pairs]
    if scene.releases:
        found += [Pattern(run, release=mode, data=data) for data in pairs for mode in MODES[1:]]
    return found
