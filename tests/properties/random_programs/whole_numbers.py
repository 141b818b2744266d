"""Random programs that show whole numbers with discrete Gaussian noise, and what they lose at a delta.

An entry may be in one showing, or in several. The laws are products of masses of the noise, over what a changed entry
has to do with.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from fractions import Fraction

from random_programs.decided_at_delta import Law, Subject

SHOWN = {
    "each": ("x", "report shown = s"),
    "blocks": ("sum(x over last 2)", "report shown = s when step % 2 == 0"),
    "overlapping": ("sum(x over last 2)", "report shown = s"),
    "all": ("sum(x over steps)", "report shown = s"),
    "last": ("sum(x over steps)", "report shown = s when step == STEPS"),
}
"""The statistic and how it is shown; an entry is in one showing, or (overlapping, all) in more."""


@dataclass(frozen=True)
class Numbers:
    """`largest`: entries are 0 to this. `twice`: shown by two reports, with one draw, `lasting`: with one draw for the
    whole run."""

    shown: str
    largest: int
    steps: int
    deviation: Fraction
    adjacency: str
    twice: bool
    lasting: bool


def numbers(seed: int) -> Numbers:
    rng = random.Random(f"whole numbers {seed}")
    return Numbers(
        rng.choice(("each", "blocks", "blocks", "last", "last", "overlapping", "all")), rng.choice((1, 1, 2, 3)),
        rng.choice((1, 2, 2, 3)), Fraction(rng.choice((1, 2, 3, 5, 8)), rng.choice((1, 1, 2))),
        rng.choice(("replace one", "replace one", "one x within 1", "replace 2")), rng.random() < 0.15,
        rng.random() < 0.15,
    )  # fmt: skip


def written(n: Numbers) -> str:
    statistic, report = SHOWN[n.shown]
    report = report.replace("STEPS", str(n.steps))
    again = [report.replace("shown", "again")] if n.twice else []
    life = " once" if n.lasting else ""
    return "\n".join([
        "algorithm numbers", f"stream x in 0..{n.largest}", f"adjacent {n.adjacency}", f"statistic s = {statistic}",
        report, *again, f"stop when step >= {n.steps}",
        f"attach discrete_gaussian({n.deviation.numerator} / {n.deviation.denominator}) to s{life}", "",
    ])  # fmt: skip


def means(n: Numbers, stream: tuple[int, ...]) -> tuple[int, ...]:
    """Of all that is shown. One draw is behind two reports of a step."""
    found = []
    for step in range(1, n.steps + 1):
        seen = {
            "each": stream[step - 1], "blocks": sum(stream[max(0, step - 2) : step]),
            "overlapping": sum(stream[max(0, step - 2) : step]), "all": sum(stream[:step]), "last": sum(stream[:step]),
        }[n.shown]  # fmt: skip
        if (n.shown != "blocks" or step % 2 == 0) and (n.shown != "last" or step == n.steps):
            found.append(seen)
    return tuple(found)


def masses(deviation: Fraction, mean: int) -> dict[int, float]:
    reach = math.ceil(9 * deviation) + 1
    weights = {k: math.exp(-k * k / (2 * float(deviation) ** 2)) for k in range(-reach, reach + 1)}
    whole = math.fsum(weights.values())
    return {k + mean: w / whole for k, w in weights.items()}


def law(n: Numbers, shown: tuple[int, ...]) -> Law:
    """Of these means. One draw for the run: the first number, and how far the others are from it."""
    if n.lasting:
        return {(k, *(m - shown[0] for m in shown)): p for k, p in masses(n.deviation, shown[0]).items()}
    parts = [masses(n.deviation, m).items() for m in shown]
    return {tuple(k for k, _ in seen): math.prod(p for _, p in seen) for seen in itertools.product(*parts)}


def pairs(n: Numbers) -> list[tuple[str, Law, Law]]:
    """Of all neighbours, in both directions; numbers that have one mean in both add nothing, unless a draw lasts."""
    found: list[tuple[str, Law, Law]] = []
    known: set[tuple[tuple[int, int], ...]] = set()
    entries = range(n.largest + 1)
    for one in itertools.product(entries, repeat=n.steps):
        for other in itertools.product(entries, repeat=n.steps):
            apart = [abs(a - b) for a, b in zip(one, other, strict=True) if a != b]
            if not apart or len(apart) > (2 if n.adjacency == "replace 2" else 1):
                continue
            if n.adjacency == "one x within 1" and max(apart) > 1:
                continue
            both = [(a, b) for a, b in zip(means(n, one), means(n, other), strict=True) if a != b or n.lasting]
            low = min((min(pair) for pair in both), default=0)
            moved = tuple((a - low, b - low) for a, b in both)
            if both and moved not in known and (n.lasting or len(both) <= 2):  # of more the law has too many outcomes
                known.add(moved)
                first, second = (tuple(pair[side] for pair in moved) for side in (0, 1))
                found.append((f"{one} against {other}", law(n, first), law(n, second)))
    return found


def whole_numbers_subject(seed: int) -> Subject:
    n = numbers(seed)
    deltas = (Fraction(1, 100), Fraction(1, 10**5)) if seed % 2 else (Fraction(1, 10), Fraction(1, 1000))
    labels = f"{n.adjacency} | discrete_gaussian | stream"
    return Subject(written(n), deltas, lambda: pairs(n), labels, 1e-12)
