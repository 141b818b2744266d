"""Judges `solve` and the engines by listed laws: `python -m random_programs.run_hunt --instances 200 --engines numpy
interpreter compiled --counts FILE`."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from pathlib import Path

from random_programs.enumeration import TooWide
from random_programs.meaning import Undefined
from random_programs.models import Ends, Modelled, listed_ends, modelled_program
from random_programs.running import difference, operators, simulated, solved_ends, states
from seqlang.diagnostics import SpecError

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


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--engines", nargs="*", default=["numpy"])
    parser.add_argument("--counts", type=Path)
    options = parser.parse_args(arguments)
    solve, engines = Counter[str](), Counter[str]()
    began, failures, judged = time.monotonic(), 0, 0
    for seed in range(options.first_seed, options.first_seed + options.instances):
        if time.monotonic() - began > options.seconds:
            break
        modelled = modelled_program(seed)
        if modelled is None:
            continue
        try:
            ends, lost = listed_ends(modelled)
        except (TooWide, Undefined):
            continue
        judged += 1
        said = [solve_is_wrong(modelled, ends, lost, solve)]
        said += [engine_is_wrong(modelled, ends, lost, engine, seed, engines) for engine in options.engines]
        for wrong in said:
            if wrong is not None:
                failures += 1
                print(f"# seed {seed}: {wrong}\n{modelled.text()}", flush=True)
    print(f"{judged} laws judged from seed {options.first_seed}, {failures} differ")
    if options.counts:
        options.counts.write_text(
            json.dumps({"solve": dict(solve), "engines": dict(engines)}, indent=1, sort_keys=True) + "\n"
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
