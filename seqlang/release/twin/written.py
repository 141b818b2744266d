"""Trees that are made: numbers, products, and names for other names."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.source import NOWHERE
from seqlang.syntax import tree
from seqlang.syntax.walk import nodes, rebuilt


class NoTwin(Exception):
    """The spec has no discrete twin; the text says why, as a sentence without its full stop."""


def number(value: Fraction | int) -> tree.Expression:
    """As a decimal where it ends, else as a quotient."""
    exact = Fraction(value)
    if exact < 0:
        return tree.Unary("-", number(-exact), NOWHERE)
    digits = next((d for d in range(10) if (exact * 10**d).denominator == 1), None)
    if digits is None:
        return tree.Binary("/", number(exact.numerator), number(exact.denominator), NOWHERE)
    whole = str(int(exact * 10**digits)).zfill(digits + 1)
    text = whole if digits == 0 else f"{whole[:-digits]}.{whole[-digits:]}"
    return tree.Number(exact, text, NOWHERE)


def times(factor: Fraction | int, e: tree.Expression) -> tree.Expression:
    """factor * e, without a factor 1 and with numbers multiplied out."""
    if factor == 1:
        return e
    match e:
        case tree.Number(value):
            return number(factor * value)
        case tree.Unary("-", tree.Number(value)):
            return number(-factor * value)
        case tree.Unary("-", operand):
            return tree.Unary("-", times(factor, operand), NOWHERE)
    return binary("*", number(factor), e)


def binary(operator: Any, left: tree.Expression, right: tree.Expression) -> tree.Expression:
    return tree.Binary(operator, left, right, NOWHERE)


def quotient(above: tree.Expression, below: tree.Expression) -> tree.Expression:
    """above / below; a sign stands in front."""
    return binary("/", above, below)


def call(name: str, *arguments: tree.Expression) -> tree.Call:
    return tree.Call(tree.Name(name, NOWHERE), tuple(tree.Positional(a, NOWHERE) for a in arguments), NOWHERE)


def names_in(node: Any) -> frozenset[str]:
    """The names that are read, and those of functions, members and binders."""
    return frozenset(n.name for n in nodes(node) if isinstance(n, tree.Name))


def renamed(node: Any, new: Mapping[str, tree.Expression]) -> Any:
    """With expressions for names. Names of keywords, members and binders stay."""
    match node:
        case tree.Name(name):
            return new.get(name, node)
        case tree.Keyword(name, value, span):
            return tree.Keyword(name, renamed(value, new), span)
        case tree.Member(base, name, span):
            return tree.Member(renamed(base, new), name, span)
        case tree.ForIn(variable, domain, where, span):
            inner = {k: v for k, v in new.items() if k != variable.name}
            return tree.ForIn(variable, renamed(domain, new), None if where is None else renamed(where, inner), span)
        case tree.OverSet(value, binder, span) | tree.ListFor(value, binder, span):
            inner = {k: v for k, v in new.items() if k != binder.variable.name}
            return type(node)(renamed(value, inner), renamed(binder, new), span)
        case tree.WeightsFor(weight, binder, span):
            inner = {k: v for k, v in new.items() if k != binder.variable.name}
            return tree.WeightsFor(renamed(weight, inner), renamed(binder, new), span)
        case tree.Since():
            return node
    return rebuilt(node, lambda child: renamed(child, new))
