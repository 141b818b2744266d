"""Expressions to functions of a `Frame`: the runs that are being evaluated, all of them or some.

Both sides of `and`, `or` and `if` are evaluated for all runs of the frame; a value that is not a number where it is not
needed does no harm, and where it is needed the engine finds it. Constants are the interpreter's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, assert_never, get_args

import numpy as np

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import BallSet, EvaluationError, Members, as_index, is_vector
from seqlang.backends.simulate import laws, wide
from seqlang.backends.simulate.arrays import CannotVectorise, Ragged, Rows, Value, from_constant, shape_of
from seqlang.backends.simulate.chunks import returned_labels
from seqlang.backends.simulate.folds import LOWEST, OPERATORS, PAIRS, fold_list
from seqlang.backends.simulate.streams import Source
from seqlang.model import expression as ir
from seqlang.model.program import Program
from seqlang.source import Span

if TYPE_CHECKING:
    from seqlang.backends.simulate.engine import Engine

LONGEST_BINDER = 5_000
"""More elements than this in a `for`, and the interpreter is no slower."""


class Frame:
    """Where an expression is evaluated: `rows` of the engine's runs (None: all)."""

    __slots__ = ("bound", "count", "engine", "rows", "unsure")

    def __init__(self, engine: Engine, rows: Any = None) -> None:
        self.engine = engine
        self.rows = rows
        self.count = engine.count if rows is None else len(rows)
        self.bound: dict[str, Value] = {}
        self.unsure = 0  # above 0: what is evaluated may not be needed, as a branch of `if`

    def among(self, rows: Rows) -> Frame:
        """A frame of some of the engine's runs, with the same bound numbers. For a frame of all runs."""
        some = Frame(self.engine, rows)
        some.bound, some.unsure = dict(self.bound), self.unsure
        return some

    def source(self) -> Source:
        return Source(self.engine.noise_streams, self.rows)


Run = Callable[[Frame], Value]


