"""Streams changed at random, step by step, as long as the exact law says that they tell more: for `--audit`.

A `Script` is both streams with what happens in each step; changes keep the pair neighbours (the witness is checked for
that anyway), and the transcript is completed anew after each change.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from math import inf
from typing import TYPE_CHECKING, Any

from seqlang.analyses.witnesses.domains import tidy
from seqlang.analyses.witnesses.play import Pattern, Played, replay
from seqlang.analyses.witnesses.scene import Entry, Scene
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.gate_source import OfStop, name_of
from seqlang.process.time_limit import poll

if TYPE_CHECKING:
    from random import Random

Step = tuple[Entry, Entry, str | None]
Script = tuple[Step, ...]
Value = Callable[[Played], float]

PATIENCE = 1500  # changes in a row that do not help, before the streams are left as they are


def evolved(
    scene: Scene, start: Played, pattern: Pattern, value: Value, horizon: int, deadline: float, enough: float
) -> Iterator[Played]:
    """Better and better streams, from `start` on, until the deadline (`time.monotonic`) or `value` reaches `enough`."""
    from random import Random

    random = Random(f"evolve {len(start.first)} {start.length}")
    script, best = script_of(start, scene), value(start)
    failures = 0
    while time.monotonic() < deadline and best < enough and failures < PATIENCE:
        poll()
        failures += 1
        new = _changed(script, scene, random)
        if new is None or not 0 < len(new) <= horizon:
            continue
        try:
            played = replay(scene, pattern, new, horizon)
            found = -inf if played is None else value(played)
        except Unsupported:
            continue
        if played is not None and found > best * (1 + 1e-6):
            script, best, failures = new, found, 0
            yield played


def script_of(played: Played, scene: Scene) -> Script:
    """Step by step what the phases say."""
    firsts = [(p.entry, p.observed) for p in played.first for _ in range(p.repeat)]
    seconds = [p.entry for p in played.second for _ in range(p.repeat)]
    return tuple((a, b, _fired(told, scene)) for (a, told), b in zip(firsts, seconds, strict=True))


def _fired(told: Any, scene: Scene) -> str | None:
    if told["stop"] is not None:
        return name_of(OfStop(told["stop"][0]))
    return next((name for name, v in told.items() if v is True and name != "stop" and name not in scene.optional), None)


def _changed(script: Script, scene: Scene, random: Random) -> Script | None:
    """One change: a block of steps gets other entries, is left out, is repeated, or the change moves elsewhere."""
    i = random.randrange(len(script))
    j = min(len(script), i + 1 + int(random.expovariate(0.35)))
    block = script[i:j]
    match random.choice(("entries", "entries", "nudge", "out", "again", "where")):
        case "entries":
            entry = random.choice(scene.entries)
            return script[:i] + tuple(_with(step, entry, scene, random) for step in block) + script[j:]
        case "nudge":
            if scene.continuous is None:
                return None
            name = scene.continuous.name
            by = random.gauss(0, 0.3) * max(t.scale for t in scene.targets) if scene.targets else random.gauss(0, 1)
            low, high = scene.ranges[name]

            def nudged(step: Step) -> Step:
                entry = {**step[0], name: tidy(min(max(round((step[0][name] + by) * 64) / 64, low), high))}
                return _with(step, entry, scene, random)

            return script[:i] + tuple(map(nudged, block)) + script[j:]
        case "out":
            if not scene.everywhere and any(a != b for a, b, _ in block):
                return None
            return None if any(fire is not None for *_, fire in block) else script[:i] + script[j:]
        case "again":
            if any(fire is not None for *_, fire in block):
                return None
            again = block if scene.everywhere else tuple((a, a, fire) for a, _, fire in block)
            return script[:j] + again * random.choice((1, 2, 4)) + script[j:]
        case _:
            return _moved(script, i, scene, random)


def _with(step: Step, entry: Entry, scene: Scene, random: Random) -> Step:
    """The step with another entry; where the streams differ it is the first one's only, or both move."""
    a, b, fire = step
    if scene.everywhere:
        return entry, scene.moved(entry, random.choice((-1, 0, 1)) if random.random() < 0.3 else _sign(a, b)), fire
    if a != b:
        return (entry, b, fire) if random.random() < 0.5 and entry != b else (a, entry if entry != a else b, fire)
    return entry, entry, fire


def _sign(a: Entry, b: Entry) -> int:
    name = next((n for n in a if a[n] != b[n]), None)
    return 0 if name is None else 1 if b[name] > a[name] else -1


def _moved(script: Script, to: int, scene: Scene, random: Random) -> Script | None:
    """The changed entry elsewhere."""
    if scene.everywhere:
        return None
    changed = [k for k, (a, b, _) in enumerate(script) if a != b]
    if len(changed) != 1 or changed[0] == to:
        return None
    new = list(script)
    a, b, fire = script[changed[0]]
    kept = random.choice((a, b))
    new[changed[0]] = (kept, kept, fire)
    new[to] = (a, b, script[to][2])
    return tuple(new)
