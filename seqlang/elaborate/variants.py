"""Files made from a file: without its noise, and with further statistics."""

from __future__ import annotations

from collections.abc import Collection

from seqlang.syntax import tree


def without_noise(file: tree.File) -> tree.File:
    """The same algorithm without its `attach` lines, and so without what they made private."""
    return tree.File(tuple(s for s in file.statements if not isinstance(s, tree.Attach)), file.span)


def before_stops(file: tree.File, names: Collection[str]) -> tree.File:
    """The file with the last statistics of these names moved before its first stop: they are computed in every step,
    the last one included."""
    moved: list[tree.Statement] = []
    others = list(file.statements)
    for name in names:
        place = max((i for i, s in enumerate(others) if isinstance(s, tree.Statistic) and s.name.name == name))
        moved.append(others.pop(place))
    first = next((i for i, s in enumerate(others) if isinstance(s, tree.Stop)), len(others))
    return tree.File((*others[:first], *moved, *others[first:]), file.span)
