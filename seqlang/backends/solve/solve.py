"""The exact law of (stopping step, return) of a program under a model.

    solve(program, model, tolerance=1e-9, work=1e9, watch=()) -> Solution    raises Unsolved

The error by quadrature is an estimate: it comes from the differences of at least three orders, which rise until these
are below the tolerance or the work is used up. What is certain is in `enclosed/`. Rounding is allowed for: a few units
in the last place for every step that a run takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from seqlang.backends.montecarlo.stopping import latest_end
from seqlang.backends.one_thread import one_thread
from seqlang.backends.solve.heavy_tails import beyond_the_nodes
from seqlang.backends.solve.recursion import Course, follow
from seqlang.backends.solve.solution import Array, Solution
from seqlang.backends.solve.spaces import Space, space_of
from seqlang.backends.solve.unsolved import Unsolved, refusals_are_unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.process.time_limit import poll
from seqlang.record import record, replace

ROUNDING = 4e-15
"""Relative error of one step's chances and sums."""
STEPS_FACTOR = 30.0
"""The expected step is asked to be exact to this many times the tolerance, relatively."""
ANY_FACTOR, ANY_LEAST = 1000.0, 1e-7
"""The sum of all differences (of random sign) may be this many times the tolerance, or this, if the totals keep to it:
chances of single steps bend with the noise at every state, their sums are smooth."""
GEOMETRIC = 0.05
"""Orders converge geometrically while a difference is less than this part of the one before."""
TWICE_SEEN, LEAST_SHARE = 10.0, 1 / 3000
"""Two small differences in a row are no accident: the error of a total is at most so many times the larger, and it is
taken to be at least this part of the sum of all differences seen last."""
SLOW = 0.3
"""Two more orders that leave more than this of the error: a higher one would cost more than it gives."""
WORK = 1e9


def solve(
    program: Program,
    model: str,
    *,
    tolerance: float = 1e-9,
    work: float = WORK,
    watch: tuple[ir.Expression, ...] = (),
    partly: bool = False,
) -> Solution:
    """The law, with bounds on its error; Unsolved where no space of states fits. `work` is in numbers computed, about
    a nanosecond each; when it is used up the answer is partial and says so (`unresolved`, `notes`). `partly`: also when
    the time is over, where a space has no quadrature."""
    try:
        with one_thread(), refusals_are_unsolved():  # also of values that only a later step makes
            space = space_of(program, model, watch, tolerance)
            try:
                course, errors, notes = _refined(space, tolerance, work, partly)
            except Unsolved:
                if space.unforced is None or not space.exact:
                    raise
                space = replace(space, name="states", unforced=None)  # found on the way that it does not fit
                course, errors, notes = _refined(space, tolerance, work, partly)
    except MemoryError:
        raise Unsolved("it takes more memory than there is") from None
    return _solution(course, errors, space, notes, tolerance, latest_end(program))


def _aligned(one: Course, other: Course) -> tuple[Course, Course]:
    """Both with the same outcomes in the same order: values that are returned are met in any order."""
    if one.outcomes == other.outcomes:
        return one, other
    outcomes = tuple(dict.fromkeys((*one.outcomes, *other.outcomes)))

    def moved(course: Course) -> Course:
        places = [outcomes.index(o) for o in course.outcomes]
        table = np.zeros((len(course.table), len(outcomes)))
        table[:, places] = course.table
        tail = course.tail
        if tail is not None:
            ends = np.zeros(len(outcomes))
            ends[places] = tail.outcomes
            tail = replace(tail, outcomes=ends)
        return replace(course, outcomes=outcomes, table=table, tail=tail)

    return moved(one), moved(other)


@record
class _Errors:
    """`any`: of the chance of any set of (step, outcome); `outcome`: of an outcome; `steps`: of the expected step;
    `second`: of E_z[E[T | z]^2]; `watched`: of the watched sums, whose values may jump where no node looks. `seen`
    are the plain differences of the two orders: of all chances together, of an outcome, of the expected step. `least`:
    of an outcome too, where orders converge slowly; it is printed, and asks for no further order."""

    any: float
    outcome: float
    steps: float
    second: float
    watched: float
    seen: tuple[float, float, float] = (math.inf, math.inf, math.inf)
    least: float = 0.0

    def small(self, tolerance: float, steps: float) -> bool:
        wanted = STEPS_FACTOR * tolerance * max(1.0, steps)
        return self.any <= max(ANY_FACTOR * tolerance, ANY_LEAST) and self.outcome <= tolerance and self.steps <= wanted


