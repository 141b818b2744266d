"""Pages that have their text elsewhere: diagnostics, proof rules, and the options that the pages of commands list."""

from __future__ import annotations

import re
from functools import cache
from textwrap import dedent

from seqlang.diagnostics.explain import codes, explain
from seqlang.manual.page import Page
from seqlang.manual.written import heading, written

_OPTION = re.compile(r"^- (`(--[a-z-]+)[^`]*`(?:, `(--[a-z-]+)[^`]*`)?): ((?:.*\n(?:  .*\n)*))", re.MULTILINE)


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
