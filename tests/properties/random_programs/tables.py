"""Writes the tables of what the random programs have judged: `python -m random_programs.tables COUNTS.json..` adds the
counts of `hunt --counts` and `run_hunt --counts` to those kept in tests/properties/tables, and writes the tables there.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from random_programs.engine_tables import engines_table, laws_table

FOLDER = Path(__file__).parent.parent / "tables"
COUNTS = FOLDER / "counts.json"

Counts = dict[str, dict[str, int]]
"""Name of a count -> cell ("rule | adjacency | noise | data" in "cells") -> programs."""

REASONS = {
    "alignment/stored": "judged by programs of its own, `python -m random_programs.kept`, whose losses are quadratures"
    " (the counts stand in hunts.md), and by tests/rules/alignment/test_stored.py",
    "joint/between": "judged by the divergences of all transcripts of streams, tests/rules/joint/test_between.py",
    "joint/no_data": "programs that read no private data lose nothing, and what loses nothing is not counted; that it"
    " refuses all others is in tests/rules/joint/test_no_data.py",
    "joint/stable_value": "judged by the exact laws of all small datasets, tests/rules/joint/test_stable_value.py",
    "composition/every_algorithm": "cannot be judged by a program: it concludes a delta of 1, and no chance of an event"
    " exceeds another by more; it is asked for claims with such a delta only (tests/analyses/test_empty_claims.py), and"
    " that it refuses a smaller delta is in tests/rules/test_derivations_of_claims.py",
}
"""Rules that these programs do not reach, with the tests that judge them; a rule that is counted needs no reason."""

GAUSSIAN = "is about Gaussian noise"
ONE_OF_A_KIND = {
    ("mechanism/gaussian", "noise"): GAUSSIAN,
    ("mechanism/subsampled_gaussian", "noise"): GAUSSIAN,
    ("mechanism/law_of_counts", "noise"): "is about private choices",
    ("mechanism/subsampled_pure", "noise"): "its oracle adds up mixtures of Laplace laws; others are in its own tests",
    ("mechanism/discrete_gaussian", "noise"): "is about discrete Gaussian noise",
    ("conversion/discrete_gaussians_to_approximate", "noise"): "is about discrete Gaussian noise",
    ("mechanism/objective_perturbation", "noise"): "its noise is l2_laplace in the objective",
    ("mechanism/objective_perturbation", "adjacency"): "is about one replaced record",
    ("conversion/gaussians_to_approximate", "noise"): GAUSSIAN,
    ("conversion/losses_to_approximate", "noise"): "converts the losses of subsampled Gaussians only",
    (
        "composition/post_processing",
        "noise",
    ): "asked for beside Gaussian tests only: other parts take public gates along",
    ("joint/every_input", "noise"): GAUSSIAN,
    ("joint/gaussian_values", "noise"): GAUSSIAN,
    ("joint/shared_noise", "noise"): "is about shared Laplace noise",
    ("mechanism/flip_of_flip", "noise"): "is about flips; the other noises of a program are beside it",
    ("stopping/concentrated", "noise"): GAUSSIAN,
    ("stopping/gaussian_two_ends", "noise"): GAUSSIAN,
}
"""Rules that can meet one noise family, or one kind of neighbours, only."""


def products(counts: Counts) -> dict[str, list[tuple[str, str, str]]]:
    """Rule -> the products of adjacency, noise and kind of data on which it was judged."""
    out: dict[str, list[tuple[str, str, str]]] = {}
    for key in counts.get("cells", {}):
        rule, adjacency, noise, data = key.split(" | ")
        out.setdefault(rule, []).append((adjacency, noise, data))
    return out


def too_narrow(counts: Counts, rules: Sequence[str]) -> list[tuple[str, str]]:
    """Rules and axes (adjacency, noise) of which fewer than two were met, and no reason says why."""
    met = products(counts)
    return [
        (rule, axis)
        for rule in rules
        if rule not in REASONS
        for place, axis in enumerate(("adjacency", "noise"))
        if len({p[place] for p in met.get(rule, ())}) < 2 and (rule, axis) not in ONE_OF_A_KIND
    ]


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
    lines += ["## Products of adjacency, noise and kind of data", "", *_products(counts, rules), ""]
    lines += ["## Rules that these programs do not reach", ""]
    reached = {parts[0] for parts, _ in cells}
    lines += [f"- {rule}: {REASONS.get(rule, '**no reason is given**')}" for rule in rules if rule not in reached]
    lines += ["", "## Programs", "", "| kind | outcome | programs |", "|---|---|---:|"]
    lines += [f"| {key} | {n} |" for key, n in sorted(counts.get("programs", {}).items())]
    return "\n".join(lines) + "\n"


def _products(counts: Counts, rules: Sequence[str]) -> Iterator[str]:
    met = products(counts)
    yield "| rule | adjacencies | noise families | kinds of data | products | for lack of a second |"
    yield "|---|---:|---:|---:|---:|---|"
    for rule in rules:
        if rule in met:
            sizes = [str(len({p[place] for p in met[rule]})) for place in range(3)]
            why = "; ".join(reason for (r, _), reason in ONE_OF_A_KIND.items() if r == rule)
            yield f"| {rule} | {' | '.join(sizes)} | {len(met[rule])} | {why} |"


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
    if "paths" in counts:
        out["engines.md"] = engines_table(counts["paths"], counts.get("paths refused", {}))
    if "simulated" in counts:
        out["solve.md"] = laws_table(counts["simulated"], counts.get("simulated refused", {}))
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
