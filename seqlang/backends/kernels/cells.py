"""Folds over time: the variables and arrays that hold them, and what a step does to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from seqlang.backends.interpret.shapes import UNKNOWN, shape_of_expression
from seqlang.backends.kernels.expressions import value_of
from seqlang.backends.kernels.operators import extreme, folded
from seqlang.backends.kernels.ops import Variable
from seqlang.backends.kernels.scope import Scope, array_of
from seqlang.backends.kernels.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model import expression as ir
from seqlang.model.program import AllSteps, AtReports, Cell, LastSteps, Previous, SinceReport

FIRST = 16
"""Elements for which a list that grows has room at first."""
SUMMED = "a value that is summed over the steps"
_START = {"sum": "0.0", "mean": "0.0", "count": "0.0", "max": "-math.inf", "min": "math.inf"}


class KernelCell:
    """One cell. `begin` is written at the start of a step, `tick` where the cell stands, `read` where it is read."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        self.scope = scope
        self.cell = cell
        self.report = cell.keep.report if isinstance(cell.keep, (SinceReport, AtReports)) else None

    def begin(self, fired_before: dict[str, str]) -> None:
        pass

    def tick(self) -> None:
        raise NotImplementedError

    def read(self) -> Value:
        raise NotImplementedError

    # ---- what all of them need

    def variable(self, start: str, kind: Any = "number") -> str:
        name = self.scope.writer.fresh("v")
        self.scope.variables.append(Variable(name, kind, start))
        self.scope.writer.kinds[name] = kind
        return name

    def entry(self) -> tuple[str | None, Value]:
        """(name of whether this step counts, the body's value)."""
        scope, cell = self.scope, self.cell
        taken = None
        if cell.where is not None:
            test = scalar(value_of(scope, cell.where), "a condition")
            taken = scope.writer.named(test.truth, "truth")
        value = value_of(scope, cell.body)
        if isinstance(value, List) and value.grows:
            raise CannotCompile("a fold over lists that grow")
        return taken, value

    def checked(self, taken: str | None, value: Scalar) -> Scalar:
        if value.finite or value.kind != "number":
            return value
        w = self.scope.writer
        name = w.named(value.text)
        site = self.scope.site(SUMMED, self.cell.span)
        w.check(f"{name} != {name}" if taken is None else f"{taken} and {name} != {name}", site)
        return Scalar(name, "number", False)


class ScalarFold(KernelCell):
    """over steps, since R; of numbers."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.total = self.variable(_START[cell.operator])
        self.number = self.variable("0.0") if cell.operator == "mean" else None
        self.finite = False

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            fired, w = fired_before[self.cell.keep.report], self.scope.writer
            w.assign(self.total, f"({_START[self.cell.operator]} if {fired} else {self.total})")
            if self.number is not None:
                w.assign(self.number, f"(0.0 if {fired} else {self.number})")

    def tick(self) -> None:
        w, operator = self.scope.writer, self.cell.operator
        taken, found = self.entry()
        value = self.checked(taken, scalar(found, "an entry of a fold"))
        if operator == "count":
            test = value.truth if taken is None else f"({taken} & {value.truth})"
            w.assign(self.total, f"{self.total} + (1.0 if {test} else 0.0)")
            return
        if operator in ("sum", "mean"):
            text = value.number if taken is None else f"({value.number} if {taken} else 0.0)"
            w.assign(self.total, f"{self.total} + {text}")
            if self.number is not None:
                w.assign(self.number, f"{self.number} + " + ("1.0" if taken is None else f"(1.0 if {taken} else 0.0)"))
            return
        chosen = extreme(self.scope, operator, Scalar(self.total, finite=value.finite), value).text
        w.assign(self.total, chosen if taken is None else f"({chosen} if {taken} else {self.total})")

    def read(self) -> Value:
        if self.number is not None:
            return Scalar(f"({self.total} / {self.number})", "number", False)
        return Scalar(self.total, "number", self.cell.operator == "count" or (self._tame() and self._ticked()))

    def _tame(self) -> bool:
        return _tame(self.scope, self.cell.body)

    def _ticked(self) -> bool:
        """Whether the value is never that of no entries: infinite, for a maximum."""
        return self.cell.operator == "sum" or (self.cell.where is None and isinstance(self.cell.keep, AllSteps))


def _tame(scope: Scope, e: ir.Expression) -> bool:
    """Whether the body's value was found to be finite when it was last written."""
    found: list[Value] = []
    known = len(scope.sites)
    try:
        scope.writer.capture(lambda: found.append(value_of(scope, e)))
    except (KeyError, CannotCompile):
        return False
    finally:
        del scope.sites[known:]
    return isinstance(found[0], Scalar) and found[0].finite