NO_ERROR = _Errors(0.0, 0.0, 0.0, 0.0, 0.0)


def _refined(space: Space, tolerance: float, work: float, partly: bool) -> tuple[Course, _Errors, list[str]]:
    """The course at the last order, with its difference to the one before. Raises Unsolved where the error of an
    outcome is as large as 1: such a law says nothing."""
    left = work
    make = space.unforced or space.make
    course = follow(make(0), tolerance=tolerance, work=left, partly=partly and space.exact)
    if space.exact:
        return course, NO_ERROR, []
    if not course.finished:
        raise Unsolved(_useless(course))
    errors: list[_Errors] = []
    note = "the error by quadrature is larger than was asked for"
    for level in range(1, space.last + 1):
        poll()
        left -= course.work
        if errors and left < 3 * course.work:
            break
        try:
            higher = follow(make(level), tolerance=tolerance, work=max(left, 3 * course.work))
        except Unsolved:
            if errors:
                break
            raise
        if not higher.finished:
            if not errors:
                course, higher = _aligned(course, higher)
                errors = [_Errors(distance(course, higher) + higher.unresolved, 1.0, math.inf, math.inf, math.inf)]
            break
        course, higher = _aligned(course, higher)
        errors.append(_errors(course, higher, errors[-1] if errors else None))
        course = higher
        if len(errors) > 1 and errors[-1].small(tolerance, course.steps):
            return course, errors[-1], []
        if len(errors) > 3 and errors[-1].any > SLOW * errors[-3].any:
            note = "the error by quadrature falls slowly and is larger than was asked for"
            break
    if not errors or not errors[-1].outcome < 1:  # a law that overflowed has an error that is no number
        raise Unsolved(_useless(course))
    return course, errors[-1], [note]


def _useless(course: Course) -> str:
    left = f"{course.unresolved:.3g} of the runs go on after {len(course.table)} steps" if course.unresolved else ""
    why = "the work that a law may take is used up before two orders of quadrature can be compared"
    return f"{why} ({left}), so that nothing is known of the error" if left else f"{why}: nothing is known of the error"


def _errors(one: Course, other: Course, before: _Errors | None) -> _Errors:
    """The difference of two orders. Differences of totals can be small by accident: they are taken to have fallen
    no faster than the sum of all differences, and to be at least a small part of that."""
    whole = distance(one, other)
    outcome = float(np.abs(_beyond(one, 0) - _beyond(other, 0)).max(initial=0.0))
    steps = abs(one.steps - other.steps)
    second = abs(_second(one) - _second(other))
    watched = 3 * float(np.abs(one.watched - other.watched).max(initial=0.0)) + whole
    seen = (whole, outcome, steps)
    if before is None:
        return _Errors(whole, max(3 * outcome, whole / 30), 3 * steps, 3 * second, watched, seen)
    fallen = min(1.0, whole / before.any) if before.any > 0 else 1.0
    steps = max(steps, before.steps * fallen)
    least = 0.0
    if whole > GEOMETRIC * before.seen[0]:  # the finer order may be no better than either difference says
        steps = max(steps, 2 * seen[2], 2 * before.seen[2])
        least = 2 * max(outcome, before.seen[1]) if outcome > GEOMETRIC * before.seen[1] else 0.0
        whole = max(whole, before.seen[0]) * (2 if fallen > 0.5 else 1)
    cautious = max(outcome, before.outcome * fallen, whole / 300)
    twice = max(TWICE_SEEN * max(outcome, before.seen[1]), LEAST_SHARE * seen[0])
    watched = max(watched, before.watched * fallen)
    return _Errors(whole, min(cautious, twice), steps, second, watched, seen, least)


