"""The plain value of an expression as a Python expression: what the generated step evaluates.

Names in the text: `n` the step, `entry` the inputs, `hidden` the hidden draws, `v_`, `c_`, `m_`, `r_`, `b_` before the
names of definitions, cells, memories, reports and bound variables.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from operator import itemgetter
from typing import Any, assert_never

from seqlang.backends.interpret.alike import Alike, columns_of
from seqlang.backends.interpret.compiled import Compiler, plain_number
from seqlang.backends.interpret.operators import OTHER, PAIR, SCALAR
from seqlang.backends.interpret.shapes import shape_of_expression
from seqlang.backends.interpret.values import UNDECIDED, EvaluationError, Members, OutOfReach, as_index, each, pairwise
from seqlang.backends.transcript.finite_laws import density, weighed
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.constants import Undefined
from seqlang.model.log_ratio import in_logs
from seqlang.model.wholes import Guarded
from seqlang.operators.groups import ARITHMETIC, COMPARISONS, CONNECTIVES, EXTREMES, INFIX, PARTIAL, PLACES

NEAR = 1e-6
"""Sums over the few thousand steps of a witness lose less than this, relative to their terms and to 1."""
RAW = INFIX & (COMPARISONS | ARITHMETIC) - PARTIAL
"""Of numbers, Python's own operators: they never fail."""
WITHOUT_VALUE = PARTIAL & {*PAIR, *SCALAR}
"""Functions that some numbers have no value of: their values are then no numbers, and a run ends with an error."""


