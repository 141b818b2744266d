"""The tables of engines: what they ran beside the interpreter, operator by operator, and what exact laws agreed with
simulated runs. A cell that is empty has the number of a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from random_programs.engine_rows import catalogue
from random_programs.simulated_laws import KINDS, METHODS

ENGINES = ("numpy", "compiled", "exact law", "transcript")
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


def engines_table(counts: Mapping[str, int], refusals: Mapping[str, int]) -> str:
    """`counts`: "operator <tab> engine" -> programs, for operators have bars in them; `refusals`: "engine: why"."""
    words = (
        "A cell counts the random programs on which the engine ran the operator and gave the interpreter's numbers, "
        "bit for bit or within rounding."
    )
    return _table("Operators and engines", "paths", words, catalogue(), ENGINES, (counts, refusals), REASONS)


def laws_table(counts: Mapping[str, int], refusals: Mapping[str, int]) -> str:
    """`counts`: "kind of state <tab> method" -> programs."""
    words = (
        "A cell counts the random programs whose law was that of 300,000 simulated runs, within five standard errors "
        "and the law's own bound."
    )
    reasons = {(kind, method): TAKEN_BY[method] for kind in KINDS for method in METHODS}
    title = "Methods of the exact laws and kinds of state"
    return _table(title, "simulated", words, KINDS, METHODS, (counts, refusals), reasons)


def _table(
    title: str, judge: str, words: str, rows: Sequence[str], columns: Sequence[str],
    found: tuple[Mapping[str, int], Mapping[str, int]], reasons: Mapping[tuple[str, str], str],
) -> str:  # fmt: skip
    counts, refusals = found
    lines = [
        f"# {title}",
        "",
        f"`python -m random_programs.run_hunt --judge {judge}`, added up by `tables`.",
        "",
        words,
        "",
    ]
    lines += ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    numbers: dict[str, int] = {}
    for row in rows:
        cells = []
        for column in columns:
            count, reason = counts.get(f"{row}\t{column}", 0), reasons.get((row, column))
            note = "" if count or reason is None else f"[{numbers.setdefault(reason, len(numbers) + 1)}]"
            cells.append(str(count) if count else note)
        lines.append(f"| {row.replace('|', chr(92) + '|')} | " + " | ".join(cells) + " |")
    lines += ["", *(f"[{number}] {reason}  " for reason, number in numbers.items()), "", "What was refused:", ""]
    lines += [f"- {why} ({count})" for why, count in Counter(refusals).most_common()]
    return "\n".join(lines) + "\n"


def cells_of(table: str) -> Iterator[tuple[str, list[str]]]:
    """The rows of a table that was written: (name, cells)."""
    for line in table.splitlines():
        if line.startswith("| ") and not line.startswith("| |"):
            name, *cells = (part.strip() for part in line.strip("|").split(" | "))
            yield name, cells
