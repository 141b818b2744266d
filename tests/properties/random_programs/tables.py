"""Writes the tables of what the random programs have judged: `python -m random_programs.tables COUNTS.json..` adds the
counts of `hunt --counts` and `running --counts` to those kept in tests/properties/tables, and writes the tables there.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "tables"
COUNTS = FOLDER / "counts.json"

Counts = dict[str, dict[str, int]]
"""Name of a count -> cell ("rule | adjacency | noise | data" in "cells") -> programs."""

REASONS = {
    "composition/every_algorithm": "says nothing that an oracle could contradict: a delta of 1",
    "joint/ranking": "needs the best of the rest, its noise read twice: tests/rules/joint, random selections",
    "mechanism/filter": "needs noise whose cost memory adds up: tests/rules/mechanism, accounts of learning",
    "mechanism/flip_of_flip": "needs a flip of a flipped value: tests/rules/mechanism, test_reports_and_values",
    "stopping/mixed_gaussian": "needs Gaussian noise with another family on one test: test_soundness_gaussian",
    "stopping/shared_noise": "needs Gaussian noise that two tests share: test_soundness_gaussian",
}
"""Rules that these programs do not reach, with the tests that judge them; a rule that is counted needs no reason."""


def added(parts: Sequence[Counts]) -> Counts:
    out: dict[str, Counter[str]] = {}
    for part in parts:
        for name, cells in part.items():
            out.setdefault(name, Counter()).update(cells)
    return {name: dict(sorted(cells.items())) for name, cells in sorted(out.items())}


TOLD = (
    "A cell is the number of random programs in whose proofs the rule fired, and whose bounds an oracle of its own",
    "judged against a loss above 0. Made by `python -m random_programs.tables`.",
)


def proof_table(counts: Counts, rules: Sequence[str]) -> str:
    """Rule x adjacency, then rule x noise and rule x kind of data."""
    cells = [(key.split(" | "), n) for key, n in counts.get("cells", {}).items()]
    lines = ["# Proof rules that random programs have judged", "", *TOLD, ""]
    for place, title in ((1, "adjacency"), (2, "noise"), (3, "kind of data")):
        lines += [f"## Rule and {title}", "", *_grid(cells, place, rules), ""]
    lines += ["## Rules that these programs do not reach", ""]
    reached = {parts[0] for parts, _ in cells}
    lines += [f"- {rule}: {REASONS.get(rule, '**no reason is given**')}" for rule in rules if rule not in reached]
    lines += ["", "## Programs", "", "| kind | outcome | programs |", "|---|---|---:|"]
    lines += [f"| {key} | {n} |" for key, n in sorted(counts.get("programs", {}).items())]
    return "\n".join(lines) + "\n"


def _grid(cells: list[tuple[list[str], int]], place: int, rules: Sequence[str]) -> Iterator[str]:
    columns = sorted({parts[place] for parts, _ in cells})
    yield "| rule | " + " | ".join(columns) + " |"
    yield "|---|" + "---:|" * len(columns)
    total: Counter[tuple[str, str]] = Counter()
    for parts, n in cells:
        total[parts[0], parts[place]] += n
    for rule in rules:
        row = [total[rule, column] for column in columns]
        if any(row):
            yield f"| {rule} | " + " | ".join(str(n) if n else "·" for n in row) + " |"


def pair_table(title: str, told: str, cells: dict[str, int]) -> str:
    """Two-dimensional counts, "row | column"."""
    parts = [(key.split(" | "), n) for key, n in cells.items()]
    rows, columns = sorted({p[0] for p, _ in parts}), sorted({p[1] for p, _ in parts})
    known = {(p[0], p[1]): n for p, n in parts}
    lines = [f"# {title}", "", told, "", "| | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    lines += [f"| `{row}` | " + " | ".join(str(known.get((row, c), "·")) for c in columns) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def tables(counts: Counts, rules: Sequence[str]) -> dict[str, str]:
    """File name -> text."""
    out = {"proofs.md": proof_table(counts, rules)}
    if "solve" in counts:
        told = (
            "Random programs whose law by `solve` was compared with the listed one, by method and what the state holds."
        )
        out["listed_laws_by_method.md"] = pair_table(
            "Methods of `solve` that random programs have judged", told, counts["solve"]
        )
    if "engines" in counts:
        told = "Random programs whose simulated returns and steps were compared with the listed law, by their parts."
        out["listed_laws_by_engine.md"] = pair_table(
            "Engines that random programs have judged", told, counts["engines"]
        )
    return out


def main(arguments: list[str]) -> int:
    from seqlang.rules import names

    FOLDER.mkdir(exist_ok=True)
    known = [json.loads(COUNTS.read_text())] if COUNTS.exists() else []
    counts = added([*known, *(json.loads(Path(a).read_text()) for a in arguments)])
    COUNTS.write_text(json.dumps(counts, indent=1, sort_keys=True) + "\n")
    for file, told in tables(counts, names()).items():
        (FOLDER / file).write_text(told)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
