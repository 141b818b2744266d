"""randomized_response(p_truth): the truth with probability p_truth, else one of the other values of its alphabet, all
equally likely."""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter

FACTS = Facts(
    "randomized_response", (Parameter("p_truth", "probability"),), "none", "listed", bounded=True, underflows=False
)
HOLES = {"numbers": "each engine needs the alphabet of the value that it replaces"}
