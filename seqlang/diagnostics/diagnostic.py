"""What is wrong with a text, as a value: never raised inside, always returned."""

from __future__ import annotations

from typing import Literal

from seqlang.record import record
from seqlang.source import Source, Span

Severity = Literal["error", "warning"]


@record
class Label:
    """A place in the text and what to say about it."""

    span: Span
    text: str = ""


@record
class Diagnostic:
    """One finding. `code` is E01xx syntax, E02xx names and levels, E03xx types and domains, E04xx model, E05xx claims,
    E06xx options and data, W06xx lints; each code has a page in `diagnostics/explanations`."""

    code: str
    message: str
    primary: Label | None = None
    secondary: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()
    help: str | None = None

    @property
    def severity(self) -> Severity:
        return "warning" if self.code.startswith("W") else "error"


class SpecError(Exception):
    """A text, an option or a data file that cannot be used; carries every diagnostic (E or W) found in it."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...], source: object = None) -> None:
        self.diagnostics = diagnostics
        self.source = source
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))

    def _render_traceback_(self) -> list[str]:
        """What IPython shows instead of the frames of the call: the diagnostics, as the command line shows them."""
        from importlib import import_module

        plain = import_module("seqlang.diagnostics.plain")  # which reads the records above
        found: list[str] = plain.render(
            self.diagnostics, self.source if isinstance(self.source, Source) else Source("", "")
        ).splitlines()
        return found

    @classmethod
    def of(
        cls,
        code: str,
        message: str,
        *,
        place: Label | None = None,
        notes: tuple[str, ...] = (),
        help: str | None = None,
        source: object = None,
    ) -> SpecError:
        """The error of one diagnostic."""
        return cls((Diagnostic(code, message, place, (), notes, help),), source)
