"""Values to JSON.

None, truth values, strings, whole numbers, floats   themselves
Fraction          {"fraction": "1/10"}
formula           {"formula": ..}, see formulas.py
tuple             a list
frozenset         {"set": [..]}, sorted by what is written
enumeration       {"is": "Level", "value": "PUBLIC"}
record            {"is": "Apply", "operator": "+", ..}: every field, but positions in the text of the spec
derivation        {"step": 3}: the number of a step, each written once, after those that it rests on
"""

from __future__ import annotations

import json
import math
from enum import Enum
from fractions import Fraction
from typing import Any

from seqlang.arithmetic.formula import Formula
from seqlang.certificate.classes import annotations_of, is_record
from seqlang.certificate.formulas import formula_to_json
from seqlang.certificate.numbers import text_of
from seqlang.proof.derivation import Derivation
from seqlang.source import Span


class Writer:
    """`steps` are the derivations met so far, as JSON."""

    def __init__(self) -> None:
        self.steps: list[Any] = []
        self._numbers: dict[Derivation, int] = {}

    def value(self, value: object) -> Any:
        match value:
            case Enum():
                return {"is": type(value).__name__, "value": value.name}
            case None | bool() | str() | int():
                return value
            case float():
                assert math.isfinite(value), "a certificate holds finite numbers"
                return value
            case Fraction():
                return {"fraction": text_of(value)}
            case Formula():
                return {"formula": formula_to_json(value)}
            case tuple():
                return [self.value(item) for item in value]
            case frozenset():
                return {"set": sorted((self.value(item) for item in value), key=json.dumps)}
            case Derivation():
                return {"step": self._step(value)}
        assert is_record(type(value)), f"a certificate does not hold values of {type(value).__name__}"
        return self._record(value)

    def _record(self, value: object) -> Any:
        cls = type(value)
        return {"is": cls.__name__, **{name: self.value(getattr(value, name)) for name in written_fields(cls)}}

    def _step(self, derivation: Derivation) -> int:
        if derivation not in self._numbers:
            written = self._record(derivation)
            self._numbers[derivation] = len(self.steps)
            self.steps.append(written)
        return self._numbers[derivation]


def written_fields(cls: type) -> tuple[str, ...]:
    """The fields of a record class that are written: all but positions in the text, which are no part of the value."""
    return tuple(name for name, annotation in annotations_of(cls).items() if annotation is not Span)
