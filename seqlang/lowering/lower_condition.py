"""From a condition to a guard that is public and a test of margins (rule 2.8 iv)."""

from __future__ import annotations

from functools import partial

from seqlang.lowering.forms import Place, Unfit, difference
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.junctions import conjuncts
from seqlang.model.kinding import Kinds
from seqlang.model.kinds import TRUTH
from seqlang.model.noise_factors import MINUS_ONE, ONE


def joined(parts: tuple[m.Expression, ...]) -> m.Expression | None:
    """Back to one condition."""
    result: m.Expression | None = None
    for part in parts:
        result = part if result is None else m.Apply("and", (result, part))
    return result


def guard_of(place: Place, condition: m.Expression | None) -> m.Expression | None:
    """The conjuncts that the transcript (and hidden choices) decide."""
    settled = tuple(c for c in conjuncts(condition) if place.reader.contents(c).settled)
    for part in settled:
        place.reveal(part)
    return joined(settled)


def test_of(place: Place, kinds: Kinds, e: m.Expression) -> p.Test:
    """The test of a truth value. Raises Unfit."""
    if place.reader.contents(e).settled:
        place.reveal(e)
        return p.PublicTest(e)
    match e:
        case m.Apply(operator="and", arguments=arguments):
            return p.And(tuple(test_of(place, kinds, a) for a in arguments))
        case m.Apply(operator="or", arguments=arguments):
            return p.Or(tuple(test_of(place, kinds, a) for a in arguments))
        case m.Apply(operator="not", arguments=(operand,)):
            return p.Not(test_of(place, kinds, operand))
        case m.Apply(operator=">=" | ">" as operator, arguments=(left, right)):
            return difference(place, left, right, operator == ">", partial(test_of, place, kinds))
        case m.Apply(operator="<=" | "<" as operator, arguments=(left, right)):
            return difference(place, right, left, operator == "<", partial(test_of, place, kinds))
        case m.Apply(operator="==" | "!=" as operator, arguments=(left, right)):
            equal = _equal(place, kinds, left, right)
            return equal if operator == "==" else p.Not(equal)
        case m.Choice(test=test, yes=yes, no=no):
            first = test_of(place, kinds, test)
            return p.Or((
                p.And((first, test_of(place, kinds, yes))),
                p.And((p.Not(first), test_of(place, kinds, no))),
            ))  # fmt: skip
        case m.Local(name=name):
            return test_of(place, kinds, place.definition(name))
        case _:
            return _atom(place, e)


def _equal(place: Place, kinds: Kinds, left: m.Expression, right: m.Expression) -> p.Test:
    if TRUTH in (kinds.of(left), kinds.of(right)):
        a, b = test_of(place, kinds, left), test_of(place, kinds, right)
        return p.Or((p.And((a, b)), p.And((p.Not(a), p.Not(b)))))
    truth = partial(test_of, place, kinds)
    return p.And((difference(place, left, right, False, truth), difference(place, right, left, False, truth)))


def _atom(place: Place, e: m.Expression) -> p.Test:
    """A truth value that is kept whole: 1 where it holds, -1 where not."""
    if place.reader.contents(e).noisy:
        raise Unfit("noise inside a truth value that is no comparison")
    place.reveal(e)
    return p.Margin(m.Choice(e, ONE, MINUS_ONE), (), False)
