"""What the parts of a kernel share while it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.shapes import declared_records
from seqlang.backends.interpret.values import OUT_OF_STEPS, BallSet, Members
from seqlang.backends.kernels.lowering.constants import Constants
from seqlang.backends.kernels.lowering.readings import WrittenCell, WrittenNoises
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value
from seqlang.backends.kernels.lowering.writer import Writer
from seqlang.backends.kernels.operations import Kind, Variable
from seqlang.model import expression as ir
from seqlang.model.domain import Integers
from seqlang.model.program import Program
from seqlang.record import record
from seqlang.source import NOWHERE, Span

T = TypeVar("T")
LONGEST_RUN = 2**40
"""More steps than any run makes."""
_LISTS = {"number": "np.float64", "truth": "np.bool_", "label": "np.int64"}


@record
class Site:
    """A place in the program where a value may be missing: what it is called."""

    what: str
    span: Span


@record
class Last:
    """The last step that the kernel makes; `what`: why no run goes on in it."""

    step: int
    what: str


class Scope:
    """Names of the program and where their values stand."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.exact: Compiler
        self.numpy = VectorCompiler(program)
        self.exact = self.numpy.exact
        self.constants = Constants(self.numpy.labels)
        self.writer = Writer()
        self.variables: list[Variable] = []
        self.sites: list[Site] = []
        self.outside: set[int] = set()
        """The sites where a field has left its domain."""
        self.fields: dict[str, Value] = {}
        self.locals: dict[str, Value] = {}
        self.memory: dict[str, Value] = {}
        self.released: dict[str, Value] = {}
        self.fired: dict[str, str] = {}
        self.draws: dict[str, Value] = {}
        self.bound: dict[int, Value] = {}
        self.cells: dict[str, WrittenCell] = {}
        self.noises: WrittenNoises
        self.value_of: Callable[[ir.Expression], Value]
        """`expressions.value_of` in this scope: for laws and binders, which expressions are made of."""
        self.purpose: Any = "noise"
        self.looking_up = False
        self.guarding = False
        self.resets: list[str] = []
        """Lines that bring arrays to their state at the start of a run."""
        self._known: dict[int, tuple[ir.Expression, Value]] = {}
        last = self.exact.jumps.last_step
        self.last = Last(int(last), OUT_OF_STEPS) if last < LONGEST_RUN else None

    def ends(self, step: int, what: str) -> None:
        """No run goes on beyond this step in the kernel."""
        if self.last is None or step < self.last.step:
            self.last = Last(step, what)

    # ---- constants

    def reads(self, e: ir.Expression) -> bool:
        """Whether the value changes in a run (or is a law)."""
        return isinstance(e, (ir.Law, ir.Weights, ir.WeightsOf, ir.Records, ir.RealVectors)) or bool(
            self.exact.compile(e).reads
        )

    def constant(self, e: ir.Expression) -> Value | None:
        """The value of a constant expression, which stands in the kernel's constants; None where it is none."""
        known = self._known.get(id(e))
        if known is not None and known[0] is e:
            return known[1]
        if self.reads(e):
            return None
        if isinstance(e, ir.Number) and e.value.denominator == 1 and abs(e.value) < 1 << 31:
            found: Value = Scalar(f"{float(e.value)!r}", whole=f"{int(e.value)}")
        elif isinstance(e, ir.Apply) and e.operator == "zeros":
            found = List(self.constants.whole(int(self.exact.constant(e.arguments[0]))), lambda i: Scalar("0.0"))
        else:
            constant = self.exact.constant(e)
            if isinstance(constant, (Members, BallSet)):
                if isinstance(constant, BallSet):
                    return None
                constant = tuple(constant)
            if not isinstance(constant, (bool, int, float, str, tuple, range)):
                return None
            if isinstance(constant, int) and not isinstance(constant, bool) and not self._always_whole(e):
                constant = float(constant)
            found = self.constants.value(constant)
        self._known[id(e)] = (e, found)
        return found

    def _always_whole(self, e: ir.Expression) -> bool:
        """Whether it is whole for other values of the parameters, too: then a sweep over these has one kernel."""
        names = {x.name for x in ir.walk(e) if isinstance(x, ir.ParameterValue)}
        return all(isinstance(p.domain, Integers) for p in self.program.parameters if p.name in names)

    def size(self) -> int:
        """The number of records."""
        return len(declared_records(self.exact))

    # ---- names

    def variable(self, start: str, kind: Kind = "number", name: str | None = None) -> str:
        """Declares a variable of the run, which begins as `start`; gives its name, a fresh one if it has none."""
        name = name or self.writer.fresh("v")
        self.variables.append(Variable(name, kind, start))
        self.writer.kinds[name] = kind
        return name

    def named(self, value: Scalar) -> Scalar:
        """The value under a name: it is computed once, here."""
        return Scalar(self.writer.named(value.text, value.kind), value.kind, value.finite, value.whole)

    def peek(self, write: Callable[[], T]) -> T:
        """What `write` gives, without what it writes."""
        known = len(self.sites)
        try:
            return self.writer.capture(write)[1]
        finally:
            del self.sites[known:]

    # ---- faults

    def site(self, what: str, span: Span) -> int:
        """The number, from 1, of a place where a value may be missing, for `Writer.check`."""
        self.sites.append(Site(what, span))
        return len(self.sites)

    def checked(self, value: Value, what: str, span: Span = NOWHERE) -> Value:
        """The value, with a fault where a scalar is not a number."""
        if isinstance(value, List) or value.kind != "number" or value.finite:
            return value
        name = self.writer.named(value.text)
        self.writer.check(f"{name} != {name}", self.site(what, span))
        return Scalar(name, finite=False, whole=value.whole)

    # ---- lists that are stored

    def buffer(self, dimensions: tuple[str, ...], kind: Any = "number", prefix: str = "b") -> str:
        """An array that is made once a call."""
        if any(not (d.isdigit() or d.startswith("n_")) for d in dimensions):
            raise CannotCompile("a list whose length changes")
        name = self.writer.fresh(prefix)
        size = dimensions[0] if len(dimensions) == 1 else f"({', '.join(dimensions)})"
        self.writer.header.append(f"{name} = np.zeros({size}, {_LISTS[kind]})")
        return name

    def stored(self, value: List, what: str, span: Span = NOWHERE, into: str | None = None) -> List:
        """The list, written to an array (`into`, or one of its own)."""
        dimensions, kind, finite = self.outline(value)
        name = into or self.buffer(dimensions, kind)
        self.copy(value, name, () if finite else (what, span))
        return array_of(name, dimensions, kind, finite)

    def copy(self, value: List, name: str, check: tuple[Any, ...] = ()) -> None:
        """Writes the list's elements to an array that is long enough."""
        if not check:
            self._copied(value, name, "", None)
            return
        missing = self.missing()
        self._copied(value, name, "", missing)
        self.writer.check(f"{missing} != 0", self.site(check[0], check[1]))

    def missing(self) -> str:
        """A count of what is not a number, for `note` in a loop: the processor adds several at once, as it could not
        look for the first fault."""
        return self.writer.assign(self.writer.fresh("f"), "0", "label")

    def note(self, missing: str, element: Scalar) -> Scalar:
        """The element, counted if it is not a number."""
        if element.kind != "number" or element.finite:
            return element
        name = self.writer.named(element.text)
        self.writer.assign(missing, f"{missing} + (1 if {name} != {name} else 0)", "label")
        return Scalar(name, finite=False, whole=element.whole)

    def _copied(self, value: List, name: str, before: str, missing: str | None) -> None:
        with self.writer.loop(value.length) as i:
            element = value.at(i)
            if isinstance(element, List):
                self._copied(element, name, f"{before}{i}, ", missing)
                return
            if missing is not None:
                element = self.note(missing, element)
            self.writer.text(f"{name}[{before}{i}] = {element.text}")

    def put(self, name: str, place: str, value: Value) -> None:
        """Writes a number, or the numbers of a list, to a place of an array."""
        if isinstance(value, Scalar):
            self.writer.text(f"{name}[{place}] = {value.number}")
            return
        with self.writer.loop(value.length) as i:
            self.put(name, f"{place}, {i}", value.at(i))

    def move(self, source: str, target: str, dimensions: tuple[str, ...]) -> None:
        """Writes one array to another. A loop: numba's own copies bring messages along, which take long to compile."""
        with ExitStack() as loops:
            place = ", ".join([loops.enter_context(self.writer.loop(length)) for length in dimensions])
            self.writer.text(f"{target}[{place}] = {source}[{place}]")

    def outline(self, value: List) -> tuple[tuple[str, ...], Any, bool]:
        """(lengths, kind of the elements, whether they are finite), without writing anything."""

        def look() -> tuple[tuple[str, ...], Any, bool]:
            lengths, element = [value.length], value.at("0")
            while isinstance(element, List):
                lengths.append(element.length)
                element = element.at("0")
            return tuple(lengths), element.kind, element.finite

        return self.peek(look)

    @contextmanager
    def within(self, bound: dict[int, Value]) -> Iterator[None]:
        """While it is entered, the `for` variables of these numbers have these values, and no others have one. (A list
        is asked for its elements later, when other variables may be bound.)"""
        outer, self.bound = self.bound, bound
        try:
            yield
        finally:
            self.bound = outer


def array_of(name: str, dimensions: tuple[str, ...], kind: Any, finite: bool) -> List:
    """A stored array as a list."""
    if len(dimensions) == 1:
        return List(dimensions[0], lambda i: Scalar(f"{name}[{i}]", kind, finite), array=name)
    return List(
        dimensions[0],
        lambda i: List(dimensions[1], lambda j: Scalar(f"{name}[{i}, {j}]", kind, finite)),
        array=name,
    )


def array_in(value: List) -> str:
    """The name of the array of a stored list."""
    assert value.array is not None
    return value.array
