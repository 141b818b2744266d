"""Whole numbers with discrete Gaussian noise at a delta, exactly, where a changed entry is in one showing only.

That of the normal law with the same deviation is not a bound for it. Of releases that speak of different entries
(`composition/parallel`, whose conditions a zCDP bound takes on the entry, its step and constants only) a changed entry
has to do with one where any two of them would cost more together than the bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import floor, inf

from seqlang.accounting import discrete_gaussian
from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import ONE, Formula, enclose
from seqlang.model.program import Gate, Program, ReleaseGate
from seqlang.proof.derivation import ConcentratedBound, Derivation
from seqlang.rules.conversion.conversion import at_delta
from seqlang.rules.conversion.premise import own_gate
from seqlang.rules.gates.noise import noises_of
from seqlang.rules.mechanism.discrete_gaussian import release_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.facts.shapes import is_number

_MINE, _APART = "mechanism/discrete_gaussian", "composition/parallel"


def _epsilon(program: Program, part: Derivation, delta: float) -> float | str:
    parts = _alone(program, part)
    if isinstance(parts, str) or not 0 < delta < 1:
        return parts if isinstance(parts, str) else "a delta between 0 and 1"
    found = [_of_one(program, one, delta) for one in parts]
    known = [one for one in found if not isinstance(one, str)]
    if len(known) < len(found):
        return next(one for one in found if isinstance(one, str))
    return max(known)


def _alone(program: Program, part: Derivation) -> Sequence[Derivation] | str:
    """The releases of which a changed entry has to do with one at most."""
    if not isinstance(part.conclusion, ConcentratedBound):
        return "a zCDP bound"
    if part.rule == _MINE:
        return (part,)
    if part.rule != _APART or any(one.rule != _MINE for one in part.premises):
        return "releases with discrete Gaussian noise, one of which a changed entry is in"
    conclusions = [one.conclusion for one in (part, *part.premises)]
    known = [_number(program, one.rho) for one in conclusions if isinstance(one, ConcentratedBound)]
    rhos = [rho for rho in known if rho is not None]
    if len(rhos) < len(conclusions) or any(a + b <= rhos[0] for a, b in combinations(rhos[1:], 2)):
        return "a changed entry may be in several releases"
    return part.premises


def _number(program: Program, rho: Formula) -> Fraction | None:
    return None if rho.is_infinite else exact_value(rho, parameter_values(program))


def _of_one(program: Program, part: Derivation, delta: float) -> float | str:
    gate = own_gate(program, part)
    entries, single = single_entry(program)
    release = None if gate is None or entries != ONE else release_of(single, gate)
    if release is None or isinstance(release, str) or gate is None:
        return "no release of its own, or neighbours in several entries"
    if not _one_fresh_number(single, gate):
        return "a list of numbers, or noise that lasts"
    values = parameter_values(single)
    deviation, radius = exact_value(release.deviation, values), enclose(release.radius, values).high
    if deviation is None or not enclose(release.showings, values).high <= 1:
        return "a changed entry may be in several showings, or the deviation is no rational number"
    if not 1 <= radius <= discrete_gaussian.WIDEST or not 0 < deviation <= discrete_gaussian.WIDEST:
        return "moves or noise that are too large to add up, or no moves"
    found = discrete_gaussian.epsilon(delta, deviation, floor(radius))
    return found if found < inf else "no finite epsilon"


def _one_fresh_number(program: Program, gate: Gate) -> bool:
    if not isinstance(gate, ReleaseGate):
        return False
    added = noises_of(program, gate, gate.terms, Signs(parameter_values(program)))
    fresh = not isinstance(added, str) and len(added) == 1 and not added[0].once
    return fresh and is_number(facts_of(program), facts_of(program).expand(gate.value))


STATEMENT = """
    neighbours move a number by whole numbers, by at most D;   discrete Gaussian noise, new at every showing;
      a changed entry is in one showing of one such release (parallel: rho_i + rho_j > rho for any two);   0 < delta < 1
    ----------------------------------------------------------------------------------------------------------
    (t, delta)-DP with F(y) - e^t F(y - D) <= delta for every whole y

F is the distribution function of the noise, P(k) proportional to exp(-k^2 / (2 s^2)). Epsilon in nats.
"""

RULE, SEARCH = at_delta(
    "conversion/discrete_gaussians_to_approximate",
    "A discrete Gaussian release to (epsilon, delta)",
    STATEMENT,
    "Canonne, Kamath & Steinke 2020, Theorem 7",
    "one showing with discrete Gaussian noise, whose profile is known exactly",
    _epsilon,
)
