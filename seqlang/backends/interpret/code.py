"""What the compiler makes of an expression, and the compiler as the parts of the interpreter see it."""

from __future__ import annotations

from typing import Protocol

from seqlang.backends.interpret.state import Run
from seqlang.backends.interpret.values import Value
from seqlang.model import expression as ir
from seqlang.model.program import Program

STATE = "state"
Reads = frozenset[str | int]
"""What an expression reads: the word STATE for anything that changes, and the numbers of its free variables."""


class Code:
    """A compiled expression: `run(state)` is its value; `reads` is empty for a constant."""

    __slots__ = ("reads", "run")

    def __init__(self, run: Run, reads: Reads) -> None:
        self.run = run
        self.reads = reads


class Expressions(Protocol):
    """Compiles the expressions of one program; `compiled.Compiler` does it."""

    @property
    def program(self) -> Program: ...

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shapes of definitions that are known so far (see `shapes.py`)."""

    def compile(self, expression: ir.Expression) -> Code:
        """Raises nothing: an expression without a value is an error when it is run."""

    def constant(self, expression: ir.Expression) -> Value:
        """The value of an expression that reads no state and no variable. Raises EvaluationError."""

    def lacks_value(self, e: ir.Expression) -> bool:
        """Whether it is a constant without a value."""

    def averaged(self, values: Run) -> Run:
        """The values of which a mean is taken."""
