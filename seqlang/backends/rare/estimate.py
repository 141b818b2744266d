"""The estimate of a rare return, its error, and whether it can be trusted.

    estimate(program, model, target, runs=20_000, seed=1, cap=None) -> Estimate

Two proposals are found independently, and each gives half of the runs: what one of them misses the other need not miss.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.montecarlo.stopping import chosen_model, require_end
from seqlang.backends.rare.allocation import allocation
from seqlang.backends.rare.pilot import ROULETTE, pilot
from seqlang.backends.rare.proposal import Proposal
from seqlang.backends.rare.setting import ANY, Setting, setting_of
from seqlang.backends.rare.trust import Half, doubts
from seqlang.backends.rare.walker import Walker
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model import expression as ir
from seqlang.model.program import Model, Program, Stop
from seqlang.process.time_limit import poll
from seqlang.record import record

Array = NDArray[np.float64]
Rows = NDArray[np.intp]
REST = 1e-5
"""When the runs of a batch could add no more than this part, nearly all of them end at random."""
MOST_STRATA = 1 << 20
"""More than a proposal has components."""
ROUNDING = 1e-12
"""Relative error of sums and tails, where nothing is left to chance."""
BATCH = 1 << 14
Z95 = 1.959963984540054
LONGEST = 1_000_000
"""Steps of a run; what is left then is counted, and said if it matters."""


@record
class Estimate:
    """P(return) = `probability`, with its standard error, its skewness and a 95 % interval. `effective` is
    (sum w)^2 / sum w^2 over the contributions w of the runs, `largest_share` that of the largest of them in the sum.
    `left_over` bounds what runs that were left after the last step could add. `warnings` say why an estimate is not
    `trusted`."""

    label: str
    model: str
    probability: float
    se: float
    skewness: float
    effective: float
    largest_share: float
    left_over: float
    runs: int
    seed: int
    cap: int | None
    method: str
    warnings: tuple[str, ...]
    seconds: float

    @property
    def trusted(self) -> bool:
        """Whether no check failed."""
        return not self.warnings

    @property
    def relative_error(self) -> float:
        """Standard error over estimate."""
        return self.se / self.probability if self.probability > 0 else math.inf

    @property
    def interval(self) -> tuple[float, float]:
        """About 95 %. Weights are skewed to the right: most estimates are a little too small, with a standard error
        that is too small as well. The upper end lies farther off for that, by the first term of an Edgeworth series
        (Johnson 1978); the lower end is not moved. What is left over is added to the upper end."""
        more = max(0.0, self.skewness) * (2 * Z95**2 + 1) / 6
        low, high = self.probability - Z95 * self.se, self.probability + (Z95 + more) * self.se + self.left_over
        return max(0.0, low), min(1.0, high)


def estimate(
    program: Program,
    model: Model | str | None,
    target: str,
    *,
    runs: int = 20_000,
    seed: int = 1,
    cap: int | None = None,
    data: bool = True,
    noise: bool = True,
    progress: Callable[[int, float], None] | None = None,
) -> Estimate:
    """The chance that a run returns `target` (a label, a number, or `stops`: that it stops at all), within `cap` steps.

    `data` and `noise` say what proposals may change: the law of the data, the noises drawn once. `progress` is told the
    runs done and the estimate so far. Raises SpecError: E0650 where no weighted run reaches the return or the program
    cannot be run on arrays, E0651 for a return that no stop makes, and what `simulate` raises.
    """
    began = time.perf_counter()
    found = chosen_model(program, model)
    if found.memories:
        why = f"the law of the entries reads the memory `{found.memories[0]}`: tilted, it would lead elsewhere"
        raise _unreached(program, target, why)
    require_end(program, cap)
    _require_return(program, target)
    try:
        setting = setting_of(program, found, target, data=data, noise=noise)
        logs, strata, left = _sampled(setting, runs, seed, cap, progress)
    except (CannotVectorise, Unsolved) as why:
        raise _unreached(program, target, str(why)) from None
    if max((part.max() for part in logs), default=-math.inf) == -math.inf:
        raise _unreached(program, target, "no weighted run came there")
    halves = [Half.of(part, stratum) for part, stratum in zip(logs, strata, strict=True)]
    together = Half.of(np.concatenate(logs), np.concatenate(strata))
    probability = sum(h.mean * (h.runs / runs) for h in halves)
    se = math.hypot(*(h.se * (h.runs / runs) for h in halves))  # no squares: they are too small for floats
    skewness = sum(h.skewness * (h.se * (h.runs / runs) / se) ** 3 for h in halves) if se > 0 else 0.0
    se = max(se, ROUNDING * probability)
    left_over = math.exp(left - math.log(runs)) if left > -math.inf else 0.0
    return Estimate(
        label=target, model=found.name, probability=probability, se=se, skewness=skewness, effective=together.effective,
        largest_share=together.largest_share, left_over=left_over, runs=runs, seed=seed, cap=cap,
        method=_method(setting), warnings=doubts(halves, together, se, left_over),
        seconds=time.perf_counter() - began,
    )  # fmt: skip


def _sampled(
    setting: Setting, runs: int, seed: int, cap: int | None, progress: Callable[[int, float], None] | None
) -> tuple[list[Array], list[Rows], float]:
    """What `_runs` says of the two halves of the runs, each by a proposal that a pilot of its own has found, or if that
    came nowhere by the other's; empty if both came nowhere."""
    proposals = [pilot(setting, seed, f"pilot {name}", cap) for name in ("A", "B")]
    reached = [p for p in proposals if p.reached > 0]
    logs: list[Array] = []
    strata: list[Rows] = []
    left = -math.inf
    done = 0
    for i, name in enumerate("AB" if reached else ""):
        poll()
        own = proposals[i] if proposals[i].reached > 0 else reached[0]
        size = runs // 2 if i else runs - runs // 2
        if not size:
            continue
        part, stratum, rest = _runs(setting, own.proposal, seed, name, size, own.estimate, cap)
        logs.append(part)
        strata.append(stratum + MOST_STRATA * i)
        left = float(np.logaddexp(left, rest))
        done += size
        if progress is not None:
            progress(done, float(np.exp(np.logaddexp.reduce(np.concatenate(logs)) - math.log(done))))
    return logs, strata, left


