"""Proposals found by looking around and by cross-entropy.

The first stage draws from a wide mixture: every tilt of a grid, and noise of every magnitude. Later stages fit a few
components to the weighted runs that came closest (Rubinstein and Kroese 2004; for mixtures Cappe, Douc, Guillin, Marin
and Robert 2008), with weights tempered as long as few runs hold most of them. The wide mixture stays a part of every
proposal: a region that the fit has missed is still visited, and shows as a large weight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.rare.fields import starting_tilts
from seqlang.backends.rare.proposal import Component, Proposal, mixed
from seqlang.backends.rare.setting import Setting
from seqlang.backends.rare.walker import Walker
from seqlang.process.time_limit import poll
from seqlang.record import record

Array = NDArray[np.float64]
RUNS, FEWEST_RUNS = 4000, 500
WORK = 2e6
"""Steps of a stage, about: where runs are long there are fewer."""
STAGES = 5
FEWEST_EFFECTIVE = 300
COMPONENTS = 3
ROUNDS = 6
"""Of the EM algorithm."""
WIDE_SHARE, WIDE_SHARE_LATER = 0.3, 0.1
SHRINK = 1e-3
"""Share of the untilted law in a fitted law of letters: none is left out."""
ROULETTE = 1e-2
"""Runs that are lighter than this part of the estimate end at random."""
REST = 3e-3
"""A stage ends when its runs could add no more than this part."""
GOOD = 0.4
"""A stage whose effective number is this part of its runs is good enough."""
LONGEST = 20_000
"""Steps of a run in the pilot."""


@record
class Found:
    """`estimate`: the logarithm of the last stage's estimate; `reached`: runs with a contribution in it."""

    proposal: Proposal
    estimate: float
    reached: int


@record
class _Sample:
    """Runs that contributed: log weights, and the sums that fitted laws need."""

    logs: Array
    ratios: Array
    counts: dict[str, Array]
    exposures: dict[str, Array]
    places: dict[str, NDArray[np.intp]]


def wide(setting: Setting) -> Proposal:
    """Every starting tilt, with noise of every magnitude; and the law itself."""
    tilts = starting_tilts(setting.shapes)
    far = {name: b.far for name, b in setting.bins.items()}
    components = tuple(Component(tilt, far) for tilt in tilts)
    return Proposal(np.full(len(components), 1 / len(components)), components)


def pilot(setting: Setting, seed: int, purpose: str, cap: int | None) -> Found:
    """The proposal of the last stage."""
    around = wide(setting)
    proposal, estimate, reached = around, -np.inf, 0
    if len(around.components) == 1 and not setting.bins:
        return Found(around, _draw(setting, around, seed, purpose, RUNS, -np.inf, cap)[2], RUNS)
    size = RUNS
    for stage in range(STAGES):
        poll()
        last = stage == STAGES - 1
        sample, steps, log_total = _draw(setting, proposal, seed, f"{purpose} {stage}", size, estimate, cap)
        if len(sample.logs) < 2:
            return Found(around, -np.inf, len(sample.logs))
        estimate, reached = log_total, len(sample.logs)
        done, size = size, max(FEWEST_RUNS, min(RUNS, int(WORK * size / max(1, steps))))
        power = _tempering(sample.logs)
        fitted = _fit(setting, proposal, sample, power)
        good = stage > 0 and power == 1.0 and _effective(sample.logs, 1.0) > GOOD * done
        proposal = mixed((WIDE_SHARE_LATER if last or good else WIDE_SHARE, around), (1.0, fitted))
        if good:
            break
    return Found(proposal, estimate, reached)


