"""Whether the entries that a model draws lie in the domains of their fields: what is proved of every input of the
declared domains says nothing of other entries."""

from __future__ import annotations

from seqlang.arithmetic.compare import at_most, compare
from seqlang.arithmetic.formula import Formula
from seqlang.model.domain import REAL, Ball, Domain, Finite, Integers, Interval, Power
from seqlang.model.expression import Choice, Expression, Law, RealVectors
from seqlang.model.program import Model, Program
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import Facts, facts_of
from seqlang.rules.sensitivity.facts.finite import domain_values, law_values
from seqlang.rules.sensitivity.ranges.range import Range
from seqlang.rules.sensitivity.ranges.supports import domain_range, support


def may_leave(program: Program, model: Model) -> str | None:
    """The first field whose law is not plainly inside of its domain, under the program's parameter values; None if all
    are. Elaboration lets laws pass whose mass outside is below 1e-12; a proof does not."""
    facts = facts_of(program)
    return next((name for name, law in model.laws if not _inside(facts, law, program.input(name).domain)), None)


def _inside(facts: Facts, law: Expression, domain: Domain) -> bool:
    if isinstance(law, Choice):
        return _inside(facts, law.yes, domain) and _inside(facts, law.no, domain)
    if isinstance(law, Law) and law.family == "uniform" and isinstance(law.arguments[0], RealVectors):
        return _ball_inside(facts, law.arguments[0], domain)
    of = domain.of if isinstance(domain, Power) else domain
    if of == REAL:
        return True
    listed, allowed = law_values(facts, law), domain_values(facts, of)
    if listed is not None and allowed is not None:
        return all(any(_same(facts, value, other) for other in allowed) for value in listed)
    if isinstance(of, Finite | Ball):
        return False
    found = support(facts, law)
    if isinstance(of, Integers) and not found.integer:
        return False
    return _between(facts, found, domain_range(facts, of), of)


def _ball_inside(facts: Facts, region: RealVectors, domain: Domain) -> bool:
    """A ball in a ball, or vectors of any numbers."""
    if isinstance(domain, Power):
        return domain.of == REAL
    if not isinstance(domain, Ball) or region.radius is None:
        return False
    inner, outer = evaluate_number(facts, region.radius), evaluate_number(facts, domain.radius)
    return inner is not None and outer is not None and at_most(inner, outer, facts.values)


def _same(facts: Facts, a: object, b: object) -> bool:
    return isinstance(a, Formula) and isinstance(b, Formula) and compare(a, b, facts.values) == "equal"


def _between(facts: Facts, found: Range, wanted: Range, domain: Interval | Integers) -> bool:
    """Between the ends of the domain."""
    low_open, high_open = (domain.low_open, domain.high_open) if isinstance(domain, Interval) else (False, False)
    on_points = found.integer or found.values is not None  # a law with a density has no mass at an end
    return (domain.low is None or _below(facts, wanted.low, found.low, strictly=low_open and on_points)) and (
        domain.high is None or _below(facts, found.high, wanted.high, strictly=high_open and on_points)
    )


def _below(facts: Facts, low: Formula | None, high: Formula | None, *, strictly: bool) -> bool:
    if low is None or high is None:
        return False
    return compare(low, high, facts.values) in (("less",) if strictly else ("less", "equal"))
