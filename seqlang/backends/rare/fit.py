"""Components that explain weighted runs, by the EM algorithm (Cappe, Douc, Guillin, Marin and Robert 2008)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.rare.proposal import Component, Proposal
from seqlang.backends.rare.setting import Setting
from seqlang.record import record

Array = NDArray[np.float64]
COMPONENTS = 3
ROUNDS = 6
SHRINK = 1e-3
"""Share of the untilted law in a fitted law of letters: none is left out."""
LEAST_SHARE = 0.02


@record
class Sample:
    """Runs that contributed: log weights, and the sums that fitted laws need."""

    logs: Array
    ratios: Array
    counts: dict[str, Array]
    exposures: dict[str, Array]
    places: dict[str, NDArray[np.intp]]


def fit(setting: Setting, proposal: Proposal, wide: int, sample: Sample, power: float) -> Proposal:
    """A few components, fitted to `sample`, which was drawn from `proposal`; its weights are taken to the given power.

    The first `wide` components of the proposal are the wide mixture. Groups of runs that the same components explain
    get a component each with tilts of its own. Components of single far entries (`rate` below 1) keep their tilts: the
    sums that are kept of a run do not tell which entry it was.
    """
    weights = np.exp(power * (sample.logs - sample.logs.max()))
    keep = weights > 1e-8
    sample = _some(sample, np.flatnonzero(keep))
    weights = weights[keep] / weights[keep].sum()
    origins = np.log(proposal.shares)[:, None] + sample.ratios
    shares = _normalised(origins)
    steady = [k for k, c in enumerate(proposal.components) if c.rate == 1]
    largest = sorted(steady, key=lambda k: -float(shares[k] @ weights))[:COMPONENTS]
    single = [k for k, c in enumerate(proposal.components[:wide]) if c.rate < 1]
    duties = _normalised(origins[[*largest, *single]])
    origin: list[int | None] = [*(None for _ in largest), *single]
    components: list[Component] = []
    for _ in range(ROUNDS):
        sizes = duties @ weights
        live = np.flatnonzero(sizes > LEAST_SHARE)
        duties, sizes = duties[live], sizes[live] / sizes[live].sum()
        origin = [origin[k] for k in live]
        before = [None if k is None else proposal.components[k] for k in origin]
        components = [_component(setting, sample, weights * d, b) for d, b in zip(duties, before, strict=True)]
        data = [
            _of_data(setting, sample, new) if k is None or old is None else _of_origin(setting, sample, k, old)
            for new, k, old in zip(components, origin, before, strict=True)
        ]
        duties = _normalised(np.log(sizes)[:, None] + np.array(data) + _of_bins(sample, components))
    sizes = np.maximum(duties @ weights, LEAST_SHARE)
    return Proposal(sizes / sizes.sum(), tuple(components))


def _normalised(logs: Array) -> Array:
    """Shares of the rows in each column."""
    top = logs.max(axis=0)
    found = np.exp(logs - top)
    return np.asarray(found / found.sum(axis=0))


def _some(sample: Sample, rows: NDArray[np.intp]) -> Sample:
    return Sample(
        sample.logs[rows], sample.ratios[:, rows],
        {n: v[:, rows] for n, v in sample.counts.items()}, {n: v[:, rows] for n, v in sample.exposures.items()},
        {n: v[rows] for n, v in sample.places.items()},
    )  # fmt: skip


def _component(setting: Setting, sample: Sample, weights: Array, single: Component | None) -> Component:
    """The tilts and bins that explain weighted runs best; those of the bins only, for a component of single entries."""
    bins = {name: setting.bins[name].fitted(places, weights) for name, places in sample.places.items()}
    if single is not None:
        return Component(single.tilts, bins, single.rate)
    tilts = {}
    for name, counts in sample.counts.items():
        shape = setting.shapes[name]
        exposure = sample.exposures[name] @ weights
        found = counts @ weights
        if shape.kind == "normal":
            tilts[name] = found / np.maximum(exposure, 1e-300)
        else:
            rate = np.where(exposure > 0, found / np.maximum(exposure, 1e-300), 1.0)
            tilts[name] = np.log((1 - SHRINK) * rate + SHRINK)
    return Component(tilts, bins)


def _of_data(setting: Setting, sample: Sample, component: Component) -> Array:
    """The log likelihood of the data in each run, over that of the law: (runs,)."""
    total = np.zeros(len(sample.logs))
    for name, tilt in component.tilts.items():
        counts, exposures = sample.counts[name], sample.exposures[name]
        if setting.shapes[name].kind == "normal":
            total += tilt[0] * counts[0] - exposures[0] * tilt[0] ** 2 / 2
        else:
            draws = exposures.sum(axis=0)
            factor = (np.exp(tilt) @ exposures) / np.maximum(draws, 1e-300)
            total += tilt @ counts - draws * np.log(np.maximum(factor, 1e-300))
    return total


def _of_origin(setting: Setting, sample: Sample, k: int, component: Component) -> Array:
    """The same of a component from which runs were drawn: its ratio to the law, without the part of the bins."""
    found = sample.ratios[k] - _of_bins(sample, [component])[0]
    for name, places in sample.places.items():
        found += np.log(np.maximum(setting.bins[name].own[places], 1e-320))
    return np.asarray(found)


def _of_bins(sample: Sample, components: Sequence[Component]) -> Array:
    """The log likelihood of the noises' bins: (components, runs)."""
    rows = np.zeros((len(components), len(sample.logs)))
    for row, component in zip(rows, components, strict=True):
        for name, probabilities in component.bins.items():
            row += np.log(probabilities[sample.places[name]])
    return rows
