"""Judges `solve` and the engines: `python -m random_programs.run_hunt --judge JUDGE --instances 200 --counts FILE`,
with tests/properties and tests/kernels on the path.

`listed`: the law beside the listed one, of the engines in `--engines` (numpy, interpreter, compiled) by runs; `paths`:
every engine beside the interpreter on given entries; `kernels`: compiled kernels as plain text, draw by draw;
`simulated`: `solve` beside runs where data have a density."""

from __future__ import annotations

import argparse
import json
import math
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from plain_kernels import program_of

from random_programs import engine_paths
from random_programs.coupled_paths import Refused, kernel_disagrees
from random_programs.engine_rows import rows_of
from random_programs.enumeration import TooWide
from random_programs.every_operator import STEPS, random_program
from random_programs.judge import KINDS
from random_programs.meaning import Undefined
from random_programs.models import Ends, Modelled, listed_ends, modelled_program
from random_programs.running import difference, operators, simulated, solved_ends, states
from random_programs.simulated_laws import compare_with_runs, random_law
from random_programs.syntax import text
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program as Model

Counts = defaultdict[str, Counter[str]]
"""Name of a count -> cell -> programs."""

RUNS = {"numpy": 20_000, "compiled": 20_000, "interpreter": 1_000}
NO_LAW = "E0623"
CANNOT_RUN = "E0622"
"""What `solve` and an engine may answer instead. Any other error is wrong: the listing has a value for everything."""


def solve_is_wrong(modelled: Modelled, ends: Ends, lost: float, counts: Counter[str]) -> str | None:
    """What `solve` says differently; it may say that there is no exact law here."""
    try:
        mine, error, method = solved_ends(modelled.text())
    except SpecError as refusal:
        said = refusal.diagnostics[0]
        if said.code != NO_LAW:
            return f"solve ended with {said.code}: {said.message}"
        counts[f"no exact law here ({said.code}) | programs"] += 1
        return None
    except Exception as error:
        return f"solve ended with {error!r}"
    largest, where = difference(ends, mine)
    for state in states(modelled.program):
        counts[f"{method.split(',')[0]} | {state}"] += 1
    return (
        None
        if largest <= lost + error + 1e-7
        else f"{where}: {mine.get(where or (0, ''))} by {method}, {ends.get(where or (0, ''))} by listing"
    )


def engine_is_wrong(
    modelled: Modelled, ends: Ends, lost: float, engine: str, seed: int, counts: Counter[str]
) -> str | None:
    """What an engine's runs say differently: a return's chance or the mean of the steps, beyond 5.5 standard errors."""
    try:
        returns, mean = simulated(modelled.text(), engine, seed, RUNS[engine])
    except SpecError as refusal:
        said = refusal.diagnostics[0]
        if said.code != CANNOT_RUN:
            return f"{engine} ended with {said.code}: {said.message}"
        counts[f"refused ({said.code}) | {engine}"] += 1
        return None
    except Exception as error:
        return f"{engine} ended with {error!r}"
    for operator in operators(modelled.program):
        counts[f"{operator} | {engine}"] += 1
    true: dict[str, float] = {}
    steps = squares = 0.0
    for (step, outcome), p in ends.items():
        true[outcome] = true.get(outcome, 0.0) + p
        steps, squares = steps + step * p, squares + step * step * p
    for outcome, p in true.items():
        if outcome not in ("goes on", "stop"):
            spread = 5.5 * math.sqrt(max(p * (1 - p), 1e-3) / RUNS[engine]) + lost
            if abs(returns.get(outcome, 0.0) - p) > spread:
                return f"{engine}: {outcome} with chance {returns.get(outcome)}, {p} by listing"
    spread = 5.5 * math.sqrt(max(squares - steps**2, 1e-3) / RUNS[engine]) + 4 * lost + 1e-9
    return None if abs(mean - steps) <= spread else f"{engine}: {mean} steps, {steps} by listing"


