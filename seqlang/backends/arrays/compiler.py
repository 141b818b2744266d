"""Expressions to functions of a `Frame`: the runs that are being evaluated, all of them or some.

Both sides of `and`, `or` and `if` are evaluated for all runs of the frame; a value that is not a number where it is not
needed does no harm, and where it is needed the engine finds it. Constants are the interpreter's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import chain, islice
from typing import assert_never

import numpy as np

from seqlang.backends.arrays import laws
from seqlang.backends.arrays.choices import both, chosen, compared
from seqlang.backends.arrays.frame import Doubt, Frame, Run, in_any_coordinate
from seqlang.backends.arrays.ladders import ladder
from seqlang.backends.arrays.law_expressions import density, law_of, weights_of
from seqlang.backends.arrays.lists import element_at, stack
from seqlang.backends.arrays.operators import OPERATORS, PAIRS
from seqlang.backends.arrays.record import returned_labels
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value, columns_of, from_constant, is_nan, shape_of
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import FOR_OTHERS, OUT_OF_REACH, UNDECIDED, Members
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.at_the_moment import Run as Form
from seqlang.model.binding import free_variables
from seqlang.model.constants import Undefined
from seqlang.model.log_ratio import in_logs
from seqlang.model.precision import MANY
from seqlang.model.program import Draw, Program, nodes_in
from seqlang.model.wholes import Guarded
from seqlang.operators.groups import CONNECTIVES
from seqlang.source import NOWHERE, Span


class VectorCompiler:
    """Compiles the expressions of one program. `exact` evaluates its constants; `labels` numbers the labels, those of
    `returned_labels` first and in their order."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._shared: _Shared | None = None
        """While a number and the bound of its error are compiled: their parts."""
        self.exact = Compiler(program)
        names = dict.fromkeys((*returned_labels(program), *program.labels))
        evaluated = nodes_in((program.body, program.noises))
        names.update((e.name, None) for e in evaluated if isinstance(e, ir.Label))
        self.labels = {name: i for i, name in enumerate(names)}

    def compile(self, e: ir.Expression) -> Run:
        """The expression as a function of a frame. Raises CannotVectorise for what arrays do not hold."""
        form = self.form(e)
        why = FOR_OTHERS if self.exact.jumps.rationals.of(e) else UNDECIDED
        if isinstance(form, Undecidable):
            raise CannotVectorise(why)
        if self.exact.lacks_value(e):
            return self._without_value(e)
        if not isinstance(e, (ir.Law, ir.Weights, ir.WeightsOf)) and not self.exact.compile(e).reads:
            constant = self.exact.constant(e)
            if isinstance(constant, (bool, int, float, str, tuple, range)) and not isinstance(constant, Members):
                value = from_constant(constant, self.labels)
                return lambda f: value
        if isinstance(form, Decided):
            return self._decided(form)
        if isinstance(form, Guarded):
            return self._guarded(form, why)
        if form is not e:
            return self.compile(form)
        if isinstance(e, ir.Apply | ir.Choice | ir.Density):
            return self.once(e, lambda: self._plain(e))
        return self._plain(e)

    def _plain(self, e: ir.Expression) -> Run:
        """An expression that is computed as it is written."""
        match e:
            case ir.Number() | ir.Truth() | ir.Label() | ir.ParameterValue():
                value = from_constant(self.exact.constant(e), self.labels)
                return lambda f: value
            case ir.StepNumber():
                return lambda f: f.read(f.state.step_number)
            case ir.Field(name):
                return lambda f: f.read(f.state.fields[name])
            case ir.Local(name):
                return lambda f: f.read(f.state.locals[name])
            case ir.CellValue(name, at):
                return self._cell(name, at)
            case ir.MemoryValue(name):
                return lambda f: f.read(f.state.memory[name])
            case ir.Reported(name):
                return lambda f: f.read(f.state.released[name])
            case ir.Drawn(name):
                return lambda f: f.state.drawn(name, f)
            case ir.Noised():
                return self._noised(e)
            case ir.Bound(ir.Variable(number)):
                return lambda f: f.bound[number]
            case ir.Apply("log") if (logs := in_logs(self.program, e)) is not None:
                return self.compile(logs)
            case ir.Apply(operator, arguments, span):
                return self._apply(operator, arguments, span)
            case ir.Choice(test, yes, no):
                return ladder(self, self.exact.jumps, e) or chosen(*map(self.compile, (test, yes, no)))
            case ir.Index(base, at, _):
                return self._index(e, self.compile(base), self.compile(at))
            case ir.Sequence("list", items):
                parts = [self.compile(x) for x in items]
                return lambda f: stack([p(f) for p in parts])
            case ir.Quantified():
                from seqlang.backends.arrays.loops.quantified import quantified

                return quantified(self, e)
            case ir.Law():
                return law_of(self, e)
            case ir.Weights(pairs):
                rows = [(self.compile(v), self.compile(w)) for v, w in pairs]
                return lambda f: laws.Table([v(f) for v, _ in rows], [w(f) for _, w in rows])
            case ir.WeightsOf():
                return weights_of(self, e)
            case ir.Density(method, law, at):
                make, x = self.compile(law), self.compile(at)
                return lambda f: density(make(f), method, x(f))
            case ir.Sequence() | ir.Records() | ir.RealVectors():
                raise CannotVectorise("a set as a value")
            case ir.ReleasedValue():
                raise AssertionError("a step releases values, and reads none that is released")
            case _:
                assert_never(e)

    def form(self, e: ir.Expression) -> Form:
        """What is run in place of the expression where it jumps."""
        return self.exact.jumps.run(e)

    def tied(self, e: ir.Expression) -> Run:
        """A condition for which the caller takes numbers for equal that differ by rounding only."""
        return self.compile(e)

    def _index(self, e: ir.Index, base: Run, at: Run) -> Run:
        if self.exact.jumps.kinds.of(e).name != "truth":
            return lambda f: element_at(base(f), at(f), f.count)

        def run(f: Frame) -> Value:
            found = element_at(base(f), at(f), f.count)
            f.need(is_nan(found), "this", e.span)
            return np.equal(found, 1.0)

        return run

    def _without_value(self, e: ir.Expression) -> Run:
        span = getattr(e, "span", NOWHERE)

        def run(f: Frame) -> Value:
            f.need(True, "this", span)
            return math.nan

        return run

    def _decided(self, form: Decided) -> Run:
        """A number with doubles in the runs where these are good enough, and everything else by exact arithmetic."""
        exactly = self._exactly(form)
        if form.guarded is None or form.is_truth:
            return lambda f: exactly(f, True)
        guarded = form.guarded
        with self._sharing() as begin:
            refused = self.bound(guarded.refused, form.expression, MANY)
            plain = self.compile(guarded.expression)

        def run(f: Frame) -> Value:
            with begin():
                bad, doubts = f.perhaps(refused)
                for doubt, _, _ in doubts:
                    bad = np.logical_or(bad, in_any_coordinate(doubt))
                if not np.any(bad):
                    return plain(f)
                value, doubts = f.perhaps(plain)
            f.need_these(doubts, np.logical_not(bad))
            return np.where(bad, exactly(f, bad), value)

        return run

    def _exactly(self, form: Decided) -> Callable[[Frame, Value], Value]:
        """By exact arithmetic in the runs where something holds, once for each of the different numbers that these
        have; 0 in the others."""
        parts = [self.compile(part) for part in form.reads]

        def run(f: Frame, where: Value) -> Value:
            found_parts = [f.perhaps(part) for part in parts]
            values = [value for value, _ in found_parts]
            for bad, what, span in (doubt for _, doubts in found_parts for doubt in doubts):
                if what in OUT_OF_REACH:  # what has no value counts as such, what is not decided does not
                    f.need(np.logical_and(bad, where), what, span)
            columns = [columns_of(v) for v in values]
            here, *numbers = (np.atleast_1d(v) for v in np.broadcast_arrays(where, *chain.from_iterable(columns)))
            rows, places = np.unique(np.stack(numbers, axis=-1)[here], axis=0, return_inverse=True)
            found = [form.value(*_regrouped(row, values, columns)) for row in rows.tolist()]
            known, bad = np.zeros(len(here)), np.zeros(len(here), dtype=bool)
            numbers_found = [math.nan if v is None or isinstance(v, Undefined) else float(v) for v in found]
            known[here] = np.array(numbers_found)[places.reshape(-1)]
            bad[here] = np.array([v is None for v in found])[places.reshape(-1)]
            f.need(bad, UNDECIDED, form.span)
            if form.is_truth:
                f.need(np.isnan(known), "this", form.span)
            every = known == 1.0 if form.is_truth else known
            changes = any(isinstance(v, np.ndarray | Ragged) for v in (where, *values))
            return every if changes else every[0]

        return run

    def once(self, e: ir.Expression, make: Callable[[], Run]) -> Run:
        """What a number and the bound of its error hold many times is computed once for both."""
        shared = self._shared
        if shared is None:
            return make()
        key = self.key(e)
        if key not in shared.runs:
            run = make()
            # the expression is kept, so that no other one has its id
            shared.runs[key] = e, shared.remembered(run) if shared.is_closed(e) else run
        return shared.runs[key][1]

    def key(self, e: ir.Expression) -> object:
        """Equal for parts that are one number: bounds hold the same object many times."""
        return id(e)

    def _guarded(self, form: Guarded, what: str, step: float = math.inf) -> Run:
        with self._sharing() as begin:
            plain, near = self.compile(form.expression), self.bound(form.refused, form.expression, step)

        def run(f: Frame) -> Value:
            with begin():
                (value, own), (found, doubts) = f.perhaps(plain), f.perhaps(near)
            for bad in (found, *(bad for bad, _, _ in doubts)):
                f.need(bad, what, form.span)
            f.need_these(own, True)
            return value

        return run

    @contextmanager
    def _sharing(self) -> Iterator[Callable[[], AbstractContextManager[None]]]:
        """The context in which a number and the bound of its error are compiled. It gives that for their evaluation."""
        outer = self._shared
        shared = self._shared = outer or _Shared()
        try:
            yield shared.evaluation if outer is None else nullcontext  # parts of another number are kept for it
        finally:
            self._shared = outer

    def bound(self, e: ir.Expression, of: ir.Expression, step: float = math.inf) -> Run:
        """What the error of a number is, or is compared with. `step`: where that number is alike in all steps, the
        last one that is looked at."""
        return self.compile(e)

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
                found = [s.law for s in self.program.body if isinstance(s, Draw) and s.name == name]
                found += [n.law for n in self.program.noises if n.name == name]
                return any(isinstance(x, ir.Label) for law in found for x in ir.walk(law))
            case _:
                return False

    def _cell(self, name: str, at: tuple[ir.Expression, ...]) -> Run:
        parts = [self.compile(position) for position in at]
        return lambda f: f.read(f.state.cells[name].read(tuple([p(f) for p in parts])))

    def _apply(self, operator: str, arguments: tuple[ir.Expression, ...], span: Span) -> Run:
        if operator == "length" and isinstance(arguments[0], ir.Records):
            return lambda f: f.state.size
        parts = [self.compile(a) for a in arguments]
        if operator in PAIRS and len(parts) == 2:
            pair, left, right = PAIRS[operator], parts[0], parts[1]
            if operator in CONNECTIVES:
                return both(pair, operator, left, right)
            if operator in ir.COMPARISONS:
                return compared(pair, left, right, span)
            return lambda f: pair(*_no_growing_lists(left(f), right(f)))
        if operator not in OPERATORS:
            raise CannotVectorise(f"`{operator}`")
        function = OPERATORS[operator]
        return lambda f: function(*[p(f) for p in parts])

    def _noised(self, e: ir.Noised) -> Run:
        base = self.compile(e.base)
        terms = [(t.noise, self.compile(t.factor)) for t in e.terms]
        unit = [isinstance(t.factor, ir.Number) and t.factor.value == 1 for t in e.terms]

        def run(f: Frame) -> Value:
            value = base(f)
            if isinstance(value, Ragged):
                raise CannotVectorise("noise on a list that grows")
            for (name, factor), one in zip(terms, unit, strict=True):
                if f.state.flips(name):
                    value = f.state.flipped(name, e, value, f)
                else:
                    noise = f.state.noise(name, shape_of(value), f)
                    value = value + (noise if one else factor(f) * noise)
            return value

        return run


