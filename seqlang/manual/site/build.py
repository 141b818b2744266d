"""Writes the site: a page for each page of the manual and each spec of the library, lists, a search, a style."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from pathlib import Path

from seqlang.driver import library
from seqlang.manual.find import find, pages
from seqlang.manual.page import KINDS, Page
from seqlang.manual.site.frame import Entry, anchor, framed, script, style
from seqlang.manual.site.markdown import reader
from seqlang.manual.site.specs import list_of_specs, spec_page, title_of

HEADINGS = {
    "guide": "Guides", "statement": "Statements", "adjacency": "Neighbours", "domain": "Domains",
    "time clause": "Time clauses", "operator": "Operators", "value": "Values", "function": "Functions", "law": "Laws",
    "life": "Lives of noises", "claim": "Claims", "notion": "Notions of privacy", "command": "Commands",
    "option": "Options", "term": "Glossary", "diagnostic": "Diagnostics", "rule": "Proof rules",
}  # fmt: skip
_PLAIN = re.compile(r"--[a-z-]+|[EW][0-9]{4}|[a-z_]+/[a-z_]+|[a-z]+( [a-z]+)+")
MOST_LISTED = 40
"""Longer lists are folded on the first page."""
_INTRODUCTION = """\
<h1>seqlang</h1>
<p>A language for sequential algorithms on private data: hypothesis tests that stop when the evidence suffices, sparse
vector, monitoring, private learning. From one file <code>seqlang check</code> proves or refutes privacy, stopping time
included, <code>seqlang run</code> simulates, and <code>seqlang solve</code> computes exactly.</p>
<p>Begin with <a href="{first}">your first private test</a>, with <a href="{ten}">the language in ten minutes</a> if you
know differential privacy, or with <a href="{statisticians}">the language for statisticians</a>; or look at <a
href="specs/index.html">{count} algorithms from the literature</a> with what is proved of them.</p>
"""


def address_of(page: Page) -> str:
    """Where the page is, from the top of the site: names of marks are spelt by their numbers."""
    plain = re.sub(r"[^A-Za-z0-9_-]", lambda m: "-" if m[0] in " /" else f"{ord(m[0]):x}", page.name.removeprefix("--"))
    return f"{page.kind.replace(' ', '_')}/{plain}.html"


def build(folder: Path, *, pictures: float = 0.0) -> int:
    """Writes all files below the folder, which is made; returns how many pages there are. `pictures`: seconds of CPU
    that the exact law of one spec may take to be drawn. Files of an earlier build are overwritten, others left."""
    every = pages()
    entries = {address_of(page): Entry(page.name, page.kind, page.summary, address_of(page)) for page in every}
    assert len(entries) == len(every), "two pages at one address"
    lists = {HEADINGS[kind]: [e for e in entries.values() if e.kind == kind] for kind in KINDS}
    specs = [Entry(name, "spec", title_of(path), f"specs/{name}.html") for name, path in library().items()]
    rules = {page.name: address_of(page) for page in every if page.kind == "rule"}
    for page in every:
        _write(folder / address_of(page), page.title, _page(page), 1, lists, address_of(page))
    for (name, path), entry in zip(library().items(), specs, strict=True):
        body = spec_page(name, path, {rule: f"../../{address}" for rule, address in rules.items()}, pictures)
        _write(folder / entry.address, f"{name}: {entry.summary}", body, 2, lists, entry.address)
    _write(folder / "specs" / "index.html", "The library", list_of_specs(specs), 1, lists, "specs/index.html")
    _write(folder / "index.html", "seqlang: the manual", _index(lists, len(specs)), 0, lists, "index.html")
    _assets(folder, every, specs)
    return len(every) + len(specs) + 2


def _write(file: Path, title: str, body: str, depth: int, lists: Mapping[str, Sequence[Entry]], address: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(framed(title.replace("`", ""), body, depth, lists, address), encoding="utf-8")


def _assets(folder: Path, every: Sequence[Page], specs: Sequence[Entry]) -> None:
    names = [[name, page.kind, page.summary, address_of(page)] for page in every for name in page.names]
    names += [[entry.name, "spec", entry.summary, entry.address] for entry in specs]
    (folder / "names.js").write_text(f"const NAMES = {json.dumps(names, ensure_ascii=False)};\n", encoding="utf-8")
    (folder / "search.js").write_text(script(), encoding="utf-8")
    (folder / "style.css").write_text(style(), encoding="utf-8")


@cache
def _leads(name: str) -> str | None:
    """The address of the page of that very name."""
    found = find(name)
    return f"../{address_of(found[0])}" if found and name in found[0].names else None


def _page(page: Page) -> str:
    """In the text only names that mean one thing are links: options, codes, rules, names of several words. A short word
    in code is as likely a name of the example."""
    text, also, rest = page.text.partition("\nSee also: ")
    html = reader(lambda name: _leads(name) if _PLAIN.fullmatch(name) else None).render(text)
    html += reader(_leads).render(also + rest)
    html = html.replace("<table>", "<div class=wide><table>").replace("</table>", "</table></div>")
    return f"<p class=kind>{escape(page.kind)}</p>\n{html}"


def _index(lists: Mapping[str, Sequence[Entry]], count: int) -> str:
    first, ten, statisticians = (
        address_of(find(name)[0]) for name in ("first test", "ten minutes", "for statisticians")
    )
    text = _INTRODUCTION.format(first=first, ten=ten, statisticians=statisticians, count=count)
    for heading, entries in lists.items():
        items = "".join(
            f'<dt><a href="{e.address}">{escape(e.name)}</a></dt><dd>{escape(e.summary.replace("`", ""))}</dd>'
            for e in entries
        )
        listed = f"<dl class=pages>{items}</dl>"
        if len(entries) > MOST_LISTED:
            listed = f"<details><summary>all {len(entries)}</summary>{listed}</details>"
        text += f'<h2 id="{anchor(heading)}">{heading}</h2>{listed}'
    return text
