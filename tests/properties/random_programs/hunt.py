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
from random_programs.partial import PARTIAL, Partial
from random_programs.syntax import Program, text

FAILURES = ("false", "crashed")
HUNTED: dict[str, Kind | Partial] = {**KINDS, PARTIAL.name: PARTIAL}


def small(
    kind: Kind | Partial, program: Program, judged: Judged, letters: bool, budget: int = 600
) -> tuple[Program, Judged]:
    """The failing program made small, and what is wrong with it."""

    def fails(candidate: Program) -> bool:
        try:
            found = kind.judged(candidate, letters)
        except Exception:
            return False
        return found.status == judged.status

    least = minimised(program, fails, budget)
    return least, kind.judged(least, letters)


def reproducer(kind: Kind | Partial, seed: int, program: Program, judged: Judged, letters: bool) -> str:
    """The `.seq` file of a failure."""
    lines = [
        f"{judged.status.upper()}: {judged.said}",
        f"neighbours: {judged.witness}",
        f"{kind.name} program, seed {seed}",
    ]
    return "".join(f"# {line}\n" for line in lines) + text(program, distinct=not letters)


class Hunt:
    """Judges one kind of program, and keeps count."""

    def __init__(self, kind: Kind | Partial, letters: bool, found: Path) -> None:
        self.kind, self.letters, self.found = kind, letters, found
        self.coverage, self.failures = Coverage(), 0
        self.refused: Counter[str] = Counter()
        self.met: set[str] = set()

    def judge(self, seed: int, program: Program) -> None:
        judged = self.kind.judged(program, self.letters)
        self.coverage.add(self.kind.name, program, judged)
        if judged.status == "invalid":
            self.refused[judged.said[:80]] += 1
        if judged.status not in FAILURES:
            return
        self.failures += 1
        if judged.status == "crashed" and judged.said in self.met:
            return  # one reproducer of an error is enough
        self.met.add(judged.said)
        least, said = small(self.kind, program, judged, self.letters)
        told = reproducer(self.kind, seed, least, said, self.letters)
        print(told, flush=True)
        if self.letters and judged.status == "false":
            print(f"# with a letter for each binder: {self.kind.judged(least, False).status}\n", flush=True)
        self.found.mkdir(exist_ok=True)
        (self.found / f"{self.kind.name}-{seed}.seq").write_text(told)

    def save(self, file: Path | None) -> None:
        if file is not None:
            file.write_text(json.dumps(self.coverage.as_json(), indent=1, sort_keys=True) + "\n")


def row(kind: str, first: int, programs: dict[str, int]) -> str:
    """The row of `tables/hunts.md`."""
    counts = [f"{programs.get(f'{kind} | {status}', 0):,}" for status in ("held", "open", "trivial", "false")]
    return f"| {kind} | {first:,} | {sum(programs.values()):,} | {' | '.join(counts)} |"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=[*HUNTED])
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--distinct", action="store_true", help="every binder with a letter of its own")
    parser.add_argument("--found", type=Path, default=Path(__file__).parent.parent / "found")
    parser.add_argument("--counts", type=Path, help="a new file for the counts, which `tables` adds")
    options = parser.parse_args(arguments)
    hunt = Hunt(HUNTED[options.kind], not options.distinct, options.found)
    began = time.monotonic()
    for seed in range(options.first_seed, options.first_seed + options.instances):
        if time.monotonic() - began > options.seconds:
            break
        hunt.judge(seed, hunt.kind.program(seed))
        if seed % 100 == 0:
            hunt.save(options.counts)
    hunt.save(options.counts)
    seconds = time.monotonic() - began
    print(f"from seed {options.first_seed}, {seconds:.0f} s: {hunt.coverage.programs} {dict(hunt.refused)}")
    print(row(hunt.kind.name, options.first_seed, hunt.coverage.programs))
    return 1 if hunt.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
