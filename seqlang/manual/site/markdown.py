"""Markdown of the manual as HTML: examples are coloured, and names in the text lead to their pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter

from seqlang.syntax.pygments_lexer import SeqLexer

_FORMATTER = HtmlFormatter(nowrap=True)


def coloured(text: str) -> str:
    """A text of the language as HTML, without `pre`."""
    return str(highlight(text, SeqLexer(), _FORMATTER))


def reader(address: Callable[[str], str | None]) -> MarkdownIt:
    """A reader; `address(name)` is where the page of a name is, None if the name has none."""
    made = MarkdownIt("commonmark", {"html": False}).enable("table")

    def code(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
        text = f"<code>{escape(tokens[at].content)}</code>"
        leads = address(tokens[at].content)
        return text if leads is None else f'<a href="{leads}">{text}</a>'

    def fence(self: Any, tokens: Any, at: int, options: Any, env: Any) -> str:
        kind, _, rest = tokens[at].info.partition(" ")
        text = coloured(tokens[at].content) if kind == "seq" else escape(tokens[at].content)
        caption = _CAPTIONS.get(rest or kind, "")
        return (f"<p class=caption>{caption}</p>" if caption else "") + f"<pre class={kind or 'text'}>{text}</pre>\n"

    made.add_render_rule("code_inline", code)
    made.add_render_rule("fence", fence)
    return made


_CAPTIONS = {
    "values": "values", "steps": "values step by step", "append": "add to the file", "replace": "change in the file",
    "file": "ab.seq",
}  # fmt: skip


def linked(text: str, addresses: Mapping[str, str]) -> str:
    """A plain text as HTML in which each of these words leads somewhere."""
    if not addresses:
        return escape(text)
    pattern = re.compile("|".join(re.escape(word) for word in sorted(addresses, key=len, reverse=True)))
    return pattern.sub(lambda m: f'<a href="{addresses[m[0]]}">{m[0]}</a>', escape(text))
