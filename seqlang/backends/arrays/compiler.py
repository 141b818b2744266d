"""Expressions to functions of a `Frame`: the runs that are being evaluated, all of them or some.

Both sides of `and`, `or` and `if` are evaluated for all runs of the frame; a value that is not a number where it is not
needed does no harm, and where it is needed the engine finds it. Constants are the interpreter's.
"""

from __future__ import annotations

from typing import assert_never

import numpy as np

from seqlang.backends.arrays import laws
from seqlang.backends.arrays.frame import Frame, Run
from seqlang.backends.arrays.ladders import ladder
from seqlang.backends.arrays.law_expressions import density, law_of, weights_of
from seqlang.backends.arrays.lists import element_at, stack
from seqlang.backends.arrays.operators import OPERATORS, PAIRS
from seqlang.backends.arrays.record import returned_labels
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value, from_constant, shape_of
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import Members
from seqlang.model import expression as ir
from seqlang.model.log_ratio import in_logs
from seqlang.model.program import Draw, Program, nodes_in
from seqlang.source import Span


class VectorCompiler:
    """Compiles the expressions of one program. `exact` evaluates its constants; `labels` numbers the labels, those of
    `returned_labels` first and in their order."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.exact = Compiler(program)
        names = dict.fromkeys((*returned_labels(program), *program.labels))
        evaluated = nodes_in((program.body, program.noises))
        names.update((e.name, None) for e in evaluated if isinstance(e, ir.Label))
        self.labels = {name: i for i, name in enumerate(names)}

    def compile(self, e: ir.Expression) -> Run:
        """The expression as a function of a frame. Raises CannotVectorise for what arrays do not hold."""
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
            case ir.Apply():
                run = self.exact.grids.settled(e)
                return self._apply(run.operator, run.arguments, run.span)
            case ir.Choice(test, yes, no):
                return ladder(self, self.exact.grids, e, _sure) or self._choice(test, yes, no)
            case ir.Index(base, at, _):
                b, a = self.compile(base), self.compile(at)
                return lambda f: element_at(b(f), a(f), f.count)
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
        if operator in ir.COMPARISONS:
            arguments = self.exact.grids.compared(arguments)
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
        f.state.checked(value, f, "a side of this comparison", span)
    return value
