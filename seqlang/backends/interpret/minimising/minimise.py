"""argmin over all vectors, or over a ball, of a convex expression: empirical risk minimisation.

Sums over the records are evaluated for all records at once with numpy, with their gradients; an expression for which
that is not possible is evaluated as it stands, with differences for the gradients, which is slow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from seqlang.backends.interpret.code import Expressions
from seqlang.backends.interpret.minimising.slopes import NoSlope, Traced, applied, chosen, fitted
from seqlang.backends.interpret.state import State
from seqlang.backends.interpret.values import BallSet, EvaluationError, Value, is_vector
from seqlang.model import expression as ir
from seqlang.model.binding import free_variables
from seqlang.process.late import np

Objective = Callable[[Any], float]
Traceable = Callable[[Any], Traced]


def minimise(compiler: Expressions, m: State, e: ir.Quantified, domain: BallSet) -> tuple[float, ...]:
    """The vector v in `domain` with the smallest body (largest for argmax), to about 1e-7 for a smooth convex body.

    Quasi-Newton from 0. Raises EvaluationError if that ends nowhere finite.
    """
    from scipy import optimize

    from seqlang.backends.one_thread import one_thread

    find: Any = optimize.minimize  # its overloads describe the options of every method; ours are few
    sign = 1.0 if e.operator == "argmin" else -1.0
    objective, slope = _fast(compiler, m, e, domain.dimension)
    start = np.zeros(domain.dimension)

    def signed(v: Any) -> Any:
        if slope is None:
            return sign * objective(v)
        value, gradient = slope(v)
        return sign * value, sign * gradient

    gradient = "3-point" if slope is None else True
    if domain.radius is None:
        tight = {"maxiter": 1000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9}
        with one_thread():
            found = find(signed, start, method="L-BFGS-B", jac=gradient, options=tight)
    else:
        square = domain.radius**2
        room = [{"type": "ineq", "fun": lambda v: square - float(v @ v), "jac": lambda v: -2 * v}]
        tight = {"maxiter": 1000, "ftol": 1e-15}
        with one_thread():
            found = find(signed, start, method="SLSQP", jac=gradient, constraints=room, options=tight)
    if not np.all(np.isfinite(found.x)):
        raise EvaluationError(f"{e.operator} over all vectors found no finite minimum", e.span)
    return tuple(float(x) for x in found.x)


def _plain(compiler: Expressions, m: State, e: ir.Quantified) -> Objective:
    """The body as it stands, by the interpreter."""
    body = compiler.compile(e.body).run

    def objective(v: Any) -> float:
        m.bound[e.variable.number] = tuple(float(x) for x in v)
        try:
            return float(body(m))
        finally:
            m.bound.pop(e.variable.number, None)

    return objective


class _TooHard(Exception):
    """The body has something that is not evaluated for all records at once."""


def _fast(
    compiler: Expressions, m: State, e: ir.Quantified, dimension: int
) -> tuple[Objective, Callable[[Any], Any] | None]:
    """(the objective, and it together with its gradient, if that is known)."""
    try:
        run = _Vector(compiler, m, e.variable).compile(e.body, None)
        run(np.zeros((dimension, 1)))
    except _TooHard:
        return _plain(compiler, m, e), None

    def objective(v: Any) -> float:
        return float(np.asarray(run(np.asarray(v)[:, None]).value).reshape(-1)[0])

    def slope(v: Any) -> tuple[float, Any]:
        found = run(np.asarray(v)[:, None])
        ones = np.ones(np.shape(found.value))
        return float(np.sum(found.value)), np.zeros(dimension) if found.pull is None else found.pull(ones)

    try:
        slope(np.zeros(dimension))
    except NoSlope:
        return objective, None
    return objective, slope


class _Vector:
    """Compiles expressions of the variable and of the records to functions of v, an array (d, 1).

    Values are numbers, arrays (R,) with one number a record, and arrays (d, 1) or (d, R).
    """

    def __init__(self, compiler: Expressions, m: State, variable: ir.Variable) -> None:
        self.compiler = compiler
        self.m = m
        self.variable = variable

    def compile(self, e: ir.Expression, record: ir.Variable | None) -> Traceable:
        from seqlang.backends.arrays.operators import OPERATORS, PAIRS

        if not free_variables(e) & {self.variable, record}:
            fixed = Traced(self._fixed(e))
            return lambda v: fixed
        match e:
            case ir.Bound(name) if name == self.variable:
                return lambda v: Traced(v, lambda g: fitted(g, v.shape)[:, 0])
            case ir.Index(ir.Field(name), ir.Bound(at)) if at == record:
                column = np.asarray(self.m.fields[name], dtype=np.float64)
                data = Traced(column.T.copy() if column.ndim > 1 else column)
                return lambda v: data
            case ir.Apply("dot", (ir.Bound(name), ir.Index(ir.Field(of), ir.Bound(at)))) | ir.Apply(
                "dot", (ir.Index(ir.Field(of), ir.Bound(at)), ir.Bound(name))
            ) if name == self.variable and at == record:
                table = np.array(self.m.fields[of], dtype=np.float64)
                return lambda v: Traced(table @ v[:, 0], lambda g: g @ table)
            case ir.Index(base, at):
                whole, place = self.compile(base, record), int(self._fixed(at)) - 1
                return lambda v: _picked(whole(v), place)
            case ir.Apply(operator, arguments) if (operator in PAIRS and len(arguments) == 2) or operator in OPERATORS:
                parts = [self.compile(a, record) for a in arguments]
                function = PAIRS[operator] if operator in PAIRS and len(arguments) == 2 else OPERATORS[operator]
                return lambda v: applied(operator, function, [p(v) for p in parts])
            case ir.Choice(test, yes, no):
                t, y, n = (self.compile(x, record) for x in (test, yes, no))
                return lambda v: chosen(t(v).value, y(v), n(v))
            case ir.Quantified("sum" | "mean", body, variable, ir.Records(), None) if record is None:
                each = self.compile(body, variable)
                size = len(self.m.records)
                return lambda v: _summed(each(v), size, 1 / size if e.operator == "mean" else 1.0)
            case _:
                raise _TooHard

    def _fixed(self, e: ir.Expression) -> Value:
        """The value of what does not change while v is sought."""
        if any(variable.number not in self.m.bound for variable in free_variables(e)):
            raise _TooHard
        value = self.compiler.compile(e).run(self.m)
        if is_vector(value):
            return np.asarray(value, dtype=np.float64)[:, None]
        if not isinstance(value, (bool, int, float)):
            raise _TooHard
        return value


def _picked(whole: Traced, place: int) -> Traced:
    def pull(g: Any) -> Any:
        every = np.zeros(np.shape(whole.value))
        every[place] = g
        assert whole.pull is not None
        return whole.pull(every)

    return Traced(whole.value[place], None if whole.pull is None else pull)


def _summed(each: Traced, size: int, weight: float) -> Traced:
    """The sum over all records, times a weight."""
    value = float(np.sum(np.broadcast_to(each.value, (size,)))) * weight
    own = each.pull
    if own is None:
        return Traced(value)
    return Traced(value, lambda g: own(fitted(np.full(size, float(np.sum(g)) * weight), np.shape(each.value))))
