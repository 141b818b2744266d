"""What each way of composing gives for what a program shows, at the delta of its report.

The numbers are those of bounds that were proved; for ways that were not offered the same parts are put into the same
theorems. They are there to be compared: nothing is proved by them.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from seqlang.accounting import advanced, homogeneous, pure
from seqlang.accounting.numeric.parts import BoundedRange, Gaussian, Laplace, Part, Pure
from seqlang.analyses.bounds import Bounds
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.program import Program
from seqlang.process.time_limit import over
from seqlang.proof.derivation import ApproximateBound, Derivation
from seqlang.record import record
from seqlang.rules.computed import bound_up
from seqlang.rules.conversion.ingredients import ingredients

MOST = 5_000
"""Showings whose epsilons are listed one by one."""

WAYS = ("alignment", "basic", "advanced", "tanh form", "optimal", "RDP", "zCDP", "numerical")
SOURCES = {
    "alignment": "one alignment for all gates, then at delta",
    "basic": "Dwork & Roth 2014, Theorem 3.16, then at delta",
    "advanced": "Dwork & Roth 2014, Theorem 3.20, as printed",
    "tanh form": "Kairouz, Oh & Viswanath 2015, Theorem 3.5",
    "optimal": "Kairouz, Oh & Viswanath 2015, Theorem 3.3",
    "RDP": "Mironov 2017, Proposition 1",
    "zCDP": "Bun & Steinke 2016, Lemma 1.7",
    "numerical": "losses added up as laws",
}
_WAY_OF_RULE = {
    "conversion/pure_to_approximate": "basic",
    "composition/advanced": "tanh form",
    "composition/optimal": "optimal",
    "conversion/renyi_to_approximate": "RDP",
    "conversion/curves_to_approximate": "RDP",
    "conversion/concentrated_to_approximate": "zCDP",
    "conversion/losses_to_approximate": "numerical",
    "conversion/gaussians_to_approximate": "numerical",
    "conversion/discrete_gaussians_to_approximate": "numerical",
    "conversion/showings_to_approximate": "optimal",
}


@record
class Composed:
    """`epsilon` at the report's delta, in nats, rounded up; `used`: it is the bound of the report."""

    way: str
    epsilon: float
    used: bool

    @property
    def source(self) -> str:
        """Where the theorem stands."""
        return SOURCES[self.way]


def compositions(program: Program, bounds: Bounds, numerical: bool = False) -> tuple[Composed, ...]:
    """One entry a way that bounds the whole, in the order of WAYS; none where there is nothing to compose: one showing
    of one gate, or parts that are not known. `numerical`: the losses are added up as laws, which imports numpy, even
    where no proof has needed that."""
    candidates = (*bounds.rdp[:1], bounds.pure, bounds.zcdp)
    known = (ingredients(program, d) for d in candidates if d is not None)
    parts = next((found for found in known if not isinstance(found, str)), ())
    if uses(parts) < 2 or bounds.dp is None or over():
        return ()
    from seqlang.accounting.numeric import search

    found = dict(_in_theory(parts, fraction_down(bounds.delta)))
    used = _way(bounds.dp)
    for d in (bounds.dp, *bounds.alternatives):
        way = _way(d)
        if isinstance(d.conclusion, ApproximateBound) and way is not None:
            found[way] = min(found.get(way, inf), bound_up(program, d.conclusion))
    delta = fraction_down(bounds.delta)
    if "RDP" not in found:
        found["RDP"] = search.by_orders(parts, delta)[0]
    if numerical and "numerical" not in found:
        found["numerical"] = search.epsilon(parts, delta)
    return tuple(Composed(way, found[way], way == used) for way in WAYS if found.get(way, inf) < inf)


def uses(parts: tuple[Part, ...]) -> int:
    """How many showings there are; Gaussian ones count as one, as they act as one."""
    return sum(1 if isinstance(part, Gaussian) else part.count for part in parts)


def _in_theory(parts: tuple[Part, ...], delta: float) -> Iterator[tuple[str, float]]:
    """What the composition theorems for pure mechanisms say, where all parts are pure."""
    counted: list[tuple[float, int]] = []
    for part in parts:
        match part:
            case Laplace(size, count) | Pure(size, count) | BoundedRange(size, count):
                counted.append((size, count))
            case _:
                return
    yield "basic", pure.basic_composition(pure.self_composition(size, count) for size, count in counted)
    if uses(parts) > MOST:
        return
    epsilons = [size for size, count in counted for _ in range(count)]
    yield "advanced", advanced.printed_form(epsilons, delta)
    yield "tanh form", advanced.tanh_form(epsilons, delta)
    yield "optimal", homogeneous.optimal_of(epsilons, delta)


def _way(derivation: Derivation) -> str | None:
    """The way of composing that made an (epsilon, delta) bound; what was said of it afterwards is passed over."""
    way = _WAY_OF_RULE.get(derivation.rule)
    if way is None and len(derivation.premises) == 1:
        return _way(derivation.premises[0])
    if way == "basic" and derivation.premises[0].rule.startswith("alignment/"):
        return "alignment"  # the parts were not added up
    return way
