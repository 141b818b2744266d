"""argmin over all vectors, or over a ball, of a convex expression: empirical risk minimisation.

Sums over the records are evaluated for all records at once with numpy; an expression for which that is not possible is
evaluated as it stands, which is slow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from seqlang.backends.interpret.values import BallSet, EvaluationError, Value, is_vector
from seqlang.model import expression as ir

if TYPE_CHECKING:
    from seqlang.backends.interpret.machine import Machine

Objective = Callable[[Any], float]


def minimise(m: Machine, e: ir.Quantified, domain: BallSet) -> tuple[float, ...]:
    """The vector v in `domain` with the smallest body (largest for argmax), to about 1e-7 for a smooth convex body.

    Quasi-Newton from 0, with central differences. Raises EvaluationError if that ends nowhere finite.
    """
    import numpy as np
    from scipy import optimize

    find: Any = optimize.minimize  # its overloads describe the options of every method; ours are few
    sign = 1.0 if e.operator == "argmin" else -1.0
    objective = _fast(m, e, domain.dimension) or _plain(m, e)
    start = np.zeros(domain.dimension)

    def signed(v: Any) -> float:
        return sign * objective(v)

    if domain.radius is None:
        tight = {"maxiter": 1000, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9}
        found = find(signed, start, method="L-BFGS-B", jac="3-point", options=tight)
    else:
        square = domain.radius**2
        room = [{"type": "ineq", "fun": lambda v: square - float(v @ v)}]
        tight = {"maxiter": 1000, "ftol": 1e-15}
        found = find(signed, start, method="SLSQP", jac="3-point", constraints=room, options=tight)
    if not np.all(np.isfinite(found.x)):
        raise EvaluationError(f"{e.operator} over all vectors found no finite minimum", e.span)
    return tuple(float(x) for x in found.x)


def _plain(m: Machine, e: ir.Quantified) -> Objective:
    """The body as it stands, by the interpreter."""
    body = m.compiler.compile(e.body).run

    def objective(v: Any) -> float:
        m.bound[e.variable] = tuple(float(x) for x in v)
        try:
            return float(body(m))
        finally:
            m.bound.pop(e.variable, None)

    return objective


class _TooHard(Exception):
    """The body has something that is not evaluated for all records at once."""


def _fast(m: Machine, e: ir.Quantified, dimension: int) -> Objective | None:
    import numpy as np

    try:
        run = _Vector(m, e.variable).compile(e.body, None)
        run(np.zeros((dimension, 1)))
    except _TooHard:
        return None
    return lambda v: float(np.asarray(run(np.asarray(v)[:, None])).reshape(-1)[0])


class _Vector:
    """Compiles expressions of the variable and of the records to functions of v, an array (d, 1).

    Values are numbers, arrays (R,) with one number a record, and arrays (d, 1) or (d, R).
    """

    def __init__(self, m: Machine, variable: str) -> None:
        self.m = m
        self.variable = variable

    def compile(self, e: ir.Expression, record: str | None) -> Callable[[Any], Any]:
        import numpy as np

        from seqlang.backends.simulate.folds import OPERATORS, PAIRS

        names = {x.name for x in ir.walk(e) if isinstance(x, ir.Bound)}
        if not names & {self.variable, record}:
            fixed = self._fixed(e)
            return lambda v: fixed
        match e:
            case ir.Bound(name) if name == self.variable:
                return lambda v: v
            case ir.Index(ir.Field(name), ir.Bound(at)) if at == record:
                column = np.asarray(self.m.fields[name], dtype=np.float64)
                data = column.T.copy() if column.ndim > 1 else column
                return lambda v: data
            case ir.Index(base, at):
                whole, place = self.compile(base, record), int(self._fixed(at)) - 1
                return lambda v: whole(v)[place]
            case ir.Apply(operator, arguments) if operator in PAIRS and len(arguments) == 2:
                left, right = (self.compile(a, record) for a in arguments)
                pair = PAIRS[operator]
                return lambda v: pair(left(v), right(v))
            case ir.Apply(operator, arguments) if operator in OPERATORS:
                parts = [self.compile(a, record) for a in arguments]
                function = OPERATORS[operator]
                return lambda v: function(*[p(v) for p in parts])
            case ir.Choice(test, yes, no):
                t, y, n = (self.compile(x, record) for x in (test, yes, no))
                return lambda v: np.where(t(v), y(v), n(v))
            case ir.Quantified("sum" | "mean", body, variable, ir.Records(), None) if record is None:
                each = self.compile(body, variable)
                size = len(self.m.records)
                fold = np.sum if e.operator == "sum" else np.mean
                return lambda v: fold(np.broadcast_to(each(v), (size,)))
            case _:
                raise _TooHard

    def _fixed(self, e: ir.Expression) -> Value:
        """The value of what does not change while v is sought."""
        import numpy as np

        if any(isinstance(x, ir.Bound) and x.name not in self.m.bound for x in ir.walk(e)):
            raise _TooHard
        value = self.m.value(e)
        if is_vector(value):
            return np.asarray(value, dtype=np.float64)[:, None]
        if not isinstance(value, (bool, int, float)):
            raise _TooHard
        return value
