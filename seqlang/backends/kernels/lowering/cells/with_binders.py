"""Cells that hold a number for each value of a binder."""

from __future__ import annotations

from seqlang.backends.interpret.cells import keys_of, window_of
from seqlang.backends.interpret.shapes import UNKNOWN, declared_records, shape_of_expression
from seqlang.backends.kernels.lowering.cells.cell import KernelCell
from seqlang.backends.kernels.lowering.operators import START, Terms, extreme, folded
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model.binding import reads
from seqlang.model.program import AllSteps, Cell, LastSteps, SinceReport
from seqlang.operators.groups import TOTALS


class WithBinders(KernelCell):
    """A cell that holds one number for each combination of its binders' values: windows, and folds over all steps."""

    def __init__(self, scope: Scope, cell: Cell) -> None:
        super().__init__(scope, cell)
        self.keys = list(keys_of(cell, scope.exact, declared_records(scope.exact)))
        if not self.keys or len(cell.binders) != 1 or any(not isinstance(k[0], (int, float)) for k in self.keys):
            raise CannotCompile("a cell with several binders")
        if UNKNOWN in shape_of_expression(scope.exact, cell.body) or shape_of_expression(scope.exact, cell.body):
            raise CannotCompile("a cell of vectors with a binder")
        self.own_number = cell.binders[0][0].number
        listed = scope.constants.value(tuple(k[0] for k in self.keys))
        assert isinstance(listed, List)
        self.listed = listed
        if cell.operator not in START or cell.operator == "mean":
            raise CannotCompile(f"`{cell.operator}` in a cell with a binder")
        if isinstance(cell.keep, (AllSteps, SinceReport)):
            self.lengths: List | None = None
            self.values = scope.buffer((listed.length,))
        elif isinstance(cell.keep, LastSteps):
            counts = tuple(window_of(cell, scope.exact, key) for key in self.keys)
            lengths = scope.constants.value(tuple(float(c) for c in counts))
            assert isinstance(lengths, List)
            self.lengths = lengths
            self.as_long_as_named = all(
                isinstance(k[0], int) and k[0] == c for k, c in zip(self.keys, counts, strict=True)
            )
            self.room = scope.constants.whole(max(1, *counts))
            self.own = any(reads(part, cell.binders[0][0]) for part in (cell.body, cell.where) if part)
            if self.own:
                self.values = scope.buffer((listed.length, self.room))
            else:
                twice = scope.constants.whole(2 * max(1, *counts))
                self.values, self.at = scope.buffer((twice,)), scope.variable(twice, "label")
        else:
            raise CannotCompile("such a cell with a binder")
        scope.resets.append(f"{self.values}[:] = {self.neutral}")

    def after_report(self, fired: str) -> None:
        with self.scope.writer.where(fired):
            self.scope.writer.text(f"{self.values}[:] = {self.neutral}")

    def tick(self) -> None:
        scope, w = self.scope, self.scope.writer
        if self.lengths is not None and not self.own:
            value = self._entry()
            # From `at` on, place k is the fold of the last k + 1 entries; the buffer is twice as long as needed, so
            # that a step moves nothing.
            with w.block(f"if {self.at} == 0:"):
                with w.loop(self.room) as i:
                    w.text(f"{self.values}[{self.room} + {i}] = {self.values}[{i}]")
                w.text(f"{self.at} = {self.room}")
            w.text(f"{self.at} -= 1")
            with w.loop(f"{self.at} + 1, {self.at} + min(step, {self.room})") as i:
                w.text(f"{self.values}[{i}] = {self._combined(f'{self.values}[{i}]', value)}")
            w.text(f"{self.values}[{self.at}] = {value}")
            return
        with w.loop(self.listed.length) as i, scope.within({**scope.bound, self.own_number: self.listed.at(i)}):
            value = self._entry()
            if self.lengths is None:
                w.text(f"{self.values}[{i}] = {self._combined(f'{self.values}[{i}]', value)}")
            else:
                w.text(f"{self.values}[{i}, step % {self.room}] = {value}")

    def _entry(self) -> str:
        """The name of what this step adds."""
        w = self.scope.writer
        taken, value = self.number("an entry of a fold")
        if self.cell.operator == "count":
            test = value.truth if taken is None else f"({taken} and {value.truth})"
            return w.named(f"(1.0 if {test} else 0.0)")
        return w.named(value.number if taken is None else f"({value.number} if {taken} else {self.neutral})")

    def _combined(self, a: str, b: str) -> str:
        if self.cell.operator in TOTALS:
            return f"{a} + {b}"
        return extreme(self.scope, self.cell.operator, Scalar(a, finite=False), Scalar(b, finite=False)).text

    def read(self, at: tuple[Value, ...] = ()) -> Value:
        scope, w = self.scope, self.scope.writer
        bound = scalar(at[0], "the number of an element")
        place = w.fresh("i")
        keys = [k[0] for k in self.keys]
        if all(isinstance(k, int) for k in keys) and keys == list(range(keys[0], keys[0] + len(keys))):
            low = scope.constants.whole(keys[0])
            w.text(f"{place} = {bound.whole or f'int({bound.number})'} - {low}")
        else:
            w.text(f"{place} = 0")
            with w.loop(self.listed.length) as i:
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

        def entry(i: str) -> Value:
            return Scalar(f"{self.values}[{place}, (step - {i}) % {self.room}]", "number", False)

        operator = "sum" if self.cell.operator == "count" else self.cell.operator
        return self.or_neutral(scalar(folded(scope, operator, Terms(length, entry, None, entry)), "a fold"))