class VectorCompiler:
    """Compiles the expressions of one program. `exact` evaluates its constants; `labels` numbers the labels, those of
    `returned_labels` first and in their order."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.exact = Compiler(program)
        names = dict.fromkeys((*returned_labels(program), *program.labels))
        for e in _all_expressions(program):
            if isinstance(e, ir.Label):
                names.setdefault(e.name)
        self.labels = {name: i for i, name in enumerate(names)}

    def compile(self, e: ir.Expression) -> Run:
        if not isinstance(e, (ir.Law, ir.Weights, ir.WeightsOf)) and not self.exact.compile(e).reads:
            constant = self.exact.constant(e)
            if isinstance(constant, (bool, int, float, str, tuple, range)) and not isinstance(constant, Members):
                value = from_constant(constant, self.labels)
                return lambda f: value
        match e:
            case ir.Number() | ir.Truth() | ir.Label() | ir.ParameterValue():
                value = from_constant(self.exact.constant(e), self.labels)
                return lambda f: value
            case ir.StepNumber():
                return lambda f: f.engine.read(f.engine.step_number, f.rows)
            case ir.Field(name):
                return lambda f: f.engine.read(f.engine.fields[name], f.rows)
            case ir.Local(name):
                return lambda f: f.engine.read(f.engine.locals[name], f.rows)
            case ir.CellValue(name):
                return self._cell(name)
            case ir.MemoryValue(name):
                return lambda f: f.engine.read(f.engine.memory[name], f.rows)
            case ir.Reported(name):
                return lambda f: f.engine.read(f.engine.released[name], f.rows)
            case ir.Drawn(name):
                return lambda f: f.engine.drawn(name, f)
            case ir.Noised():
                return self._noised(e)
            case ir.Bound(name):
                return lambda f: f.bound[name]
            case ir.Apply(operator, arguments, span):
                return self._apply(operator, arguments, span)
            case ir.Choice(test, yes, no):
                return self._choice(test, yes, no)
            case ir.Index(base, at, _):
                b, a = self.compile(base), self.compile(at)
                return lambda f: _at(b(f), a(f), f.count)
            case ir.Sequence("list", items):
                parts = [self.compile(x) for x in items]
                return lambda f: stack([p(f) for p in parts])
            case ir.Quantified():
                return self._quantified(e)
            case ir.Law():
                return self._law(e)
            case ir.Weights(pairs):
                rows = [(self.compile(v), self.compile(w)) for v, w in pairs]
                return lambda f: laws.Table([v(f) for v, _ in rows], [w(f) for _, w in rows])
            case ir.WeightsOf():
                return self._weights_of(e)
            case ir.Density(method, law, at):
                make, x = self.compile(law), self.compile(at)
                return lambda f: _density(make(f), method, x(f))
            case ir.Sequence() | ir.Records() | ir.RealVectors():
                raise CannotVectorise("a set as a value")
            case _:
                assert_never(e)

    def is_label(self, e: ir.Expression) -> bool:
        """Whether the value is a label."""
        match e:
            case ir.Label():
                return True
            case ir.Choice(_, yes, no):
                return self.is_label(yes) or self.is_label(no)
            case ir.Noised(_, base, _):
                return self.is_label(base)
            case ir.Local(name):
                return self.is_label(self.program.define(name).expression)
            case ir.Drawn(name):
                from seqlang.model.program import Draw

                found = [s.law for s in self.program.body if isinstance(s, Draw) and s.name == name]
                found += [n.law for n in self.program.noises if n.name == name]
                return any(isinstance(x, ir.Label) for law in found for x in ir.walk(law))
            case _:
                return False

    def _cell(self, name: str) -> Run:
        binders = [variable for variable, _ in self.program.cell(name).binders]
        return lambda f: f.engine.read(f.engine.cells[name].read(tuple(f.bound[b] for b in binders)), f.rows)

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...], span: Span) -> Run:
        if operator == "length" and isinstance(arguments[0], ir.Records):
            return lambda f: f.engine.size
        parts = [self.compile(a) for a in arguments]
        if operator in PAIRS and len(parts) == 2:
            pair, left, right = PAIRS[operator], parts[0], parts[1]
            if operator in ("and", "or"):
                return lambda f: pair(left(f), _perhaps(right, f))
            if operator in ir.COMPARISONS:
                return lambda f: pair(_sure(left(f), f, span), _sure(right(f), f, span))
            return lambda f: pair(left(f), right(f))
        if operator not in OPERATORS:
            raise CannotVectorise(f"`{operator}`")
        function = OPERATORS[operator]
        return lambda f: function(*[p(f) for p in parts])

    def _choice(self, test: ir.Expression, yes: ir.Expression, no: ir.Expression) -> Run:
        t, y, n = self.compile(test), self.compile(yes), self.compile(no)

        def run(f: Frame) -> Value:
            which = t(f)
            if not isinstance(which, np.ndarray):
                return y(f) if which else n(f)
            first, second = _perhaps(y, f), _perhaps(n, f)
            if isinstance(first, laws.VectorLaw):
                return laws.Either(which, first, second)
            if isinstance(first, Ragged) or isinstance(second, Ragged):
                raise CannotVectorise("a choice between lists that grow")
            return np.where(which, first, second)

        return run

    def _domain(self, e: ir.Expression) -> Callable[[Frame], tuple[list[Value], list[Value] | None]]:
        """The elements of a binder's domain; with per-run ends or lengths, also which runs have the element."""
        if isinstance(e, ir.Records):
            return lambda f: (_few(range(1, f.engine.size + 1)), None)
        code = self.exact.compile(e)
        if not code.reads:
            found = self.exact.constant(e)
            if not is_vector(found):
                raise CannotVectorise("a `for` over something else than a finite set")
            elements = [from_constant(v, self.labels) for v in _few(found)]
            return lambda f: (elements, None)
        if isinstance(e, ir.Apply) and e.operator == "..":
            low, high = (self.compile(a) for a in e.arguments)
            return lambda f: _range(low(f), high(f))
        if isinstance(e, ir.Drawn):
            raise CannotVectorise("a `for` over a random set")
        whole = self.compile(e)
        return lambda f: _elements(whole(f))

    def _quantified(self, e: ir.Quantified) -> Run:
        if isinstance(e.domain, ir.RealVectors):
            raise CannotVectorise("a minimum over all vectors")
        domain, body = self._domain(e.domain), self.compile(e.body)
        where = None if e.where is None else self.compile(e.where)
        operator, variable = e.operator, e.variable

        def run(f: Frame) -> Value:
            elements, present = domain(f)
            values, masks = [], []
            outer = f.bound.get(variable)
            f.unsure += present is not None  # an element that some runs do not have
            for i, element in enumerate(elements):
                f.bound[variable] = element
                mask = True if present is None else present[i]
                if where is not None:
                    mask = np.logical_and(mask, where(f))
                values.append(body(f))
                masks.append(mask)
            f.unsure -= present is not None
            f.bound[variable] = outer
            return fold_list(operator, elements, values, masks, f.count)

        return self._wide(e, run) or self._row_of_cells(e, run) or run

    def _row_of_cells(self, e: ir.Quantified, narrow: Run) -> Run | None:
        """`[sum(.. over last k) for k in 1..m]`: one window serves all lengths, and gives the vector at once."""
        if e.operator != "list" or e.where is not None or not isinstance(e.body, ir.CellValue):
            return None
        name, binders = e.body.name, [v for v, _ in self.program.cell(e.body.name).binders]
        if binders != [e.variable] or self.exact.compile(e.domain).reads:
            return None
        keys = list(self.exact.constant(e.domain))

        lengths: list[Value] = []  # found at the first reading: cells start after the compilation

        def run(f: Frame) -> Value:
            cell = f.engine.cells[name]
            if not lengths:
                lengths.append(cell.tail_lengths(keys))
            found = None if lengths[0] is None else cell.read_tails(lengths[0])
            return narrow(f) if found is None else f.engine.read(found, f.rows)

        return run

    def _wide(self, e: ir.Quantified, narrow: Run) -> Run | None:
        """The same fold many elements at once, where the elements differ from run to run and the body allows it."""
        domain = e.domain
        if e.operator not in wide.OPERATORS_OF_FOLDS or not self.exact.compile(domain).reads:
            return None
        body = wide.elementwise(self, e.body, e.variable)
        where = None if e.where is None else wide.elementwise(self, e.where, e.variable)
        if body is None or (where is None) != (e.where is None):
            return None
        parts = self._blocks(domain)
        fits = True

        def run(f: Frame) -> Value:
            nonlocal fits
            if fits:
                try:
                    return wide.fold(e.operator, parts(f), e.variable, body, where, f)
                except wide.NotWide:
                    fits = False
            return narrow(f)

        return run

    def _blocks(self, domain: ir.Expression) -> Callable[[Frame], Iterator[wide.Elements]]:
        if isinstance(domain, ir.Apply) and domain.operator == "..":
            low, high = (self.compile(a) for a in domain.arguments)
            return lambda f: _range_blocks(low(f), high(f), f)
        whole = self.compile(domain) if isinstance(domain, (ir.Local, ir.CellValue)) else None

        def elements(f: Frame) -> Iterator[wide.Elements]:
            found = None if whole is None else whole(f)
            if not isinstance(found, Ragged):
                raise wide.NotWide
            return wide.list_blocks(found, f.count)

        return elements

    def _weights_of(self, e: ir.WeightsOf) -> Run:
        domain, value, weight = self._domain(e.domain), self.compile(e.value), self.compile(e.weight)
        where = None if e.where is None else self.compile(e.where)

        def run(f: Frame) -> Value:
            elements, present = domain(f)
            values, weights = [], []
            for i, element in enumerate(elements):
                f.bound[e.variable] = element
                w = weight(f)
                if where is not None:
                    w = np.where(where(f), w, 0.0)
                if present is not None:
                    w = np.where(present[i], w, 0.0)
                values.append(value(f))
                weights.append(w)
            return laws.Table(values, weights)

        return run

    def _law(self, e: ir.Law) -> Run:
        if e.family == "uniform":
            return self._uniform(e)
        if e.family not in laws.FAMILIES:
            raise CannotVectorise(f"the law {e.family}")
        family = laws.FAMILIES[e.family]
        parts = [self.compile(a) for a in e.arguments]
        span = e.span

        def run(f: Frame) -> Value:
            try:
                return family(*[p(f) for p in parts])
            except EvaluationError as error:
                raise EvaluationError(error.diagnostics[0].message, span) from None

        if not self.exact.compile(e).reads:
            made: list[Value] = []  # constant: made once, at the first reading

            def once(f: Frame) -> Value:
                if not made:
                    made.append(run(f))
                return made[0]

            return once
        return run

    def _uniform(self, e: ir.Law) -> Run:
        if len(e.arguments) == 2:
            low, high = (self.compile(a) for a in e.arguments)
            return lambda f: laws.Uniform(low(f), high(f))
        domain = e.arguments[0]
        if self.exact.compile(domain).reads:
            raise CannotVectorise("a uniform law on a set that changes")
        found = self.exact.constant(domain)
        if isinstance(found, BallSet):
            ball = laws.UniformBall(found.dimension, found.radius)
            return lambda f: ball
        if not is_vector(found) or len(found) > LONGEST_BINDER:
            raise CannotVectorise("a uniform law on a large set")
        values = [from_constant(v, self.labels) for v in dict.fromkeys(found)]
        table = laws.Table(values, [1.0] * len(values))
        return lambda f: table

    def _noised(self, e: ir.Noised) -> Run:
        base = self.compile(e.base)
        terms = [(t.noise, self.compile(t.factor)) for t in e.terms]
        unit = [isinstance(t.factor, ir.Number) and t.factor.value == 1 for t in e.terms]

        def run(f: Frame) -> Value:
            value = base(f)
            if isinstance(value, Ragged):
                raise CannotVectorise("noise on a list that grows")
            for (name, factor), one in zip(terms, unit, strict=True):
                if f.engine.flips(name):
                    value = f.engine.flipped(name, e, value, f)
                else:
                    noise = f.engine.noise(name, shape_of(value), f)
                    value = value + (noise if one else factor(f) * noise)
            return value

        return run


