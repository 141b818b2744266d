"""Pages that have their text elsewhere: diagnostics, proof rules, the options that the pages of commands list, and the
words of the glossary."""

from __future__ import annotations

import os
import re
from functools import cache
from textwrap import dedent

from seqlang.diagnostics.explain import codes, explain
from seqlang.manual.page import Page
from seqlang.manual.written import heading, written

_OPTION = re.compile(r"^- (`(--[a-z-]+)[^`]*`(?:, `(--[a-z-]+)[^`]*`)?): ((?:.*\n(?:  .*\n)*))", re.MULTILINE)

_GLOSSARY = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "GLOSSARY.md")
_ROW = re.compile(r"^\| ([^|]+) \| (.+) \|$", re.MULTILINE)


def diagnostic(code: str) -> Page | None:
    """The page of a code such as `E0105`, in capitals or not."""
    code = code.upper()
    text = explain(code)
    if text is None:
        return None
    title, _ = heading(text)
    return Page(code, "diagnostic", title, title.partition(": ")[2], text, (code,))


def rule(name: str) -> Page | None:
    """The page of a proof rule such as `alignment/stopping`."""
    from seqlang.rules import find

    found = find(name)
    if found is None:
        return None
    statement = dedent(found.statement).strip("\n")
    text = f"# {name}: {found.title}\n\n```\n{statement}\n```\n\nSource: {found.cite}\n"
    return Page(name, "rule", f"{name}: {found.title}", found.title, text, (name,))


@cache
def diagnostics() -> tuple[Page, ...]:
    return tuple(page for code in codes() if (page := diagnostic(code)) is not None)


@cache
def rules() -> tuple[Page, ...]:
    """Imports every rule."""
    from seqlang.rules import names

    return tuple(page for name in names() if (page := rule(name)) is not None)


@cache
def options() -> tuple[Page, ...]:
    """A page for each option: what it is to each command that has it, as the command's page says."""
    found: dict[tuple[str, ...], list[tuple[str, str, str]]] = {}
    for page in written():
        if page.kind == "command":
            for spelling, name, other, meaning in _OPTION.findall(page.text):
                names = (name, other) if other else (name,)
                found.setdefault(names, []).append((page.name, spelling, " ".join(meaning.split())))
    return tuple(_option(names, uses) for names, uses in sorted(found.items()))


def _option(names: tuple[str, ...], uses: list[tuple[str, str, str]]) -> Page:
    lines = [f"# {names[0]}: an option of {', '.join(f'`{command}`' for command, _, _ in uses)}", ""]
    lines += [f"- `seqlang {command}` {spelling}: {meaning}" for command, spelling, meaning in uses]
    lines += ["", f"See also: {', '.join(f'`{command}`' for command, _, _ in uses)}", ""]
    summary = uses[0][2].partition(". ")[0].rstrip(".") + "."
    return Page(names[0], "option", lines[0].removeprefix("# "), summary, "\n".join(lines), names)


@cache
def terms() -> tuple[Page, ...]:
    """The words of the glossary, and the glossary as a whole."""
    with open(_GLOSSARY, encoding="utf-8") as file:
        text = file.read()
    title, _ = heading(text)
    whole = Page(
        "glossary", "term", title, "All words that are used here in a sense of their own.", text, ("glossary",)
    )
    rows = [(word, meaning) for word, meaning in _ROW.findall(text) if word != "word" and not word.startswith("--")]
    return (whole, *(_term(word, meaning) for word, meaning in rows))


def _term(word: str, meaning: str) -> Page:
    text = f"# {word}, in reports and in the code\n\n{meaning}\n\nSee also: `glossary`\n"
    title, summary = heading(text)
    return Page(word, "term", title, summary, text, (word,))
