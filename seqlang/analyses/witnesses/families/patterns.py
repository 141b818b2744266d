"""What may be repeated for ever: blocks of steps, with what comes before and after them, for any gates.

Hovering (a step in which nothing happens), a report alone, both in turn, reports of two gates in turn, and what is
shown in every step; afterwards nothing, or a report or stop with a released value in its tail, which limits the noise
that stays. Or, where every entry may move: hovering near two gates by turns, or near one, and near another one after a
report, so that one threshold is held from both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from seqlang.analyses.witnesses.play import Leg, Pattern
from seqlang.analyses.witnesses.scene import Scene
from seqlang.analyses.witnesses.seeds import replacing
from seqlang.record import record

LEVELS = (0.0, 1.0)


@record
class Plan:
    """`cuts`: the number of the pattern's legs before the block, and before the tail; where two blocks are repeated,
    also before what comes between them, and before the second."""

    pattern: Pattern
    cuts: tuple[int, ...]


def plans(scene: Scene) -> Iterator[Plan]:
    """The likeliest first."""
    if not scene.streams:
        return
    heads: list[tuple[Leg, ...]] = [()]
    if not scene.everywhere:
        heads = [(_hover(i, 2, 2, 0, True),) for i in _noisy(scene)]
        heads += [(_fire(i, -2, 0, True),) for i in _noisy(scene)]
        heads.append((Leg("run", 0, 0, 1, 1, True),))
    elif scene.releases:
        heads.append((Leg("run", 0, 0, 1, 0),))  # something may be shown once, and compared from then on
    if scene.follower.stepper.kept and scene.everywhere:
        noisy = _noisy(scene)
        for block in replacing(noisy, {i for i in noisy if not scene.targets[i].stops}):
            yield Plan(Pattern(block * 2), (len(block), 2 * len(block)))
    for tail, modes in _tails(scene):
        for head in heads:
            for block in _blocks(scene):
                moves = {leg.move for leg in (*block, *tail)} - {0}
                if scene.one_way and len(moves) > 1:
                    continue
                for mode in modes if any(leg.kind == "run" for leg in block) or tail else modes[:1]:
                    pattern = Pattern((*head, *block, *tail), release=mode)
                    yield Plan(pattern, (len(head), len(head) + len(block)))


def held_twice(scene: Scene) -> Iterator[Plan]:
    """Near two gates, one after the other: by turns, and with a report between."""
    if not scene.streams or not scene.everywhere:
        return
    for level in LEVELS[::-1]:
        for i, s in product(_noisy(scene), (1, -1)):
            for j, t in product(_noisy(scene), (1, -1)):
                if i == j or (scene.one_way and s != t):
                    continue
                one, other = _hover(i, level, 1, s), _hover(j, level, 1, t)
                if i < j:
                    yield Plan(Pattern((one, other)), (0, 2))
                for k in _noisy(scene):
                    if not scene.targets[k].stops:
                        yield Plan(Pattern((one, _fire(k, -level, 0), other)), (0, 1, 2, 3))


def _noisy(scene: Scene) -> list[int]:
    return [i for i, t in enumerate(scene.targets) if t.noisy]


def _hover(target: int, level: float, count: int, move: int, change: bool = False) -> Leg:
    return Leg("hover", target, level, count, move, change)


def _fire(target: int, level: float, move: int, change: bool = False) -> Leg:
    return Leg("fire", target, level, 1, move, change)


def _tails(scene: Scene) -> list[tuple[tuple[Leg, ...], tuple[str, ...]]]:
    found: list[tuple[tuple[Leg, ...], tuple[str, ...]]] = [((), ("tail",))]
    if scene.releases:
        found += [((_fire(i, -2, 0),), ("low", "high")) for i in _noisy(scene)]
    return found


def _blocks(scene: Scene) -> list[tuple[Leg, ...]]:
    """Where every entry may move, the second stream's moves too."""
    ways = (1, -1) if scene.everywhere else (0,)
    reports = [i for i in _noisy(scene) if not scene.targets[i].stops]
    found: list[tuple[Leg, ...]] = []
    for level in LEVELS:
        for i in reports:
            found += [(_hover(i, level, 1, s), _fire(i, -level, t)) for s in ways for t in {0, -s}]
            found += [(_fire(i, -level, s),) for s in ways]
            found += [(_fire(i, -level, s), _fire(j, -level, t)) for j in reports if j > i for s in ways for t in ways]
        found += [(_hover(i, level, 1, s),) for i in _noisy(scene) for s in ways]
    found += [(Leg("run", 0, 0, 1, s),) for s in ways]
    return found
