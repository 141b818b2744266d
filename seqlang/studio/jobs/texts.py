"""Specs as a page holds them: a text, and values of parameters as they were typed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, load
from seqlang.driver.given import number, whole
from seqlang.source import Source

NAME = "spec.seq"
"""What diagnostics call the text."""
MOST_VALUES = 200
"""Of a parameter that is varied."""
LONGEST_NUMBER = 60
"""Characters."""


def source_of(argument: Mapping[str, Any]) -> Source:
    """The text that is edited."""
    return Source(NAME, str(argument["text"]))


def settings_of(argument: Mapping[str, Any]) -> dict[str, Fraction]:
    """Raises SpecError E0602 for what is no number."""
    given = argument.get("settings", {})
    return {name: number(str(text).strip()[:LONGEST_NUMBER], f"parameter {name}") for name, text in given.items()}


def loaded_of(argument: Mapping[str, Any]) -> Loaded:
    """The program with its settings; those of parameters that the text no longer has are left out. Raises SpecError."""
    source, given = source_of(argument), settings_of(argument)
    if not given:
        return load(source)
    names = {p.name for p in load(source).program.parameters}
    return load(source, {name: value for name, value in given.items() if name in names})


def models_of(argument: Mapping[str, Any], loaded: Loaded) -> tuple[str, ...]:
    """The model that was asked for, or all."""
    known = tuple(m.name for m in loaded.program.models)
    return tuple(name for name in known if name == argument["model"]) if argument.get("model") else known


def values_of(argument: Mapping[str, Any]) -> list[Fraction]:
    """So many values between two ends, both included. Raises SpecError E0602, E0603."""
    low, high = (number(str(argument[end]).strip()[:LONGEST_NUMBER], end) for end in ("from", "to"))
    count = whole(str(argument["count"]), "how many values", 2)
    if count > MOST_VALUES:
        raise SpecError.of("E0603", f"{count} values are more than {MOST_VALUES}, the most here")
    if argument.get("log") and min(low, high) > 0:
        ratio = float(high / low)
        return [low * Fraction(repr(ratio ** (i / (count - 1)))) for i in range(count)]
    return [low + (high - low) * i / (count - 1) for i in range(count)]
