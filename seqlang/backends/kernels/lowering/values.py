"""What an expression is while a kernel is written: the text that computes it, or a list of such texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from seqlang.backends.kernels.operations import Kind
from seqlang.record import record


class CannotCompile(Exception):
    """The program needs something that kernels have not; the message says what, in a phrase."""


@record
class Scalar:
    """`text` computes the value. `finite`: it is certainly a finite number (then nothing has to be looked at). `whole`
    is the text of the same number as an int64, where it is known to be whole."""

    text: str
    kind: Kind = "number"
    finite: bool = True
    whole: str | None = None

    @property
    def number(self) -> str:
        """The text of the value as a float64."""
        return f"(1.0 if {self.text} else 0.0)" if self.kind == "truth" else self.text

    @property
    def truth(self) -> str:
        """The text of the value as a bool."""
        return self.text if self.kind == "truth" else f"({self.text} != 0.0)"


@record
class List:
    """A vector, or a list of vectors: `length` is the text of an int64, `at(i)` the element at the text `i` (from 0).

    Asking for an element may write lines; it is asked where these may stand. `grows`: the length changes in a run.
    `array`: the name of the array that holds it (with the right kind of elements), if there is one.
    """

    length: str
    at: Callable[[str], Value]
    grows: bool = False
    array: str | None = None


Value: TypeAlias = Scalar | List


def scalar(value: Value, what: str) -> Scalar:
    """The value, which must be one number, truth or label."""
    if isinstance(value, List):
        raise CannotCompile(f"a list as {what}")
    return value