class VectorFold(KernelCell):
    """over steps, since R; of vectors."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...]) -> None:
        super().__init__(scope, cell)
        if len(shape) != 1 or cell.operator not in ("sum", "mean", "max", "min"):
            raise CannotCompile(f"`{cell.operator}` of lists of vectors over the steps")
        self.length = shape[0]
        self.total = scope.buffer(shape)
        self.number = self.variable("0.0")
        scope.resets.append(f"{self.total}[:] = {_START[cell.operator]}")

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            w = self.scope.writer
            with w.block(f"if {fired_before[self.cell.keep.report]}:"):
                w.text(f"{self.total}[:] = {_START[self.cell.operator]}", f"{self.number} = 0.0")

    def tick(self) -> None:
        w, operator = self.scope.writer, self.cell.operator
        cell = self.cell
        taken = None
        if cell.where is not None:
            taken = w.named(scalar(value_of(self.scope, cell.where), "a condition").truth, "truth")
        with w.block("if True:" if taken is None else f"if {taken}:"):
            value = value_of(self.scope, cell.body)
            if isinstance(value, Scalar):
                raise CannotCompile("a fold over numbers and vectors")
            w.text(f"{self.number} += 1.0")
            i, missing = w.fresh("i"), self.scope.missing()
            with w.block(f"for {i} in range({self.length}):"):
                one = self.scope.note(missing, scalar(value.at(i), "a coordinate"))
                so_far = f"{self.total}[{i}]"
                if operator in ("sum", "mean"):
                    w.text(f"{so_far} += {one.number}")
                else:
                    w.text(f"{so_far} = {extreme(self.scope, operator, Scalar(so_far, finite=False), one).text}")
            w.check(f"{missing} != 0", self.scope.site(SUMMED, cell.span))

    def read(self) -> Value:
        number = self.number
        if self.cell.operator == "mean":
            return List(self.length, lambda i: Scalar(f"({self.total}[{i}] / {number})", "number", False))
        return List(self.length, lambda i: Scalar(f"{self.total}[{i}]", "number", False))


class BestStep(KernelCell):
    """argmax, argmin over steps, since R: the first best step; not a number before there is one."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.best, self.at = self.variable("-math.inf"), self.variable("math.nan")

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            fired, w = fired_before[self.cell.keep.report], self.scope.writer
            w.assign(self.best, f"(-math.inf if {fired} else {self.best})")
            w.assign(self.at, f"(math.nan if {fired} else {self.at})")

    def tick(self) -> None:
        w = self.scope.writer
        taken, found = self.entry()
        value = self.checked(taken, scalar(found, "a score"))
        score = w.named(value.number if self.cell.operator == "argmax" else f"-({value.number})")
        better = f"(({score} > {self.best}) | ({self.at} != {self.at}))"
        name = w.named(better if taken is None else f"({taken} & {better})", "truth")
        w.assign(self.best, f"({score} if {name} else {self.best})")
        w.assign(self.at, f"(float(step) if {name} else {self.at})")

    def read(self) -> Value:
        return Scalar(self.at, "number", False)


