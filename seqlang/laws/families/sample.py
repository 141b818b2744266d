"""sample(S, q), Poisson sampling: every element of the set S is taken independently with probability q."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts(
    "sample", (Parameter("from", "set"), Parameter("q", "probability")), "none", "arguments", joint=True, whole=True
)
HOLES = {"numbers": "its draws are sets"}
