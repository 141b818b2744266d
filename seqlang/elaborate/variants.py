"""Files made from a file: without its noise, and with further statistics."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from seqlang.laws.facts import facts, names
from seqlang.syntax import tree

_NAMED = tree.Statistic | tree.MemoryDeclaration


def without_noise(file: tree.File) -> tree.File:
    """The same algorithm without its `attach` lines, and with 0 for what it draws from a law of noise around 0; and so
    without what these made private. Signs, samples, choices and other draws stay."""
    return tree.File(tuple(_quiet(s) for s in file.statements if not isinstance(s, tree.Attach)), file.span)


def has_noise(file: tree.File) -> bool:
    """Does the file have what `without_noise` takes away?"""
    return any(isinstance(s, tree.Attach) or _quiet(s) is not s for s in file.statements)


def _quiet(statement: tree.Statement) -> tree.Statement:
    match statement:
        case tree.Draw(name, tree.Call(tree.Name(law), arguments) as call, _, span) if _is_centred(law):
            zero: tree.Expression = tree.Number(Fraction(0), "0", call.span)
            if law == "l2_laplace":
                found = [a.value for a in arguments if isinstance(a, tree.Keyword) and a.name.name == "dim"]
                found += [a.value for a in arguments[1:2] if isinstance(a, tree.Positional)]
                if not found:
                    return statement  # an error, which elaboration reports
                size = tree.Positional(found[0], call.span)
                zero = tree.Call(tree.Name("zeros", call.span), (size,), call.span)
            return tree.Let(name, None, zero, span)
        case _:
            return statement


def _is_centred(name: str) -> bool:
    """Noise that is added as it is: without it there is 0."""
    return name in names() and facts(name).symmetric


def before_stops(file: tree.File, names: Collection[str]) -> tree.File:
    """The file with the last statistics (or memories) of these names moved before its first stop: they are computed in
    every step, the last one included."""
    moved: list[tree.Statement] = []
    others = list(file.statements)
    for name in names:
        place = max(i for i, s in enumerate(others) if isinstance(s, _NAMED) and s.name.name == name)
        moved.append(others.pop(place))
    first = next((i for i, s in enumerate(others) if isinstance(s, tree.Stop)), len(others))
    return tree.File((*others[:first], *moved, *others[first:]), file.span)
