"""JSON to values: what write.py writes, and nothing else. Whatever stands in the text, the worst is Unreadable."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from typing import Any

from seqlang.certificate.classes import annotations_of, is_record
from seqlang.certificate.fits import fits
from seqlang.certificate.formulas import formula_from_json
from seqlang.certificate.numbers import MOST_DIGITS, fraction_of
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.write import written_fields
from seqlang.proof.derivation import Derivation

MOST_STEPS = 10_000
"""Of a derivation when nothing in it is shared: no honest one has a hundred, and what is shared a thousand times over
is there to keep a reader busy."""


class Reader:
    """Values of these classes (by name), and derivations: those of the steps read so far."""

    def __init__(self, classes: Mapping[str, type]) -> None:
        self.classes = classes
        self.steps: list[Derivation] = []
        self._sizes: list[int] = []
        self._size = 0

    def step(self, raw: Any, classes: Mapping[str, type], evidence: object) -> None:
        """One more derivation, whose evidence is of this type, and may hold values of these classes too."""
        self._size = 1
        known, self.classes = self.classes, {**self.classes, **classes}
        try:
            made = self.value(raw)
        finally:
            self.classes = known
        if not isinstance(made, Derivation):
            raise Unreadable("a step is a Derivation")
        if not fits(made.evidence, evidence):
            raise Unreadable(f"this is no evidence for the rule {made.rule!r:.60}", ("evidence",))
        self.steps.append(made)
        self._sizes.append(self._size)

    def value(self, raw: Any) -> object:
        match raw:
            case None | bool() | str():
                return raw
            case int():
                if abs(raw).bit_length() > 3.3 * MOST_DIGITS:
                    raise Unreadable(f"a number has more than {MOST_DIGITS} digits")
                return raw
            case float():
                if not math.isfinite(raw):
                    raise Unreadable("a number is too large")
                return raw
            case list():
                return tuple([self._at(str(place), item) for place, item in enumerate(raw)])
            case dict():
                return self._object(raw)
        raise AssertionError("JSON has no other values")

    def _at(self, place: str, raw: Any) -> object:
        try:
            return self.value(raw)
        except Unreadable as error:
            raise error.inside(place) from None

    def _object(self, raw: dict[str, Any]) -> object:
        match raw:
            case {"fraction": str(text), **rest} if not rest:
                return fraction_of(text)
            case {"formula": formula, **rest} if not rest:
                return formula_from_json(formula)
            case {"set": list(items), **rest} if not rest:
                return frozenset(self._at(str(place), item) for place, item in enumerate(items))
            case {"step": int(number), **rest} if not rest and not isinstance(number, bool):
                return self._earlier(number)
            case {"is": str(name), **rest}:
                return self._record(name, rest)
        raise Unreadable(f"an object is no value if it has the keys {', '.join(sorted(raw)) or '(none)'!s:.80}")

    def _earlier(self, number: int) -> Derivation:
        if not 0 <= number < len(self.steps):
            raise Unreadable(f"there is no step {number!s:.20} before this one")
        self._size += self._sizes[number]
        if self._size > MOST_STEPS:
            raise Unreadable(f"the derivation has more than {MOST_STEPS} steps")
        return self.steps[number]

    def _record(self, name: str, raw: dict[str, Any]) -> object:
        cls = self.classes.get(name)
        if cls is None:
            raise Unreadable(f"there is no class {name!r:.60} here")
        if not is_record(cls):
            return _member(cls, raw)
        wanted = written_fields(cls)
        for field in (*wanted, *raw):
            if field not in raw or field not in wanted:
                word = "has no field" if field in raw else "lacks the field"
                raise Unreadable(f"{name} {word} {field!r:.60}")
        values = {field: self._at(field, raw[field]) for field in wanted}
        annotations = annotations_of(cls)
        for field, value in values.items():
            if not fits(value, annotations[field]):
                raise Unreadable(f"this is no value for the field {field} of {name}", (field,))
        return cls(**values)


def _member(cls: type, raw: dict[str, Any]) -> object:
    assert issubclass(cls, Enum)
    member = cls.__members__.get(raw["value"]) if raw.keys() == {"value"} and isinstance(raw["value"], str) else None
    if member is None:
        raise Unreadable(f"this is no member of {cls.__name__}")
    return member