def _draw(
    setting: Setting, proposal: Proposal, seed: int, purpose: str, runs: int, estimate: float, cap: int | None
) -> tuple[_Sample, int, float]:
    """One stage: the runs that contributed, the steps of all runs, and the log of the mean contribution."""
    walker = Walker(
        setting, proposal, seed, f"rare {purpose}", np.arange(runs, dtype=np.int64), rest=REST, watched=True
    )
    if estimate > -np.inf:
        walker.floor = estimate + np.log(ROULETTE)

    def adapt() -> None:
        if estimate == -np.inf:
            walker.floor = walker.come() - np.log(runs) + np.log(ROULETTE)

    walker.run(min(cap or LONGEST, LONGEST), adapt)
    logs = walker.weights.total[:runs]
    rows = np.flatnonzero(logs > -np.inf)
    kept = walker.weights.kept

    def part(kind: str) -> dict[str, Array]:
        return {n: kept[f"{kind} {n}"][:, rows] for n in setting.shapes if f"{kind} {n}" in kept}

    ratios = kept.get("ratios ", np.zeros((len(proposal.shares), runs)))[:, rows]
    places = {name: at[rows] for name, at in walker.places.items()}
    sample = _Sample(logs[rows], ratios, part("counts"), part("exposures"), places)
    return sample, walker.engine.steps_done, float(np.logaddexp.reduce(logs) - np.log(runs))


def _effective(logs: Array, power: float) -> float:
    w = np.exp(power * (logs - logs.max()))
    return float(w.sum() ** 2 / (w**2).sum())


def _tempering(logs: Array) -> float:
    """The largest power of the weights at which enough runs count."""
    wanted = min(FEWEST_EFFECTIVE, len(logs) / 4)

    if _effective(logs, 1.0) >= wanted:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if _effective(logs, middle) >= wanted else (low, middle)
    return low


def _fit(setting: Setting, proposal: Proposal, sample: _Sample, power: float) -> Proposal:
    """A few components by the EM algorithm, from groups of runs that the same components explain."""
    weights = np.exp(power * (sample.logs - sample.logs.max()))
    keep = weights > 1e-8
    sample = _some(sample, np.flatnonzero(keep))
    weights = weights[keep] / weights[keep].sum()
    origins = np.log(proposal.shares)[:, None] + sample.ratios
    shares = _normalised(origins)
    largest = np.argsort(-(shares @ weights), kind="stable")[:COMPONENTS]
    duties = _normalised(origins[largest])
    components: list[Component] = []
    for _ in range(ROUNDS):
        sizes = duties @ weights
        live = sizes > 0.02
        duties, sizes = duties[live], sizes[live] / sizes[live].sum()
        components = [_component(setting, sample, weights * duty) for duty in duties]
        duties = _normalised(np.log(sizes)[:, None] + _log_likelihoods(setting, sample, components))
    sizes = duties @ weights
    return Proposal(np.maximum(sizes, 0.02) / np.maximum(sizes, 0.02).sum(), tuple(components))


def _normalised(logs: Array) -> Array:
    """Shares of the rows in each column."""
    top = logs.max(axis=0)
    found = np.exp(logs - top)
    return np.asarray(found / found.sum(axis=0))


def _some(sample: _Sample, rows: NDArray[np.intp]) -> _Sample:
    return _Sample(
        sample.logs[rows], sample.ratios[:, rows],
        {n: v[:, rows] for n, v in sample.counts.items()}, {n: v[:, rows] for n, v in sample.exposures.items()},
        {n: v[rows] for n, v in sample.places.items()},
    )  # fmt: skip


def _component(setting: Setting, sample: _Sample, weights: Array) -> Component:
    """The tilts and bins that explain weighted runs best."""
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
    bins = {name: setting.bins[name].fitted(places, weights) for name, places in sample.places.items()}
    return Component(tilts, bins)


def _log_likelihoods(setting: Setting, sample: _Sample, components: list[Component]) -> Array:
    """Up to a constant of each run: (components, runs)."""
    rows = []
    for component in components:
        total = np.zeros(len(sample.logs))
        for name, tilt in component.tilts.items():
            counts, exposures = sample.counts[name], sample.exposures[name]
            if setting.shapes[name].kind == "normal":
                total += tilt[0] * counts[0] - exposures[0] * tilt[0] ** 2 / 2
            else:
                draws = exposures.sum(axis=0)
                factor = (np.exp(tilt) @ exposures) / np.maximum(draws, 1e-300)
                total += tilt @ counts - draws * np.log(np.maximum(factor, 1e-300))
        for name, probabilities in component.bins.items():
            total += np.log(probabilities[sample.places[name]])
        rows.append(total)
    return np.array(rows)
