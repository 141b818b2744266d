"""What all pages of the site have around them: head, search, the list of pages, and what the style needs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pygments.formatters import HtmlFormatter

from seqlang.record import record

_HERE = os.path.dirname(os.path.realpath(__file__))
LIGHT, DARK = "friendly", "github-dark"
"""Styles of Pygments."""


@record
class Entry:
    """A page in lists: `address` from the top of the site."""

    name: str
    kind: str
    summary: str
    address: str


def framed(title: str, body: str, depth: int, lists: Mapping[str, Sequence[Entry]], here: str = "") -> str:
    """A whole page. `depth` is how many folders it lies below the top, `here` its address."""
    up = "../" * depth
    return (
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
        '<meta name=viewport content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>"
        f'<link rel=stylesheet href="{up}style.css"><script src="{up}names.js" defer></script>'
        f'<script src="{up}search.js" defer></script></head><body data-up="{up}">\n'
        f'<header><a class=home href="{up}index.html">seqlang</a>'
        '<div class=search><input type=search id=query placeholder="Search the manual" aria-label="Search" '
        "autocomplete=off><ol id=found></ol></div></header>\n"
        f"<div class=columns><nav>{_lists(lists, up, here)}</nav>\n<main>\n{body}</main></div></body></html>\n"
    )


def anchor(heading: str) -> str:
    """Where the list of that heading stands on the first page."""
    return heading.lower().replace(" ", "-")


def _lists(lists: Mapping[str, Sequence[Entry]], up: str, here: str) -> str:
    """The headings, and the pages beside this one."""
    parts = [f'<a href="{up}specs/index.html">The library</a>']
    for heading, entries in lists.items():
        parts.append(f'<a href="{up}index.html#{anchor(heading)}">{escape(heading)}</a>')
        if any(entry.address == here for entry in entries):
            items = "".join(f"<li>{_item(entry, up, here)}" for entry in entries)
            parts.append(f"<ul>{items}</ul>")
    return "".join(parts)


def _item(entry: Entry, up: str, here: str) -> str:
    current = " aria-current=page" if entry.address == here else ""
    return f'<a href="{up}{entry.address}"{current}>{escape(entry.name)}</a>'


def style() -> str:
    """The style sheet, with the colours of examples by day and by night."""
    with open(os.path.join(_HERE, "static", "style.css"), encoding="utf-8") as file:
        text = file.read()
    light, dark = (_rules(name) for name in (LIGHT, DARK))
    return f"{text}\n{_plain(light)}\n@media (prefers-color-scheme: dark) {{\n{_plain(dark)}\n}}\n"


def _rules(style: str) -> str:
    formatter: Any = HtmlFormatter(style=style)
    return str(formatter.get_style_defs("pre"))


def _plain(rules: str) -> str:
    """Colours of words only: the page has its own background and its own line heights."""
    return "\n".join(line for line in rules.splitlines() if line.startswith("pre ."))


def script() -> str:
    with open(os.path.join(_HERE, "static", "search.js"), encoding="utf-8") as file:
        return file.read()
