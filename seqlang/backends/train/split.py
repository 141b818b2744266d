"""Rows to train on, rows by which settings are chosen, and rows for the final scores: no row is in two of them."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.train.rows import Rows
from seqlang.record import record

Places = NDArray[np.int64]
Way = Literal["balanced", "random", "first"]
WAYS: tuple[Way, ...] = get_args(Way)
"""How rows are drawn: as many of both labels, any, or those that come first."""


@record
class Split:
    """`training` and `validation` are so many rows, drawn from the rows that are not held out for the `test`: rows A:B,
    counted from 1. `label` is the field that a balanced draw looks at."""

    training: int
    validation: int
    test: tuple[int, int]
    way: Way = "random"
    seed: int = 1
    label: str = "y"


def split(rows: Rows, asked: Split) -> tuple[Rows, Rows, Rows]:
    """(training, validation, test). Raises SpecError E0603 where there are not so many rows."""
    first, last = asked.test
    if not 1 <= first <= last <= rows.count:
        raise problem("E0603", f"test rows {first}:{last}: `{rows.name}` has the rows 1 to {rows.count}")
    if asked.training < 1 or asked.validation < 1:
        raise problem("E0603", "at least one row is needed to train on, and one for validation")
    others = np.concatenate([np.arange(first - 1), np.arange(last, rows.count)])
    random = np.random.default_rng([asked.seed, len(others)])
    drawn = _balanced(rows, asked, others, random) if asked.way == "balanced" else _any(asked, others, random)
    return rows.part(drawn[: asked.training]), rows.part(drawn[asked.training :]), rows.part(slice(first - 1, last))


def _any(asked: Split, others: Places, random: np.random.Generator) -> Places:
    wanted = asked.training + asked.validation
    if wanted > len(others):
        raise _too_few(wanted, len(others), "")
    chosen = others[:wanted] if asked.way == "first" else random.permutation(others)[:wanted]
    return np.asarray(chosen, dtype=np.int64)


def _balanced(rows: Rows, asked: Split, others: Places, random: np.random.Generator) -> Places:
    """Of each label half of the training rows, then half of those for validation."""
    label: Any = rows.fields[asked.label][others]
    kinds = np.unique(label)
    if len(kinds) != 2:
        raise problem("E0603", f"a balanced draw needs two labels, and the rows have {len(kinds)}")
    parts: list[list[Places]] = [[], []]
    for number, kind in enumerate(kinds):
        sizes = [(size + number) // 2 for size in (asked.training, asked.validation)]
        found = random.permutation(others[label == kind])
        if sum(sizes) > len(found):
            raise _too_few(sum(sizes), len(found), f" with the label {kind:g}")
        parts[0].append(found[: sizes[0]])
        parts[1].append(found[sizes[0] : sum(sizes)])
    return np.concatenate([random.permutation(np.concatenate(part)) for part in parts])


def _too_few(wanted: int, there: int, which: str) -> Exception:
    return problem("E0603", f"{wanted} rows{which} are to be drawn for training and validation, of {there}")
