"""Arguments to try every law with, from what it declares of its parameters."""

from __future__ import annotations

from seqlang.laws.facts import facts, names

BY_KIND = {"scale": (1.7, 0.6), "ratio": (0.4,), "probability": (0.3,), "natural": (9.0,), "number": (-1.0, 2.5)}

IN_NUMBERS = sorted(n for n in names() if facts(n).kind != "none" and not facts(n).joint and not any(
    p.kind in ("law", "set") for p in facts(n).parameters) and n != "point")  # fmt: skip
"""The laws of one number that are not made from another value."""


def arguments_of(name: str) -> tuple[float, ...]:
    """The first number of its kind for the first parameter of a kind, the second for the second."""
    seen: dict[str, int] = {}
    found = []
    for parameter in facts(name).parameters:
        place = seen.setdefault(parameter.kind, 0)
        seen[parameter.kind] += 1
        found.append(BY_KIND[parameter.kind][place])
    return tuple(found)


def places(name: str) -> list[float]:
    """Points inside and outside of the support, whole numbers for laws on points."""
    if facts(name).kind == "points":
        return [-40.0, -2.0, -1.0, 0.0, 1.0, 2.0, 5.0, 9.0, 30.0]
    return [-40.0, -3.3, -0.9, -0.2, 0.0, 0.15, 1.0, 2.4, 3.1, 40.0]
