"""sum_of(n, P): the law of the sum of n independent variables with the law P."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts("sum_of", (Parameter("n", "natural"), Parameter("law", "law")), "arguments", "arguments", noise=True)
HOLES = {"numbers": "made from the law of one variable"}
