"""Random programs whose gates exclude each other: a report between two noisy thresholds beside stops beyond them, in
any order, under guards of a phase or of the step, with other stops between them. Listed by `enumeration`."""

from __future__ import annotations

import random

from random_programs.generate_transcripts import label
from random_programs.sequential_tests import quantities
from random_programs.syntax import STEP, E, Field, Noise, Program, Statement, call, name, num, op

PHASE = op("==", name("phase"), num(1.0))
ODD = op("==", op("%", STEP, num(2.0)), num(1.0))
EVEN = op("==", op("%", STEP, num(2.0)), num(0.0))


def both(guard: E | None, test: E) -> E:
    return test if guard is None else op("and", guard, test)


class _Fence:
    """One program in the making: quantities `s0` and perhaps `s1` against the bars `T0` < `T1`."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def above(self, bar: str) -> E:
        return op(self.rng.choice([">=", ">=", ">"]), name("s0"), name(bar))

    def below(self, bar: str) -> E:
        return op(self.rng.choice(["<=", "<", "<"]), name("s0"), name(bar))

    def guard(self, phased: bool) -> E | None:
        roll = self.rng.random()
        if phased and roll < 0.5:
            return PHASE
        return self.rng.choice([ODD, EVEN]) if roll > 0.85 else None

    def program(self) -> Program:
        r = self.rng
        steps = r.choice([2, 2, 3])
        every = r.random() < 0.4
        adjacency = ("every", "x", 1.0, False) if every else ("replace", 1)
        field = Field("x", "real", (0.0, 1.0)) if every else Field("x", "{0, 1}", (0.0, 1.0))
        phased = r.random() < 0.6
        parts = [self.above("T0"), self.below("T1")]
        r.shuffle(parts)
        kept = parts if r.random() < 0.8 else parts[:1]
        inside = kept[0] if len(kept) == 1 else op(r.choice(["and", "and", "and", "or"]), *kept)
        if r.random() < 0.15:
            inside = op("and", inside, op(">=", STEP, num(2.0)))
        lines = [Statement("report", "up", None, both(self.guard(phased), inside))]
        stops = [self.above("T1") if r.random() < 0.8 else self.above("T0")]
        if r.random() < 0.7:
            stops.append(self.below("T0") if r.random() < 0.8 else self.below("T1"))
        for number, test in enumerate(stops):
            guard = self.guard(phased)
            if r.random() < 0.15:
                guard = both(guard, call("not", name("up")))
            lines.append(Statement("stop", "", label(f"r{number}"), both(guard, test)))
        if r.random() < 0.3:
            lines.append(Statement("stop", when=op(">=", STEP, num(float(steps - 1)))))
        told = [line for line in lines if any(_reads(line.when, "up"))]
        free = [line for line in lines if line not in told]
        r.shuffle(free)
        lines = [*free, *told]
        if phased:
            update = Statement("update", "phase", num(2.0), name("up"))
            place = next(i for i, line in enumerate(lines) if line.kind == "report") + 1
            lines.insert(r.choice([place, len(lines)]), update)
        lines.append(Statement("stop", when=op(">=", STEP, num(float(steps)))))
        shown = r.choice(["single", "single", "gap", "weighted"] if every else ["single", "sum", "signed sum"])
        first = Statement("statistic", "s0", quantities("s0")[shown])
        bars = (("T0", 0.0), ("T1", float(r.choice([0, 1, 1, 2]))))
        return Program(
            "stream", (field,), 1, steps, adjacency, (first, *lines), self.noises(), parameters=bars,
            memories=(("phase", 1.0),) if phased else (), letters=r.randrange(10**6),
            horizon=steps if r.random() < 0.3 else None,
        )  # fmt: skip

    def noises(self) -> tuple[Noise, ...]:
        r = self.rng
        look = Noise(("geometric", 0.125), ("s0",))
        law = ("geometric", 0.0625)
        shape = r.choice(["apart", "apart", "apart", "opposite", "parallel", "one"])
        if shape == "one":
            return look, Noise(law, (r.choice(["T0", "T1"]),), "once")
        if shape == "apart":
            return look, Noise(law, ("T0",), "once"), Noise(law, ("T1",), "once")
        return look, Noise(law, ("T0", "T1"), "once", "z", (1, -1 if shape == "opposite" else 1))


def _reads(e: E | None, wanted: str) -> list[E]:
    if e is None:
        return []
    own = [e] if e.kind == "name" and e.data == (wanted,) else []
    return own + [found for part in e.parts for found in _reads(part, wanted)]


def fence_program(seed: int) -> Program:
    return _Fence(seed).program()
