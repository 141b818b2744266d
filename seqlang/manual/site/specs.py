"""A page for each spec of the library: its text, the report of `check`, and the law of its stopping step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path

from seqlang.manual.site.frame import Entry
from seqlang.manual.site.law_picture import law_picture
from seqlang.manual.site.markdown import coloured, linked
from seqlang.proof.verdict import VERDICTS

_TITLE = re.compile(r'^algorithm\s+\w+(?:\s+edition\s+\d+)?\s+"([^"]*)"')
_CAPTION = "The probability to have stopped by a step, under each model, exactly."


def title_of(path: Path) -> str:
    """What the spec says that it is."""
    found = _TITLE.search(path.read_text(encoding="utf-8"))
    return found[1] if found else ""


def spec_page(name: str, path: Path, rules: Mapping[str, str], seconds: float) -> str:
    """The page; `rules` are the addresses of the proof rules, `seconds` what the exact law may take."""
    text = path.read_text(encoding="utf-8")
    report = path.with_suffix(".report.txt")
    said = report.read_text(encoding="utf-8") if report.is_file() else ""
    parts = [
        "<p class=kind>library</p>", f"<h1>{escape(title_of(path) or name)}</h1>", _verdicts(said),
        f"<p><code>seqlang check @{escape(name)}</code></p>", f"<pre class=seq>{coloured(text)}</pre>",
    ]  # fmt: skip
    picture = law_picture(text, seconds) if seconds > 0 else ""
    if picture:
        parts.append(f"<figure>{picture}<figcaption>{_CAPTION}</figcaption></figure>")
    if said:
        used = {rule: rules[rule] for rule in rules if rule in said}
        parts += ["<h2>Report</h2>", f"<pre class=report>{linked(said, used)}</pre>"]
    return "\n".join(parts)


def _verdicts(report: str) -> str:
    lines = report.partition("\nClaims\n")[2].splitlines()
    signs = {shown.mark: (shown.tone, word) for word, shown in VERDICTS.items()}
    found = []
    for line in lines:
        sign, _, rest = line.strip().partition(" ")
        if line[:2] == "  " and line[2:3] in signs and " claim " in rest:
            colour, verdict = signs[sign]
            claim = escape(rest.partition("  line ")[2].partition("  ")[2])
            found.append(f"<li><span class={colour}>{sign} {verdict}</span> <code>{claim}</code>")
    return f"<ul>{''.join(found)}</ul>" if found else ""


def list_of_specs(specs: Sequence[Entry]) -> str:
    """All specs, by folder."""
    text = "<h1>The library</h1><p>Algorithms from the literature, variants of them, and known mistakes.</p>"
    for folder, members in groupby(specs, lambda entry: entry.name.partition("/")[0]):
        items = "".join(
            f'<dt><a href="{entry.address.removeprefix("specs/")}">{escape(entry.name.partition("/")[2])}</a></dt>'
            f"<dd>{escape(entry.summary)}</dd>"
            for entry in members
        )
        text += f"<h2>{escape(folder)}</h2><dl class=pages>{items}</dl>"
    return text