class Window(KernelCell):
    """over last m: the entries of the last m steps in a ring, newest first; their fold is made when it is read."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...], length: int) -> None:
        super().__init__(scope, cell)
        if cell.operator in ("argmax", "argmin"):
            raise CannotCompile(f"{cell.operator} over the last steps")
        self.shape = shape
        self.length, self.room = scope.constants.whole(length), scope.constants.whole(max(1, length))
        self.values = scope.buffer((self.room, *shape), "number")
        self.taken = scope.buffer((self.room,), "truth")
        self.finite = False

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.entry()
        place = w.fresh("i")
        w.text(f"{place} = step % {self.room}")
        if isinstance(value, List):
            i = w.fresh("i")
            with w.block(f"for {i} in range({self.shape[0]}):"):
                one = self.checked(taken, scalar(value.at(i), "a coordinate"))
                w.text(f"{self.values}[{place}, {i}] = {one.number}")
        else:
            one = self.checked(taken, value)
            w.text(f"{self.values}[{place}] = {one.number}")
        w.text(f"{self.taken}[{place}] = {'True' if taken is None else taken}")

    def read(self) -> Value:
        count = self.scope.writer.named(f"min(step, {self.length})", "label")
        return self.fold(count)

    def fold(self, count: str) -> Value:
        def at(i: str) -> Value:
            place = self.scope.writer.named(f"(step - {i}) % {self.room}", "label")
            if self.shape:
                return List(self.shape[0], lambda j: Scalar(f"{self.values}[{place}, {j}]", "number", False))
            return Scalar(f"{self.values}[{place}]", "number", False)

        def where(i: str) -> Scalar:
            return Scalar(f"{self.taken}[(step - {i}) % {self.room}]", "truth")

        masked = where if self.cell.where is not None else None
        found = folded(self.scope, self.cell.operator, count, at, masked, lambda i: Scalar(f"float({i})"))
        if self.cell.operator in ("max", "min") and isinstance(found, Scalar):
            neutral = _START[self.cell.operator]
            return Scalar(f"({neutral} if {found.text} != {found.text} else {found.text})", "number", False)
        return found


class Previous_(KernelCell):
    """previous(E, init)."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        assert isinstance(cell.keep, Previous)
        initial = value_of(scope, cell.keep.initial)
        if isinstance(initial, List):
            dimensions, kind, _ = scope.outline(initial)
            self.dimensions = dimensions
            self.name = scope.buffer(dimensions, kind)
            self.later = scope.buffer(dimensions, kind)
            self.list: List | None = array_of(self.name, dimensions, kind, False)
            self.initial: Value = initial
            return
        self.list = None
        self.kind = initial.kind
        self.name, self.later = (self.variable(initial.text, initial.kind) for _ in range(2))

    def start(self) -> None:
        if self.list is not None:
            assert isinstance(self.initial, List)
            self.scope.copy(self.initial, self.later)

    def begin(self, fired_before: dict[str, str]) -> None:
        w = self.scope.writer
        if self.list is not None:
            self.scope.move(self.later, self.name, self.dimensions)
        else:
            w.assign(self.name, self.later, self.kind)

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.entry()
        if isinstance(value, List):
            with w.block("if True:" if taken is None else f"if {taken}:"):
                self.scope.copy(value, self.later, ("a value that is remembered", self.cell.span))
            return
        found = self.checked(taken, value)
        text = found.text if found.kind == self.kind else found.number
        w.assign(self.later, text if taken is None else f"({text} if {taken} else {self.later})", self.kind)

    def read(self) -> Value:
        return self.list if self.list is not None else Scalar(self.name, self.kind, False)


class History(KernelCell):
    """history(E, R): a list that grows."""

    def __init__(self, scope: Scope, cell: Cell, shape: tuple[str, ...]) -> None:
        super().__init__(scope, cell)
        w = scope.writer
        self.shape = shape
        if len(shape) > 1:
            raise CannotCompile("a history of lists of vectors")
        self.values, self.pending = w.fresh("b"), w.fresh("b")
        self.length = self.variable("0", "label")
        self.waiting = self.variable("False", "truth")
        rest = f", {shape[0]}" if shape else ""
        size = f"({FIRST}{rest})" if rest else str(FIRST)
        w.header.append(f"{self.values} = np.zeros({size}, np.float64)")
        w.header.append(f"{self.pending} = np.zeros({shape[0] if shape else 1}, np.float64)")

    def begin(self, fired_before: dict[str, str]) -> None:
        assert isinstance(self.cell.keep, AtReports)
        w = self.scope.writer
        values, length = self.values, self.length
        with w.block(f"if {fired_before[self.cell.keep.report]} and {self.waiting}:"):
            room = f"{values}.shape[0]"
            rest = f", {self.shape[0]}" if self.shape else ""
            more, i = w.fresh("b"), w.fresh("i")
            with w.block(f"if {length} == {room}:"):
                w.text(f"{more} = np.zeros({f'(2 * {room}{rest})' if rest else f'2 * {room}'}, np.float64)")
                self.scope.move(values, more, (length, *self.shape))
                w.text(f"{values} = {more}")
            if self.shape:
                with w.block(f"for {i} in range({self.shape[0]}):"):
                    w.text(f"{values}[{length}, {i}] = {self.pending}[{i}]")
            else:
                w.text(f"{values}[{length}] = {self.pending}[0]")
            w.text(f"{length} += 1")
        w.assign(self.waiting, "False", "truth")

    def tick(self) -> None:
        w = self.scope.writer
        taken, value = self.entry()
        if isinstance(value, List):
            self.scope.copy(value, self.pending, ("a value that is remembered", self.cell.span))
        else:
            w.text(f"{self.pending}[0] = {self.checked(taken, value).number}")
        w.assign(self.waiting, "True" if taken is None else taken, "truth")

    def read(self) -> Value:
        if self.shape:
            return List(
                self.length,
                lambda i: List(self.shape[0], lambda j: Scalar(f"{self.values}[{i}, {j}]", "number", False)),
                grows=True,
            )
        return List(self.length, lambda i: Scalar(f"{self.values}[{i}]", "number", False), grows=True)


