"""Where rich meets the world: one theme, the terminal, plain text, and HTML for notebooks.

rich reads `[...]` in strings as markup, so everything here is built from `rich.text.Text`.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.theme import Theme

WIDTH = 110
"""Columns of a report that goes to a pipe, a file or a notebook."""


def _theme() -> Theme:
    from rich.theme import Theme

    return Theme(
        {
            "good": "bold green",
            "bad": "bold red",
            "doubt": "bold yellow",
            "head": "bold",
            "quiet": "dim",
            "formula": "cyan",
        }
    )


def terminal(stream: IO[str]) -> Console:
    """A console on a stream: colours and the true width on a terminal, plain text of WIDTH columns elsewhere."""
    from rich.console import Console

    width = None if stream.isatty() else WIDTH
    return Console(file=stream, theme=_theme(), highlight=False, soft_wrap=False, width=width, emoji=False)


def as_text(renderable: RenderableType, width: int = WIDTH) -> str:
    """The report without colours."""
    from io import StringIO

    from rich.console import Console

    stream = StringIO()
    Console(file=stream, theme=_theme(), highlight=False, width=width, emoji=False, color_system=None).print(renderable)
    return "".join(line.rstrip() + "\n" for line in stream.getvalue().splitlines())


def as_html(renderable: RenderableType) -> str:
    """The report as one HTML fragment with inline styles, no scripts, no outside requests."""
    from io import StringIO

    from rich.console import Console

    console = Console(file=StringIO(), theme=_theme(), highlight=False, width=WIDTH, emoji=False, record=True)
    console.print(renderable)
    return console.export_html(inline_styles=True, code_format='<pre style="line-height:1.35">{code}</pre>')