_KINDS = get_args(ir.Expression)


def _all_expressions(program: Program) -> list[ir.Expression]:
    from seqlang.record import field_names

    found: list[ir.Expression] = []
    for statement in program.body:
        for name in field_names(statement):
            value = getattr(statement, name)
            if isinstance(value, _KINDS):
                found.extend(ir.walk(value))
    for noise in program.noises:
        found.extend(ir.walk(noise.law))
    return found


def _perhaps(run: Run, f: Frame) -> Value:
    """The value where it may not be needed: nothing is an error."""
    f.unsure += 1
    try:
        return run(f)
    finally:
        f.unsure -= 1


def _sure(value: Value, f: Frame, span: Span) -> Value:
    """A side of a comparison, which must be a number: the comparison would be false without a word."""
    if f.unsure == 0:
        f.engine.checked(value, f, "a side of this comparison", span)
    return value


def _few(elements: Any) -> list[Any]:
    if len(elements) > LONGEST_BINDER:
        raise CannotVectorise(f"a `for` over {len(elements)} elements")
    return list(elements)


def _range(low: Value, high: Value) -> tuple[list[Value], list[Value] | None]:
    if not isinstance(low, np.ndarray) and not isinstance(high, np.ndarray):
        return _few(range(as_index(low), as_index(high) + 1)), None
    first = int(np.min(low))
    elements = _few(range(first, int(np.max(high, initial=first - 1)) + 1))
    return elements, [np.logical_and(np.less_equal(low, j), np.less_equal(j, high)) for j in elements]


