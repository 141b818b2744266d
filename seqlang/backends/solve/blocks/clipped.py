"""Released values that are read within limits only: those beyond a limit do what the limit does.

Where every reading of a released value v is `clip(v, low, high)`, all v <= low act alike, and all v >= high. Noise goes
far beyond the sums that are possible, so that most values that a block can release lie there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from seqlang.backends.solve.solution import Array
from seqlang.model import expression as ir
from seqlang.model.program import Define, Program, Report, Update, expressions_in

if TYPE_CHECKING:
    from seqlang.backends.arrays.frame import Run
    from seqlang.backends.solve.states.explored_chain import ExploredChain

Pair = tuple[ir.Expression, ir.Expression]


def compiled_clips(chain: ExploredChain, shown: str) -> tuple[tuple[Run, Run], ...] | None:
    """The limits of all readings of a released value, to be evaluated where it is released; None where it is read
    otherwise, or not at all."""
    pairs = clips_of(chain.program, shown)
    if not pairs:
        return None
    compiler = chain.setting.compiler
    return tuple((compiler.compile(low), compiler.compile(high)) for low, high in pairs)


def clips_of(program: Program, shown: str) -> tuple[Pair, ...] | None:
    """The limits within which a released value is read, in all places; None where some reading has none, or where its
    limits are not known yet when the value is released."""
    at = next(i for i, s in enumerate(program.body) if isinstance(s, Report) and s.name == shown)
    above = program.body[:at]
    updated = {s.memory for s in above if isinstance(s, Update)}
    defined = {s.name for s in above if isinstance(s, Define)}
    found: list[Pair] = []
    for expression in (e for s in program.body for e in expressions_in(s)):
        pairs = list(_clips(expression, shown))
        if len(pairs) != sum(e == ir.Reported(shown) for e in ir.walk(expression)):
            return None
        found += pairs
    if any(not _is_known(e, updated, defined) for pair in found for limit in pair for e in ir.walk(limit)):
        return None
    return tuple(found)


def _clips(expression: ir.Expression, shown: str) -> Iterator[Pair]:
    for e in ir.walk(expression):
        if isinstance(e, ir.Apply) and e.operator == "clip" and e.arguments[0] == ir.Reported(shown):
            yield e.arguments[1], e.arguments[2]


def _is_known(e: ir.Expression, updated: set[str], defined: set[str]) -> bool:
    """Whether it has the value already that it has in the readings below. Memory is read as it was before its update,
    or as it is after it: the latter is known if the update stands above."""
    match e:
        case ir.Number() | ir.ParameterValue() | ir.Apply() | ir.Choice() | ir.Truth():
            return True
        case ir.Local(name):
            return name in defined
        case ir.MemoryValue(name, after):
            return not after or name in updated
        case _:
            return False


def folded(values: Array, chances: Array, ends: tuple[float, float] | None) -> tuple[Array, Array]:
    """The law of the values, held within the ends."""
    if ends is None or (values[0] >= ends[0] and values[-1] <= ends[1]):
        return values, chances
    found, place = np.unique(np.clip(values, *ends), return_inverse=True)
    return found, np.asarray(np.bincount(place, weights=chances), dtype=np.float64)