class _Shared:
    """The parts of a number and of the bound of its error. `runs`: each part with its compiled form, by `key`.
    `known`: the value of each part in the frame in which it was evaluated last.
    `closed`: what `is_closed` found, by the part's id."""

    def __init__(self) -> None:
        self.runs: dict[object, tuple[ir.Expression, Run]] = {}
        self.known: dict[Run, tuple[Frame, Value, list[Doubt]]] = {}
        self.closed: dict[int, bool] = {}

    def is_closed(self, e: ir.Expression) -> bool:
        """Whether no variable of a binder around it is read in it. Asked of expressions that are kept in `runs`."""
        if id(e) not in self.closed:
            if isinstance(e, ir.Bound | ir.Quantified | ir.WeightsOf):
                self.closed[id(e)] = not free_variables(e)
            else:
                self.closed[id(e)] = all(map(self.is_closed, ir.children(e)))
        return self.closed[id(e)]

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        self.known.clear()
        try:
            yield
        finally:
            self.known.clear()

    def remembered(self, run: Run) -> Run:
        known = self.known

        def first(f: Frame) -> Value:
            found = known.get(run)
            if found is None or found[0] is not f:
                found = known[run] = f, *f.perhaps(run)
            if found[2]:
                f.need_these(found[2], True)
            return found[1]

        return first


def _regrouped(
    row: list[float], values: list[Value], columns: list[list[Value]]
) -> Iterator[float | tuple[float, ...]]:
    """The numbers, vectors and lists of one run, from all their numbers in order."""
    left = iter(row)
    for value, parts in zip(values, columns, strict=True):
        own = tuple(islice(left, len(parts)))
        if isinstance(value, Ragged):
            yield own[1 : 1 + int(own[0])]
        else:
            yield own if shape_of(value) else own[0]


def _no_growing_lists(*values: Value) -> tuple[Value, ...]:
    if any(isinstance(value, Ragged) for value in values):
        raise CannotVectorise("arithmetic with lists that grow")
    return values
