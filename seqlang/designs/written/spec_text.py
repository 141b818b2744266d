"""A design as a program of the language: readable, with names, models, and the claims that it keeps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.blocks.policy import Policy
from seqlang.designs.design import Design
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.problem import Problem
from seqlang.designs.written.block_text import attached, block_lines, data_lines
from seqlang.results.design import SIDES

LONG = 25
"""Cases of one choice."""


def spec_text(design: Design, claimed: Sequence[str] = SIDES) -> str:
    """The text of the `.seq` file, one line a line of the schedule. `claimed`: the hypotheses under which the error is
    claimed; a test that never accepts has none under the alternative."""
    problem = design.problem
    claims = [side for side in claimed if side == "null" or _accepts(design)]
    parts = [_head(design), _schedule(design), data_lines(problem), _course(design), _claims(problem, claims)]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _accepts(design: Design) -> bool:
    return not any(column.policy.endless for column in design.columns)


def _head(design: Design) -> Iterator[str]:
    problem = design.problem
    null, alternative = problem.hypothesis(problem.null), problem.hypothesis(problem.alternative)
    named = "adaptive blocks" + {"both ends": "", "one-sided": ", one-sided", "futility": ", futility"}[problem.course]
    errors = f"errors {decimal(problem.alpha)} and {decimal(problem.beta)}"
    yield "algorithm designed"
    yield f'    "{null} against {alternative}: {named}, {errors}"'
    yield ""
    if problem.arms:
        odd, even = problem.arms
        yield f"# Half of the entries are in each arm, in turn: odd entries are {odd} (arm 0), even ones {even}"
        yield "# (arm 1). The errors do not hold for another allocation, such as a coin for each entry. If another was"
        yield "# used, take the entries of each arm in the order in which they came, one of each arm in turn, and leave"
        yield "# out what is left over."
        yield "#"
    shown = "noisy sum" if problem.privacy.notion != "none" else "sum"
    yield f"# Each entry is counted in one block, and a block's {shown} is all that is ever shown. The size of the next"
    yield "# block and the decision follow from the score: the log-likelihood ratio of all that was shown, each rounded"
    yield "# to whole steps of the lattice."
    yield f"let lattice = {decimal(Fraction(str(design.columns[0].policy.lattice)))}"
    setting = mechanism_for(problem.privacy, problem.null.range).setting
    if setting is not None:
        yield f"let {setting[0]:<7} = {setting[1]}"


def _schedule(design: Design) -> Iterator[str]:
    several, ends = len(design.columns) > 1, _ends(design)
    mirrored = _mirrored(design)
    if not _accepts(design):
        yield "# the test stops to reject only, and else goes on for ever"
    elif design.problem.course == "one-sided":
        yield "# the test stops to reject only: `accept` is what is left at its last look"
    if _floor(design) is not None:
        yield f"let floor_of_scores = {_floor(design)}" + " " * 19 + "# no score is counted below it"
    if design.problem.course == "futility":
        lasts = [str(c.policy.rows[-1].used) if c.policy.rows else "1" for c in design.columns]
        yield ("let last(plan) = " if several else "let last = ") + _by_plan(lasts)
    by = "entries used and " if ends else ""
    yield f"# the next block's size, by {by}{'how far the score is from 0' if mirrored else 'score'}"
    known = "n, s" if ends else "s"
    for number, column in enumerate(design.columns, 1):
        name = f"size_{number}" if several else "size_for"
        sizes = column.policy.ignoring or column.policy
        yield from _table(f"{name}({known})", _sizes(sizes, mirrored, design.problem.turns))
    if several:
        calls = [f"size_{n}({known})" for n in range(1, len(design.columns) + 1)]
        yield f"let size_for(plan, {known}) = " + _by_plan(calls)
    for name, place in (("upper", 1), ("lower", -1))[: 1 + _accepts(design)]:
        yield from _limit(design, name, place)


def _ends(design: Design) -> bool:
    return any(column.policy.ends for column in design.columns)


def _floor(design: Design) -> int | None:
    """Of the scores, which all policies have in common."""
    found = [(column.policy.ignoring or column.policy).floor for column in design.columns]
    return next((floor for floor in found if floor is not None), None)


def _limit(design: Design, name: str, side: int) -> Iterator[str]:
    """The first scores beyond those that go on, above or below."""
    several = len(design.columns) > 1
    tables = [_merged((row.used, str(row.high + 1 if side > 0 else row.low - 1)) for row in c.policy.rows)
              for c in design.columns]  # fmt: skip
    if not _ends(design):
        texts = [table[0][1] if table else "0" for table in tables]
        yield f"let {name}(plan) = " + _by_plan(texts) if several else f"let {name} = {texts[0]}"
        return
    for number, table in enumerate(tables, 1):
        yield from _table(f"{name}_{number}(n)" if several else f"{name}(n)", _chain("n", table or [(0, "0")]))
    if several:
        yield f"let {name}(plan, n) = " + _by_plan([f"{name}_{n}(n)" for n in range(1, len(tables) + 1)])


def _by_plan(texts: list[str]) -> str:
    """By the face of the coin."""
    if len(set(texts)) == 1:
        return texts[0]
    parts = [f"if plan == {n} then {text} else " for n, text in enumerate(texts[:-1], 1)]
    return "".join(parts) + texts[-1]


def _mirrored(design: Design) -> bool:
    rows = [row for column in design.columns for row in column.policy.rows]
    return all(row.low == -row.high and row.sizes == row.sizes[::-1] for row in rows)


def _merged(listed: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """(last place, text) of all runs of equal texts."""
    found: list[tuple[int, str]] = []
    for place, text in listed:
        if found and found[-1][1] == text:
            found.pop()
        found.append((place, text))
    return found


def _chain(name: str, table: list[tuple[int, str]]) -> list[str]:
    """The lines of a choice by `name`; a long one is one of choices, since expressions must not be nested deeply."""
    if len(table) > LONG:
        parts = [table[i : i + LONG] for i in range(0, len(table), LONG)]
        table = [(part[-1][0], f"({' '.join(_chain(name, part))})") for part in parts]
    return [*(f"if {name} <= {last} then {text} else" for last, text in table[:-1]), table[-1][1]]


def _table(head: str, lines: list[str]) -> Iterator[str]:
    if len(lines) == 1:
        yield f"let {head} = {lines[0]}"
        return
    yield f"let {head} ="
    yield from (f"    {text}" for text in lines)


def _sizes(policy: Policy, mirrored: bool, least: int) -> list[str]:
    """The lines of the size by score, and by entries used where the policy has an end."""
    by_row = []
    for row in policy.rows:
        if row.sizes:
            ranges = [r for r in row.ranges() if not mirrored or r[1] >= 0]
            by_row.append((row.used, _chain("s", [(last, str(size)) for _, last, size in ranges])))
    if not policy.ends:
        return by_row[0][1] if by_row else [str(least)]
    whole = _merged((used, lines[0] if len(lines) == 1 else f"({' '.join(lines)})") for used, lines in by_row)
    return _chain("n", whole)


def _course(design: Design) -> Iterator[str]:
    problem, several = design.problem, len(design.columns) > 1
    ends = _ends(design)
    yield "memory score = 0"
    if ends:
        yield "memory used  = 0" + " " * 39 + "# entries of all blocks so far"
    if several:
        faces = ", ".join(f"{n}: {decimal(c)}" for n, c in enumerate(design.chances, 1))
        yield "memory plan  = 0" + " " * 39 + "# which schedule: a public coin, thrown before the first entry"
        yield f"draw coin ~ {{{faces}}}"
        yield "report chosen = coin when plan == 0"
        yield "update plan = chosen when plan == 0"
        for n, column in enumerate(design.columns, 1):
            if column.policy.at_once is not None:
                yield f"stop when plan == {n} return {column.policy.at_once}"
    at = ["plan"] * several + ["used"] * ends
    named = "statistic" if ends else "let"  # what is long is written out once
    yield f"{named} size = size_for({', '.join([*at, 'abs(score)' if _mirrored(design) else 'score'])})"
    mechanism = mechanism_for(problem.privacy, problem.null.range)
    yield from block_lines(problem, mechanism, "floor_of_scores" if _floor(design) is not None else None)
    if ends:
        yield "update used = used + size when block"
    plan = f"({', '.join(at)})" if at else ""
    yield f"stop when score >= upper{plan} return reject"
    heed = f" and (heeded == 1 or used >= last{'(plan)' * several})" if problem.course == "futility" else ""
    if _accepts(design):
        yield f"stop when score <= lower{plan}{heed} return accept"
    yield from attached(problem, mechanism)


def _claims(problem: Problem, claimed: Sequence[str]) -> Iterator[str]:
    if problem.privacy.notion != "none":
        yield f"claim strong {'pure(eps)' if problem.privacy.notion == 'pure' else problem.privacy.text}"
    if "null" in claimed:
        ignored = "_ignored" * (problem.course == "futility")
        yield f"claim probability(reject) <= {decimal(problem.alpha)} under null{ignored}"
    if "alternative" in claimed:
        yield f"claim probability(accept) <= {decimal(problem.beta)} under alternative"
