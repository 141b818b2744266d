"""The functions and laws that every spec knows, with the names of their arguments."""

from __future__ import annotations

from typing import NamedTuple

from seqlang.operators.catalogue import OPERATORS


class Signature(NamedTuple):
    """Argument names, each with what it must be; the last `optional` ones may be left out."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    optional: int = 0


FUNCTIONS = {
    name: Signature(tuple(x for x, _ in entry.arguments), tuple(kind for _, kind in entry.arguments))
    for name, entry in OPERATORS.items()
    if entry.group == "function" and entry.arguments is not None
}
AGGREGATES = tuple(name for name, entry in OPERATORS.items() if entry.group == "fold")
LOOKBACKS = frozenset({"previous", "history"})

LAWS: dict[str, Signature] = {
    "laplace": Signature(("b",), ("scale",)),
    "gaussian": Signature(("sd",), ("scale",)),
    "geometric": Signature(("ratio",), ("ratio",)),
    "discrete_gaussian": Signature(("sd",), ("scale",)),
    "staircase": Signature(("eps", "D", "gamma"), ("scale", "scale", "probability"), 1),
    "exponential": Signature(("mean",), ("scale",)),
    "gumbel": Signature(("b",), ("scale",)),
    "l2_laplace": Signature(("b", "dim"), ("scale", "count"), 1),
    "tree": Signature(("law",), ("law",)),
    "randomized_response": Signature(("p_truth",), ("probability",)),
    "bernoulli": Signature(("p",), ("probability",)),
    "normal": Signature(("mean", "sd"), ("number", "scale")),
    "uniform": Signature(("low", "high"), ("number", "number"), 1),
    "point": Signature(("value",), ("number",)),
    "binomial": Signature(("n", "p"), ("natural", "probability")),
    "poisson": Signature(("mean",), ("scale",)),
    "conditioned": Signature(("law", "low", "high"), ("law", "number", "number")),
    "convolve": Signature(("first", "second"), ("law", "law")),
    "sample": Signature(("from", "q"), ("set", "probability")),
}

DISCRETE = frozenset({"geometric", "discrete_gaussian", "bernoulli", "point", "binomial", "poisson"})
CONTINUOUS = frozenset({"laplace", "gaussian", "staircase", "exponential", "gumbel", "l2_laplace", "normal"})
NOISE = frozenset({
    "laplace", "gaussian", "geometric", "discrete_gaussian", "staircase", "exponential", "gumbel", "l2_laplace", "tree",
    "normal", "poisson", "binomial", "conditioned", "convolve",
})  # fmt: skip
"""Families that are noise when they are drawn; `uniform`, `bernoulli`, .. are signs, samples and choices."""

METHODS = frozenset({"pmf", "pdf", "cdf"})
NOTIONS: dict[str, Signature] = {
    "pure": Signature(("eps",), ("number",)),
    "dp": Signature(("eps", "delta"), ("number", "number")),
    "rdp": Signature(("order", "eps"), ("number", "number")),
    "zcdp": Signature(("rho",), ("number",)),
}
CALLABLE = frozenset({*FUNCTIONS, *AGGREGATES, *LOOKBACKS, *LAWS})
RESERVED = frozenset({"records", "real", "ball", "stops", "probability", "expected"})
"""Names that no declaration may take: they stand bare, or only in claims."""