class PlainWriter:
    """Writes the expressions of one program. `scope` is what the text needs to run, `draws` the hidden draws that it
    reads. Who writes a statement says in `broken` why its name holds no value. `kept`: names that hold noisy values
    (for `KeptWriter` to read)."""

    def __init__(self, program: p.Program) -> None:
        self.program = program
        self.scope: dict[str, Any] = {
            "P": PAIR, "S": SCALAR, "O": OTHER, "pairwise": pairwise, "each": each, "Members": Members,
            "density": density, "weighed": weighed, "place": _place,
        }  # fmt: skip
        self.exact = Compiler(program)
        self.by_step = False  # whether the state holds the number of the step
        self.draws: dict[str, None] = {}
        self.constants: dict[e.Expression, str] = {}
        self.broken: dict[str, str] = {}
        self.kept: frozenset[str] = frozenset()

    def place(self, at: e.Expression) -> str:
        """Where in a list, from 0. A step fails where that is before its start, as it does past its end."""
        if isinstance(at, e.Number) and at.value >= 1:
            return str(int(at.value) - 1)
        return f"place({self.write(at)})"

    def value(self, expression: e.Expression) -> Any:
        """The value of a constant expression."""
        code = self.exact.compile(expression) if self.is_constant(expression) else None
        if code is not None and not code.reads and not isinstance(expression, e.Law | e.Weights | e.WeightsOf):
            return self.exact.constant(expression)
        try:
            return eval(self._written(expression), self.scope)
        except NameError:
            raise Unsupported("a number that changes from step to step where a constant is needed") from None

    def write(self, x: e.Expression) -> str:
        """Python for the plain value; constant parts are evaluated now."""
        if self.exact.lacks_value(x):
            self.scope["without_value"] = _without_value
            return "without_value()"
        if not isinstance(x, (e.Number, e.Truth, e.Label, e.ParameterValue)) and self.is_constant(x):
            if x not in self.constants:
                self.constants[x] = f"k{len(self.constants)}"
                self.scope[self.constants[x]] = self.value(x)
            return self.constants[x]
        return self._written(x)

    def _written(self, x: e.Expression) -> str:
        """The same for an expression that is not evaluated as a whole."""
        smooth = self.exact.jumps.smooth
        _, checked = smooth.checked(x) or (x, self.exact.jumps.run(x))
        if checked is None:
            raise Unsupported("numbers that doubles do not know well")
        form = checked
        compares = isinstance(x, e.Apply) and x.operator in e.COMPARISONS
        if compares and not self.by_step and self.exact.jumps.adds_step(x):
            return self.far_apart(x)
        if isinstance(form, Decided):
            return self.decided(form)
        if isinstance(form, Guarded):
            self.scope["undecided"] = _undecided
            return f"({self.write(form.expression)} if not {self.write(form.refused)} else undecided())"
        if isinstance(form, Undecidable):
            raise Unsupported(UNDECIDED)
        if form is not x:
            return self.write(form)
        match x:
            case e.Number(value):
                return repr(plain_number(value))
            case e.Truth(value=truth):
                return repr(truth)
            case e.Label(name):
                return repr(name)
            case e.ParameterValue(name):
                return repr(self.exact.parameters[name])
            case e.StepNumber():
                return "n"
            case e.Field(name):
                return f"entry[{name!r}]"
            case e.Records():
                return f"range(1, len(entry[{self.dataset()!r}]) + 1)"
            case e.Local(name) | e.CellValue(name) if name in self.broken:
                raise Unsupported(self.broken[name])
            case e.Local(name) | e.CellValue(name) if name in self.kept:
                raise Unsupported(f"{name} is read with its noise inside an expression")
            case e.Local(name):
                return f"v_{name_of(name)}"
            case e.CellValue(name, at):
                return self.read_cell(self.program.cell(name), at)
            case e.MemoryValue(name):
                return f"m_{name_of(name)}"
            case e.Reported(name):
                return f"r_{name_of(name)}"
            case e.Drawn(name):
                return self.drawn(name)
            case e.Noised(name, _, _):
                raise Unsupported(f"{name} is read with its noise inside an expression")
            case e.Bound(variable):
                return bound_name(variable)
            case e.Apply("log") if (logs := in_logs(self.program, x)) is not None:
                return self.write(logs)
            case e.Apply():
                return self.apply(x)
            case e.Choice(test, yes, no):
                return f"({self.write(yes)} if {self.write(test)} else {self.write(no)})"
            case e.Index(base, at):
                return f"{self.write(base)}[{self.place(at)}]"
            case e.Sequence(kind, items):
                inside = "".join(f"{self.write(i)}, " for i in items)
                return f"({inside})" if kind == "list" else f"Members(({inside}))"
            case e.Quantified():
                return self.quantified(x)
            case e.RealVectors():
                raise Unsupported("an optimum over a continuous set")
            case e.Law(family, arguments):
                return f"({family!r}, {''.join(self.write(a) + ', ' for a in arguments)})"
            case e.Weights(pairs):
                inside = "".join(f"({self.write(v)}, {self.write(w)}), " for v, w in pairs)
                return f"weighed(({inside}))"
            case e.WeightsOf(value, weight, variable, domain, where):
                kept = "" if where is None else f" if {self.write(where)}"
                loop = f"for {bound_name(variable)} in {self.write(domain)}{kept}"
                return f"weighed(tuple([({self.write(value)}, {self.write(weight)}) {loop}]))"
            case e.Density(method, law, at):
                return f"density({method!r}, {self.write(law)}, {self.write(at)})"
            case e.ReleasedValue():
                raise AssertionError("a step releases values, and reads none that is released")
            case _ as never:
                assert_never(never)

    def far_apart(self, x: e.Expression) -> str:
        """A comparison of numbers that differ by more than rounding explains, in a state that holds no step."""
        assert isinstance(x, e.Apply)
        self.scope["far_apart"] = far_apart
        left, right = (self.write(side) for side in x.arguments)
        return f"far_apart({left}, {right}, {x.operator!r})"

    def decided(self, form: Decided) -> str:
        """A call of what computes it exactly; a number is computed with doubles where these are good enough."""
        form = form if form.is_truth else self.exact.jumps.smooth.told(form)

        def exactly(*reads: Any) -> Any:
            found = form.value(*[_if_any(read) for read in reads])
            if found is None:
                raise OutOfReach(UNDECIDED, form.span)
            if isinstance(found, Undefined):
                raise EvaluationError(f"this has no value: {found.reason}", form.span)
            return found if isinstance(found, bool | float) else plain_number(found)

        name = f"exactly_{len(self.scope)}"
        self.scope[name] = exactly
        exact = f"{name}({', '.join('lambda: ' + self.write(part) for part in form.reads)})"
        if form.is_truth or form.guarded is None:
            return exact
        return f"({self.write(form.guarded.expression)} if not {self.write(form.guarded.refused)} else {exact})"

    def dataset(self) -> str:
        return next(i.name for i in self.program.inputs if i.kind == "dataset")

    def drawn(self, name: str) -> str:
        if any(n.name == name for n in self.program.noises):
            self.draws[name] = None
            return f"hidden[{name!r}]"
        # the law of a `Draw` statement is kept; who reads the drawn value itself has no plain value
        raise Unsupported(f"the value of the random choice {name} is read")

    def read_cell(self, cell: p.Cell, at: tuple[e.Expression, ...]) -> str:
        name = name_of(cell.name)
        folded = isinstance(cell.keep, p.LastSteps) or cell.operator == "mean"
        source = f"x_{name}" if folded else f"c_{name}"
        if cell.binders:
            return f"{source}[({''.join(f'{self.write(position)}, ' for position in at)})]"
        return source

    def apply(self, x: e.Apply) -> str:
        operator = x.operator
        arguments = [self.write(a) for a in x.arguments]
        vector = any(self.is_vector(a) for a in x.arguments)
        if operator in CONNECTIVES:
            return "(" + f" {operator} ".join(arguments) + ")"
        if operator == "not":
            return f"(not {arguments[0]})"
        if operator in RAW and not vector:
            return f"({arguments[0]} {operator} {arguments[1]})"
        if operator == "negate" and not vector:
            return f"(-{arguments[0]})"
        if operator == "abs" and not vector:
            return f"abs({arguments[0]})"
        if operator in EXTREMES and len(arguments) > 1 and not vector:
            return f"{operator}({', '.join(arguments)})"
        if operator == "clip" and not vector:
            return f"min(max({arguments[0]}, {arguments[1]}), {arguments[2]})"
        if operator in PAIR:
            function = f"P[{operator!r}]"
            return (f"pairwise({function}, " if vector else f"{function}(") + ", ".join(arguments) + ")"
        if operator in SCALAR:
            function = f"S[{operator!r}]"
            return f"each({function}, {arguments[0]})" if vector else f"{function}({arguments[0]})"
        return f"O[{operator!r}]({', '.join(arguments)})"

    def quantified(self, x: e.Quantified) -> str:
        if isinstance(x.domain, e.RealVectors):
            raise Unsupported("an optimum over a continuous set")
        variable = bound_name(x.variable)
        test = "" if x.where is None else f" if {self.write(x.where)}"
        loop = f"for {variable} in {self.write(x.domain)}{test}"
        body = self.write(x.body)
        if isinstance(x.domain, e.Records) and x.where is None and x.operator not in PLACES:
            return self.over_records(x, body)
        match x.operator:
            case "list":
                return f"tuple([{body} {loop}])"
            case "set":
                return f"Members([{body} {loop}])"
            case "argmax" | "argmin":
                self.scope["first"] = itemgetter(0)
                return f"{x.operator[3:]}([({body}, {variable}) {loop}], key=first)[1]"
            case fold:
                return f"O[{fold!r}](tuple([{body} {loop}]))"

    def over_records(self, x: e.Quantified, body: str) -> str:
        """A fold over all records, of which equal ones are evaluated once."""
        names = columns_of(self.program, (x.body,), x.variable)
        values = f"[{body} for {bound_name(x.variable)} in {self.write(x.domain)}]"
        if names:
            self.scope.setdefault("equal_records", Alike())
            columns = "".join(f"entry[{name!r}], " for name in names)
            values = f"equal_records.each(({columns}), lambda {bound_name(x.variable)}: {body})"
        match x.operator:
            case "list":
                return f"tuple({values})"
            case "set":
                return f"Members({values})"
            case fold:
                return f"O[{fold!r}](tuple({values}))"

    def is_constant(self, x: e.Expression, bound: Collection[e.Variable] = ()) -> bool:
        """Whether nothing is read but constants and these variables."""
        return self.exact.compile(x).reads <= {variable.number for variable in bound}

    def is_vector(self, x: e.Expression) -> bool:
        """Whether the value is a vector (then the general, slower operators are used)."""
        return shape_of_expression(self.exact, x) != ()


