"""Where a test stands: the blocks so far, the evidence, and what may come."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seqlang.record import record
from seqlang.results.json_number import json_number
from seqlang.results.shown import Shown


@record
class Block:
    """`state`: the memories after it; `decision`: what was returned, if the test ended with it."""

    number: int
    size: int
    released: int
    decision: str | None
    state: Mapping[str, float]


@record
class Outlook:
    """Under the law `under`: the chance of each return, expected further entries, and their quantiles by level."""

    under: str
    returns: Mapping[str, float]
    expected: float | None
    quantiles: Mapping[str, int | None]


@record
class MonitorResult(Shown):
    """`state`: the memories now; `next_block`: None once the test has ended. `p_value` holds at every look; `interval`
    holds the chance of a 1 at all looks together with probability `level` (None: no coins, or no block yet)."""

    shown_by = "text.monitor:monitor_blocks"
    algorithm: str
    blocks: tuple[Block, ...]
    state: Mapping[str, float]
    decision: str | None
    next_block: int | None
    p_value: float
    interval: tuple[float, float] | None
    level: float
    outlooks: tuple[Outlook, ...]

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
            "next_block": self.next_block,
            "p_value": self.p_value,
            "interval": None if self.interval is None else list(self.interval),
            "level": self.level,
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
            {"block": b.number, "size": b.size, "released": b.released, "decision": b.decision, **b.state}
            for b in self.blocks
        ]
