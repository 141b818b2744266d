"""Every node of a tree, from the outside in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from seqlang.record import field_names
from seqlang.syntax import tree


def is_node(value: object) -> bool:
    """Whether it is a node of the tree, and no number, text or tuple inside of one."""
    return type(value).__module__ == tree.__name__


def children(node: Any) -> Iterator[Any]:
    """The nodes directly inside a node, in the order of its fields."""
    for name in field_names(node):
        value = getattr(node, name)
        for item in value if isinstance(value, tuple) else (value,):
            if is_node(item):
                yield item


def nodes(node: Any) -> Iterator[Any]:
    """The node and all inside of it, each before what it holds. Without recursion: trees may be deep."""
    waiting = [node]
    while waiting:
        here = waiting.pop()
        yield here
        waiting += reversed(list(children(here)))


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """A copy in which `change(child)` stands for every node directly inside."""

    def changed(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(change(item) if is_node(item) else item for item in value)
        return change(value) if is_node(value) else value

    return type(node)(*(changed(getattr(node, name)) for name in field_names(node)))
