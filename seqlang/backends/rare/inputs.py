"""Inputs drawn from tilted laws, with the logarithms of the ratios of all components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.laws import VectorLaw
from seqlang.backends.arrays.streams import Source
from seqlang.backends.arrays.values import Value
from seqlang.backends.rare.fields import PARTS, Letters, Shape, letters_of, mean_and_deviation
from seqlang.backends.rare.proposal import Proposal
from seqlang.backends.rare.weights import Weights
from seqlang.laws.arrays import standard_normals

Array = NDArray[Any]


class Tilted:
    """Draws fields that have a shape from the tilted law of each run's component, and tells `weights` the ratios."""

    def __init__(self, shapes: Mapping[str, Shape], proposal: Proposal, weights: Weights) -> None:
        self.shapes = shapes
        self.weights = weights
        self.tilts = {name: proposal.tilts(name, shape) for name, shape in shapes.items()}
        self.rates = proposal.rates
        self.tables: dict[str, tuple[tuple[Any, ...], Array, Array]] = {}

    def value(self, name: str, law: VectorLaw, source: Source) -> Array | None:
        """The field's value in all runs; None where it is to be drawn from its own law."""
        shape = self.shapes.get(name)
        if shape is None:
            return None
        if shape.kind == "normal":
            normal = mean_and_deviation(law)
            return None if normal is None else self._shifted(name, *normal, source)
        letters = letters_of(law)
        if letters is None or len(letters.chances) != shape.letters or letters.values != shape.values:
            return None
        return self._letters(name, law, letters, source)

    def _shifted(self, name: str, mean: Value, sd: Value, source: Source) -> Array:
        shifts, weights = self.tilts[name][:, 0], self.weights
        moved = shifts[weights.chosen]
        now_and_then = self.rates < 1
        if now_and_then.any():
            moved = np.where(source.uniform() < self.rates[weights.chosen], moved, 0.0)
        z = standard_normals(source.uniform, ()) + moved
        ratios = shifts[:, None] * z - (shifts**2 / 2)[:, None]
        if now_and_then.any():
            rates = self.rates[now_and_then, None]
            ratios[now_and_then] = np.logaddexp(np.log1p(-rates), np.log(rates) + ratios[now_and_then])
        weights.ratio(ratios)
        if weights.watched:
            _add(weights.counts, name, z[None, :])
            _add(weights.exposures, name, np.ones((1, source.count)))
        return np.asarray(z * sd + mean)

    def _letters(self, name: str, law: VectorLaw, letters: Letters, source: Source) -> Array:
        tilts, weights = self.tilts[name], self.weights
        constant = all(np.size(c) == 1 for c in letters.chances)
        u = source.uniform()
        if constant:
            chances, ends, ratios = self._table(name, letters)
            places = np.zeros(source.count, dtype=np.intp)
            own = ends[weights.chosen]
            for j in range(len(chances) - 1):
                places += u > own[:, j]
            weights.ratio(np.take(ratios, places, axis=1))
            exposure: Array = np.broadcast_to(chances[:, None], (len(chances), source.count))
        else:
            table = np.array([np.broadcast_to(c, (source.count,)) for c in letters.chances])
            tilted = table[None] * np.exp(tilts)[:, :, None]
            totals = tilted.sum(axis=1)
            ends = np.cumsum(tilted[weights.chosen, :, np.arange(source.count)], axis=1)
            places = (u[:, None] * ends[:, -1:] > ends[:, :-1]).sum(axis=1)
            weights.ratio(tilts[:, places] - np.log(totals))
            exposure = table
        if weights.watched:
            _add(weights.counts, name, (np.arange(len(exposure))[:, None] == places).astype(np.float64))
            _add(weights.exposures, name, exposure)
        if letters.values is None:
            return np.asarray(law.quantile((places + source.uniform()) / PARTS))
        return np.asarray(np.array(letters.values)[places])

    def _table(self, name: str, letters: Letters) -> tuple[Array, Array, Array]:
        """(chances, cumulated tilted chances by component, logarithms of tilted over own), of a constant law."""
        key = tuple(float(np.ravel(c)[0]) for c in letters.chances)
        found = self.tables.get(name)
        if found is None or found[0] != key:
            chances, tilts = np.array(key), self.tilts[name]
            tilted = chances * np.exp(tilts)
            totals = tilted.sum(axis=1, keepdims=True)
            found = (key, np.cumsum(tilted / totals, axis=1), tilts - np.log(totals))
            self.tables[name] = found
        return np.array(key), found[1], found[2]


def _add(table: dict[str, Array], name: str, value: Array) -> None:
    table[name] = np.array(value) if name not in table else table[name] + value