def distance(one: Course, other: Course) -> float:
    """A bound on how much any probability of a set of (step, outcome) differs. Steps beyond the shorter table are
    compared as one."""
    steps = min(len(one.table), len(other.table))
    gap = float(np.abs(one.table[:steps] - other.table[:steps]).sum())
    return gap + float(np.abs(_beyond(one, steps) - _beyond(other, steps)).sum())


def _beyond(course: Course, steps: int) -> Array:
    rest = np.asarray(course.table[steps:].sum(axis=0))
    return rest if course.tail is None else rest + course.tail.outcomes


def _solution(
    course: Course, errors: _Errors, space: Space, notes: list[str], tolerance: float, end: int | None
) -> Solution:
    """`end`: the step in which every run has stopped, where the program says so."""
    expected = course.steps
    squares = _squares(course)
    slip = course.lost + ROUNDING * (1 + expected) + _defect(course)
    last = max(1, len(course.table))
    rest = course.rest_steps if course.unresolved > 0 else 0.0
    if course.never > 0:
        rest = math.inf
    beyond = beyond_the_nodes(course.weights, course.by_node, space.rarest)
    late = 0.0
    if end is not None:  # also runs of which nothing more is known, and chances that are off
        beyond, rest = min(beyond, space.rarest * end), min(rest, course.unresolved * end)
        late = (errors.outcome + slip) * max(0.0, float(end) - last)
    missing = course.lost * 4 + _defect(course)
    steps_error = _up(errors.steps + beyond + rest + late + missing * last + ROUNDING * (1 + expected + squares))
    moments = {}
    if course.unresolved <= tolerance and course.never == 0:
        slack = beyond_the_nodes(course.weights, _squares_by_node(course), space.rarest)
        slack = errors.second + (slack if end is None else min(slack, space.rarest * end**2))
        moments["expected steps squared"] = _up((_second(course) + slack) * (1 + ROUNDING * (1 + expected)))
    nodes = len(course.weights)
    method = space.name if nodes == 1 else f"{space.name}, {nodes} nodes of the noise that persists"
    return Solution(
        outcomes=course.outcomes, table=course.table, unresolved=course.unresolved, never=course.never,
        bounded_never=space.bounds_never and space.unforced is not None, lost=course.lost, error=_up(errors.any + slip),
        outcome_error=_up(max(errors.outcome, errors.least) + slip), steps_error=steps_error, tail=course.tail,
        watched=course.watched,
        watched_error=_up(errors.watched + slip) if space.sees_all else math.inf,
        method=method, notes=(*notes, *_notes(course, beyond, rest)), moments=moments,
    )  # fmt: skip


def _notes(course: Course, beyond: float, rest: float) -> Iterator[str]:
    """What a reader should know of the runs that had not stopped; `beyond` and `rest` are what bounds the error of the
    expected step by nodes that are left out, and by these runs."""
    if beyond == math.inf:
        yield "the expected step may be infinite: it grows too fast with the noise that persists"
    if course.never > 0:
        yield f"{course.never:.6g} of the runs never stop"
    if not course.finished:
        why = "ended, as more steps hardly help," if course.vain else "the work was used up"
        yield f"{why} after {len(course.table)} steps: {course.unresolved:.6g} of the runs had not stopped"
        if rest < math.inf:
            yield "what they add to the expected step is an estimate: they are taken to go on stopping as before"


def _defect(course: Course) -> float:
    """How far all chances are from 1 together: what rounding has done at least."""
    tail = 0.0 if course.tail is None else float(course.tail.outcomes.sum())
    return abs(1.0 - float(course.table.sum()) - tail - course.unresolved - course.lost)


def _squares_by_node(course: Course) -> Array:
    """weight * E[T | node]^2."""
    weights = np.where(course.weights > 0, course.weights, 1.0)
    return np.asarray(course.by_node**2 / weights)


def _second(course: Course) -> float:
    """E_z[E[T | z]^2]."""
    return float(_squares_by_node(course).sum())


def _squares(course: Course) -> float:
    times = np.arange(1, len(course.table) + 1, dtype=float)
    here = float(times**2 @ course.table.sum(axis=1)) if len(times) else 0.0
    return here + (course.tail.squares if course.tail is not None else 0.0)


def _up(value: float) -> float:
    return math.nextafter(value, math.inf) if value < math.inf else value
