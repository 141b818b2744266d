"""Proposals found by looking around and by cross-entropy.

The first stage draws from a wide mixture: every tilt of a grid, and noise of every magnitude. Later stages fit a few
components to the weighted runs that came closest (Rubinstein and Kroese 2004; for mixtures Cappe, Douc, Guillin, Marin
and Robert 2008), with weights tempered as long as few runs hold most of them. The wide mixture stays a part of every
proposal: a region that the fit has missed is still visited, and shows as a large weight.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.rare.allocation import allocation
from seqlang.backends.rare.fields import BURST_RATE, bursts, starting_tilts
from seqlang.backends.rare.fit import Sample, fit
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
WIDE_SHARE, WIDE_SHARE_LATER = 0.3, 0.1
ROULETTE = 1e-2
"""Runs that are lighter than this part of the estimate end at random."""
REST = 3e-3
"""When the runs of a stage could add no more than this part, nearly all of them end at random."""
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


def wide(setting: Setting) -> Proposal:
    """Every starting tilt, with noise of every magnitude; the law itself; and single entries that are far off. These
    are the last, and are taken as they are where they explain the runs better than a fit of one tilt for all steps."""
    far = {name: b.far for name, b in setting.bins.items()}
    steady = [Component(tilt, far) for tilt in starting_tilts(setting.shapes)]
    components = (*steady, *(Component(tilt, far, BURST_RATE) for tilt in bursts(setting.shapes)))
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
        fitted = fit(setting, proposal, len(around.components), sample, power)
        good = stage > 0 and power == 1.0 and _effective(sample.logs, 1.0) > GOOD * done
        proposal = mixed((WIDE_SHARE_LATER if last or good else WIDE_SHARE, around), (1.0, fitted))
        if good:
            break
    return Found(proposal, estimate, reached)


def _draw(
    setting: Setting, proposal: Proposal, seed: int, purpose: str, runs: int, estimate: float, cap: int | None
) -> tuple[Sample, int, float]:
    """One stage: the runs that contributed, the steps of all runs, and the log of the mean contribution."""
    allocated = allocation(proposal.shares, runs, seed, f"rare {purpose}")
    numbers = np.arange(runs, dtype=np.int64)
    walker = Walker(setting, proposal, allocated, seed, f"rare {purpose}", numbers, rest=REST, watched=True)
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
    sample = Sample(logs[rows], ratios, part("counts"), part("exposures"), places)
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