class WithBinders(KernelCell):
    """A cell that holds one number for each combination of its binders' values: windows, and folds over all steps."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.keys = list(_combinations(scope, cell, ()))
        if not self.keys or len(cell.binders) != 1 or any(not isinstance(k[0], (int, float)) for k in self.keys):
            raise CannotCompile("a cell with several binders")
        if UNKNOWN in shape_of_expression(scope.exact, cell.body) or shape_of_expression(scope.exact, cell.body):
            raise CannotCompile("a cell of vectors with a binder")
        self.variable_name = cell.binders[0][0]
        listed = scope.constants.value(tuple(k[0] for k in self.keys))
        assert isinstance(listed, List)
        self.listed = listed
        self.neutral = _START.get(cell.operator, "0.0")
        if cell.operator not in _START or cell.operator == "mean":
            raise CannotCompile(f"`{cell.operator}` in a cell with a binder")
        if isinstance(cell.keep, (AllSteps, SinceReport)):
            self.lengths: List | None = None
            self.values = scope.buffer((listed.length,))
            scope.resets.append(f"{self.values}[:] = {self.neutral}")
        elif isinstance(cell.keep, LastSteps):
            counts = tuple(_length_at(scope, cell, key) for key in self.keys)
            lengths = scope.constants.value(tuple(float(c) for c in counts))
            assert isinstance(lengths, List)
            self.lengths = lengths
            self.as_long_as_named = all(
                isinstance(k[0], int) and k[0] == c for k, c in zip(self.keys, counts, strict=True)
            )
            self.room = scope.constants.whole(max(1, *counts))
            self.own = any(isinstance(x, ir.Bound) for part in (cell.body, cell.where) if part for x in ir.walk(part))
            if self.own:
                self.values = scope.buffer((listed.length, self.room))
            else:
                twice = scope.constants.whole(2 * max(1, *counts))
                self.values, self.at = scope.buffer((twice,)), self.variable(twice, "label")
            scope.resets.append(f"{self.values}[:] = {self.neutral}")
        else:
            raise CannotCompile("such a cell with a binder")

    def begin(self, fired_before: dict[str, str]) -> None:
        if isinstance(self.cell.keep, SinceReport):
            self.scope.writer.text(
                f"if {fired_before[self.cell.keep.report]}:", f"    {self.values}[:] = {self.neutral}"
            )

    def tick(self) -> None:
        scope, w = self.scope, self.scope.writer
        if self.lengths is not None and not self.own:
            taken, found = self.entry()
            value = self._text(taken, self.checked(taken, scalar(found, "an entry of a fold")))
            # From `at` on, place k is the fold of the last k + 1 entries; the buffer is twice as long as needed, so
            # that a step moves nothing.
            i = w.fresh("i")
            with w.block(f"if {self.at} == 0:"):
                with w.block(f"for {i} in range({self.room}):"):
                    w.text(f"{self.values}[{self.room} + {i}] = {self.values}[{i}]")
                w.text(f"{self.at} = {self.room}")
            w.text(f"{self.at} -= 1")
            with w.block(f"for {i} in range({self.at} + 1, {self.at} + min(step, {self.room})):"):
                w.text(f"{self.values}[{i}] = {self._combined(f'{self.values}[{i}]', value)}")
            w.text(f"{self.values}[{self.at}] = {value}")
            return
        i = w.fresh("i")
        with w.block(f"for {i} in range({self.listed.length}):"), scope.bind(self.variable_name, self.listed.at(i)):
            taken, found = self.entry()
            value = self._text(taken, self.checked(taken, scalar(found, "an entry of a fold")))
            if self.lengths is None:
                w.text(f"{self.values}[{i}] = {self._combined(f'{self.values}[{i}]', value)}")
            else:
                w.text(f"{self.values}[{i}, step % {self.room}] = {value}")

    def _text(self, taken: str | None, value: Scalar) -> str:
        w = self.scope.writer
        if self.cell.operator == "count":
            test = value.truth if taken is None else f"({taken} and {value.truth})"
            return w.named(f"(1.0 if {test} else 0.0)")
        return w.named(value.number if taken is None else f"({value.number} if {taken} else {self.neutral})")

    def _combined(self, a: str, b: str) -> str:
        if self.cell.operator in ("sum", "count"):
            return f"{a} + {b}"
        return extreme(self.scope, self.cell.operator, Scalar(a, finite=False), Scalar(b, finite=False)).text

    def read(self) -> Value:
        scope, w = self.scope, self.scope.writer
        bound = scalar(scope.bound[self.variable_name], "a bound number")
        place = w.fresh("i")
        keys = [k[0] for k in self.keys]
        if all(isinstance(k, int) for k in keys) and keys == list(range(keys[0], keys[0] + len(keys))):
            low = scope.constants.whole(keys[0])
            w.text(f"{place} = {bound.whole or f'int({bound.number})'} - {low}")
        else:
            i = w.fresh("i")
            w.text(f"{place} = 0")
            with w.block(f"for {i} in range({self.listed.length}):"):
                w.text(f"if {scalar(self.listed.at(i), 'a key').number} == {bound.number}:", f"    {place} = {i}")
        if self.lengths is None:
            return Scalar(f"{self.values}[{place}]", "number", False)
        if self.as_long_as_named and bound.whole is not None:
            wanted = bound.whole
        else:
            wanted = f"int({scalar(self.lengths.at(place), 'a length').number})"
        length = w.named(f"min(step, {wanted})", "label")
        if not self.own:
            here = f"{self.values}[{self.at} + {length} - 1]"
            return Scalar(f"({here} if {length} > 0 else {self.neutral})", "number", False)
        at: Callable[[str], Value] = lambda i: Scalar(  # noqa: E731
            f"{self.values}[{place}, (step - {i}) % {self.room}]", "number", False
        )
        operator = "sum" if self.cell.operator == "count" else self.cell.operator
        found = scalar(folded(scope, operator, length, at, None, at), "a fold")
        if operator in ("max", "min"):
            return Scalar(f"({self.neutral} if {found.text} != {found.text} else {found.text})", "number", False)
        return found


def cell_of(scope: Scope, cell: Cell) -> KernelCell:
    """The cell's variables, declared."""
    if cell.binders:
        return WithBinders(scope, cell)
    if isinstance(cell.keep, Previous):
        return Previous_(scope, cell)
    lengths = shape_of_expression(scope.exact, cell.body)
    if UNKNOWN in lengths:
        raise CannotCompile("a fold over lists that grow")
    shape = () if cell.operator in ("count", "argmax", "argmin") else tuple(scope.constants.whole(n) for n in lengths)
    match cell.keep:
        case LastSteps(count):
            if scope.exact.compile(count).reads:
                raise CannotCompile("a window whose length changes")
            return Window(scope, cell, shape, int(scope.exact.constant(count)))
        case AtReports():
            return History(scope, cell, shape)
        case _ if cell.operator in ("argmax", "argmin"):
            return BestStep(scope, cell)
        case _:
            return VectorFold(scope, cell, shape) if shape else ScalarFold(scope, cell)


class _Binding:
    """What an expression of binders only needs of a machine."""

    def __init__(self, bound: dict[str, Any]) -> None:
        self.bound = bound


def _length_at(scope: Scope, cell: Cell, key: tuple[Any, ...]) -> int:
    assert isinstance(cell.keep, LastSteps)
    machine: Any = _Binding(dict(zip((v for v, _ in cell.binders), key, strict=True)))
    return int(scope.exact.compile(cell.keep.count).run(machine))


def _combinations(scope: Scope, cell: Cell, done: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    if len(done) == len(cell.binders):
        yield done
        return
    machine: Any = _Binding(dict(zip((v for v, _ in cell.binders), done, strict=False)))
    for value in scope.exact.compile(cell.binders[len(done)][1]).run(machine):
        yield from _combinations(scope, cell, (*done, value))
