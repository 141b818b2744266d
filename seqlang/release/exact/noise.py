"""Which noises are drawn exactly, and their draws."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from seqlang.model import expression as ir
from seqlang.model.life import EachStep
from seqlang.model.program import Noise
from seqlang.record import record
from seqlang.release.exact import samplers
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.functions import NoValue, Value
from seqlang.release.exact.laws import NotExact
from seqlang.release.exact.real import Real
from seqlang.release.exact.samplers import Below


@record
class Drawer:
    """How one noise is drawn. `flips`: it is drawn among as many letters as there are, 0 for the truth. `is_tree`: the
    draw is that of one node of a binary tree over the steps."""

    draw: Callable[[Below], Value]
    flips: Fraction | None = None
    is_tree: bool = False


def drawer_of(noise: Noise, compiler: Compiler) -> Drawer:
    """Raises NotExact for laws that are not drawn exactly."""
    match noise.law:
        case ir.Law("tree", (inner,)):
            if not isinstance(noise.life, EachStep):
                raise NotExact("a tree that begins anew is not drawn exactly")
            node = _of_law(noise.name, inner, compiler)
            if node.flips is not None:
                raise NotExact("a tree of randomised responses, which are not added up")
            return Drawer(node.draw, is_tree=True)
    return _of_law(noise.name, noise.law, compiler)


def _of_law(name: str, law: ir.Expression, compiler: Compiler) -> Drawer:
    if isinstance(law, ir.Weights):
        pairs = [(compiler.constant(value), _rational(compiler, weight)) for value, weight in law.pairs]
        return Drawer(lambda below: samplers.listed(pairs, below))
    if not isinstance(law, ir.Law):
        raise NotExact(f"the law of `{name}` is not drawn exactly")
    match law.family, law.arguments:
        case "geometric", (ratio,):
            return Drawer(_geometric(compiler, ratio))
        case "discrete_gaussian", (sigma,):
            variance = _rational(compiler, ir.Apply("*", (sigma, sigma)))
            return Drawer(lambda below: samplers.discrete_gaussian(variance, below))
        case "bernoulli", (p,):
            chance = _rational(compiler, p)
            return Drawer(lambda below: int(samplers.bernoulli(chance, below)))
        case "point", (value,):
            fixed = _rational(compiler, value)
            return Drawer(lambda below: fixed)
        case "randomized_response", (truth,):
            return Drawer(lambda below: 0, flips=_rational(compiler, truth))
    raise NotExact(f"`{law.family}` is not drawn exactly: geometric, discrete_gaussian, bernoulli, listed laws, "
                   "randomised response, and trees of these are")  # fmt: skip


def _geometric(compiler: Compiler, ratio: ir.Expression) -> Callable[[Below], int]:
    """With a rational ratio, or exp(-r) for a rational r."""
    if isinstance(ratio, ir.Apply) and ratio.operator == "exp":
        rate = -_rational(compiler, ratio.arguments[0])
        if rate <= 0:
            raise NotExact("the ratio of a geometric noise is not below 1")
        return lambda below: samplers.geometric_exp(rate, below)
    exact = _rational(compiler, ratio)
    return lambda below: samplers.geometric(exact, below)


def _rational(compiler: Compiler, e: ir.Expression) -> Fraction:
    try:
        found: Any = compiler.constant(e)
    except NoValue as why:
        raise NotExact(str(why)) from None
    if isinstance(found, Real):
        raise NotExact("an argument of a noise is not rational: write a decimal or a fraction")
    return Fraction(found)
