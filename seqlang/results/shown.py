"""A result can be looked at, but does not know how: texts and pictures are made by `seqlang.report`, which is imported
when somebody looks."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar


def by_report(function: str, *arguments: Any, **keywords: Any) -> Any:
    """Calls a function of `seqlang.report`, named as "module:function"."""
    module, name = function.split(":")
    return getattr(import_module(f"seqlang.report.{module}"), name)(*arguments, **keywords)


class Shown:
    """A result with a `document()`: as text in a terminal, as HTML in a notebook."""

    __slots__ = ()
    shown_by: ClassVar[str]
    """The function of `seqlang.report` that gives the blocks of the report, named as "module:function"."""

    def document(self) -> Any:
        """The report."""
        return by_report("document.document:Document", tuple(by_report(self.shown_by, self)))

    def __str__(self) -> str:
        return str(by_report("document.plain_text:render_plain", self.document()))

    def _repr_html_(self) -> str:
        return str(by_report("document.rich_text:as_html", self.document()))
