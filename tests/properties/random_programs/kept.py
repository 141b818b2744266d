"""Programs that compare with noisy values that are kept unseen, and what they lose, by quadrature.

A noisy entry of some steps is stored: the latest, the largest, the smallest, their mean or their sum. Later entries are
compared with what is stored. Given the noises of the stored entries, what happens in different steps is independent; so
the chance of an outcome is an integral over at most three noises, taken here on a grid, for many pairs of neighbours.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from random_programs.judge import Crashed, Judged, derivations, loaded, proved, rules_of, size_of
from seqlang.diagnostics import SpecError
from seqlang.proof.derivation import PureBound

Array = NDArray[np.float64]
Stream = tuple[float, ...]
Outcomes = dict[tuple[int, str], float]

SCHEDULES = (
    ("step == 1", (1,)),
    ("step <= 1", (1,)),
    ("step <= 2", (1, 2)),
    ("step <= 3", (1, 2, 3)),
    ("step == 2", (2,)),
    ("step <= 3 and step >= 2", (2, 3)),
    ("step % 2 == 1 and step < 4", (1, 3)),
    ("step == 7", (7,)),
)
SINGLE = (("latest",), ("max",), ("min",), ("mean",), ("sum",))
KINDS = (*SINGLE, ("max", "min"), ("max", "min"), ("latest", "max"))
RAREST = 1e-7
TAIL = 24.0
"""So many scales of a noise are looked at on both sides."""
POINTS = {1: 801, 2: 141, 3: 41}
SLACK = {1: 2e-3, 2: 2e-2, 3: 8e-2}
"""How many places of each noise are looked at, closer together near 0, and what that leaves open of a loss."""


@dataclass(frozen=True)
class Ending:
    """`stop when guard and sign * q + shift OP factor * store`."""

    guard: str
    first: int
    sign: int
    operator: str
    factor: float
    store: int
    shift: float


@dataclass(frozen=True)
class KeptProgram:
    adjacency: str
    schedule: int
    kinds: tuple[str, ...]
    value: str
    turned: bool
    scales: tuple[float, float]
    tests: tuple[Ending, ...]
    steps: int

    @property
    def stored(self) -> tuple[int, ...]:
        return SCHEDULES[self.schedule][1]


def kept_program(seed: int) -> KeptProgram:
    rng = random.Random(f"kept {seed}")
    schedule = rng.randrange(len(SCHEDULES))
    kinds = rng.choice(
        (("latest",), ("max",), ("min",), ("mean",), ("sum",), ("max", "min"), ("max", "min"), ("latest", "max"))
    )
    stored = SCHEDULES[schedule][1]
    tests = tuple(_test(rng, stored, len(kinds)) for _ in range(rng.choice((1, 2, 2))))
    return KeptProgram(
        rng.choice(("every f within 1", "every f within 1", "one f within 1")), schedule, kinds,
        rng.choice(("f", "f", "f", "2 * f", "-f", "sum(f over steps)")), rng.random() < 0.2,
        (rng.choice((1.0, 2.0, 4.0)), rng.choice((1.0, 2.0, 4.0))), tests, stored[-1] + rng.choice((1, 2, 3)),
    )  # fmt: skip


def _test(rng: random.Random, stored: tuple[int, ...], stores: int) -> Ending:
    first = rng.choice((*[stored[-1] + 1] * 5, stored[-1], stored[0], stored[0] + 1, 1))
    guard = "" if first == 1 else rng.choice((f"step >= {first}", f"step > {first - 1}"))
    operator, factor = rng.choice((">=", ">", "<=", "<")), rng.choice((1.0, 1.0, 1.0, 2.0, -1.0, 0.5))
    return Ending(
        guard, first, rng.choice((1, 1, -1)), operator, factor, rng.randrange(stores), rng.choice((0.0, 0.0, 1.0, -3.0))
    )


def written(program: KeptProgram) -> str:
    when = SCHEDULES[program.schedule][0]
    lines = ["algorithm kept", "stream f in real", f"adjacent {program.adjacency}", "model flat: f ~ point(0)",
             f"statistic g = {program.value}", "statistic q = f"]  # fmt: skip
    for i, kind in enumerate(program.kinds):
        form = f"if {when} then g else previous(x{i}, 0)" if kind == "latest" else f"{kind}(g where {when} over steps)"
        lines.append(f"statistic x{i} = {form}")
    for i, test in enumerate(program.tests):
        left = f"{'-' if test.sign < 0 else ''}q{_signed(test.shift)}"
        right = f"x{test.store}" if test.factor == 1 else f"{test.factor:g} * x{test.store}"
        guard = f"{test.guard} and " if test.guard else ""
        lines.append(f"stop when {guard}{left} {test.operator} {right} return end{i}")
    own, later = program.scales
    lines.append(f"draw z ~ laplace({own:g})")
    lines.append(f"attach {'-z' if program.turned else 'z'} to g")
    lines.append(f"attach laplace({later:g}) to q")
    return "\n".join(lines) + "\n"


def _signed(shift: float) -> str:
    return "" if not shift else f" {'+' if shift > 0 else '-'} {abs(shift):g}"


# ---- what is lost


def _values(program: KeptProgram, stream: Stream) -> list[float]:
    match program.value:
        case "2 * f":
            return [2 * x for x in stream]
        case "-f":
            return [-x for x in stream]
        case "sum(f over steps)":
            return [float(s) for s in itertools.accumulate(stream)]
        case _:
            return list(stream)


def _cdf(x: Array, scale: float) -> Array:
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0) / scale), 1 - 0.5 * np.exp(-np.maximum(x, 0) / scale))


def outcomes(program: KeptProgram, stream: Stream) -> Outcomes:
    """The chance of every end, and of no end, up to the last step."""
    own, later = program.scales
    stored, values = program.stored, _values(program, stream)
    size = len(stored)
    edges = own * np.sinh(np.linspace(-1, 1, POINTS[size] + 1) * np.arcsinh(TAIL))
    cells, mass = (edges[1:] + edges[:-1]) / 2, np.diff(_cdf(edges, own))
    axes = np.meshgrid(*[cells + values[t - 1] for t in stored], indexing="ij")
    alive = np.ones_like(axes[0])
    for axis in range(size):
        alive = alive * mass.reshape([-1 if i == axis else 1 for i in range(size)])
    found: Outcomes = {}
    for step in range(1, program.steps + 1):
        kept = [_kept(kind, [a for a, t in zip(axes, stored, strict=True) if t <= step]) for kind in program.kinds]
        low, high = np.full_like(alive, -np.inf), np.full_like(alive, np.inf)  # what q may be if nothing has fired yet
        for i, test in enumerate(program.tests):
            if step < test.first:
                continue
            bound = (test.factor * kept[test.store] - test.shift) * test.sign
            above = (test.operator in (">=", ">")) == (test.sign > 0)  # it fires where q is above the bound
            start, end = (np.maximum(low, bound), high) if above else (low, np.minimum(high, bound))
            chance = _cdf(end - stream[step - 1], later) - _cdf(start - stream[step - 1], later)
            found[step, f"end{i}"] = float(np.sum(alive * np.maximum(chance, 0)))
            if above:
                high = np.minimum(high, bound)
            else:
                low = np.maximum(low, bound)
        chance = _cdf(high - stream[step - 1], later) - _cdf(low - stream[step - 1], later)
        alive = alive * np.maximum(chance, 0)
    found[program.steps + 1, "none"] = float(np.sum(alive))
    return found


def _kept(kind: str, entries: list[Array]) -> Array:
    if not entries:
        return np.zeros(())  # what `previous` starts with
    match kind:
        case "latest":
            return entries[-1]
        case "max":
            return np.maximum.reduce(entries)
        case "min":
            return np.minimum.reduce(entries)
        case "mean":
            return sum(entries, np.zeros(())) / len(entries)
        case _:
            return sum(entries, np.zeros(()))


def _first(program: KeptProgram, rng: random.Random) -> tuple[Stream, Stream]:
    """A stream, and by how much its neighbour differs."""
    steps = program.steps
    spread = rng.choice((0.0, 1.0, 3.0, 10.0))
    moves = [0.0] * steps
    if program.adjacency.startswith("one"):
        moves[rng.randrange(steps)] = rng.choice((-1.0, 1.0))
    else:
        early, quiet, last = (rng.choice((-1.0, 1.0)) for _ in range(3))
        moves = [early if t <= program.stored[-1] else quiet for t in range(1, steps)] + [last]
    return tuple(spread * rng.choice((-1, 0, 1)) for _ in range(steps)), tuple(moves)


def _changed(program: KeptProgram, given: tuple[Stream, Stream], rng: random.Random) -> tuple[Stream, Stream]:
    stream, moves = list(given[0]), list(given[1])
    at = rng.randrange(program.steps)
    if rng.random() < 0.7:
        stream[at] += rng.choice((-1, 1)) * rng.choice((1.0, 2.0, 5.0, 10.0))
    elif program.adjacency.startswith("one"):
        moves = [0.0] * program.steps
        moves[at] = rng.choice((-1.0, 1.0))
    else:
        moves[at] = -moves[at]
    return tuple(stream), tuple(moves)


def loss(program: KeptProgram, seed: int, pairs: int = 40) -> tuple[float, str]:
    """The largest loss that was seen, and where: of some pairs, and of changes of the best so far."""
    rng = random.Random(f"pairs {seed}")
    best, where, found = 0.0, "", _first(program, rng)
    for number in range(pairs):
        given = _first(program, rng) if number < pairs // 4 else _changed(program, found, rng)
        stream, moves = given
        p, q = (outcomes(program, s) for s in (stream, tuple(x + m for x, m in zip(stream, moves, strict=True))))
        for end, chance in p.items():
            if min(chance, q[end]) > RAREST and abs(math.log(chance / q[end])) > best:
                best, where, found = abs(math.log(chance / q[end])), f"{stream} + {moves}, {end}", given
    return best, where


def judged(program: KeptProgram, seed: int) -> Judged:
    """A pure bound below the loss is false."""
    try:
        model = loaded(written(program))
        found = [
            d
            for d in derivations(proved(model))
            if isinstance(d.conclusion, PureBound) and size_of(model, d) < math.inf
        ]
    except SpecError as error:
        return Judged("invalid", "; ".join(f"{d.code} {d.message}" for d in error.diagnostics))
    except Crashed as error:
        return Judged("crashed", str(error))
    if not found:
        return Judged("open")
    lost, where = loss(program, seed)
    least = min(size_of(model, d) for d in found)
    fired = frozenset(rule for d in found for rule in rules_of(d))
    if lost > least + SLACK[len(program.stored)]:
        return Judged("false", f"{least:.6g} is proved, {lost:.6g} is lost", fired, where)
    return Judged("held", f"{lost / least:.4f}" if least else "", fired, where)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    options = parser.parse_args(arguments)
    counts, began = Counter[str](), time.monotonic()
    for seed in range(options.first_seed, options.first_seed + options.instances):
        if time.monotonic() - began > options.seconds:
            break
        program = kept_program(seed)
        found = judged(program, seed)
        counts[found.status] += 1
        if found.status in ("false", "crashed", "invalid"):
            print(f"# {found.status}, seed {seed}: {found.said}\n# {found.witness}\n{written(program)}", flush=True)
    print(f"from seed {options.first_seed}: {dict(counts)}")
    return 1 if counts["false"] or counts["crashed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
