"""What a shell can complete: commands, their options with what these take, read off the parsers."""

from __future__ import annotations

from argparse import Action
from collections.abc import Iterator
from importlib import import_module
from typing import Literal

from seqlang.cli.__main__ import COMMANDS
from seqlang.cli.options import Parser
from seqlang.record import record

Takes = Literal["nothing", "value", "file", "spec"]


@record
class Option:
    """`flags` are its spellings. `takes`: what follows it; `choices` are all that may, where they are few."""

    flags: tuple[str, ...]
    about: str
    takes: Takes
    choices: tuple[str, ...]
    repeatable: bool


@record
class Command:
    """`takes` and `choices` are about what is no option; `choices` are those of its first word."""

    name: str
    about: str
    options: tuple[Option, ...]
    takes: Takes
    choices: tuple[str, ...]


def commands() -> tuple[Command, ...]:
    """All commands, in the order of `seqlang --help`."""
    return tuple(
        _command(name, about, import_module(f"seqlang.cli.{name}").parser()) for name, about in COMMANDS.items()
    )


def library_names() -> tuple[str, ...]:
    """`@NAME` for every spec of the library."""
    from seqlang.driver import library

    return tuple(f"@{name}" for name in library())


def _command(name: str, about: str, parser: Parser) -> Command:
    actions = [action for form in (parser, *parser.also) for action in form.actions()]
    options: dict[tuple[str, ...], Option] = {}
    for action in actions:
        if action.option_strings:
            option = _option(action)
            options.setdefault(option.flags, option)
    words = [action for action in actions if not action.option_strings]
    takes: Takes = _takes(words[0]) if words else "nothing"
    return Command(name, about, tuple(options.values()), takes, _choices(words[0]) if words else ())


def _option(action: Action) -> Option:
    about = (action.help or "").replace("%%", "%")
    repeatable = type(action).__name__ == "_AppendAction"
    return Option(tuple(action.option_strings), about, _takes(action), _choices(action), repeatable)


def _choices(action: Action) -> tuple[str, ...]:
    return tuple(map(str, action.choices or ()))


def _takes(action: Action) -> Takes:
    if action.nargs == 0:
        return "nothing"
    name = action.metavar if isinstance(action.metavar, str) else ""
    if name in ("SPEC", "DESIGN.seq") or (name == "FILE" and not action.option_strings):
        return "spec"
    return "file" if name.startswith("FILE") or name == "CERTIFICATE" else "value"


def flags_of(command: Command) -> Iterator[str]:
    """All spellings of all options."""
    for option in command.options:
        yield from option.flags
