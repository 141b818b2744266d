"""From a program and the sums released so far to where the test stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from seqlang.backends.montecarlo.stopping import chosen_model
from seqlang.backends.solve import Solution, Unsolved, solve
from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded
from seqlang.model.domain import Finite
from seqlang.model.expression import Law, Number
from seqlang.model.program import Model, Program
from seqlang.monitoring.course import Course, State, begun_at
from seqlang.monitoring.evidence import ByChance, chances_of, p_value
from seqlang.process.doing import doing
from seqlang.record import replace
from seqlang.results.monitor import Block, MonitorResult, Outlook
from seqlang.results.solve import SolveResult, outcome_name

HYPOTHESES = ("null", "alternative")
LEVEL = 0.95
QUANTILES = (0.5, 0.95, 0.99)


def watch(
    loaded: Loaded,
    counts: Sequence[Fraction],
    *,
    plan: int | None = None,
    places: Sequence[Fraction] = (),
    level: float = LEVEL,
) -> MonitorResult:
    """`counts`: what was released, block by block. `plan`: the face of the public coin, where one was thrown. `places`:
    chances of a 1 at which the outlook is asked for besides. Raises SpecError E0623 where the program does not look at
    its data in blocks, E0603 for counts that it cannot have released."""
    try:
        return _watched(loaded, counts, plan, places, level)
    except Unsolved as why:
        message = f"`{loaded.program.name}` cannot be followed from block to block: {why}"
        raise SpecError.of("E0623", message, source=loaded.source) from None


def _watched(
    loaded: Loaded, counts: Sequence[Fraction], plan: int | None, places: Sequence[Fraction], level: float
) -> MonitorResult:
    program = loaded.program
    for name in HYPOTHESES:
        chosen_model(program, name)  # says which models there are
    course, against = (Course(program, name) for name in HYPOTHESES)
    doing("following the released sums")
    blocks = tuple(_followed(course, _begin(program, course, plan), counts))
    p = p_value([chances_of(course.law(b.size), against.law(b.size), b.released, course.ratio) for b in blocks])
    state = blocks[-1].state if blocks else _begin(program, course, plan)
    decision = blocks[-1].decision if blocks else None
    outlooks = () if decision is not None else tuple(_outlooks(program, state, places))
    by_chance = _by_chance(program, course)
    interval = by_chance.interval([(b.size, b.released) for b in blocks], level) if by_chance and blocks else None
    return MonitorResult(
        program.name, blocks, state, decision, None if decision is not None else course.next_size(state), p, interval,
        level, outlooks,
    )  # fmt: skip


def _begin(program: Program, course: Course, plan: int | None) -> State:
    """The memories before the first block."""
    start = dict(course.start)
    if plan is None:
        try:
            course.next_size(start)
        except Unsolved:
            if "plan" not in start:
                raise
            message = "a public coin chose the plan before the first entry: which?"
            raise SpecError.of("E0603", message, help="--plan 1, --plan 2, ..: what `report chosen` showed") from None
        return start
    if "plan" not in start:
        raise SpecError.of("E0603", f"--plan {plan}: this test has one schedule only, and no coin")
    return {**start, "plan": float(plan)}


def _followed(course: Course, state: State, counts: Sequence[Fraction]) -> Iterator[Block]:
    for number, count in enumerate(counts, 1):
        if count.denominator != 1:
            raise SpecError.of("E0603", f"block {number} released {float(count):g}: released sums are whole numbers")
        found = course.after(state, float(count))
        state = found.state
        decision = outcome_name(found.outcome) if found.ended else None
        yield Block(number, found.size, int(count), decision, state)
        if found.ended and number < len(counts):
            message = f"the test ended after block {number} with `{decision}`: there is no block {number + 1}"
            raise SpecError.of("E0603", message)


def _outlooks(program: Program, state: State, places: Sequence[Fraction]) -> Iterator[Outlook]:
    """What may come, under both hypotheses and at the given chances of a 1."""
    rest = begun_at(program, state)
    for name in HYPOTHESES:
        doing(f"the outlook under {name}")
        yield _outlook(name, SolveResult(program.name, name, {}, solve(rest, name), 0.0))
    for place in places:
        (field,) = _coin(program, "--at")
        model = Model(f"p={float(place):g}", ((field, Law("bernoulli", (Number(place),))),))
        doing(f"the outlook at {float(place):g}")
        solution: Solution = solve(replace(rest, models=(*rest.models, model)), model.name)
        yield _outlook(model.name, SolveResult(program.name, model.name, {}, solution, 0.0))


def _outlook(name: str, found: SolveResult) -> Outlook:
    quantiles: Mapping[str, int | None] = {str(q): found.quantile(q) for q in QUANTILES}
    return Outlook(name, found.returns, found.expected_steps, quantiles)


def _coin(program: Program, option: str) -> tuple[str]:
    """The one field, if its entries are 0 or 1."""
    fields = [field for field in program.inputs if field.kind == "stream"]
    listed: Any = fields[0].domain if len(program.inputs) == len(fields) == 1 else None
    if not isinstance(listed, Finite) or {getattr(v, "value", None) for v in listed.values} != {0, 1}:
        raise SpecError.of("E0603", f"{option} is for coins: the entries of `{program.name}` are not 0 or 1")
    return (fields[0].name,)


def _by_chance(program: Program, course: Course) -> ByChance | None:
    """None where the entries are no coins, or a sum is not the number of ones."""
    try:
        (field,) = _coin(program, "")
    except SpecError:
        return None
    ends = [_surely(program, field, value).law(2)[0] for value in (0, 1)]
    if not np.array_equal(ends[0] + 2, ends[1]):
        return None
    return ByChance(course.noise(), course.geometric)


def _surely(program: Program, field: str, value: int) -> Course:
    """Where every entry has that value."""
    model = Model("surely", ((field, Law("bernoulli", (Number(Fraction(value)),))),))
    return Course(replace(program, models=(*program.models, model)), model.name)
