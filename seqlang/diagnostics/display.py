"""Source text as a terminal shows it: tabs expanded, nothing that a terminal would obey, widths in cells."""

from __future__ import annotations

from unicodedata import category, east_asian_width

TAB = 4


def visible(text: str) -> str:
    """`text` with every character that controls a terminal or hides (escape, bidirectional marks, line separators)
    shown as a symbol instead. Tabs become spaces."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(cells(text))


def visible_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines."""
    if "\n" not in text:
        return visible(text)
    return "\n".join(map(visible, text.split("\n")))


def cells(text: str) -> list[str]:
    """What is shown for each character of `text`."""
    return [_cell(character) for character in text]


def width(shown: str) -> int:
    """How many columns a shown text takes: wide East Asian characters two, combining marks none."""
    if shown.isascii():
        return len(shown)
    return sum(_character_width(character) for character in shown)


def _cell(character: str) -> str:
    if character == "\t":
        return " " * TAB
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    # Marks that combine would sit on the character before them; alone behind a cut they still do no harm.
    if character.isprintable() or category(character) in ("Mn", "Me"):
        return character
    return " " if category(character) == "Zs" else "\ufffd"


def _character_width(character: str) -> int:
    if category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
