"""conditioned(LAW, low, high): the law given that it lies in [low, high], cut off and renormalised."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts(
    "conditioned",
    (Parameter("law", "law"), Parameter("low", "number"), Parameter("high", "number")),
    "arguments",
    "arguments",
    noise=True,
    bounded=True,
    has_jumps=True,
)
HOLES = {"numbers": "made from the inner law"}
