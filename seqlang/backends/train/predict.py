"""A prediction for every row held out, from what a run has shown: its memories, the step, and constants."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame, PartialState
from seqlang.backends.arrays.values import Value
from seqlang.backends.train.rows import Rows
from seqlang.backends.train.scores import counted
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.model import expression as ir
from seqlang.model.program import Define, Program
from seqlang.record import record

Array = NDArray[Any]
PIECE = 1 << 12


class Predictor:
    """`predicted` and `truth` are conditions on one row; `predicted` may read memories, `truth` may not.

    Raises SpecError E0628 where they read anything else: a statistic is private, and of another row.
    """

    def __init__(self, program: Program, predicted: ir.Expression, truth: ir.Expression) -> None:
        compiler = VectorCompiler(program)
        records = frozenset(i.name for i in program.inputs if i.kind == "dataset")
        lets = {s.name: s.expression for s in program.body if isinstance(s, Define) and s.kind == "let"}
        self._predicted = compiler.compile(_plain(predicted, lets, records, memories=True))
        self._truth = compiler.compile(_plain(truth, lets, records, memories=False))

    def questions(self, rows: Rows) -> Questions:
        """The rows with their truths; what occurs several times is asked once."""
        rows, times = distinct(rows)
        pieces = [rows.part(slice(at, at + PIECE)) for at in range(0, rows.count, PIECE)]
        truth = np.concatenate([self._read(self._truth, piece, {}, 0) for piece in pieces])
        return Questions(tuple(pieces), truth, times)

    def counts(self, asked: Questions, memory: Mapping[str, Array], step: int) -> tuple[float, float, float, float]:
        """(TP, FP, TN, FN) with these memories, a number or (d,) each."""
        state = {name: np.asarray(value)[..., None] for name, value in memory.items()}
        found = [self._read(self._predicted, piece, state, step) for piece in asked.pieces]
        return counted(np.concatenate(found), asked.truth, asked.times)

    def answers(self, rows: Rows, memory: Mapping[str, Array], step: int) -> tuple[Array, Array]:
        """The predictions for these rows, and their truths, in the rows' order."""
        state = {name: np.asarray(value)[..., None] for name, value in memory.items()}
        return self._read(self._predicted, rows, state, step), self._read(self._truth, rows, {}, 0)

    def _read(self, run: Any, rows: Rows, memory: Mapping[str, Value], step: int) -> Array:
        # The rows are runs with the same memories and step. What is not a number is no error: it predicts nothing.
        fields = {name: values.T for name, values in rows.fields.items()}
        frame = Frame(PartialState(rows.count, fields=fields, memory=memory, step_number=step))
        with np.errstate(all="ignore"):
            found = run(frame)
        return np.array(np.broadcast_to(np.asarray(found, dtype=bool), (rows.count,)))


@record
class Questions:
    """Different rows, where the truth is positive, and how often each row occurs."""

    pieces: tuple[Rows, ...]
    truth: Array
    times: Array


def distinct(rows: Rows) -> tuple[Rows, Array]:
    """The different rows, and how often each occurs."""
    table = np.column_stack(list(rows.fields.values())) + 0.0  # -0.0 is 0.0
    packed = np.ascontiguousarray(table).view(np.dtype((np.void, table.shape[1] * table.itemsize)))[:, 0]
    _, first, times = np.unique(packed, return_index=True, return_counts=True)
    return rows.part(first), times


def _plain(
    e: ir.Expression, lets: Mapping[str, ir.Expression], records: Collection[str], *, memories: bool
) -> ir.Expression:
    """The expression with `let` names written out, and fields without their noise: these rows are nobody's secret to
    the one who holds them out. The first record of a dataset stands for the row."""

    def plain(e: ir.Expression) -> ir.Expression:
        return _plain(e, lets, records, memories=memories)

    match e:
        case ir.Index(ir.Field(name) | ir.Noised(base=ir.Field(name)), ir.Number(first)) if name in records:
            if first == 1:
                return ir.Field(name)
            raise _refused(name, "of a dataset it sees one row, not all records", e)
        case ir.Field(name) if name in records:
            raise _refused(name, "of a dataset it sees one row, not all records", e)
        case ir.Noised(base=ir.Field() as field):
            return field
        case ir.Local(name) if name in lets:
            return plain(lets[name])
        case ir.MemoryValue(name) if not memories:
            raise _refused(name, "the truth of a row is no matter of memory", e)
        case ir.Local(name) | ir.Noised(name=name) | ir.CellValue(name) | ir.Reported(name) | ir.Drawn(name):
            raise _refused(name, "it may read the fields of a row, memories, the step and constants", e)
        case _:
            return ir.rebuild(e, plain)


def _refused(name: str, why: str, e: ir.Expression) -> SpecError:
    what = "what is gathered over steps" if "." in name else f"`{name}`"  # a name with a dot is none of the user's
    message = f"an evaluation on rows held out cannot read {what}: {why}"
    help = "keep what is learnt in a `memory`, and use that"
    return SpecError((Diagnostic("E0628", message, help=help),))
