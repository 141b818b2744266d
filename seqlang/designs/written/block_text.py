"""What a program says of its data and of one block: streams, models, what is shown and what it scores."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.designs.blocks.mechanism import Mechanism
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.entry import Entry
from seqlang.designs.problem.problem import Problem
from seqlang.record import record


@record
class ShownSum:
    """A sum that a block shows. `adds` is what is added up, `most` the largest sum, `laws` of the sum under null and
    alternative; `suffix` of the names that belong to it."""

    name: str
    adds: str
    most: str
    laws: tuple[str, str]
    suffix: str = ""


def sums(problem: Problem) -> tuple[ShownSum, ...]:
    """One, or one for each arm."""
    x, sides = problem.stream, (problem.null, problem.alternative)
    if problem.arms:
        return tuple(
            ShownSum(name, f"{x} where {_in_arm(problem, i)}", "size / 2", _binomials("size / 2", sides, i), f"_{name}")
            for i, name in enumerate(problem.arms)
        )
    if problem.reading is None:
        return (ShownSum("ones", x, "size", _binomials("size", sides, 0)),)
    top = problem.reading.range
    laws = "sum_of(size, null_levels)", "sum_of(size, alternative_levels)"
    return (ShownSum("total", problem.reading.term(x), "size" if top == 1 else f"{top} * size", laws),)


def _in_arm(problem: Problem, arm: int) -> str:
    """By the public column, or, where noise has a divergence and no pure bound, by the step: such noise is accounted
    for by steps (`rules/composition/parallel.py`)."""
    return f"arm == {arm}" if problem.privacy.notion in ("pure", "none") else f"step % 2 == {1 - arm}"


_IN_TURN = "arm ~ point(1 - step % 2)"
"""What all models say of the public column: each row must have that arm (`release/foreseen.py`)."""


def _binomials(size: str, sides: tuple[Entry, Entry], arm: int) -> tuple[str, str]:
    first, second = (f"binomial({size}, {decimal(side.arms[arm][1])})" for side in sides)
    return first, second


def data_lines(problem: Problem) -> Iterator[str]:
    """Streams and models."""
    x, reading = problem.stream, problem.reading
    if problem.arms:
        yield "public arm in {0, 1}" + " " * 36 + f"# in turn: 0 is {problem.arms[0]}, 1 is {problem.arms[1]}"
    yield f"stream {x} in {'{0, 1}' if reading is None else reading.domain}"
    futile = problem.course == "futility"
    if futile:
        yield "public heeded in {0, 1}" + " " * 33 + "# whether the test ends for futility"
    heed, ignore = (f", heeded ~ point({n})" * futile for n in (1, 0))
    yield f"model null:        {_model(problem, problem.null)}{heed}"
    yield f"model alternative: {_model(problem, problem.alternative)}{heed}"
    if futile:
        yield f"model null_ignored: {_model(problem, problem.null)}{ignore}"
    if reading is not None:
        yield from reading.lines
        names = ("null", "alternative")
        if futile:  # a model of two streams is not one law
            names = ("null_entry", "alternative_entry")
            yield f"let null_entry        = {problem.null.text}"
            yield f"let alternative_entry = {problem.alternative.text}"
        yield f"let null_levels        = {reading.levels(names[0])}"
        yield f"let alternative_levels = {reading.levels(names[1])}"


def _model(problem: Problem, side: Entry) -> str:
    if side.second is None:
        return f"{problem.stream} ~ {side.text}"
    first, second = (decimal(chances[1]) for chances in side.arms)
    chance = first if first == second else f"if {_in_arm(problem, 0)} then {first} else {second}"
    return f"{_IN_TURN}, {problem.stream} ~ bernoulli({chance})"


def block_lines(problem: Problem, mechanism: Mechanism, floor: str | None) -> Iterator[str]:
    """What a block shows, and the score, which is not counted below `floor`."""
    shown = sums(problem)
    for one in shown:
        for number, law in enumerate(one.laws):
            noisy = law if mechanism.noise is None else f"convolve({law}, {mechanism.noise})"
            yield f"let P{number}{one.suffix or '  '} = {noisy}"
    yield ""
    yield "report block when sum(1 since block) >= size"
    width = max(5, *(len(one.name) for one in shown))
    for one in shown:
        yield f"report {one.name:<{width}} = sum({one.adds} since block) when block"
    for one in shown:
        ends = f"-{mechanism.margin}, {one.most} + {mechanism.margin}" if mechanism.margin else f"0, {one.most}"
        yield f"let seen{one.suffix} = if block then clip({one.name}, {ends}) else 0"
    if len(shown) > 1:
        yield f"let gain(Q, P, z) = {_gain('Q', 'P', 'z')}"
    gains = [
        _gain("P1", "P0", "seen") if len(shown) == 1 else f"gain(P1{s.suffix}, P0{s.suffix}, seen{s.suffix})"
        for s in shown
    ]
    after = f"score + {' + '.join(gains)}"
    yield f"update score = {after if floor is None else f'max({floor}, {after})'} when block"


def _gain(alternative: str, null: str, seen: str) -> str:
    return f"floor(log({alternative}.pmf({seen}) / {null}.pmf({seen})) / lattice + 1 / 2)"


def attached(problem: Problem, mechanism: Mechanism) -> Iterator[str]:
    """The noise."""
    if mechanism.noise is not None:
        yield f"attach {mechanism.noise} to {', '.join(one.name for one in sums(problem))}"
