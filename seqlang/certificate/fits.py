"""Whether a value is what an annotation says."""

from __future__ import annotations

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin


def fits(value: object, annotation: Any) -> bool:
    """True if the value, its elements included, is of the annotated type. The fields of a record were looked at when it
    was made, so only its class is asked for. A truth value is no number, and a whole number no float."""
    origin = get_origin(annotation)
    if annotation is object:
        return True
    if annotation is None or annotation is NoneType:
        return value is None
    if origin in (Union, UnionType):
        return any(fits(value, choice) for choice in get_args(annotation))
    if origin is Literal:
        return any(type(value) is type(choice) and value == choice for choice in get_args(annotation))
    if origin is tuple:
        return isinstance(value, tuple) and _each_fits(value, get_args(annotation))
    if origin is frozenset:
        (element,) = get_args(annotation)
        return isinstance(value, frozenset) and all(fits(v, element) for v in value)
    assert isinstance(annotation, type), f"no values are read for {annotation}"
    return type(value) is annotation or (annotation not in (int, float) and isinstance(value, annotation))


def _each_fits(values: tuple[object, ...], annotations: tuple[Any, ...]) -> bool:
    if len(annotations) == 2 and annotations[1] is Ellipsis:
        return all(fits(value, annotations[0]) for value in values)
    return len(values) == len(annotations) and all(map(fits, values, annotations))
