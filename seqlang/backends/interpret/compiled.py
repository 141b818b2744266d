"""Expressions to closures, once; a constant expression is evaluated once, too.

A closure takes the state of a run (`m`) and reads it. `and`, `or`, `if` and `where` evaluate only what they
need: cells were hoisted by elaboration, so nothing that must tick is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import partial
from operator import mul
from typing import assert_never

from seqlang.arithmetic.formula import Formula
from seqlang.backends.interpret.alike import Alike, columns_of
from seqlang.backends.interpret.code import STATE, Code, Reads
from seqlang.backends.interpret.laws import LawValue, make_law
from seqlang.backends.interpret.laws.listed import Table
from seqlang.backends.interpret.operators import PAIR, apply
from seqlang.backends.interpret.quantified import fold
from seqlang.backends.interpret.shapes import UNKNOWN, shape_of_expression
from seqlang.backends.interpret.state import PartialState, Run, State
from seqlang.backends.interpret.values import (
    UNDECIDED,
    BallSet,
    EvaluationError,
    Members,
    OutOfReach,
    Value,
    as_index,
    each,
    filled,
    is_vector,
    pairwise,
    shape_of,
)
from seqlang.model import constants
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.constants import Undefined
from seqlang.model.exact_numbers import nearest
from seqlang.model.infinite import with_infinities
from seqlang.model.jumps import jumps_of
from seqlang.model.log_ratio import in_logs
from seqlang.model.program import Program
from seqlang.model.wholes import Guarded
from seqlang.operators.groups import PLACES
from seqlang.source import NOWHERE, Span

NONE: Reads = frozenset()
CHANGES: Reads = frozenset({STATE})


def _constant(value: Value) -> Code:
    return Code(lambda m: value, NONE)


class Compiler:
    """Compiles the expressions of one program. Parameters have the program's values."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.parameters = {p.name: self.plain(p.value) for p in program.parameters}
        self.jumps = jumps_of(program)
        self.grids = self.jumps.grids
        self.shapes: dict[str, tuple[int, ...]] = {}
        self._done: dict[int, tuple[ir.Expression, Code]] = {}

    def compile(self, expression: ir.Expression) -> Code:
        # By identity: hashing a deep expression would cost as much as compiling it.
        known = self._done.get(id(expression))
        if known is not None and known[0] is expression:
            return known[1]
        code = self._constant(expression) or self._in_its_form(expression)
        if not code.reads:
            code = self._fold(code)
        self._done[id(expression)] = (expression, code)
        return code

    def _constant(self, e: ir.Expression) -> Code | None:
        """A constant has its exact value, rounded once: what proofs take it for. What has no value is an error only
        where it is needed. None for what is no constant, or not known exactly."""
        value = self._exactly(e)
        if isinstance(value, Undefined):
            value = with_infinities(e, self.grids.values)
        if isinstance(value, Undefined | constants.Open):
            return _failing(e, None if isinstance(value, constants.Open) else value.reason)
        try:
            known = self._plainly(value)
        except OverflowError:
            return _failing(e, constants.TOO_LARGE)
        return None if known is None else _constant(known)

    def _exactly(self, e: ir.Expression) -> object:
        if not isinstance(e, ir.Apply | ir.Index | ir.Choice | ir.Quantified | ir.Density):
            return None
        return constants.exactly(e, self.grids.values) if self.grids.is_constant(e) else None

    def lacks_value(self, e: ir.Expression) -> bool:
        """Whether it is a constant without a value."""
        if not isinstance(self._exactly(e), Undefined):
            return False
        return isinstance(with_infinities(e, self.grids.values), Undefined)

    def plain(self, value: Fraction) -> Value:
        """An exact rational as this compiler's runs compute with it."""
        return plain_number(value)

    def averaged(self, values: Run) -> Run:
        """The values of which a mean is taken."""
        return values

    def shown(self, value: Value) -> Value:
        """A value as a run shows it."""
        return value

    def _plainly(self, value: object) -> Value | None:
        match value:
            case Fraction():
                return self.plain(value)
            case Formula():
                return nearest(value)
            case constants.Members():
                return None
            case tuple():
                parts = tuple(self._plainly(part) for part in value)
                return None if None in parts or not parts else parts
        return value if isinstance(value, bool | float) else None

    def constant(self, expression: ir.Expression) -> Value:
        """The value of an expression of constants."""
        return self.compile(expression).run(PartialState())

    def _fold(self, code: Code) -> Code:
        try:
            value = code.run(PartialState())
        except EvaluationError:
            return code  # it is an error only where it is needed
        return _constant(value)

    def _in_its_form(self, e: ir.Expression) -> Code:
        """As it is run where it jumps."""
        form = self.jumps.run(e)
        if isinstance(form, Undecidable):  # no constant, or its value were known
            return Code(_failing(e, None).run, CHANGES)
        if isinstance(form, Decided):
            return self._decided(form)
        if isinstance(form, Guarded):
            return self._guarded(form)
        return self._compile(e) if form is e else self.compile(form)

    def _guarded(self, form: Guarded) -> Code:
        near, plain = self.compile(form.refused), self.compile(form.expression)

        def run(m: State) -> Value:
            if near.run(m):
                raise OutOfReach(UNDECIDED, form.span)
            return plain.run(m)

        return Code(run, near.reads | plain.reads)

    def _decided(self, form: Decided) -> Code:
        """With doubles where these are good enough for a number, else by exact arithmetic."""
        parts, reads = self._all(form.reads)
        doubles = None if form.guarded is None or form.is_truth else form.guarded
        refused = None if doubles is None else self.compile(doubles.refused)
        plain = None if doubles is None else self.compile(doubles.expression)

        def run(m: State) -> Value:
            if refused is not None and plain is not None and _if_any(refused.run, m) is False:
                return plain.run(m)
            found = form.value(*[_if_any(part, m) for part in parts])
            if found is None:
                raise OutOfReach(UNDECIDED, form.span)
            if isinstance(found, Undefined):
                raise EvaluationError(f"this has no value: {found.reason}", form.span)
            return found if isinstance(found, bool | float) else self.plain(found)

        return Code(run, reads if refused is None or plain is None else reads | refused.reads | plain.reads)

    def _compile(self, e: ir.Expression) -> Code:
        match e:
            case ir.Number(value):
                return _constant(self.plain(value))
            case ir.Truth(value):
                return _constant(value)
            case ir.Label(name):
                return _constant(name)
            case ir.ParameterValue(name):
                return _constant(self.parameters[name])
            case ir.StepNumber():
                return Code(lambda m: m.step_number, CHANGES)
            case ir.Field(name):
                return Code(lambda m: m.fields[name], CHANGES)
            case ir.Records():
                return Code(lambda m: m.records, CHANGES)
            case ir.Local(name):
                return Code(lambda m: m.locals[name], CHANGES)
            case ir.CellValue(name, at):
                return self._cell(name, at)
            case ir.MemoryValue(name):
                return Code(lambda m: m.memory[name], CHANGES)
            case ir.Reported(name):
                return Code(lambda m: m.reported.get(name), CHANGES)
            case ir.Drawn(name):
                return Code(lambda m: m.drawn(name), CHANGES)
            case ir.Noised():
                return self._noised(e)
            case ir.Bound(ir.Variable(number)):
                return Code(lambda m: m.bound[number], frozenset({number}))
            case ir.Apply("log") if (logs := in_logs(self.program, e)) is not None:
                return self.compile(logs)
            case ir.Apply(operator, arguments, span):
                return self._apply(operator, arguments, span)
            case ir.Choice(test, yes, no):
                return self._choice(test, yes, no)
            case ir.Index(base, at, span):
                return self._index(base, at, span)
            case ir.Sequence(kind, items):
                parts, reads = self._all(items)
                make: Callable[[Iterable[Value]], Value] = tuple if kind == "list" else Members
                return Code(lambda m: make([p(m) for p in parts]), reads)
            case ir.Quantified():
                return self._quantified(e)
            case ir.RealVectors(dimension, radius):
                size = self.compile(dimension)
                bound = None if radius is None else self.compile(radius)
                reads = size.reads | (bound.reads if bound else NONE)
                return Code(lambda m: BallSet(as_index(size.run(m)), None if bound is None else bound.run(m)), reads)
            case ir.Law(family, arguments, span):
                parts, reads = self._all(arguments)
                return Code(lambda m: make_law(family, tuple([p(m) for p in parts]), span), reads)
            case ir.Weights(pairs):
                values, reads = self._all(tuple(v for v, _ in pairs))
                weights, more = self._all(tuple(w for _, w in pairs))
                rows = list(zip(values, weights, strict=True))
                far = any(_is_exponential(w) for _, w in pairs)
                return Code(lambda m: Table(tuple((v(m), w(m)) for v, w in rows), exponentials=far), reads | more)
            case ir.WeightsOf():
                return self._weights_of(e)
            case ir.Density(method, law, at):
                return self._density(method, law, at)
            case ir.ReleasedValue():
                raise AssertionError("a step releases values, and reads none that is released")
            case _:
                assert_never(e)

    def _all(self, expressions: tuple[ir.Expression, ...]) -> tuple[list[Run], Reads]:
        codes = [self.compile(x) for x in expressions]
        return [c.run for c in codes], NONE.union(*(c.reads for c in codes))

    def _cell(self, name: str, at: tuple[ir.Expression, ...]) -> Code:
        parts, reads = self._all(at)

        def run(m: State) -> Value:
            value = m.cells[name].read(tuple([p(m) for p in parts]))
            if value != value:
                raise EvaluationError("there is no mean, and no best step, of nothing", self.program.cell(name).span)
            return value

        return Code(run, CHANGES | reads)

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...], span: Span) -> Code:
        parts, reads = self._all(arguments)
        if operator == "and":
            return Code(lambda m: all(p(m) for p in parts), reads)
        if operator == "or":
            return Code(lambda m: any(p(m) for p in parts), reads)
        if operator in PAIR and len(parts) == 2:
            return Code(_pair(operator, parts[0], parts[1], span), reads)
        if operator == "mean":
            parts = [self.averaged(p) for p in parts]
        return Code(lambda m: apply(operator, tuple([p(m) for p in parts]), span), reads)

    def _choice(self, test: ir.Expression, yes: ir.Expression, no: ir.Expression) -> Code:
        (t, y, n), reads = self._all((test, yes, no))
        return Code(lambda m: y(m) if t(m) else n(m), reads)

    def _index(self, base: ir.Expression, at: ir.Expression, span: Span) -> Code:
        (b, a), reads = self._all((base, at))

        def run(m: State) -> Value:
            values = b(m)
            position = as_index(a(m), span)
            if not 1 <= position <= len(values):
                raise EvaluationError(f"position {position} is outside 1..{len(values)}", span)
            return values[position - 1]

        return Code(run, reads)

    def _quantified(self, e: ir.Quantified) -> Code:
        domain, body = self.compile(e.domain), self.compile(e.body)
        where = None if e.where is None else self.compile(e.where)
        inside = body.reads | (where.reads if where else NONE)
        test = where.run if where else None
        operator, variable, span = e.operator, e.variable.number, e.span
        reads = domain.reads | (inside - {variable})
        if isinstance(e.domain, ir.RealVectors) and operator in PLACES:
            from seqlang.backends.interpret.minimising.minimise import minimise

            return Code(lambda m: minimise(self, m, e, domain.run(m)), reads | CHANGES)
        names: tuple[str, ...] = ()
        if isinstance(e.domain, ir.Records):
            names = columns_of(self.program, (e.body,) if e.where is None else (e.body, e.where), e.variable)
        found = Alike()
        value_of = self.averaged(body.run) if operator == "mean" else body.run

        def folded(m: State) -> Value:
            alike = found.first(tuple(m.fields[name] for name in names)) if names else None
            return fold(m, operator, domain.run(m), variable, value_of, test, span, alike)

        shape = shape_of_expression(self, e.body) if operator == "sum" else ()
        if shape and UNKNOWN not in shape:
            nothing = filled(shape, lambda: 0)  # a sum of no vectors is a vector

            def run(m: State) -> Value:
                value = folded(m)
                return value if is_vector(value) else nothing

            return Code(run, reads)
        return Code(folded, reads)

    def _weights_of(self, e: ir.WeightsOf) -> Code:
        domain, value, weight = self.compile(e.domain), self.compile(e.value), self.compile(e.weight)
        where = None if e.where is None else self.compile(e.where)
        inside = value.reads | weight.reads | (where.reads if where else NONE)
        test = where.run if where else None
        far = _is_exponential(e.weight)

        def pair(m: State) -> tuple[Value, Value]:
            return value.run(m), weight.run(m)

        def run(m: State) -> Value:
            pairs = fold(m, "list", domain.run(m), e.variable.number, pair, test, Span(0, 0))
            return Table(pairs, exponentials=far and len(pairs) > 0)

        return Code(run, domain.reads | (inside - {e.variable.number}))

    def _density(self, method: str, law: ir.Expression, at: ir.Expression) -> Code:
        (make, x), reads = self._all((law, at))

        def run(m: State) -> Value:
            found: LawValue = make(m)
            value = x(m)
            if is_vector(value) and not found.joint:
                product = 1.0
                for coordinate in value:
                    product *= found.formula(method, coordinate)
                return product
            return found.formula(method, value)

        return Code(run, reads)

    def _noised(self, e: ir.Noised) -> Code:
        base = self.compile(e.base)
        terms = [(t.noise, self.compile(t.factor).run, self.program.noise(t.noise).flips) for t in e.terms]
        added = [(name, factor) for name, factor, flips in terms if not flips]
        flips = [name for name, _, flips in terms if flips]
        plus = PAIR["+"]

        def run(m: State) -> Value:
            value = base.run(m)
            for name, factor in added:
                scale = factor(m)
                noise = m.noise(name, shape_of(value))
                if isinstance(value, (tuple, range)) or isinstance(noise, (tuple, range)):
                    value = pairwise(plus, value, each(partial(mul, scale), noise))
                else:
                    value = plus(value, scale * noise)
            for name in flips:
                value = m.flipped(name, e, value)
            return value

        return Code(run, CHANGES)


