"""Diagnostics: the value, the explanations of its codes, and how it is shown."""

from seqlang.diagnostics.diagnostic import Diagnostic, Label, Severity, SpecError

__all__ = ["Diagnostic", "Label", "Severity", "SpecError"]
