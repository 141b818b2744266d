"""Quantified expressions, `OP(body for v in set where condition)`: element by element, or many elements at once."""

from __future__ import annotations

import numpy as np

from seqlang.backends.arrays.frame import Expressions, Frame, Run
from seqlang.backends.arrays.loops import element_blocks
from seqlang.backends.arrays.loops.domains import blocks_of, domain_of
from seqlang.backends.arrays.operators import fold_list
from seqlang.backends.arrays.values import CannotVectorise, Value
from seqlang.model import expression as ir


def quantified(compiler: Expressions, e: ir.Quantified) -> Run:
    """The expression as a function of a frame. Raises CannotVectorise for a minimum over all vectors."""
    if isinstance(e.domain, ir.RealVectors):
        raise CannotVectorise("a minimum over all vectors")
    domain, body = domain_of(compiler, e.domain), compiler.compile(e.body)
    where = None if e.where is None else compiler.compile(e.where)
    operator, variable = e.operator, e.variable.number

    def run(f: Frame) -> Value:
        elements, present = domain(f)
        values, masks = [], []
        outer = f.bound.get(variable)
        for i, element in enumerate(elements):
            f.bound[variable] = element
            mask = True if present is None else present[i]
            if where is not None:
                holds, doubts = f.perhaps(where)
                f.need_these(doubts, mask)
                mask = np.logical_and(mask, holds)
            value, doubts = f.perhaps(body)
            f.need_these(doubts, mask)
            values.append(value)
            masks.append(mask)
        f.bound[variable] = outer
        return fold_list(operator, elements, values, masks, f.count)

    return _wide(compiler, e, run) or _row_of_cells(compiler, e, run) or run


def _row_of_cells(compiler: Expressions, e: ir.Quantified, narrow: Run) -> Run | None:
    """`[sum(.. over last k) for k in 1..m]`: one window serves all lengths, and gives the vector at once."""
    if e.operator != "list" or e.where is not None or not isinstance(e.body, ir.CellValue):
        return None
    name = e.body.name
    if e.body.at != (ir.Bound(e.variable),) or compiler.exact.compile(e.domain).reads:
        return None
    keys = list(compiler.exact.constant(e.domain))

    lengths: list[Value] = []  # found at the first reading: cells start after the compilation

    def run(f: Frame) -> Value:
        cell = f.state.cells[name]
        if not lengths:
            lengths.append(cell.tail_lengths(keys))
        found = None if lengths[0] is None else cell.read_tails(lengths[0])
        return narrow(f) if found is None else f.read(found)

    return run


def _wide(compiler: Expressions, e: ir.Quantified, narrow: Run) -> Run | None:
    """The same fold many elements at once, where the elements differ from run to run and the body allows it."""
    domain = e.domain
    if e.operator not in element_blocks.OPERATORS_OF_FOLDS or not compiler.exact.compile(domain).reads:
        return None
    body = element_blocks.elementwise(compiler, e.body, e.variable)
    where = None if e.where is None else element_blocks.elementwise(compiler, e.where, e.variable)
    if body is None or (where is None) != (e.where is None):
        return None
    parts = blocks_of(compiler, domain)
    fits = True

    def run(f: Frame) -> Value:
        nonlocal fits
        if fits:
            try:
                return element_blocks.fold(e.operator, parts(f), e.variable.number, body, where, f)
            except element_blocks.NotWide:
                fits = False
        return narrow(f)

    return run