def listed(seed: int, counts: Counts, engines: Sequence[str]) -> Iterator[str | None]:
    """`solve` and the engines beside the listed law."""
    modelled = modelled_program(seed)
    if modelled is None:
        return
    try:
        ends, lost = listed_ends(modelled)
    except (TooWide, Undefined):
        return
    said = [solve_is_wrong(modelled, ends, lost, counts["solve"])]
    said += [engine_is_wrong(modelled, ends, lost, engine, seed, counts["engines"]) for engine in engines]
    yield from (wrong and f"{wrong}\n{modelled.text()}" for wrong in said)


def paths(seed: int, counts: Counts, engines: Sequence[str]) -> Iterator[str | None]:
    """All engines beside the interpreter on given entries, path by path; a third of the programs on datasets, a third
    with draws of their own."""
    rng = random.Random(seed)
    data, plain = seed % 3 == 0, seed % 3 != 1
    source = random_program(rng, plain=plain, data=data)
    model = program_of(source)
    runs = engine_paths.random_rows(model, rng, 6, STEPS)
    rows = rows_of(source, model)
    for engine, compare in comparisons(source, model, runs, rng, plain).items():
        try:
            wrong = compare()
        except engine_paths.Refused as why:
            counts["paths refused"][f"{engine}: {why}"] += 1
            continue
        counts["paths"].update(f"{row}\t{engine}" for row in rows)
        yield wrong and f"{engine}: {wrong}\n{source}"


def comparisons(
    source: str, model: Model, runs: list[engine_paths.Rows], rng: random.Random, plain: bool
) -> dict[str, Callable[[], str | None]]:
    """The engines that a program is for: given rows need no draws, the exact law streams."""
    judge, found = engine_paths, dict[str, Callable[[], str | None]]()
    if plain:
        found["numpy"] = lambda: judge.compare_paths(model, runs, STEPS, judge.by_numpy(model, runs, STEPS))
        found["compiled"] = lambda: judge.compare_paths(model, runs, STEPS, judge.by_kernel(model, runs, STEPS))
        found["transcript"] = lambda: judge.compare_transcript(source, runs[0], rng)
    if model.size is None:
        found["exact law"] = lambda: judge.compare_law(model, STEPS)[0]
    return found


def kernels(seed: int, counts: Counts, engines: Sequence[str]) -> Iterator[str | None]:
    """Compiled kernels as plain text, draw by draw, on programs of every kind."""
    for name in KERNEL_KINDS:
        program = KINDS[name].program(seed)
        try:
            wrong = kernel_disagrees(program, seed)
        except Refused as why:
            counts["engines"][f"refused ({why}) | kernel text"] += 1
            continue
        except SpecError:
            continue
        counts["engines"].update(f"{operator} | kernel text" for operator in operators(program))
        yield wrong and f"{name}: {wrong}\n{text(program)}"


def simulated_law(seed: int, counts: Counts, engines: Sequence[str]) -> Iterator[str | None]:
    """`solve` beside simulated runs, where data have a density."""
    source, kinds = random_law(random.Random(seed))
    try:
        wrong, method = compare_with_runs(program_of(source), seed)
    except Unsolved as why:
        counts["simulated refused"][f"solve: {why}"] += 1
        return
    counts["simulated"].update(f"{kind}\t{method.split(',')[0]}" for kind in kinds)
    yield wrong and f"{wrong}\n{source}"


JUDGES = {"listed": listed, "paths": paths, "kernels": kernels, "simulated": simulated_law}
KERNEL_KINDS = ("transcript", "release", "stopping", "linear")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judge", choices=[*JUDGES], default="listed")
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--engines", nargs="*", default=["numpy"])
    parser.add_argument("--counts", type=Path)
    options = parser.parse_args(arguments)
    counts: Counts = defaultdict(Counter)
    began, cpu, failures, judged = time.monotonic(), time.process_time(), 0, 0
    for seed in range(options.first_seed, options.first_seed + options.instances):
        if time.monotonic() - began > options.seconds:
            break
        said = list(JUDGES[options.judge](seed, counts, options.engines))
        judged += bool(said)
        for wrong in said:
            if wrong is not None:
                failures += 1
                print(f"# seed {seed}: {wrong}", flush=True)
    seconds = time.process_time() - cpu
    print(f"{judged} seeds judged from {options.first_seed}, {failures} differences, {seconds:.0f} s of CPU")
    if options.counts:
        found = {name: dict(cells) for name, cells in counts.items()}
        options.counts.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
