"""The elements of the sets that `for` goes through, one by one or a block at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from seqlang.backends.arrays.frame import Expressions, Frame
from seqlang.backends.arrays.loops import element_blocks
from seqlang.backends.arrays.values import CannotVectorise, Ragged, Value, from_constant, shape_of
from seqlang.backends.interpret.values import FOR_OTHERS, is_vector
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.wholes import Guarded
from seqlang.source import Span

LONGEST_BINDER = 5_000
"""More elements than this in a `for`, and the interpreter is no slower."""


def domain_of(compiler: Expressions, e: ir.Expression) -> Callable[[Frame], tuple[list[Value], list[Value] | None]]:
    """The elements of a binder's domain; with per-run ends or lengths, also which runs have the element."""
    if isinstance(e, ir.Records):
        return lambda f: (_few(range(1, f.state.size + 1)), None)
    code = compiler.exact.compile(e)
    if not code.reads:
        found = compiler.exact.constant(e)
        if not is_vector(found):
            raise CannotVectorise("a `for` over something else than a finite set")
        elements = [from_constant(v, compiler.labels) for v in _few(found)]
        return lambda f: (elements, None)
    e = _in_its_form(compiler, e)
    if isinstance(e, ir.Apply) and e.operator == "..":
        low, high = (compiler.compile(a) for a in e.arguments)
        return lambda f: _range(*_ends(low(f), high(f), f, e.span))
    if isinstance(e, ir.Sequence) and e.kind == "set":
        items = [compiler.compile(item) for item in e.items]
        return lambda f: _different([item(f) for item in items])
    if isinstance(e, ir.Drawn):
        raise CannotVectorise("a `for` over a random set")
    whole = compiler.compile(e)
    return lambda f: _elements(whole(f))


def blocks_of(compiler: Expressions, domain: ir.Expression) -> Callable[[Frame], Iterator[element_blocks.Elements]]:
    """A function that gives the elements a block at once; it raises NotWide where they are no numbers."""
    domain = _in_its_form(compiler, domain)
    if isinstance(domain, ir.Apply) and domain.operator == "..":
        low, high = (compiler.compile(a) for a in domain.arguments)
        span = domain.span
        return lambda f: _range_blocks(*_ends(low(f), high(f), f, span), f)
    whole = compiler.compile(domain) if isinstance(domain, (ir.Local, ir.CellValue)) else None

    def elements(f: Frame) -> Iterator[element_blocks.Elements]:
        found = None if whole is None else whole(f)
        if not isinstance(found, Ragged):
            raise element_blocks.NotWide
        return element_blocks.list_blocks(found, f.count)

    return elements


def _in_its_form(compiler: Expressions, domain: ir.Expression) -> ir.Expression:
    """The set with the ends or elements that tell exactly which elements there are."""
    form = compiler.form(domain)
    if isinstance(form, Decided | Guarded | Undecidable):
        raise CannotVectorise(FOR_OTHERS)
    return form


def _few(elements: Any) -> list[Any]:
    if len(elements) > LONGEST_BINDER:
        raise CannotVectorise(f"a `for` over {len(elements)} elements")
    return list(elements)


def _ends(low: Value, high: Value, f: Frame, span: Span) -> tuple[Value, Value]:
    """The ends of a range, which must be whole numbers; there is no element where they are none."""
    bad = np.logical_or(*(np.logical_not(np.equal(end, np.floor(end)) & np.isfinite(end)) for end in (low, high)))
    if not np.any(bad):
        return low, high
    f.need(bad, "an end of this range", span)
    return np.where(bad, 1.0, low), np.where(bad, 0.0, high)


def _range(low: Value, high: Value) -> tuple[list[Value], list[Value] | None]:
    if not isinstance(low, np.ndarray) and not isinstance(high, np.ndarray):
        return _few(range(int(low), int(high) + 1)), None
    first = int(np.min(low))
    elements = _few(range(first, int(np.max(high, initial=first - 1)) + 1))
    return elements, [np.logical_and(np.less_equal(low, j), np.less_equal(j, high)) for j in elements]


def _different(items: list[Value]) -> tuple[list[Value], list[Value] | None]:
    """The elements of a set whose items change: each counts where it equals none before it."""
    if any(isinstance(item, Ragged) or shape_of(item) for item in items):
        raise CannotVectorise("a set of vectors that change")
    there: list[Value] = [True]
    for i, item in enumerate(items[1:], start=1):
        there.append(np.logical_and.reduce(np.broadcast_arrays(*(np.not_equal(item, other) for other in items[:i]))))
    return items, there


def _range_blocks(low: Value, high: Value, f: Frame) -> Iterator[element_blocks.Elements]:
    if np.ndim(low) > 1 or np.ndim(high) > 1:
        raise element_blocks.NotWide
    first = int(np.min(low))
    last = int(np.max(high, initial=first - 1))
    _few(range(first, last + 1))
    return element_blocks.blocks(
        first, last, lambda j: np.logical_and(np.less_equal(low, j), np.less_equal(j, high)), f.count
    )


def _elements(value: Value) -> tuple[list[Value], list[Value] | None]:
    if isinstance(value, Ragged):
        longest = value.longest()
        return [value.values[j] for j in range(longest)], [value.lengths > j for j in range(longest)]
    if shape_of(value):
        return [value[j] for j in _few(range(value.shape[0]))], None
    raise CannotVectorise("a `for` over something else than a finite set")
