"""Choices between constants by the size of one quantity, as a look-up: `if s <= 3 then 5 else if s <= 8 then 2 else 0`.

A chain or tree of such choices asks for a comparison at every node, and all of them are made for all runs. The numbers
that the quantity is compared with cut the line into points and gaps, and on each of these the outcome is one constant.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from seqlang.backends.arrays.choices import sure
from seqlang.backends.arrays.frame import Expressions, Frame, Run
from seqlang.backends.arrays.values import Value, from_constant
from seqlang.model import expression as ir
from seqlang.model.jumps import Jumps
from seqlang.operators.groups import COMPARE, TURNED
from seqlang.record import record
from seqlang.source import Span

FEWEST = 4
"""Choices; fewer are made one by one."""


@record
class _Test:
    """`quantity compared with against`, and the choice that it makes."""

    quantity: ir.Expression
    operator: str
    against: float
    span: Span


def ladder(compiler: Expressions, jumps: Jumps, choice: ir.Choice) -> Run | None:
    """The choice as a look-up; None where it is no tree of some size whose tests compare one quantity with constants
    and whose ends are constants."""
    found = _nodes(compiler, jumps, choice)
    if found is None or len(found) < FEWEST:
        return None
    points = sorted({test.against for test in found.values()})
    places = {point: 2 * i + 1 for i, point in enumerate(points)}
    # The gap below the first point is 0, the point 1, the next gap 2, ..; what is no number is compared as none.
    values: dict[float, Value] = {}
    gaps: list[float] = [*range(2 * len(points) + 1), math.nan]
    _fill(compiler, choice, found, places, list(enumerate(gaps)), values)
    ends = [values[i] for i in range(len(gaps))]
    table, line = np.array(ends), np.array(points, dtype=np.float64)
    read, span = compiler.compile(found[id(choice)].quantity), found[id(choice)].span

    def run(f: Frame) -> Value:
        value = sure(read(f), f, span)
        place = np.searchsorted(line, value, "left") + np.searchsorted(line, value, "right")
        known = np.where(value == value, place, len(ends) - 1)
        return table[known] if isinstance(value, np.ndarray) else ends[int(known)]

    return run


def _nodes(compiler: Expressions, jumps: Jumps, choice: ir.Choice) -> dict[int, _Test] | None:
    """The tests of all choices of the tree, by the identity of the choice."""
    found: dict[int, _Test] = {}
    first: _Test | None = None
    for node in _tree(choice):
        if isinstance(node, ir.Choice):
            test = _test(compiler, jumps, node.test)
            first = first or test
            if first is None or test is None or test.quantity != first.quantity:
                return None
            found[id(node)] = test
        elif not isinstance(_constant(compiler, node), bool | int | float | str):
            return None
    return found


def _tree(node: ir.Expression) -> Iterator[ir.Expression]:
    """The choices and the ends, from the top."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ir.Choice):
            waiting += [node.no, node.yes]


def _test(compiler: Expressions, jumps: Jumps, test: ir.Expression) -> _Test | None:
    """The test as one of a quantity against a number, where it is run as it stands."""
    if not isinstance(test, ir.Apply) or test.operator not in TURNED:
        return None
    if jumps.run(test) is not test:
        return None
    for (quantity, other), sign in (
        (test.arguments, test.operator),
        (test.arguments[::-1], TURNED[test.operator]),
    ):
        against = _constant(compiler, other)
        if isinstance(against, int | float) and not isinstance(against, bool) and against == against:
            return _Test(quantity, sign, float(against), test.span) if float(against) == against else None
    return None


def _constant(compiler: Expressions, e: ir.Expression) -> Any:
    """The value of an expression of constants; None for others, and without a value."""
    law = isinstance(e, ir.Law | ir.Weights | ir.WeightsOf)
    if law or compiler.exact.lacks_value(e) or compiler.exact.compile(e).reads:
        return None
    return compiler.exact.constant(e)


def _fill(
    compiler: Expressions, node: ir.Expression, tests: dict[int, _Test], places: dict[float, int],
    gaps: list[tuple[int, float]], values: dict[float, Value],
) -> None:  # fmt: skip
    """Writes down the end to which each of the gaps comes, by its number."""
    if not isinstance(node, ir.Choice):
        value = from_constant(_constant(compiler, node), compiler.labels)
        values.update((number, value) for number, _ in gaps)
        return
    test = tests[id(node)]
    taken = [COMPARE[test.operator](at, places[test.against]) for _, at in gaps]
    for branch, wanted in ((node.yes, True), (node.no, False)):
        part = [gap for gap, holds in zip(gaps, taken, strict=True) if holds is wanted]
        _fill(compiler, branch, tests, places, part, values)
