"""Laws as values: what can be drawn from, and evaluated as a formula."""

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.make import make_law

__all__ = ["LawValue", "make_law"]
