"""What the mechanism itself releases: how often it reported, and what it learnt, of one run each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlang.backends.interpret.data.source import Source
from seqlang.backends.interpret.data.terms import Term, recipe
from seqlang.backends.train import Trained

MOST = 2_000
"""Weights that are shown."""


def released_of(done: Trained, names: Sequence[str]) -> dict[str, Any]:
    """`orders`, and of the first order: `reports`, name -> how often; `steps` until it stopped; `weights`, (attribute,
    weight) each, of the vector that is as long as there are attributes; `numbers`, other public memories."""
    found: dict[str, Any] = {name: values[-1][..., 0] for name, values in done.memories.items()}
    if done.returned is not None:
        found["returned"] = done.returned[..., 0]
    vectors = [v for v in found.values() if np.shape(v) == (len(names),) and np.isfinite(v).all()]
    weights = list(zip(names, map(float, vectors[-1]), strict=True)) if vectors else []
    return {
        "orders": len(done.steps),
        "steps": int(done.steps[0]) if done.stopped[0] else None,
        "reports": {name: int(times[0]) for name, times in done.reports.items()},
        "weights": weights[:MOST],
        "numbers": {name: float(v) for name, v in found.items() if np.ndim(v) == 0 and np.isfinite(v)},
    }


def names_of(source: Source, text: str) -> list[str]:
    """What each attribute is made of: the column, and the word that it stands for."""
    header = source.table.header
    return [name for term in recipe(text, header).terms for name in _names(term, header)]


def _names(term: Term, header: Sequence[str]) -> list[str]:
    columns = header[header.index(term.first) : header.index(term.last) + 1] if term.first in header else (term.first,)
    if not term.words or term.width == 1:
        return list(columns)
    return [f"{column} = {word}" for column in columns for word, _ in term.words]
