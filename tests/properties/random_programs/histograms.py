"""Random programs that show counts above a threshold, or functions of these, and what they lose at a delta.

Noise is geometric, with chances as fractions, or Laplace, with the chances of intervals: of a function of what is shown
the loss is at least that. Most programs test that a count is above 0 before it is shown, some forget to.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from random_programs.decided_at_delta import Law, Subject

Counts = tuple[int, ...]
HELD = "counts[c] > 0 and noisy[c] >= T"
SHOWN = {
    "list": f"[if {HELD} then noisy[c] else 0 for c in 1..{{m}}]",
    "turned": "[if T <= noisy[c] and counts[c] >= 1 then 1 - noisy[c] else c for c in 1..{m}]",
    "nested": "[if counts[c] > 0 then (if noisy[c] >= T then noisy[c] else -1) else -1 for c in 1..{m}]",
    "how many": f"count({HELD} for c in 1..{{m}})",
    "first": f"[if {HELD} then 1 else 0 for c in 1..{{m}}][1]",
    "never empty": "[if noisy[c] >= T then noisy[c] else 0 for c in 1..{m}]",
    "empty told": "[if counts[c] > 0 then (if noisy[c] >= T then noisy[c] else -1) else 0 for c in 1..{m}]",
    "above 1": "[if counts[c] > 1 and noisy[c] >= T then noisy[c] else 0 for c in 1..{m}]",
}
"""What is shown, by a name; the last three are no stability histograms."""


@dataclass(frozen=True)
class Histogram:
    """`weight`: what a record adds to its count. `values`: of a record, those up to `m` have a count. `noise`: a family
    with its argument."""

    m: int
    values: int
    n: int
    adjacency: str
    weight: int
    T: Fraction
    noise: tuple[str, Fraction]
    shown: str
    steps: int


def histogram(seed: int) -> Histogram:
    rng = random.Random(f"histogram {seed}")
    m = rng.choice((1, 2, 2, 3))
    noise = (
        ("geometric", Fraction(rng.choice((1, 2, 3)), 4))
        if rng.random() < 0.6
        else ("laplace", Fraction(rng.choice((1, 2, 3))))
    )
    h = Histogram(
        m, m + rng.choice((0, 0, 1)), rng.choice((2, 3, 4)),
        rng.choice(("replace one", "replace one", "replace 2", "add or remove one", "add or remove 2")),
        rng.choice((1, 1, 1, 2)), Fraction(rng.choice((2, 3, 4, 5, 6, 9)), rng.choice((1, 1, 1, 2))), noise,
        rng.choice([*list(SHOWN)[:5], *SHOWN]), rng.choice((1, 1, 1, 2)),
    )  # fmt: skip
    few = h.m == 1 or h.shown in ("how many", "first")  # outcomes, so that those of two steps can be listed
    return h if few else replace(h, steps=1)


def written(h: Histogram) -> str:
    one = (
        "count(x[i] == c for i in records)"
        if h.weight == 1
        else f"sum(if x[i] == c then {h.weight} else 0 for i in records)"
    )
    return "\n".join([
        "algorithm histogram", f"param T = {h.T.numerator} / {h.T.denominator}",
        f"dataset x in 1..{h.values} size {h.n}",
        f"adjacent {h.adjacency}", f"statistic counts = [{one} for c in 1..{h.m}]", "statistic noisy = counts",
        f"report shown = {SHOWN[h.shown].format(m=h.m)}", f"stop when step >= {h.steps}",
        f"attach {h.noise[0]}({h.noise[1].numerator} / {h.noise[1].denominator}) to noisy", "",
    ])  # fmt: skip


# ---- what is lost


def _below(x: Fraction, noise: tuple[str, Fraction]) -> Fraction | float:
    """P(noise < x)."""
    family, argument = noise
    if family == "laplace":
        z = float(x / argument)
        return math.exp(z) / 2 if z < 0 else 1 - math.exp(-z) / 2
    k = math.ceil(x)
    return argument ** (1 - k) / (1 + argument) if k <= 0 else 1 - argument**k / (1 + argument)


def cell(h: Histogram, count: int) -> Law:
    """What is seen of one count, by intervals of the noisy value that begin where they are named."""
    named = {"empty told": "empty", "never empty": None}.get(h.shown, "hidden")
    if named is not None and count <= (1 if h.shown == "above 1" else 0):
        return {named: 1}
    edges = [h.T + k for k in range(h.weight * h.n + 2)]
    low = [_below(edge - count, h.noise) for edge in edges]
    law: Law = {"hidden": low[0]}
    law.update({edge: b - a for edge, a, b in zip(edges, low, [*low[1:], 1], strict=True)})
    return law


def law(h: Histogram, counts: Counts) -> Law:
    """Of what is shown in all steps."""
    found: dict[Any, Any] = {}
    for seen in itertools.product(*(cell(h, c).items() for c in counts)):
        names = tuple(name for name, _ in seen)
        told: Any = names
        if h.shown == "how many":
            told = sum(name != "hidden" for name in names)
        elif h.shown == "first":
            told = names[0] != "hidden"
        found[told] = found.get(told, 0) + math.prod(chance for _, chance in seen)
    if h.steps == 1:
        return found
    return {(a, b): p * q for (a, p), (b, q) in itertools.product(found.items(), repeat=2)}


def neighbours(h: Histogram) -> list[tuple[Counts, Counts]]:
    """Of the records' values; the counts of all of them, from all data."""
    k = int(h.adjacency[-1]) if h.adjacency[-1].isdigit() else 1
    size = h.n if h.adjacency.startswith("replace") else h.n - k
    found = set()
    for rest in itertools.combinations_with_replacement(range(1, h.values + 1), max(0, h.n - k)):
        for first in itertools.combinations_with_replacement(range(1, h.values + 1), min(k, h.n)):
            others = itertools.combinations_with_replacement(range(1, h.values + 1), min(k, h.n))
            for second in others if size == h.n else [()]:
                a, b = (tuple(h.weight * (rest + part).count(c) for c in range(1, h.m + 1)) for part in (first, second))
                if a != b:
                    found |= {(a, b), (b, a)}
    return sorted(found)


def histogram_subject(seed: int) -> Subject:
    h = histogram(seed)
    rng = random.Random(f"delta {seed}")

    def pairs() -> list[tuple[str, Law, Law]]:
        laws = {counts: law(h, counts) for pair in neighbours(h) for counts in pair}
        return [(f"{a} | {b}", laws[a], laws[b]) for a, b in neighbours(h)]

    reached = 1 - _below(h.T - h.weight, h.noise)
    edge = [Fraction(reached) * f for f in (Fraction(9, 10), Fraction(1001, 1000), 2, Fraction(2001, 1000), 4, 8)]
    deltas = tuple(d for d in (*rng.sample(edge, 2), Fraction(1, 1000)) if 0 < d < 1)
    adjacency = h.adjacency if h.adjacency.endswith("one") else h.adjacency[:-1] + "several"
    return Subject(written(h), deltas, pairs, f"{adjacency} | {h.noise[0]} | dataset", 1e-9)
