"""Where a test stands: the blocks so far, the evidence, and what may come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from seqlang.record import record
from seqlang.results.json_number import json_number
from seqlang.shown import Shown

InTurn = Literal["", "assumed", "told", "released"]
"""Whether each arm has as many entries as designed: that is assumed; somebody has told the numbers; the release has
read the arm of each entry. Empty where there is one sum, or the program does not say how many entries a sum is of."""
EVEN = 1e-12
"""A chance that is above another by no more is at most that: sums of chances are rounded."""


@record
class Block:
    """`released`: one number for each sum; `state`: the memories after it; `decision`: what was returned, if the test
    ended with it. `counted`: of how many entries each sum is, where there are several sums and the program says
    so."""

    number: int
    size: int
    released: tuple[int, ...]
    decision: str | None
    state: Mapping[str, float]
    counted: tuple[int, ...] = ()


@record
class Outlook:
    """Under the law `under`: the chance of each return, expected further entries, and their quantiles by level."""

    under: str
    returns: Mapping[str, float]
    expected: float | None
    quantiles: Mapping[str, int | None]


@record
class Interval:
    """`about` says of what it is; `ends` may be infinite. Both are None where there is none, and `why_not` says why.
    `excludes_null`: whether all of it lies on the alternative's side of what the null says; None where nobody asks."""

    about: str | None
    ends: tuple[float, float] | None
    why_not: str | None = None
    excludes_null: bool | None = None


@record
class Levels:
    """Of the interval at all looks, and of that after the stop. `alpha`: the chance to reject that the program claims
    at most under the null; None where it claims none. `by`: the levels follow from `alpha`, somebody `asked` for one,
    or the program claims no alpha and they are the `usual` ones."""

    at_all_looks: float
    after_stop: float
    alpha: float | None
    by: Literal["alpha", "asked", "usual"]


@record
class AfterStop:
    """What is said by stages, once the test has ended: a p-value that is small where the test rejects, an estimate that
    is too high as often as too low, and the values of what is estimated that the end does not exclude. `mean`: of the
    chances in two arms, at which their difference is estimated. `heeding`: there are ends that need not be heeded, and
    none happened; p-value and interval hold whether they are or not, the estimate if they are. `given_plan`: where a
    public coin chose the plan, the same of the plan that it showed; this here then holds on average over the coin."""

    p_value: float | None
    estimate: float | None
    interval: Interval
    mean: float | None = None
    heeding: bool = False
    given_plan: AfterStop | None = None


@record
class MonitorResult(Shown):
    """`sums`: what a block releases. `state`: the memories now; `next_block`: None once the test has ended.
    `p_value` holds at every look; `interval` at all looks together with the probability that `levels` says.
    `after_stop`: None before the end. `plan`: what the public coin showed, where there is one. `unheeded`: the
    block after which the test would have ended, had an end that need not be heeded been. `in_turn`: how it is
    known that each of several sums is of as many entries as the program says."""

    shown_by = "text.monitor:monitor_blocks"
    algorithm: str
    sums: tuple[str, ...]
    blocks: tuple[Block, ...]
    state: Mapping[str, float]
    decision: str | None
    next_block: int | None
    p_value: float
    interval_at_all_looks: Interval
    levels: Levels
    outlooks: tuple[Outlook, ...]
    after_stop: AfterStop | None
    unheeded: int | None = None
    in_turn: InTurn = ""
    plan: int | None = None

    @property
    def summary(self) -> str:
        now = f"next block {self.next_block}" if self.decision is None else self.decision
        return f"{self.algorithm} after {len(self.blocks)} blocks: {now}, p-value {self.p_value:.4g}"

    @property
    def interval(self) -> tuple[float, float] | None:
        """That at all looks, if there is one."""
        return self.interval_at_all_looks.ends

    @property
    def level(self) -> float:
        """That of `interval`."""
        return self.levels.at_all_looks

    @property
    def score(self) -> float | None:
        """The memory `score`, if the program has one."""
        return self.state.get("score")

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang monitor --json`, schema 1. `conditional_power`: the chance of `reject`."""
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "stage": len(self.blocks),
            "score": self.score,
            "state": dict(self.state),
            "decision": self.decision,
            "unheeded_end": self.unheeded,
            "next_block": self.next_block,
            "p_value": self.p_value,
            "interval": _ends(self.interval_at_all_looks),
            "interval_of": self.interval_at_all_looks.about,
            "level": self.level,
            "in_turn": self.in_turn or None,
            "level_by": self.levels.by,
            "alpha": self.levels.alpha,
            "plan": self.plan,
            "after_stop": None if self.after_stop is None else self._after(self.after_stop),
            "conditional_power": {o.under: o.returns.get("reject", 0.0) for o in self.outlooks},
            "remaining": {
                o.under: {"expected": json_number(o.expected), "returns": dict(o.returns), **o.quantiles}
                for o in self.outlooks
            },
            "blocks": self.frame(),
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row a block."""
        return [
            {"block": b.number, "size": b.size, "released": self._released(b), "decision": b.decision, **b.state}
            | ({"counted": dict(zip(self.sums, b.counted, strict=True))} if b.counted else {})
            for b in self.blocks
        ]

    def _after(self, found: AfterStop) -> dict[str, Any]:
        given = found.given_plan
        return {
            "p_value": found.p_value,
            "estimate": found.estimate,
            "interval": _ends(found.interval),
            "level": self.levels.after_stop,
            "excludes_null": found.interval.excludes_null,
            "of": found.interval.about,
            "mean": found.mean,
            "why_not": found.interval.why_not,
            "given_plan": None if given is None else self._after(given),
        }

    def _released(self, block: Block) -> Any:
        return block.released[0] if len(self.sums) == 1 else dict(zip(self.sums, block.released, strict=True))


def _ends(interval: Interval) -> list[Any] | None:
    return None if interval.ends is None else [json_number(end) for end in interval.ends]
