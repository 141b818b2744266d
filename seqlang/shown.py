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
    """A result with a `document()`: as text in a terminal, as HTML in a notebook; and with a `frame()`, its rows."""

    __slots__ = ()
    shown_by: ClassVar[str]
    """The function of `seqlang.report` that gives the blocks of the report, named as "module:function"."""

    @property
    def summary(self) -> str:
        """The result in a few words."""
        return ""

    def document(self) -> Any:
        """The report."""
        return by_report("document.document:Document", tuple(by_report(self.shown_by, self)))

    def frame(self) -> list[dict[str, Any]]:
        """The rows of its main table, a mapping from columns to values each."""
        raise TypeError(f"a {type(self).__name__} has no table")

    def to_pandas(self) -> Any:
        """`frame()` as a `pandas.DataFrame`. Raises SpecError E0605 without pandas."""
        return by_report("table_file:data_frame", self.frame())

    def to_latex(self) -> str:
        r"""The tables of the report for a paper: a `tabular` each, which needs `\usepackage{booktabs}`."""
        return str(by_report("document.latex:render_latex", self.document()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary}>"

    def __str__(self) -> str:
        return str(by_report("document.plain_text:render_plain", self.document()))

    def _repr_html_(self) -> str:
        return str(by_report("document.rich_text:as_html", self.document()))


class Drawn(Shown):
    """A result of which there is a picture."""

    __slots__ = ()
    drawn_by: ClassVar[str]
    """The function of `seqlang.report` that draws some results of this kind, named as "module:function"."""

    def plot(
        self, file: str | None = None, *, style: str | None = None, size: tuple[float, float] | None = None
    ) -> Any:
        """Draws the picture, to `file` (.png, .pdf, .svg, .jpg) or, where none is given, as a figure of matplotlib's
        pyplot, which notebooks show. Returns its axes, an array if there are several. `style` is a style of matplotlib,
        `size` the inches of the picture, (width, height). Needs the extra `plot`; raises SpecError E0605."""
        return draw((self,), file, style, size)


def draw(
    results: tuple[Drawn, ...], file: str | None, style: str | None, size: tuple[float, float] | str | None, **axes: Any
) -> Any:
    """One picture of some results of one kind."""
    look = by_report("pictures.look:look_of", style, size)
    return by_report(results[0].drawn_by, results, None if file is None else str(file), look, **axes)
