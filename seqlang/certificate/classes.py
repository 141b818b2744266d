"""Which classes a certificate may name: the records and enumerations that the annotations of its parts reach.

The text of a certificate never decides what is imported or called: a name in it is looked up among these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, get_args, get_type_hints


@cache
def annotations_of(cls: type) -> Mapping[str, Any]:
    """The annotation of each field of a record class, in order."""
    return get_type_hints(cls)


def is_record(cls: type) -> bool:
    return hasattr(cls, "_record_fields")


def reachable(*annotations: object) -> dict[str, type]:
    """Class name -> record class or enumeration, for all that values with these annotations may hold."""
    found: dict[str, type] = {}
    waiting = list(annotations)
    while waiting:
        for cls in _classes(waiting.pop()):
            known = found.get(cls.__name__)
            assert known in (None, cls), f"two classes are called {cls.__name__}"
            if known is None:
                found[cls.__name__] = cls
                waiting.extend(annotations_of(cls).values() if is_record(cls) else ())
    return found


def _classes(annotation: object) -> Iterator[type]:
    """The record classes and enumerations that an annotation names."""
    if isinstance(annotation, type) and (is_record(annotation) or issubclass(annotation, Enum)):
        yield annotation
    for argument in get_args(annotation):
        yield from _classes(argument)