def far_apart(left: float, right: float, operator: str) -> bool:
    """Raises OutOfReach where rounding may decide the comparison."""
    if abs(left - right) <= NEAR * (1 + abs(left) + abs(right)):
        raise OutOfReach(UNDECIDED)
    return bool(PAIR[operator](left, right))


def _if_any(read: Callable[[], Any]) -> Any:
    """The value, and None where there is none."""
    try:
        return read()
    except OutOfReach:
        raise
    except (EvaluationError, ArithmeticError, LookupError, ValueError):
        return None


def _without_value() -> Any:
    raise EvaluationError("a constant has no value")


def _undecided() -> Any:
    raise OutOfReach(UNDECIDED)


def may_fail(x: e.Expression) -> bool:
    """Whether it may be no number: it holds a root, a quotient, a power, a logarithm."""
    return any(isinstance(node, e.Apply) and node.operator in WITHOUT_VALUE for node in e.walk(x))


def bound_name(variable: e.Variable) -> str:
    """What a bound variable is called in the generated text."""
    return f"b_{variable.number}"


def name_of(name: str) -> str:
    """The name as a part of a Python name; different names stay different (`L.w` beside `L_w`)."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)


def _place(position: Any) -> int:
    """The place in a Python list of a position, which counts from 1."""
    place = as_index(position) - 1
    if place < 0:
        raise LookupError(f"position {position}")
    return place
