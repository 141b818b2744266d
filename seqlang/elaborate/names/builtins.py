"""The functions and laws that every spec knows, with the names of their arguments."""

from __future__ import annotations

from typing import NamedTuple

from seqlang.laws.facts import names
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

METHODS = frozenset({"pmf", "pdf", "cdf"})
NOTIONS: dict[str, Signature] = {
    "pure": Signature(("eps",), ("number",)),
    "dp": Signature(("eps", "delta"), ("number", "number")),
    "rdp": Signature(("order", "eps"), ("number", "number")),
    "zcdp": Signature(("rho",), ("number",)),
}
CALLABLE = frozenset({*FUNCTIONS, *AGGREGATES, *LOOKBACKS, *names()})
RESERVED = frozenset({"records", "real", "ball", "stops", "probability", "expected"})
"""Names that no declaration may take: they stand bare, or only in claims."""
