"""The random quantities of a claim as intervals that hold their true values: chances and means of an exact law, with
its errors, the mass that it has not resolved, and rounding."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from math import inf
from typing import TYPE_CHECKING, Any

from seqlang.analyses.faint import lists_are_clear
from seqlang.analyses.operating.possible import zeros_are_exact
from seqlang.arithmetic import intervals
from seqlang.arithmetic.ends import FLOATS
from seqlang.arithmetic.formula import enclose
from seqlang.laws.facts import facts
from seqlang.model import expression as e
from seqlang.model.life import EachStep
from seqlang.model.program import Program
from seqlang.operators.catalogue import numerics
from seqlang.process.late import np
from seqlang.rules.claims import longest_run
from seqlang.rules.reading.limits import horizon_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values

if TYPE_CHECKING:
    from seqlang.backends.solve import Solution

Interval = tuple[float, float]
Watches = tuple[e.Expression, ...]
RARE, FEW = 1e-6, 64
"""Chances of one of few values below RARE may hide what they lead to."""
MOST_STEPS = 1_000_000
"""A condition on the step is not tried in more steps than these."""
CAUTION = 3.0
"""A difference of two orders is near the error of the finer one where they converge slowly, and may be below it."""


class Open(Exception):
    """A value that the law does not give; the text says why."""


class BeyondTheTable(Exception):
    """The step is read, and the last steps are known in closed form only: the law is wanted step by step."""


class Values:
    """Intervals of the random quantities of one solution."""

    def __init__(self, program: Program, model: str, solution: Solution, watches: Watches) -> None:
        self.program, self.solution, self.watches = program, solution, watches
        self.parameters = parameter_values(program)
        self.unresolved = solution.unresolved + solution.lost
        # A chance to stop may be too small for floats: then what looks like never is not known to be. Where a
        # supermartingale bounds it, such chances are counted.
        exact = zeros_are_exact(program, model)
        self.never = solution.never if exact or solution.bounded_never else 0.0
        # It stops surely where a public stop says so, or where finitely many states all lead to a stop: then the rest
        # was solved in closed form. Draws of persistent noise between the nodes are not among those states.
        closed = solution.tail is not None and self.unresolved == 0.0
        closed = closed and exact and all(isinstance(n.life, EachStep) for n in program.noises)
        self.surely = closed or not horizon_of(program, Signs(self.parameters)).is_infinite
        self.trapped = not self.surely and (
            not lists_are_clear(program, model) or _may_be_trapped(program, model, solution)
        )
        # What rounding took or added: the chances should add up to 1.
        tail = 0.0 if solution.tail is None else float(solution.tail.outcomes.sum())
        self.gap = abs(1.0 - float(solution.table.sum()) - tail - solution.unresolved)
        self.error = CAUTION * solution.error + self.gap

    def interval(self, side: e.Expression) -> Interval:
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
            return self._steps()
        return self._of_table(kind, body)

    def _steps(self) -> Interval:
        solution = self.solution
        by_step = solution.table.sum(axis=1)
        so_far = float(np.dot(np.arange(1, len(by_step) + 1), by_step))
        tail = solution.tail
        value = so_far if tail is None else so_far + tail.steps
        if self.never > 0:
            return inf, inf
        low, high = _around(value, solution.steps_error + self.gap * max(len(by_step), value))
        if solution.never > 0 or self.trapped:
            high = inf
        # Those who have not stopped take at least as many steps as were followed.
        later = solution.unresolved + (0.0 if tail is None else float(tail.outcomes.sum()))
        so_far += later * len(by_step)
        return max(low, so_far * (1 - 1e-12) - self.error * len(by_step)), high

    def _watch(self, kind: str, index: int) -> Interval:
        solution = self.solution
        assert solution.watched is not None
        value = float(solution.watched[index])
        if kind == "probability":
            low, high = _around(value, solution.watched_error + self.gap)
            return max(0.0, low), min(1.0, high + self.unresolved)
        raise Open("the expected final value of a statistic has no error bound here")

    def _of_table(self, kind: str, body: e.Expression) -> Interval:
        solution = self.solution
        steps = np.arange(1, len(solution.table) + 1, dtype=float)
        total, late = 0.0, 0.0
        lowest, highest = inf, -inf
        constant = True
        for i, outcome in enumerate(solution.outcomes):
            evaluator = _Evaluator(self.parameters, outcome, steps)
            value = np.broadcast_to(np.asarray(evaluator.value(body), dtype=float), steps.shape)
            total += float(np.dot(value, solution.table[:, i]))
            lowest, highest = min(lowest, float(value.min())), max(highest, float(value.max()))
            constant = constant and evaluator.constant
            if solution.tail is not None:
                mass = float(solution.tail.outcomes[i])
                if not evaluator.constant:
                    raise BeyondTheTable
                late += float(value[-1]) * mass
        if kind == "expected" and any(isinstance(n, e.StepNumber) for n in e.walk(body)):
            raise Open("a function of the step other than the step itself")
        # Runs that have not stopped may return anything yet, or go on for ever.
        endless = 0.0 if self.surely else self._value(body, _ENDLESS, inf)
        others = [self._value(body, outcome, steps[-1]) for outcome in self.program.labels]
        others += [] if self.surely else [endless]
        lowest, highest = min(lowest, *others, inf), max(highest, *others, -inf)
        slack = self.error * max(abs(lowest), abs(highest), 1e-300)
        low, high = _around(total + late, slack)
        never, open_mass = self.never, max(0.0, self.unresolved - self.never)
        if kind == "probability":
            if self.surely and lowest == highest == 1 and (constant or self._holds_later(body, len(steps))):
                return 1.0, 1.0
            low, high = low + never * endless * (1 - 1e-12), high + never * endless * (1 + 1e-12)
            return max(0.0, low - slack * endless), min(1.0, high + slack * endless + open_mass)
        return low + self.unresolved * min(lowest, 0.0), high + self.unresolved * max(highest, 0.0)

    def _holds_later(self, body: e.Expression, steps: int) -> bool:
        """Whether a condition surely holds where a run ends after the table, in whose steps too little is left."""
        last = longest_run(self.program)
        if last is None or last > MOST_STEPS:
            return False
        later = np.arange(steps + 1, last + 1, dtype=float)
        ends = (*self.solution.outcomes, *self.program.labels)
        return all(bool(np.all(_Evaluator(self.parameters, end, later).value(body))) for end in ends)

    def _value(self, body: e.Expression, outcome: object, step: float) -> float:
        with np.errstate(invalid="ignore"):
            value = float(np.ravel(_Evaluator(self.parameters, outcome, np.array([step])).value(body))[0])
        if value != value:
            raise Open("an expression that means nothing where a run never stops")
        return value


def _may_be_trapped(program: Program, model: str, solution: Solution) -> bool:
    """Whether runs too few to be seen might take for ever, so that nothing bounds the expected step: what is left is
    taken to go on stopping as before, and a rare value of an entry or a noise may lead where nobody stops."""
    from seqlang.backends.solve import Unsolved
    from seqlang.backends.solve.noises.laws import noise_laws
    from seqlang.backends.solve.step.entries import entries

    if program.model(model).memories:
        return True
    laws = noise_laws(program)
    listed = [laws[n.name] for n in program.noises if isinstance(n.law, e.Weights) and n.name in laws]
    rarest = min((float(law.atoms()[1].min()) for law in listed), default=1.0)
    try:
        found, missing = entries(program, model)
    except Unsolved:
        return rarest < RARE
    if missing == 0 and len(found) <= FEW:
        rarest = min(rarest, *(entry.chance for entry in found))
    return rarest < RARE or (solution.tail is None and _bounded(program))


def _bounded(program: Program) -> bool:
    """Whether all noise has bounded support."""
    laws = [n.law for n in program.noises]
    return all(isinstance(x, e.Weights) or (isinstance(x, e.Law) and facts(x.family).bounded) for x in laws)


_ENDLESS = object()
"""The outcome of a run that never stops: nothing is returned, and its step is infinite."""


class _Evaluator:
    """A function of the step and the outcome, for all steps at once. `constant`: it does not read the step."""

    def __init__(self, parameters: Mapping[str, Any], outcome: object, steps: Any) -> None:
        self.parameters, self.outcome, self.steps = parameters, outcome, steps
        self.constant = True

    def value(self, x: e.Expression) -> Any:
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
            case e.Label(name):
                return name == self.outcome or (name == "stops" and self.outcome is not _ENDLESS)
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