def _if_any(part: Run, m: State) -> Value:
    """The value, and None where there is none."""
    try:
        return part(m)
    except OutOfReach:
        raise
    except EvaluationError:
        return None


def _failing(e: ir.Expression, reason: str | None) -> Code:
    """An expression without a value, or (None) one that is not decided: an error where it is needed."""
    span = getattr(e, "span", NOWHERE)

    def run(m: State) -> Value:
        raise OutOfReach(UNDECIDED, span) if reason is None else EvaluationError(f"this has no value: {reason}", span)

    return Code(run, NONE)


def plain_number(value: Fraction) -> Value:
    """An exact rational as int or as the nearest float."""
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _pair(operator: str, left: Run, right: Run, span: Span) -> Run:
    """The common case, two numbers, without the detour; Flip laws and vectors take the general way."""
    f = PAIR[operator]

    def run(m: State) -> Value:
        a, b = left(m), right(m)
        if isinstance(a, (tuple, range)) or isinstance(b, (tuple, range)):
            return apply(operator, (a, b), span)
        result = f(a, b)
        return result if result == result else apply(operator, (a, b), span)

    return run


def _is_exponential(weight: ir.Expression) -> bool:
    """Whether it may be positive and 0 in floats, or finite and infinite."""
    return any(isinstance(node, ir.Apply) and node.operator == "exp" for node in ir.walk(weight))
