"""Judges random programs by the thousand: `python -m random_programs.hunt release --instances 1000 --first-seed 0`,
with tests/properties on the path. Failures are made small and written to `--found`; `--table` writes which rules fired.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from random_programs.coverage import Coverage
from random_programs.judge import KINDS, Judged, Kind
from random_programs.minimise import minimised
from random_programs.syntax import Program, text

FAILURES = ("false", "crashed")


def small(kind: Kind, program: Program, judged: Judged, letters: bool, budget: int = 600) -> tuple[Program, Judged]:
    """The failing program made small, and what is wrong with it."""

    def fails(candidate: Program) -> bool:
        try:
            found = kind.judged(candidate, letters)
        except Exception:
            return False
        return found.status == judged.status

    least = minimised(program, fails, budget)
    return least, kind.judged(least, letters)


def reproducer(kind: Kind, seed: int, program: Program, judged: Judged, letters: bool) -> str:
    """The `.seq` file of a failure."""
    lines = [
        f"{judged.status.upper()}: {judged.said}",
        f"neighbours: {judged.witness}",
        f"{kind.name} program, seed {seed}",
    ]
    return "".join(f"# {line}\n" for line in lines) + text(program, distinct=not letters)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=[*KINDS])
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--distinct", action="store_true", help="every binder with a letter of its own")
    parser.add_argument("--only", default="", help="stream or dataset")
    parser.add_argument("--found", type=Path, default=Path(__file__).parent.parent / "found")
    parser.add_argument("--counts", type=Path, help="where the counts are added, for the tables")
    options = parser.parse_args(arguments)
    kind, counts, coverage = KINDS[options.kind], Counter[str](), Coverage()
    began = time.monotonic()
    failures, met = 0, set[str]()
    for seed in range(options.first_seed, options.first_seed + options.instances):
        if time.monotonic() - began > options.seconds:
            break
        program = kind.program(seed)
        if options.only and program.kind != options.only:
            continue
        judged = kind.judged(program, not options.distinct)
        counts[judged.status] += 1
        coverage.add(kind.name, program, judged)
        if judged.status == "invalid":
            counts[judged.said[:80]] += 1
        if judged.status in FAILURES:
            failures += 1
            if judged.status == "crashed" and judged.said in met:
                continue  # one reproducer of an error is enough
            met.add(judged.said)
            least, said = small(kind, program, judged, not options.distinct)
            told = reproducer(kind, seed, least, said, not options.distinct)
            print(told, flush=True)
            if not options.distinct and judged.status == "false":
                print(f"# with a letter for each binder: {kind.judged(least, False).status}\n", flush=True)
            options.found.mkdir(exist_ok=True)
            (options.found / f"{kind.name}-{seed}.seq").write_text(told)
    seconds = time.monotonic() - began
    print(
        f"{kind.name} programs from seed {options.first_seed}: {dict(counts)}, "
        f"{sum(counts.values()) / seconds:.1f} a second"
    )
    if options.counts:
        old = Coverage(**json.loads(options.counts.read_text())) if options.counts.exists() else Coverage()
        options.counts.write_text(json.dumps((old + coverage).as_json(), indent=1, sort_keys=True) + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
