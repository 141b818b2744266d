"""Errors and warnings as values: a code, a message, the place in the text, and often a remedy. They are shown as
text or as JSON, and `explanations` has a page on each code.
"""

from seqlang.diagnostics.diagnostic import Diagnostic, Label, Severity, SpecError

__all__ = ["Diagnostic", "Label", "Severity", "SpecError"]