def _runs(
    setting: Setting, proposal: Proposal, seed: int, name: str, runs: int, log_estimate: float, cap: int | None
) -> tuple[Array, Rows, float]:
    """Log contributions of the runs, their strata, and the log of the weight that was left after the last step."""
    parts: list[Array] = []
    left = -math.inf
    allocated = allocation(proposal.shares, runs, seed, f"rare {name}")
    floor = log_estimate + math.log(ROULETTE) if log_estimate > -math.inf else -math.inf
    for first in range(0, runs, BATCH):
        poll()
        numbers = np.arange(first, min(runs, first + BATCH), dtype=np.int64)
        walker = Walker(setting, proposal, allocated, seed, f"rare {name}", numbers, floor=floor, rest=REST)
        walker.run(min(cap or LONGEST, LONGEST), lambda: None)
        parts.append(walker.weights.total[: len(numbers)])
        if walker.runs.step_number != cap:  # what is left at the cap has not made it in time
            left = float(np.logaddexp(left, walker.left_over))
    return np.concatenate(parts), allocated.strata, left


def _method(setting: Setting) -> str:
    parts = []
    if setting.shapes:
        parts.append("the law of the data tilted (" + ", ".join(f"`{n}`" for n in setting.shapes) + ")")
    if setting.bins:
        parts.append("draws of " + ", ".join(f"`{n}`" for n in setting.bins) + " moved")
    integrated = setting.plan.integrated
    if integrated:
        parts.append("noise integrated out (" + ", ".join(f"`{n}`" for n in integrated) + ")")
    return "weighted runs: " + "; ".join(parts) if parts else "plain runs"


def _require_return(program: Program, target: str) -> None:
    names = dict.fromkeys(program.labels)
    changing = False
    for stop in program.body:
        if isinstance(stop, Stop) and stop.result is not None:
            labels = [e.name for e in ir.walk(stop.result) if isinstance(e, ir.Label)]
            names.update(dict.fromkeys(labels))
            changing |= not labels
    if target == ANY or target in names:
        return
    try:
        float(target)
        if changing:
            return
    except ValueError:
        pass
    near = did_you_mean(target, [*names, ANY])
    listed = ", ".join(f"`{n}`" for n in names) or "no label"
    hint = f"did you mean `{near}`?" if near else f"it returns {listed}; `{ANY}` stands for any stop"
    raise SpecError((Diagnostic("E0651", f"`{program.name}` never returns `{target}`", help=hint),))


def _unreached(program: Program, target: str, why: str) -> SpecError:
    message = f"the chance of `{target}` in `{program.name}` cannot be estimated by weighted runs: {why}"
    return SpecError((Diagnostic("E0650", message, help="`seqlang solve` computes it where there is an exact law"),))
