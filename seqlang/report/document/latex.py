"""A document's tables as LaTeX, with booktabs. Texts are escaped; what stands between the tables is left out, and their
headings are comments."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.report.document.document import Document, Heading, Line, Paragraph, Table

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"$<$", ">": r"$>$", "|": r"$|$", '"': "''",
    "∞": r"$\infty$", "≤": r"$\le$", "≥": r"$\ge$", "±": r"$\pm$", "×": r"$\times$", "−": "$-$", "√": r"$\sqrt{\ }$",
    "ε": r"$\varepsilon$", "δ": r"$\delta$", "α": r"$\alpha$", "σ": r"$\sigma$", "→": r"$\to$", "·": r"$\cdot$",
    "✓": r"$\checkmark$", "✗": r"$\times$", "…": r"\ldots{}", "–": "--", "—": "---", "“": "``", "”": "''", "’": "'",
}  # fmt: skip


def escaped(text: str) -> str:
    r"""What LaTeX prints as `text`; a line break is a blank, and a character that it would obey is spelt.

    >>> print(escaped("50 % of $a_1$"))
    50 \% of \$a\_1\$
    """
    compared = text.replace("<=", "≤").replace(">=", "≥")
    return "".join(_SPECIAL.get(c, c if c.isprintable() else " ") for c in compared)


def render_latex(document: Document) -> str:
    """Every table a `tabular`, the headings before it, or the line that the report begins with, as a comment."""
    return "\n".join(_parts(document))


def _parts(document: Document) -> Iterator[str]:
    for number, block in enumerate(document.blocks):
        match block:
            case Heading(text):
                yield f"% {_comment(text)}"
            case Paragraph(words) if number == 0:
                yield f"% {_comment(_text(words))}"
            case Table():
                yield _tabular(block)


def _tabular(table: Table) -> str:
    rows = [" & ".join(_cell(cell) for cell in row) + r" \\" for row in table.rows]
    head = [" & ".join(map(escaped, table.head)) + r" \\", r"\midrule"] if any(table.head) else []
    lines = [rf"\begin{{tabular}}{{{table.align}}}", r"\toprule", *head, *rows, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines)


def _cell(cell: Line) -> str:
    """Lines of a cell stand below each other."""
    lines = [escaped(part) for part in _text(cell).split("\n")]
    return lines[0] if len(lines) == 1 else r"\shortstack[l]{" + r"\\".join(lines) + "}"


def _text(words: Line) -> str:
    return "".join(w.text for w in words)


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)
