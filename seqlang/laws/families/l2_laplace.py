"""l2_laplace(b, dim), noise for vectors: density proportional to exp(-|x|_2 / b).

Translation: | |z + u|_2 - |z|_2 | <= |u|_2, by the triangle inequality: f(z) <= e^(|u|_2 / b) f(z + u).
"""

from __future__ import annotations

from seqlang.laws.facts import Facts, Parameter, TranslationCost

FACTS = Facts(
    "l2_laplace",
    (Parameter("b", "scale"), Parameter("dim", "count")),
    "density",
    "line",
    optional=1,
    noise=True,
    symmetric=True,
    joint=True,
    translation=TranslationCost("linear", "l2"),
)
HOLES = {"numbers": "its draws are vectors; of one coordinate it is laplace(b)"}
