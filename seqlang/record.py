"""Frozen values with named fields: what `dataclass(frozen=True, slots=True)` makes, at a tenth of its start-up cost.

A cold `seqlang check` defines some two hundred small classes; the standard decorator compiles six methods for each as
it is imported, which alone took longer than the check. Here equality, hash and repr are shared, and `__init__` is
compiled when a class is first instantiated. To type checkers it is a dataclass (PEP 681), and `dataclasses.fields`,
`replace` and `asdict` work.

    @record
    class Point:
        x: float
        y: float = 0.0
        span: Span = field(default=NOWHERE, compare=False)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

_MISSING: Any = object()


class _Field:
    """What `field(...)` says of one field."""

    __slots__ = ("compare", "default", "factory", "init", "repr")

    def __init__(self, default: Any, default_factory: Any, init: bool, repr: bool, compare: bool) -> None:
        self.default = default
        self.factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare


_PLAIN = _Field(_MISSING, _MISSING, True, True, True)


def field(
    *,
    default: Any = _MISSING,
    default_factory: Callable[[], Any] = _MISSING,
    init: bool = True,
    repr: bool = True,
    compare: bool = True,
) -> Any:
    """A default, and whether the field takes part in `__init__`, repr, and equality."""
    return _Field(default, default_factory, init, repr, compare)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Makes a class with annotations an immutable, slotted value class. Inheritance of fields is not supported."""
    return _made(cls, {"__setattr__": _refuse, "__delattr__": _refuse})


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def mutable_record(cls: type[T]) -> type[T]:
    """The same for the state of a pass: its fields can be set, and it is equal to itself only."""
    return _made(cls, {"__eq__": object.__eq__, "__hash__": object.__hash__})


def _made(cls: type[T], methods: dict[str, Any]) -> type[T]:
    space = dict(cls.__dict__)
    names = tuple(_annotations(cls))
    fields: dict[str, _Field] = {}
    for name in names:
        default = space.pop(name, _MISSING)
        if default is _MISSING:
            fields[name] = _PLAIN
        else:
            fields[name] = default if isinstance(default, _Field) else _Field(default, _MISSING, True, True, True)
    space.pop("__dict__", None)
    space.pop("__weakref__", None)
    space["__slots__"] = names
    space["__match_args__"] = tuple(n for n in names if fields[n].init)
    space["_record_fields"] = fields
    compared = [n for n in names if fields[n].compare]
    space["_key"] = attrgetter(*compared) if compared else type  # written in C: equality and hash are hot
    space["__dataclass_fields__"] = _DataclassFields()
    space |= methods
    space["__getstate__"] = _getstate
    space["__setstate__"] = _setstate
    space.setdefault("__eq__", _equal)
    space.setdefault("__hash__", _hash)
    if not any("__repr__" in vars(parent) for base in cls.__bases__ for parent in base.__mro__[:-1]):
        space.setdefault("__repr__", _repr)
    space.setdefault("__replace__", replace)
    metaclass: Any = type(cls)
    made: Any = metaclass(cls.__name__, cls.__bases__, space)
    made.__qualname__ = cls.__qualname__

    def first_init(self: Any, *arguments: Any, **keywords: Any) -> None:
        made.__init__ = _compile_init(made, names, fields, "__post_init__" in space)
        made.__init__(self, *arguments, **keywords)

    made.__init__ = first_init
    result: type[T] = made
    return result


def _annotations(cls: type) -> dict[str, Any]:
    """What the body of a class annotates, in order. Where annotations are kept as texts, as in every file of this
    package, they stand in the class. Otherwise, since Python 3.14, the class keeps a function that computes them
    (PEP 649); names that are not defined yet are left open."""
    own: dict[str, Any] | None = vars(cls).get("__annotations__")
    if own is None and sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(cls, format=Format.FORWARDREF)
    return own or {}


def _compile_init(cls: type, names: tuple[str, ...], fields: dict[str, _Field], post: bool) -> Any:
    """An ordinary `__init__` that stores every field through its slot: the code for so many fields, with these names.
    Raises TypeError where a field without a default follows one that has one."""
    given = [name for name in names if fields[name].init]
    scope: dict[str, Any] = {"_MISSING": _MISSING}
    defaults = []
    for i, name in enumerate(given):
        spec = fields[name]
        scope[f"_set_{i}"] = cls.__dict__[name].__set__
        if spec.factory is not _MISSING:
            scope[f"_make_{i}"] = spec.factory
        if spec.default is not _MISSING or spec.factory is not _MISSING:
            defaults.append(spec.default)
        elif defaults:
            raise TypeError(f"{cls.__qualname__}: {name} has no default and follows a field with one")
    code = _init_of(tuple([fields[name].factory is not _MISSING for name in given]), post)
    made = FunctionType(code.replace(co_varnames=("self", *given)), scope, "__init__", tuple(defaults))
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


@cache
def _init_of(made: tuple[bool, ...], post: bool) -> CodeType:
    """The code of an `__init__` of so many fields, some of them made by a factory. A cold check makes instances of 170
    classes, and compiles for 70 microseconds each: once for each number of fields is enough."""
    lines = [
        f"_set_{i}(self, _make_{i}() if p{i} is _MISSING else p{i})" if factory else f"_set_{i}(self, p{i})"
        for i, factory in enumerate(made)
    ]
    if post:
        lines.append("self.__post_init__()")
    parameters = "".join(f", p{i}" for i in range(len(made)))
    scope: dict[str, Any] = {}
    exec(f"def __init__(self{parameters}):\n  " + "\n  ".join(lines or ["pass"]), scope)
    code: CodeType = scope["__init__"].__code__
    return code


class _DataclassFields:
    """`__dataclass_fields__` of a record, made when somebody asks: the protocol of `dataclasses.fields` and its kin."""

    __slots__ = ()

    def __get__(self, value: Any, cls: Any) -> dict[str, Any]:
        import dataclasses

        found: dict[str, Any] = {}
        types = _annotations(cls)
        for name, spec in cls._record_fields.items():
            made: Any = dataclasses.field(init=spec.init, repr=spec.repr, compare=spec.compare)
            made.name, made.type, made._field_type = name, types[name], dataclasses._FIELD  # type: ignore[attr-defined]
            found[name] = made
        return found


def field_names(value: Any) -> tuple[str, ...]:
    """The names of a record's fields, or of a record class's, in order."""
    return tuple(value._record_fields)


def replace(value: T, /, **changes: Any) -> T:
    """A copy with some fields changed."""
    fields: dict[str, _Field] = value._record_fields  # type: ignore[attr-defined]
    given = {n: getattr(value, n) for n, spec in fields.items() if spec.init and n not in changes}
    return type(value)(**given, **changes)


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise AttributeError(f"{type(self).__name__} is immutable: cannot change `{name}`")


def _equal(self: Any, other: Any) -> Any:
    if self is other:
        return True
    if type(self) is not type(other):
        return NotImplemented
    return self._key(self) == self._key(other)


def _hash(self: Any) -> int:
    return hash((type(self).__name__, self._key(self)))


def _repr(self: Any) -> str:
    fields: dict[str, _Field] = self._record_fields
    shown = ", ".join(f"{n}={getattr(self, n)!r}" for n, spec in fields.items() if spec.repr)
    return f"{type(self).__qualname__}({shown})"


def _getstate(self: Any) -> tuple[Any, ...]:
    return tuple(getattr(self, n) for n in self._record_fields)


def _setstate(self: Any, state: tuple[Any, ...]) -> None:
    for name, value in zip(self._record_fields, state, strict=True):
        object.__setattr__(self, name, value)
