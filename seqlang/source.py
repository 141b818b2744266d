"""Source text, and positions in it.

A `Span` is a half-open range of character offsets; line and column (both from 1) are computed only when somebody
looks at them.
"""

from __future__ import annotations

from bisect import bisect_right

from seqlang.record import field, record


@record
class Span:
    """Characters `start` (included) to `end` (excluded) of one source text."""

    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(min(self.start, other.start), max(self.end, other.end))


NOWHERE = Span(0, 0)


@record
class Source:
    """A named text (`name` is the path as the user gave it, or `<text>`)."""

    name: str
    text: str
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]
        object.__setattr__(self, "_starts", tuple(starts))

    def line_column(self, offset: int) -> tuple[int, int]:
        """Line and column, both from 1, of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line_text(self, line: int) -> str:
        """The text of a line (from 1) without its line break."""
        start = self._starts[line - 1]
        end = self._starts[line] - 1 if line < len(self._starts) else len(self.text)
        return self.text[start:end].rstrip("\r")
