"""Where the passes put what they find. One finding a place and code: an inlined function is not reported twice."""

from __future__ import annotations

from collections.abc import Iterable

from seqlang.diagnostics import Diagnostic, Label
from seqlang.source import Span

_MANY = 100


class Problems:
    """The diagnostics of one elaboration, in any order; `sorted` gives them by place."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Span], Diagnostic] = {}

    def add(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        secondary: Iterable[tuple[Span, str]] = (),
        help: str | None = None,
    ) -> None:
        """Record one finding at `span`; `secondary` are further places with what to say about them."""
        others = tuple(Label(place, text) for place, text in secondary)
        diagnostic = Diagnostic(code, message, Label(span, label), others, help=help)
        self._found.setdefault((code, span), diagnostic)

    @property
    def failed(self) -> bool:
        return any(code.startswith("E") for code, _ in self._found)

    @property
    def many(self) -> bool:
        """So many that nobody reads a suggestion to each; looking for them would take minutes."""
        return len(self._found) > _MANY

    def __len__(self) -> int:
        return len(self._found)

    def sorted(self) -> tuple[Diagnostic, ...]:
        return tuple(d for (_, span), d in sorted(self._found.items(), key=lambda item: item[0][1].start))
