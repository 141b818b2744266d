"""Writes the tables of what the random programs have judged:

    PYTHONPATH=tests/properties:tests/kernels python tests/properties/engine_table.py --write

`tables/engines.md` says for each operator and engine on how many random programs the engine ran it and gave the
interpreter's numbers; `tables/solve.md` for each method of the exact laws and each kind of state on how many programs
its law was that of 300,000 simulated runs. A difference ends the command with the program and its seed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import engine_judge as judge
from engine_programs import STEPS, random_program
from engine_rows import catalogue, rows_of
from law_programs import KINDS, METHODS, compare_with_runs, random_law
from plain_kernels import program_of

from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program

COMMAND = "PYTHONPATH=tests/properties:tests/kernels python tests/properties/engine_table.py"
ENGINES = ("numpy", "compiled", "exact law", "transcript")
TABLES = Path(__file__).resolve().parent / "tables"
UNWRITTEN = "no program can say it: the grammar has no set of all `E for k in S`"
LAST_BEST = "refused: argmax and argmin over the last steps are left to the interpreter"
REASONS: Mapping[tuple[str, str], str] = {
    **{(f"arg{end} over last m", engine): LAST_BEST for end in ("max", "min") for engine in ENGINES},
    **{(f"arg{end} {span}", "transcript"): "refused: it would need the step of the best entry in the state"
       for end in ("max", "min") for span in ("over steps", "since r")},
    **{("set for", engine): UNWRITTEN for engine in ENGINES},
    **{("a window whose length changes", engine): "refused: entries without end would have to be kept"
       for engine in ENGINES[:3]},
    **{(row, "exact law"): "refused: a dataset is there from the start, its law is that of one step"
       for row in ("records", "a record's field")},
    **{(row, engine): "not written: given rows have no draws; `test_kernels_random` judges draws path by path"
       for row in ("a draw once", "a draw each step") for engine in ("numpy", "compiled", "transcript")},
    ("a cell in two `for`", "transcript"): "no program came to it; `test_engine_cases.py` judges one by hand",
    ("a cell in two `for`", "compiled"): "refused: one binder only; the numpy engine runs it",
    (".cdf", "numpy"): "refused: the cdf of a binomial law",
    (".cdf", "transcript"): "refused: the cdf of a binomial law",
    (".cdf", "exact law"): "refused: the cdf of a binomial law",
}  # fmt: skip
"""Why a cell is empty."""
TAKEN_BY = {
    "queries": "taken by another method: queries keep nothing, and do nothing but stop",
    "lattice": "taken by another method: a lattice holds sums, counts and means over all steps of finite data",
    "states": "taken by another method, or by none: states are listed where data are finite",
    "density at nodes": "not met: every program here ends by a step, and nodes are for walks between two ends; "
    "`tests/solve/test_sharp.py` judges them",
    "density on panels": "taken by another method, or by none: panels are for one sum or recursion of a density",
}


@dataclass
class Judged:
    """`ran[row, engine]` programs agreed; `refused` counts what engines said; `programs` were made."""

    programs: int = 0
    ran: Counter[tuple[str, str]] = field(default_factory=Counter)
    refused: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __add__(self, other: Judged) -> Judged:
        return Judged(self.programs + other.programs, self.ran + other.ran, self.refused + other.refused)


PART = 20
"""Programs that a process judges at once."""


def together(judged_: Callable[[range], Judged], seeds: range, workers: int) -> Judged:
    parts = [seeds[i : i + PART] for i in range(0, len(seeds), PART)]
    with ProcessPoolExecutor(workers) as pool:
        return sum(pool.map(judged_, parts), Judged())


def judged(seeds: range) -> Judged:
    """Random programs, a third of them on datasets, a third with draws of their own. Raises AssertionError for the
    first difference."""
    found = Judged()
    for seed in seeds:
        rng = random.Random(seed)
        data, plain = seed % 3 == 0, seed % 3 != 1
        text = random_program(rng, plain=plain, data=data)
        program = program_of(text)
        runs = judge.random_rows(program, rng, 6, STEPS)
        rows = rows_of(text, program)
        found.programs += 1
        for engine, compare in _comparisons(text, program, runs, rng, plain).items():
            try:
                wrong = compare()
            except judge.Refused as why:
                found.refused[engine, str(why)] += 1
                continue
            assert wrong is None, f"seed {seed}, {engine}: {wrong}\n{text}"
            found.ran.update((row, engine) for row in rows)
    return found


def _comparisons(
    text: str, program: Program, runs: list[judge.Rows], rng: random.Random, plain: bool
) -> dict[str, Callable[[], str | None]]:
    """The engines that a program is for: given rows need no draws, the exact law streams."""
    found: dict[str, Callable[[], str | None]] = {}
    if plain:
        found["numpy"] = lambda: judge.compare_paths(program, runs, STEPS, judge.by_numpy(program, runs, STEPS))
        found["compiled"] = lambda: judge.compare_paths(program, runs, STEPS, judge.by_kernel(program, runs, STEPS))
        found["transcript"] = lambda: judge.compare_transcript(text, runs[0], rng)
    if program.size is None:
        found["exact law"] = lambda: judge.compare_law(program, STEPS)[0]
    return found


def judged_laws(seeds: range) -> Judged:
    """The same for exact laws, by simulation."""
    found = Judged()
    for seed in seeds:
        text, kinds = random_law(random.Random(seed))
        program = program_of(text)
        found.programs += 1
        try:
            wrong, method = compare_with_runs(program, seed)
        except Unsolved as why:
            found.refused["solve", str(why)] += 1
            continue
        assert wrong is None, f"seed {seed}: {wrong}\n{text}"
        found.ran.update((kind, method.split(",")[0]) for kind in kinds)
    return found


# ---- the tables as text


def engines_table(found: Judged, seeds: range) -> str:
    return _table(
        "Operators and engines", f"--programs {len(seeds)} --first-seed {seeds.start}",
        f"{found.programs} random programs (seeds {seeds.start} to {seeds.stop - 1}); a cell counts those on which the "
        "engine ran the operator and gave the interpreter's numbers, bit for bit or within rounding.",
        catalogue(), ENGINES, found, REASONS,
    )  # fmt: skip


def laws_table(found: Judged, seeds: range) -> str:
    reasons = {(kind, method): TAKEN_BY[method] for kind in KINDS for method in METHODS}
    return _table(
        "Methods of the exact laws and kinds of state", f"--laws {len(seeds)} --first-seed {seeds.start}",
        f"{found.programs} random programs (seeds {seeds.start} to {seeds.stop - 1}); a cell counts those whose law "
        "was that of 300,000 simulated runs, within five standard errors and the law's own bound.",
        KINDS, METHODS, found, reasons,
    )  # fmt: skip


def _table(
    title: str, options: str, words: str, rows: tuple[str, ...], columns: tuple[str, ...], found: Judged,
    reasons: Mapping[tuple[str, str], str],
) -> str:  # fmt: skip
    lines = [f"# {title}", "", f"`{COMMAND} --write {options}`", "", words, ""]
    lines += ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    numbers: dict[str, int] = {}
    for row in rows:
        cells = []
        for column in columns:
            count, reason = found.ran[row, column], reasons.get((row, column))
            note = "" if count or reason is None else f"[{numbers.setdefault(reason, len(numbers) + 1)}]"
            cells.append(str(count) if count else note)
        lines.append(f"| {row.replace('|', chr(92) + '|')} | " + " | ".join(cells) + " |")
    lines += ["", *(f"[{number}] {reason}  " for reason, number in numbers.items()), "", "What was refused:", ""]
    lines += [f"- {engine}: {why} ({count})" for (engine, why), count in found.refused.most_common()]
    return "\n".join(lines) + "\n"


def cells_of(table: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of a table that was written: (name, cells)."""
    for line in table.splitlines():
        if line.startswith("| ") and not line.startswith("| |"):
            name, *cells = (part.strip() for part in line.strip("|").split(" | "))
            yield name, cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--laws", type=int, default=400)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="write the tables into the repository")
    options = parser.parse_args()
    first = options.first_seed
    for name, count, judged_, table in (
        ("engines.md", options.programs, judged, engines_table), ("solve.md", options.laws, judged_laws, laws_table),
    ):  # fmt: skip
        seeds = range(first, first + count)
        if count:
            text = table(together(judged_, seeds, options.workers), seeds)
            if options.write:
                (TABLES / name).write_text(text, encoding="utf-8")
            print(text)


if __name__ == "__main__":
    main()
