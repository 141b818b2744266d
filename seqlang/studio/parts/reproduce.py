"""The command and the lines of Python that find the same figures without the page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from html import escape
from keyword import iskeyword
from typing import Any

from nicegui import ui

from seqlang.record import record


@record
class Lines:
    """What is typed in a terminal, and in Python."""

    command: str
    python: str


class Reproduce:
    """Both, to be copied."""

    def __init__(self) -> None:
        with ui.element("details").classes("w-full") as self._box:
            ui.html("The command line and Python lines that reproduce it", sanitize=False, tag="summary")
            self._shown = ui.html("", sanitize=False)
        self._box.set_visibility(False)

    def show(self, lines: Lines) -> None:
        """These."""
        blocks = "".join(
            f'<pre class="seq-wide" tabindex="0" role="region" aria-label="{label}">{escape(text)}</pre>'
            for label, text in (("command line", lines.command), ("Python", lines.python))
        )
        self._shown.set_content(blocks)
        self._box.set_visibility(True)


def lines_of(command: str, file: str, settings: Sequence[tuple[str, str]], options: Mapping[str, Any]) -> Lines:
    """Of a command on a file: its `--set`s, and its options, which Python has as keywords of the same names. An option
    with a sequence of values is repeated; True has no value."""
    words = ["seqlang", command, file]
    for name, value in settings:
        words += ["--set", f"{name}={value}"]
    for name, value in options.items():
        for one in value if isinstance(value, list) else [value]:
            words += [f"--{name.replace('_', '-')}", *([] if one is True else [str(one)])]
    given = keywords_of(settings)
    asked = "".join(f", {name}={value!r}" for name, value in options.items())
    python = f"import seqlang\n\nspec = seqlang.load({file!r}{given})\nprint(seqlang.{command}(spec{asked}))"
    return Lines(shlex.join(words), python)


def keywords_of(settings: Sequence[tuple[str, str]]) -> str:
    """Parameters as arguments in Python, with a comma before each. A parameter may be called `lambda`."""
    if any(iskeyword(name) for name, _ in settings):
        return f", **{dict(settings)!r}"
    return "".join(f", {name}={value!r}" for name, value in settings)


def command_of_design(asked: Mapping[str, str]) -> Lines:
    """Of the form."""
    names = {"null": "--null", "alternative": "--alternative", "alpha": "--alpha", "beta": "--beta",
             "privacy": "--privacy", "minimise": "--minimise", "max": "--max"}  # fmt: skip
    words = ["seqlang", "design"]
    for name, option in names.items():
        words += [option, asked[name]] if asked.get(name) else []
    course = asked.get("course", "both ends")
    words += [] if course == "both ends" else [f"--{course}"]
    keywords = "".join(f", {n}={asked[n]!r}" for n in ("privacy", "alpha", "beta", "minimise", "course"))
    most = f", max_steps={asked['max']}" if asked.get("max") else ""
    python = f"import seqlang\n\nfound = seqlang.design({asked['null']!r}, {asked['alternative']!r}{keywords}{most})"
    return Lines(shlex.join([*words, "--output", "design.seq"]), f"{python}\nprint(found)")
