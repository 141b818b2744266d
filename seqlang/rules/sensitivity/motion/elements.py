"""Several elements of one list that moves: by how much their weighted sum does.

Lemma. Let a list move by d, and let c be the weights of its elements. Then |sum c_k d_k| is at most |c|_inf |d|_1, at
most |c|_2 |d|_2, and at most |c|_1 |d|_inf (Hoelder's inequality). If the weights add up to 0, any number may be taken
off all d_k; with the middle of the largest and the smallest, it is at most |c|_1 / 2 times their distance.
"""

from __future__ import annotations

from seqlang.arithmetic.formula import Formula, root
from seqlang.model.expression import Expression, Index
from seqlang.rules.sensitivity.facts.ends import greatest, size_of, smaller
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.facts.numbers import ZERO
from seqlang.rules.sensitivity.motion.entry import Entry, Norms

Weighted = tuple[tuple[Expression, Formula], ...]


def by_list(entry: Entry, parts: Weighted) -> tuple[dict[Expression, list[Formula]], Weighted]:
    """For each list of which several elements occur, at different constant places, their weights; and all other
    parts."""
    facts = entry.facts
    places: dict[Expression, list[tuple[Formula, Expression, Formula]]] = {}
    for part, weight in parts:
        if isinstance(part, Index) and entry.moves(part.base):
            place = evaluate_number(facts, part.at)
            if place is not None:
                places.setdefault(part.base, []).append((place, part, weight))
    found: dict[Expression, list[Formula]] = {}
    taken: set[Expression] = set()
    for base, elements in places.items():
        numbers = [place for place, _, _ in elements]
        apart = all(facts.compare(a, b) in ("less", "greater") for i, a in enumerate(numbers) for b in numbers[:i])
        if len(elements) > 1 and apart:
            found[base] = [weight for _, _, weight in elements]
            taken |= {part for _, part, _ in elements}
    return found, tuple((part, weight) for part, weight in parts if part not in taken)


def weighted(facts: Facts, moved: Norms, weights: list[Formula]) -> Formula | None:
    """The most that the weighted sum of elements moves by, by the lemma; None where no norm has a bound."""
    sizes = tuple(size_of(facts, weight) for weight in weights)
    total, squares = sum(sizes, start=ZERO), sum((size * size for size in sizes), start=ZERO)
    bounds = [(moved.l1, greatest(facts, sizes)), (moved.l2, root(squares)), (moved.linf, total)]
    if facts.sign(sum(weights, start=ZERO)) == 0:
        bounds.append((moved.apart, total / 2))
    best: Formula | None = None
    for norm, factor in bounds:
        best = smaller(facts, best, None if norm is None else norm * factor)
    return best
