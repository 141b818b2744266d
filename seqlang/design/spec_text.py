"""A design as a program of the language: readable, with names, models, and the claims that it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from seqlang.design.decimal import decimal
from seqlang.design.design import Design
from seqlang.design.mechanism import mechanism_for
from seqlang.design.policy import Policy
from seqlang.design.problem import Problem


def spec_text(design: Design) -> str:
    """The text of the `.seq` file, one line a line of the schedule."""
    problem = design.problem
    parts = [
        _head(design),
        _schedule(design),
        _data(problem),
        _course(design),
        _claims(problem),
    ]
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _head(design: Design) -> Iterator[str]:
    problem = design.problem
    x, null, alternative = problem.stream, problem.null.text, problem.alternative.text
    errors = f"errors {decimal(problem.alpha)} and {decimal(problem.beta)}"
    yield "algorithm designed"
    yield f'    "{x} ~ {null} against {x} ~ {alternative}: adaptive blocks, {errors}"'
    yield ""
    shown = "noisy sum" if problem.privacy.notion != "none" else "sum"
    yield f"# Each entry is counted in one block, and a block's {shown} is all that is ever shown. The size of the next"
    yield "# block and the decision follow from the score: the log-likelihood ratio of all that was shown, each rounded"
    yield "# to whole steps of the lattice."
    yield f"let lattice = {decimal(Fraction(str(design.columns[0].policy.lattice)))}"
    setting = mechanism_for(problem.privacy, problem.null.range).setting
    if setting is not None:
        yield f"let {setting[0]:<7} = {setting[1]}"


def _schedule(design: Design) -> Iterator[str]:
    several = len(design.columns) > 1
    mirrored = all(_mirrored(c.policy) for c in design.columns)
    if mirrored:
        yield "# the next block's size, by how far the score is from 0"
    else:
        yield "# the next block's size, by score"
    for number, column in enumerate(design.columns, 1):
        name = f"size_{number}" if several else "size_for"
        yield from _table(name, column.policy, mirrored)
    if several:
        yield "let size_for(plan, s) = " + _by_plan([f"size_{n}(s)" for n in range(1, len(design.columns) + 1)])
    ups = [str(c.policy.high + 1) for c in design.columns]
    downs = [str(c.policy.low - 1) for c in design.columns]
    yield "let upper(plan) = " + _by_plan(ups) if several else f"let upper = {ups[0]}"
    yield "let lower(plan) = " + _by_plan(downs) if several else f"let lower = {downs[0]}"


def _by_plan(texts: list[str]) -> str:
    """By the face of the coin."""
    if len(set(texts)) == 1:
        return texts[0]
    parts = [f"if plan == {n} then {text} else " for n, text in enumerate(texts[:-1], 1)]
    return "".join(parts) + texts[-1]


def _mirrored(policy: Policy) -> bool:
    return policy.at_once is not None or (policy.low == -policy.high and policy.sizes == policy.sizes[::-1])


def _table(name: str, policy: Policy, mirrored: bool) -> Iterator[str]:
    if policy.at_once is not None:
        yield f"let {name}(s) = 1"
        return
    ranges = [r for r in policy.ranges() if not mirrored or r[1] >= 0]
    if len(ranges) == 1:
        yield f"let {name}(s) = {ranges[0][2]}"
        return
    yield f"let {name}(s) ="
    for _, last, size in ranges[:-1]:
        yield f"    if s <= {last} then {size} else"
    yield f"    {ranges[-1][2]}"


def _data(problem: Problem) -> Iterator[str]:
    x = problem.stream
    yield f"stream {x} in {'{0, 1}' if problem.reading is None else problem.reading.domain}"
    yield f"model null:        {x} ~ {problem.null.text}"
    yield f"model alternative: {x} ~ {problem.alternative.text}"
    if problem.reading is not None:
        yield from problem.reading.lines
        yield f"let null_levels        = {problem.reading.levels('null')}"
        yield f"let alternative_levels = {problem.reading.levels('alternative')}"


def _course(design: Design) -> Iterator[str]:
    problem, several = design.problem, len(design.columns) > 1
    x = problem.stream
    mirrored = all(_mirrored(c.policy) for c in design.columns)
    yield "memory score = 0"
    if several:
        faces = ", ".join(f"{n}: {decimal(c)}" for n, c in enumerate(design.chances, 1))
        yield "memory plan  = 0" + " " * 39 + "# which schedule: a public coin, thrown before the first entry"
        yield f"draw coin ~ {{{faces}}}"
        yield "report chosen = coin when plan == 0"
        yield "update plan = chosen when plan == 0"
        for n, column in enumerate(design.columns, 1):
            if column.policy.at_once is not None:
                yield f"stop when plan == {n} return {column.policy.at_once}"
    at = "abs(score)" if mirrored else "score"
    yield f"let size = size_for({'plan, ' if several else ''}{at})"
    mechanism = mechanism_for(problem.privacy, problem.null.range)
    ends = [_law(problem, side, mechanism.noise) for side in ("null", "alternative")]
    yield f"let P0   = {ends[0]}"
    yield f"let P1   = {ends[1]}"
    yield ""
    yield "report block when sum(1 since block) >= size"
    shown, term, most = ("ones", x, "size")
    if problem.reading is not None:
        shown, term, most = "total", problem.reading.term(x), _times(problem.reading.range, "size")
    yield f"report {shown:<5} = sum({term} since block) when block"
    low, high = (f"-{mechanism.margin}", f"{most} + {mechanism.margin}") if mechanism.margin else ("0", most)
    yield f"let seen = if block then clip({shown}, {low}, {high}) else 0"
    yield "update score = score + floor(log(P1.pmf(seen) / P0.pmf(seen)) / lattice + 1 / 2) when block"
    plan = "(plan)" if several else ""
    yield f"stop when score >= upper{plan} return reject"
    yield f"stop when score <= lower{plan} return accept"
    if mechanism.noise is not None:
        yield f"attach {mechanism.noise} to {shown}"


def _times(factor: int, name: str) -> str:
    return name if factor == 1 else f"{factor} * {name}"


def _law(problem: Problem, side: str, noise: str | None) -> str:
    """Of the sum of a block, with its noise."""
    plain = f"sum_of(size, {side}_levels)"
    if problem.reading is None:
        plain = f"binomial(size, {decimal(getattr(problem, side).chances[1])})"
    return plain if noise is None else f"convolve({plain}, {noise})"


def _claims(problem: Problem) -> Iterator[str]:
    if problem.privacy.notion != "none":
        yield f"claim strong {'pure(eps)' if problem.privacy.notion == 'pure' else problem.privacy.text}"
    yield f"claim probability(reject) <= {decimal(problem.alpha)} under null"
    yield f"claim probability(accept) <= {decimal(problem.beta)} under alternative"
