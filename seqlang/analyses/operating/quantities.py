"""The random quantities of a claim, chances and means, from the law of (stopping step, return).

From the *enclosed* law come enclosures, which decide claims; from the law that `solve` *estimates*, estimates. Both are
computed in one way, from what a law is certain or supposed to be (`Masses`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import reduce
from math import inf
from typing import TYPE_CHECKING, Any

from seqlang.analyses.operating.possible import zeros_are_exact
from seqlang.arithmetic import intervals
from seqlang.arithmetic.ends import FLOATS
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model import expression as e
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.constants import Undefined, exactly
from seqlang.model.exact_numbers import nearest
from seqlang.model.jumps import jumps_of
from seqlang.model.outcomes import for_outcome
from seqlang.model.program import Program
from seqlang.model.wholes import Guarded
from seqlang.operators.catalogue import numerics
from seqlang.process.late import np
from seqlang.record import record
from seqlang.rules.claims import longest_run
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

if TYPE_CHECKING:
    from seqlang.backends.solve import Solution
    from seqlang.backends.solve.enclosed.law import EnclosedLaw
    from seqlang.backends.solve.enclosed.stopping_time import StoppingTime

Interval = tuple[float, float]
Watches = tuple[e.Expression, ...]
MOST_EXACT = 10_000
"""Steps in which a condition is computed exactly, one by one."""
MOST_STEPS = 1_000_000
"""A condition on the step is not tried in more steps than these."""
CAUTION = 3.0
"""A difference of two orders is near the error of the finer one where they converge slowly, and may be below it."""


class Open(Exception):
    """A value that the law does not give; the text says why."""


class BeyondTheTable(Exception):
    """The step is read, and the last steps are known in closed form only: the law is wanted step by step."""


@record
class Masses:
    """What is known of a law. `table` (steps, outcomes): probabilities; `later`: those of the outcomes after the table.
    Any sum of them is off by at most `slack`. `open`: the probability of all the rest, `never`: that of never stopping,
    which is in neither. `watched`: probabilities of the watched conditions, off by at most `watched_slack` and by what
    is open. `bounded`: a public stop ends every run; `surely` tells whether every run stops. `steps` gives an interval
    of the expected stopping step."""

    outcomes: tuple[Any, ...]
    table: Any
    later: Any
    slack: float
    open: float
    never: float
    watched: Any
    watched_slack: float
    bounded: bool
    surely: Callable[[], bool]
    steps: Callable[[], Interval]


def certain(program: Program, model: str, law: EnclosedLaw, stops: Callable[[], StoppingTime]) -> Masses:
    """What is certain. `stops`: see `stopping_time`; it is asked where it matters."""
    never = law.never if zeros_are_exact(program, model) or law.bounds_never else 0.0
    by_step = law.table.sum(axis=1)
    times = np.arange(1, len(by_step) + 1, dtype=float)
    so_far = float(times @ by_step)
    resolved = float(by_step.sum())
    left = max(0.0, 1.0 - resolved)
    after = len(by_step) + 1
    end = longest_run(program)

    def steps() -> Interval:
        if never > 0:
            return inf, inf
        # who has not stopped by the last step stops later; of who was given up it is known only that there is a step
        low = so_far + law.open * after + max(0.0, left - law.open) - law.rounding * after
        high = stops().high
        if end is not None:
            high = min(high, so_far + (left + law.rounding) * end + law.rounding * after)
        return max(1.0, low * (1 - 1e-12)), high * (1 + 1e-12)

    return Masses(
        law.outcomes, law.table, np.zeros(len(law.outcomes)), law.rounding, max(0.0, left - never) + law.rounding,
        never, law.watched, law.rounding, end is not None, lambda: end is not None or stops().surely, steps,
    )  # fmt: skip


def estimated(program: Program, model: str, solution: Solution, *, supposing: bool) -> Masses:
    """What the computed law is supposed to be, with its estimated error. An expected step has an upper end only where a
    public stop ends every run: an estimate cannot tell of runs too rare to be seen that go on for ever. `supposing`:
    it has one all the same."""
    tail = solution.tail
    later = np.zeros(len(solution.outcomes)) if tail is None else tail.outcomes
    open_mass = solution.unresolved + solution.lost
    gap = abs(1.0 - float(solution.table.sum()) - float(later.sum()) - solution.unresolved)
    error = CAUTION * solution.error + gap
    exact = zeros_are_exact(program, model)
    never = solution.never if exact or solution.bounded_never else 0.0
    by_step = solution.table.sum(axis=1)
    value = float(np.dot(np.arange(1, len(by_step) + 1), by_step)) + (0.0 if tail is None else tail.steps)
    end = longest_run(program)
    after = len(by_step) + 1
    steps = (max(1.0, value - error * max(after, value)), inf)
    if end is not None:
        steps = (max(1.0, value - error * end), min(float(end), value + (error + open_mass) * end))
    elif never > 0:
        steps = (inf, inf)
    elif supposing:
        steps = (max(1.0, value - solution.steps_error), value + solution.steps_error)
    watched_error = solution.watched_error + gap
    return Masses(
        solution.outcomes, solution.table, later, error, max(0.0, open_mass - never), never, solution.watched,
        watched_error, end is not None, lambda: end is not None, lambda: steps,
    )  # fmt: skip


class Quantities:
    """Intervals of the random quantities of one law, which is asked for where it is needed. `closer` may give the
    probability of a condition on what is returned without it, `drift` the expected step."""

    def __init__(
        self,
        program: Program,
        law: Callable[[], Masses],
        watches: Watches,
        closer: Callable[[Callable[[object], bool]], Interval | None] | None = None,
        drift: Callable[[], Interval | None] = lambda: None,
    ) -> None:
        self.program, self.law, self.watches, self.closer, self.drift = program, law, watches, closer, drift
        self.parameters = parameter_values(program)
        self._masses: Masses | None = None

    @property
    def masses(self) -> Masses:
        """The law, computed once."""
        self._masses = self.law() if self._masses is None else self._masses
        return self._masses

    def interval(self, side: e.Expression) -> Interval:
        """Where the value of one side of a comparison lies. Raises Open, BeyondTheTable."""
        if isinstance(side, e.Apply) and side.operator in ("probability", "expected"):
            return self._random(side.operator, side.arguments[0])
        if not any(isinstance(n, e.Apply) and n.operator in ("probability", "expected") for n in e.walk(side)):
            formula = formula_of(self.program, side)
            if formula is None:
                raise Open("a bound without a value")
            found = enclose(formula, self.parameters)
            return found.low, found.high
        if isinstance(side, e.Apply) and side.operator in _ARITHMETIC:
            return _ARITHMETIC[side.operator](*(self.interval(a) for a in side.arguments))
        raise Open("an operator that intervals do not know")

    def _random(self, kind: str, body: e.Expression) -> Interval:
        if body in self.watches:
            return self._watch(kind, self.watches.index(body))
        if kind == "expected" and body == e.StepNumber():
            found = self.drift()
            return self.masses.steps() if found is None else found
        closer = self._of_outcomes(body) if kind == "probability" and self.closer is not None else None
        return self._of_table(kind, body) if closer is None else closer

    def _of_outcomes(self, body: e.Expression) -> Interval | None:
        """A condition on what is returned alone, by the probability of the outcomes for which it holds."""
        assert self.closer is not None
        if any(isinstance(n, e.StepNumber) for n in e.walk(body)):
            return None
        if all(self._value(body, outcome, 1.0) for outcome in self.program.labels):
            return None  # it may be certain, which no sum of probabilities shows
        if self._value(body, _ENDLESS, inf):  # it holds where a run never stops
            found = self.closer(lambda outcome: not self._value(body, outcome, 1.0))
            return None if found is None else (1.0 - found[1], 1.0 - found[0])
        return self.closer(lambda outcome: bool(self._value(body, outcome, 1.0)))

    def _watch(self, kind: str, index: int) -> Interval:
        masses = self.masses
        assert masses.watched is not None
        value = float(masses.watched[index])
        if kind == "probability":
            low, high = _around(value, masses.watched_slack)
            return max(0.0, low), min(1.0, high + masses.open)
        raise Open("the expected final value of a statistic has no error bound here")

    def _of_table(self, kind: str, body: e.Expression) -> Interval:
        masses = self.masses
        steps = np.arange(1, len(masses.table) + 1, dtype=float)
        total = 0.0
        lowest, highest = inf, -inf
        constant = True
        for i, outcome in enumerate(masses.outcomes):
            evaluator = _Evaluator(self.program, self.parameters, outcome, steps)
            value = np.broadcast_to(np.asarray(evaluator.of(body), dtype=float), steps.shape)
            total += float(np.dot(value, masses.table[:, i]))
            lowest, highest = min(lowest, float(value.min())), max(highest, float(value.max()))
            constant = constant and evaluator.constant
            if masses.later.any():
                if not evaluator.constant:
                    raise BeyondTheTable
                total += float(value[-1]) * float(masses.later[i])
        if kind == "expected" and any(isinstance(n, e.StepNumber) for n in e.walk(body)):
            raise Open("a function of the step other than the step itself")
        # Runs that have not stopped may return anything yet, or go on for ever.
        endless = 0.0 if masses.bounded else self._value(body, _ENDLESS, inf)
        others = [self._value(body, outcome, steps[-1]) for outcome in self.program.labels]
        ends = others
        others = others if masses.bounded else [*others, endless]
        seen = lowest, highest
        lowest, highest = min(lowest, *others, inf), max(highest, *others, -inf)
        slack = masses.slack * max(abs(lowest), abs(highest), 1e-300)
        low, high = _around(total, slack)
        if kind == "probability":
            always = min(seen) == max(seen) == 1 and all(v == 1 for v in ends)
            if always and (constant or self._holds_later(body, len(steps))) and (endless == 1 or masses.surely()):
                return 1.0, 1.0
            low += masses.never * endless * (1 - 1e-12)
            high += masses.never * endless * (1 + 1e-12) + masses.open
            return max(0.0, low - slack * endless), min(1.0, high + slack * endless)
        rest = masses.open + masses.never
        return low + rest * min(lowest, 0.0), high + rest * max(highest, 0.0)

    def _holds_later(self, body: e.Expression, steps: int) -> bool:
        """Whether a condition surely holds where a run ends after the table, in whose steps too little is left."""
        last = longest_run(self.program)
        if last is None or last > MOST_STEPS:
            return False
        later = np.arange(steps + 1, last + 1, dtype=float)
        ends = (*self.masses.outcomes, *self.program.labels)
        return all(bool(np.all(_Evaluator(self.program, self.parameters, end, later).of(body))) for end in ends)

    def _value(self, body: e.Expression, outcome: object, step: float) -> float:
        with np.errstate(invalid="ignore"):
            value = float(np.ravel(_Evaluator(self.program, self.parameters, outcome, np.array([step])).of(body))[0])
        if value != value:
            raise Open("an expression that means nothing where a run never stops")
        return value


_ENDLESS = object()
"""The outcome of a run that never stops: nothing is returned, and its step is infinite."""


class _Evaluator:
    """A function of the step and the outcome, for all steps at once. `constant`: it does not read the step. Where it
    jumps, it has the value of exact arithmetic."""

    def __init__(self, program: Program, parameters: Mapping[str, Any], outcome: object, steps: Any) -> None:
        self.jumps = jumps_of(program)
        self.parameters, self.outcome, self.steps = parameters, outcome, steps
        self.constant = True

    def of(self, body: e.Expression) -> Any:
        """The value of what a claim is about, in each step."""
        return self.value(for_outcome(body, self.outcome, self.outcome is not _ENDLESS))

    def value(self, x: e.Expression) -> Any:
        if isinstance(x, e.Apply | e.Choice):
            if self.jumps.grids.is_constant(x):
                return self._of_constant(x)
            form = self.jumps.run(x)
            if isinstance(form, Guarded | Undecidable):
                raise Open("a condition that exact arithmetic does not decide")
            if isinstance(form, Decided):
                return self._exactly(form)
            if form is not x:
                return self.value(form)
        return self._as_it_stands(x)

    def _of_constant(self, x: e.Expression) -> Any:
        found = exactly(x, self.jumps.grids.values)
        if isinstance(found, Fraction | Formula):
            return nearest(found)
        if isinstance(found, bool):
            return found
        raise Open("a constant that exact arithmetic does not decide, or without a value")

    def _exactly(self, form: Decided) -> Any:
        """In each step by itself; a run that never stops is in none."""
        if any(read != e.StepNumber() for read in form.reads):
            raise Open("an expression that is not a function of the step and the return")
        if len(self.steps) > MOST_EXACT or not np.isfinite(self.steps).all():
            raise Open("a condition that takes too long to be computed exactly")
        self.constant = False
        found: list[float] = []
        for step in self.steps:
            value = form.value(*[int(step)] * len(form.reads))
            if value is None or isinstance(value, Undefined):
                raise Open("a condition that exact arithmetic does not decide, or without a value")
            found.append(float(value))
        return np.array(found)

    def _as_it_stands(self, x: e.Expression) -> Any:
        match x:
            case e.Number(value):
                return float(value)
            case e.Truth(value=truth):
                return truth
            case e.ParameterValue(name):
                return float(self.parameters[name])
            case e.StepNumber():
                self.constant = False
                return self.steps
            case e.Choice(test, yes, no):
                return np.where(self.value(test), self.value(yes), self.value(no))
            case e.Apply(operator, arguments):
                function = _function(operator, len(arguments))
                if function is not None:
                    return function(*(self.value(a) for a in arguments))
        raise Open("an expression that is not a function of the step and the return")


def _function(operator: str, count: int) -> Callable[..., Any] | None:
    """The function of that many arrays, one entry a step; None for one that is not taken step by step."""
    several = {"and": np.logical_and, "or": np.logical_or, "max": np.maximum, "min": np.minimum}
    if operator in several:
        return lambda *arrays: reduce(several[operator], arrays)
    found = numerics(count).get(operator)
    return np.logical_not if operator == "not" else None if found is None else found.array(np)


def _around(value: float, error: float) -> Interval:
    """The interval of that radius, and of the rounding of a sum of many terms."""
    slack = error + 1e-13 * abs(value)
    return value - slack, value + slack


def _quotient(a: Interval, b: Interval) -> Interval:
    if b[0] <= 0 <= b[1]:
        raise Open("a divisor that may be 0")
    return intervals.multiply(FLOATS, a, intervals.reciprocal(FLOATS, b))


_ARITHMETIC: dict[str, Callable[..., Interval]] = {
    "+": lambda a, b: intervals.add(FLOATS, a, b),
    "-": lambda a, b: intervals.add(FLOATS, a, (-b[1], -b[0])),
    "*": lambda a, b: intervals.multiply(FLOATS, a, b),
    "/": _quotient,
    "negate": lambda a: (-a[1], -a[0]),
    "max": lambda *all: (max(a[0] for a in all), max(a[1] for a in all)),
    "min": lambda *all: (min(a[0] for a in all), min(a[1] for a in all)),
}
