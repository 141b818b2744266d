"""The functions and laws that every spec knows, with the names of their arguments."""

from __future__ import annotations

from typing import NamedTuple

from seqlang.laws.facts import names


class Signature(NamedTuple):
    """Argument names, each with what it must be; the last `optional` ones may be left out."""

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    optional: int = 0


FUNCTIONS: dict[str, Signature] = {
    "log": Signature(("x",), ("number",)),
    "log2": Signature(("x",), ("number",)),
    "exp": Signature(("x",), ("number",)),
    "sqrt": Signature(("x",), ("number",)),
    "abs": Signature(("x",), ("number",)),
    "floor": Signature(("x",), ("number",)),
    "ceil": Signature(("x",), ("number",)),
    "round": Signature(("x",), ("number",)),
    "zeta": Signature(("s",), ("number",)),
    "clip": Signature(("x", "low", "high"), ("number", "number", "number")),
    "norm": Signature(("v",), ("vector",)),
    "dot": Signature(("u", "v"), ("vector", "vector")),
    "zeros": Signature(("d",), ("number",)),
    "project": Signature(("v", "onto"), ("vector", "ball")),
    "clip_norm": Signature(("v", "radius"), ("vector", "number")),
    "length": Signature(("v",), ("collection",)),
}

AGGREGATES = frozenset({"sum", "mean", "count", "max", "min", "argmax", "argmin"})
LOOKBACKS = frozenset({"previous", "history"})

METHODS = frozenset({"pmf", "pdf", "cdf"})
NOTIONS: dict[str, Signature] = {
    "pure": Signature(("eps",), ("number",)),
    "dp": Signature(("eps", "delta"), ("number", "number")),
    "rdp": Signature(("order", "eps"), ("number", "number")),
    "zcdp": Signature(("rho",), ("number",)),
}
CALLABLE = frozenset(FUNCTIONS) | AGGREGATES | LOOKBACKS | names()
RESERVED = frozenset({"records", "real", "ball", "stops", "probability", "expected"})
"""Names that no declaration may take: they stand bare, or only in claims."""
