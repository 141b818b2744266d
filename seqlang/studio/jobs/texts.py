"""Specs as a page holds them: a text, and values of parameters as they were typed."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from seqlang.driver import Loaded, load
from seqlang.driver.given import number
from seqlang.source import Source

NAME = "spec.seq"
"""What diagnostics call the text."""
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