def _range_blocks(low: Value, high: Value, f: Frame) -> Iterator[wide.Elements]:
    if np.ndim(low) > 1 or np.ndim(high) > 1:
        raise wide.NotWide
    first = int(np.min(low))
    last = int(np.max(high, initial=first - 1))
    _few(range(first, last + 1))
    return wide.blocks(first, last, lambda j: np.logical_and(np.less_equal(low, j), np.less_equal(j, high)), f.count)


def _elements(value: Value) -> tuple[list[Value], list[Value] | None]:
    if isinstance(value, Ragged):
        longest = value.longest()
        return [value.values[j] for j in range(longest)], [value.lengths > j for j in range(longest)]
    if shape_of(value):
        return [value[j] for j in _few(range(value.shape[0]))], None
    raise CannotVectorise("a `for` over something else than a finite set")


def _at(base: Value, at: Value, count: int) -> Value:
    """base[at] from 1; not a number outside (the engine reports it where it is used)."""
    if isinstance(base, Ragged):
        position = np.broadcast_to(np.asarray(at), (count,)).astype(np.intp) - 1
        inside = (position >= 0) & (position < base.lengths)
        if not base.values.shape[0]:
            return np.full(count, np.nan)
        found = base.values[np.clip(position, 0, base.values.shape[0] - 1), ..., np.arange(count)]
        return np.where(inside, np.moveaxis(found, 0, -1), np.nan)
    size = base.shape[0]
    if not isinstance(at, np.ndarray):
        position_ = as_index(at)
        if not 1 <= position_ <= size:
            raise EvaluationError(f"position {position_} is outside 1..{size}")
        return base[position_ - 1]
    whole = np.broadcast_to(base, (*base.shape[:-1], count))
    position = np.clip(np.nan_to_num(at), 1, size).astype(np.intp) - 1
    found = np.moveaxis(whole[position, ..., np.arange(count)], 0, -1)
    return np.where((at >= 1) & (at <= size) & (at == np.floor(at)), found, np.nan)


def stack(values: list[Value]) -> Value:
    """A vector from its coordinates: (k, .., runs)."""
    if any(isinstance(v, (Ragged, laws.VectorLaw)) for v in values):
        raise CannotVectorise("a list of lists that grow")
    if not values:
        raise CannotVectorise("an empty list")
    arrays = [np.asarray(v, dtype=np.float64) for v in values]
    arrays = [a if a.ndim else a.reshape(1) for a in arrays]
    return np.stack(np.broadcast_arrays(*arrays))


def _density(law: Value, method: str, x: Value) -> Value:
    value = getattr(law, method)(x)
    if shape_of(x) and not law.joint:
        return np.multiply.reduce(np.asarray(value), axis=0)
    return value


__all__ = ["LOWEST", "Frame", "Run", "VectorCompiler", "stack"]
