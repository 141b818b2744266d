"""A step's entry, drawn from a model; and the records of a dataset."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from seqlang.backends.arrays.inputs import leaves_domain
from seqlang.backends.interpret.inputs.domains import SLACK
from seqlang.backends.interpret.shapes import shape_of_domain
from seqlang.backends.kernels.lowering.expressions import value_of
from seqlang.backends.kernels.lowering.laws.drawing import draw
from seqlang.backends.kernels.lowering.laws.expressions import law_of
from seqlang.backends.kernels.lowering.laws.forms import Conditioned, Family, LawForm, PointAt, Table
from seqlang.backends.kernels.lowering.scope import Scope, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model import expression as ir
from seqlang.model.domain import REAL, Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.program import Model
from seqlang.record import replace


class ModelInputs:
    """Draws the fields in the model's order, and sees that each lies in its domain."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def records(self, scope: Scope) -> None:
        """Written before the first step: all records; `step` in a law is the record's number."""
        names = [name for name, _ in self.model.laws if scope.program.input(name).kind == "dataset"]
        if not names:
            return
        w = scope.writer
        size = scope.constants.whole(scope.size())
        arrays: dict[str, tuple[str, tuple[str, ...]]] = {}
        for name in names:
            rest = shape_of_domain(scope.exact, scope.program.input(name).domain)
            shape = (size, *(scope.constants.whole(n) for n in rest))
            arrays[name] = (scope.buffer(shape), shape)
        with w.loop(size) as i:
            w.text(f"step = {i} + 1")
            for name, law in self.model.laws:
                if name in arrays:
                    scope.fields[name] = self._field(scope, name, law)
                    scope.put(arrays[name][0], i, scope.fields[name])
        w.text("step = 0")
        for name, (array, shape) in arrays.items():
            scope.fields[name] = array_of(array, shape, "number", True)

    def entry(self, scope: Scope) -> None:
        """Written at the start of a step: the streams and public inputs."""
        for name, law in self.model.laws:
            if scope.program.input(name).kind != "dataset":
                scope.fields[name] = self._field(scope, name, law)

    def _field(self, scope: Scope, name: str, law: ir.Expression) -> Value:
        domain = scope.program.input(name).domain
        rest = shape_of_domain(scope.exact, domain)
        scope.purpose = "inputs"
        found = law_of(scope, law)
        value = draw(scope, found, tuple(scope.constants.whole(n) for n in rest))
        scope.purpose = "noise"
        if not stays(scope, found, domain):
            _see(scope, self.model, name, value, domain)
        if isinstance(value, List):
            return scope.stored(value, f"`{name}`")
        return replace(scope.named(value), finite=True)


def stays(scope: Scope, law: LawForm, domain: Domain) -> bool:
    """Whether it is clear that no draw of the law leaves the domain."""
    leaves = leaves_domain(scope.numpy, domain)
    if leaves is None:
        return True
    ends: Sequence[float | None] = (None,)
    match law:
        case Family("bernoulli"):
            ends = (0.0, 1.0)
        case Table(values=values, constant=True, items=n) if n is not None:
            ends = scope.constants.numbers(values, n)
        case PointAt(Scalar() as at):
            ends = (scope.constants.number(at),)
        case Family("uniform", (Scalar() as low, Scalar() as high)) | Conditioned(_, low, high) if isinstance(
            domain, Interval
        ):
            ends = (scope.constants.number(low), scope.constants.number(high))
        case _:
            pass
    return None not in ends and not np.any(leaves(np.array(ends, dtype=np.float64)))


def _see(scope: Scope, model: Model, name: str, value: Value, domain: Domain) -> None:
    """A fault where the value is outside its domain."""
    site = scope.site(name, model.span)
    scope.outside.add(site)
    if isinstance(value, List):
        _see_vector(scope, site, value, domain)
        return
    text = outside(scope, scope.writer.named(value.number), domain)
    if text:
        scope.writer.check(text, site)


def _see_vector(scope: Scope, site: int, value: List, domain: Domain) -> None:
    w = scope.writer
    if isinstance(domain, Ball):
        square = w.assign(w.fresh("f"), "0.0")
        with w.loop(value.length) as i:
            one = w.named(scalar(value.at(i), "a coordinate").number)
            w.assign(square, f"{square} + {one} * {one}")
        radius = scalar(value_of(scope, domain.radius), "a radius").number
        w.check(f"not (math.sqrt({square}) <= {radius} * {1 + SLACK!r})", site)
        return
    if not isinstance(domain, Power):
        raise CannotCompile("a vector in a domain of numbers")
    with w.loop(value.length) as i:
        text = outside(scope, w.named(scalar(value.at(i), "a coordinate").number), domain.of)
        if text:
            w.check(text, site)


def outside(scope: Scope, x: str, domain: Domain) -> str:
    """The condition that the number `x` is not in the domain; empty where it always is."""

    def end(e: ir.Expression) -> str:
        return scalar(value_of(scope, e), "an end of a domain").number

    match domain:
        case Interval() if domain == REAL:
            return ""
        case Interval(low, high) | Integers(low, high):
            real = domain if isinstance(domain, Interval) else None
            parts = [f"{x} != np.floor({x})" if real is None else f"{x} != {x}"]
            if low is not None:
                parts.append(f"{x} {'<=' if real and real.low_open else '<'} {end(low)}")
            if high is not None:
                parts.append(f"{x} {'>=' if real and real.high_open else '>'} {end(high)}")
            return " or ".join(parts)
        case Finite(values):
            return " and ".join(f"{x} != {end(v)}" for v in values)
        case _:
            raise CannotCompile("a number in a domain of vectors")
