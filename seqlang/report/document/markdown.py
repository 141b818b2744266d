"""A document as Markdown, and Markdown as one HTML page that needs no network: for reports that are printed, mailed, or
taken into a word processor."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import assert_never

from seqlang.diagnostics.display import visible_lines
from seqlang.report.document.document import Block, Heading, Line, Paragraph, Table, Tree

_OBEYED = re.compile(r"([\\`*_{}\[\]<>#|~$])")
_STYLE = """\
body { font: 11pt/1.45 Georgia, serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #111 }
h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 1.8rem; border-bottom: 1px solid #ccc }
table { border-collapse: collapse; margin: .6rem 0; font-size: .92em; font-variant-numeric: tabular-nums }
th, td { padding: .12rem .7rem; border-bottom: 1px solid #ddd; vertical-align: top } th { text-align: left }
pre { background: #f6f6f4; padding: .7rem; font-size: 8.5pt; line-height: 1.3; white-space: pre-wrap }
code { font-family: Menlo, Consolas, monospace; font-size: .9em } img { max-width: 100% }
@media print { body { margin: 0; max-width: none } h2 { break-after: avoid } table, img { break-inside: avoid } }
"""


def as_markdown(blocks: Sequence[Block]) -> str:
    """Headings of the second level, paragraphs, tables and lists; what Markdown would obey is escaped."""
    return "\n\n".join("\n".join(_block(block)) for block in blocks) + "\n"


def code(text: str, language: str = "") -> str:
    """Lines as they are; `seq` is the language of specs."""
    fence = "`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def as_page(markdown: str, title: str) -> str:
    """One HTML file with its style inside. HTML in the Markdown is shown and not obeyed."""
    from html import escape

    from markdown_it import MarkdownIt

    class Reader(MarkdownIt):
        def validateLink(self, url: str) -> bool:
            return _own(url)

    reader = Reader("commonmark", {"html": False, "highlight": _coloured}).enable("table")
    head = f"<meta charset='utf-8'><title>{escape(title)}</title><style>{_STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>\n{reader.render(markdown)}</body></html>\n"


def _coloured(text: str, language: str, _: str) -> str:
    """A spec with its colours, as HTML; nothing for other lines, which are then shown as they are."""
    if language != "seq":
        return ""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    from seqlang.syntax.pygments_lexer import SeqLexer

    return highlight(text, SeqLexer(), HtmlFormatter(nowrap=True, noclasses=True))


def _own(link: str) -> bool:
    """Only pictures that the page itself holds."""
    return link.startswith(("data:image/png;base64,", "data:image/svg+xml;base64,"))


def _block(block: Block) -> Iterator[str]:
    match block:
        case Heading(text):
            yield f"## {_escaped(text)}"
        case Paragraph(words):
            yield _text(words)
        case Table():
            yield from _table(block)
        case Tree():
            yield from _tree(block, "")
        case _:
            assert_never(block)


def _table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(_escaped, table.head))} |"
    yield f"|{'|'.join('---:' if side == 'r' else '---' for side in table.align)}|"
    for cells in table.rows:
        yield f"| {' | '.join(_text(cell).replace(chr(10), ' ') for cell in cells)} |"


def _tree(tree: Tree, margin: str) -> Iterator[str]:
    yield f"{margin}- {_text(tree.words)}"
    for branch in tree.branches:
        yield from _tree(branch, margin + "  ")


def _text(words: Line) -> str:
    return _escaped("".join(w.text for w in words)).strip()


def _escaped(text: str) -> str:
    return _OBEYED.sub(r"\\\1", visible_lines(text))
