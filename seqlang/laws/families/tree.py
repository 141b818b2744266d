"""tree(LAW), noise of prefix sums: the prefix 1..n is covered by one node of the inner law for every bit of n (Chan,
Shi and Song 2011, Section 3.4)."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts("tree", (Parameter("law", "law"),), "arguments", "arguments", noise=True)
HOLES = {"numbers": "each engine keeps the nodes"}
