"""Laws of noise on the grid: the discrete counterpart of a continuous law, in whole units."""

from __future__ import annotations

from fractions import Fraction

from seqlang.release.exact import real
from seqlang.release.exact.real import Real
from seqlang.release.twin.names import Names
from seqlang.release.twin.written import NoTwin, call, number, quotient, times
from seqlang.source import NOWHERE
from seqlang.syntax import tree

DIGITS = 8
"""Of a rate or a standard deviation that is no rational number, rounded to more noise."""
_WHY = {
    "exponential": "one-sided geometric noise, which the language has not",
    "gumbel": "an exact sampler and a proof for a discrete Gumbel law",
    "logistic": "an exact sampler and a proof for a discrete logistic law",
    "staircase": "a proof for a staircase on whole numbers",
    "l2_laplace": "a discrete law whose density falls with the Euclidean norm",
    "conditioned": "a sampler of the conditioned discrete law",
    "uniform": "a discrete uniform law as noise, and a proof for it",
}


def discrete(names: Names, law: tree.Expression, scale: int) -> tree.Expression:
    """The law of noise that is counted in units of 1/scale: `laplace(b)` becomes `geometric(exp(-1 / (scale * b)))`,
    `gaussian(s)` `discrete_gaussian(scale * s)`. Raises NoTwin for laws without a counterpart."""
    match law:
        case tree.Name(name) if name in names.lets:
            return discrete(names, names.lets[name].value, scale)
        case tree.Call(tree.Name("laplace"), (tree.Positional(b),)):
            return call("geometric", call("exp", _rate(names, b, scale)))
        case tree.Call(tree.Name("gaussian"), (tree.Positional(s),)):
            return call("discrete_gaussian", _deviation(names, s, scale))
        case tree.Call(tree.Name("tree"), (tree.Positional(inner),)):
            return call("tree", discrete(names, inner, scale))
        case tree.Call(tree.Name(family)) if family in _WHY:
            raise NoTwin(f"`{family}` noise has no discrete counterpart here: that would need {_WHY[family]}")
    if scale == 1:
        return law
    raise NoTwin("noise that is discrete already is added to a value that is counted in finer units")


def is_continuous(names: Names, law: tree.Expression) -> bool:
    """Whether a law is noise that `discrete` gives a counterpart, or has a reason for none."""
    match law:
        case tree.Name(name) if name in names.lets:
            return is_continuous(names, names.lets[name].value)
        case tree.Call(tree.Name("uniform"), (tree.Positional(tree.SetOf() | tree.Range()),)):
            return False
        case tree.Call(tree.Name(family)):
            return family in ("laplace", "gaussian", "tree", *_WHY)
    return False


def _rate(names: Names, b: tree.Expression, scale: int) -> tree.Expression:
    """-1 / (scale * b); a number that is no smaller, if b is not rational."""
    value = names.value(b)
    if isinstance(value, Real):
        return number(-Fraction(real.floor(10**DIGITS / (value * scale)), 10**DIGITS))
    match b:
        case tree.Binary("/", above, below):
            return _over(_negative(below), times(scale, above))
    return _over(number(-1), times(scale, b))


def _over(above: tree.Expression, below: tree.Expression) -> tree.Expression:
    """above / below, without a 1."""
    return above if isinstance(below, tree.Number) and below.value == 1 else quotient(above, below)


def _negative(e: tree.Expression) -> tree.Expression:
    return tree.Unary("-", e, NOWHERE) if not isinstance(e, tree.Number) else number(-e.value)


def _deviation(names: Names, s: tree.Expression, scale: int) -> tree.Expression:
    value = names.value(s)
    if isinstance(value, Real):
        return number(Fraction(real.ceiling(value * (scale * 10**DIGITS)), 10**DIGITS))
    return times(scale, s)
