"""convolve(P, Q): the law of the sum of two independent variables."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts("convolve", (Parameter("first", "law"), Parameter("second", "law")), "arguments", "arguments", noise=True)
HOLES = {"numbers": "made from the two laws"}
