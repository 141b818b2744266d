"""Noise of running sums: the noise of step t is a sum of one draw for each node of a binary tree that covers the steps
1 to t (Chan, Shi & Song 2011, Section 3.4)."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.release.exact.code import shape_of
from seqlang.release.exact.functions import Value, added, subtracted

Nodes = dict[tuple[int, int], Value]
"""(level, last step) of a node, and its draw."""


class Tree:
    """The nodes of one noise that cover the steps so far, one for every bit of the step's number that is 1: the others
    are never read again."""

    def __init__(self) -> None:
        self._nodes: Nodes = {}

    def noise(self, step: int, draw: Callable[[], Value]) -> Value:
        """Of this step, which is not below those of earlier calls. Nodes that are new are drawn."""
        self._nodes = {node: self._nodes[node] if node in self._nodes else draw() for node in cover(step)}
        return _total(list(self._nodes.values()))

    def is_of(self, shape: tuple[int, ...]) -> bool:
        """Whether every node has as many coordinates: one number for several of them would hide them together."""
        return all(shape_of(node) == shape for node in self._nodes.values())

    def keep(self, step: int, noise: Value) -> None:
        """The noise of this step is known, and so were those of all steps before it: the node that ends here is what
        the others leave of it."""
        last, *others = cover(step)
        known = {node: self._nodes[node] for node in others}
        rest = subtracted(noise, _total(list(known.values()))) if known else noise
        self._nodes = {last: rest, **known}


def cover(step: int) -> list[tuple[int, int]]:
    """The nodes that cover the steps 1 to `step`, the last one first."""
    found, end = [], step
    for level in range(step.bit_length()):
        if step >> level & 1:
            found.append((level, end))
            end -= 1 << level
    return found


def _total(values: list[Value]) -> Value:
    total = values[0]
    for value in values[1:]:
        total = added(total, value)
    return total
