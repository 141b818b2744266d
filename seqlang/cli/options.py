"""Options that several commands share, and how their texts become values."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.process.time_limit import limited, over

if TYPE_CHECKING:
    from seqlang.shown import Drawn

MOST_VALUES = 10_000


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """argparse makes one for each option and asks `shutil` for the width, which imports three compression libraries."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    asked = os.environ.get("COLUMNS", "")
    if asked.isdecimal() and 0 < len(asked) < 6 and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr] # as shutil does
    except (AttributeError, ValueError, OSError):
        return 80


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, with the nearest option, and leaves with code 2. `also` are parsers of other
    forms of the same command."""

    also: tuple[Parser, ...] = ()

    def __init__(self, command: str, description: str, examples: str) -> None:
        super().__init__(
            prog=f"seqlang {command}",
            description=description,
            epilog=f"examples\n{examples}",
            formatter_class=_Formatter,
            allow_abbrev=False,
        )

    def actions(self) -> tuple[argparse.Action, ...]:
        """What can be said on the command line, in the order of `--help`."""
        return tuple(self._actions)

    def error(self, message: str) -> None:  # type: ignore[override] # argparse says NoReturn: this raises
        unknown = message.removeprefix("unrecognized arguments: ").split()[0].split("=")[0]
        known = [o for action in self._actions for o in action.option_strings]
        near = hint(unknown, known) if message.startswith("unrecognized") else None
        raise SpecError.of("E0601", message, help=near or f"`{self.prog} --help` lists the options")


def add_settings(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="give a parameter a value")


PROOF_LIMIT = 60.0
"""Seconds of CPU time that proofs and exact laws take for one spec, unless they are told otherwise."""


def add_time_limit(parser: argparse.ArgumentParser, default: str = "none") -> None:
    parser.add_argument(
        "--time-limit", metavar="S", help=f"end after S seconds of CPU time, with what is known by then ({default})"
    )


def is_given(options: argparse.Namespace, names: Iterable[str]) -> bool:
    """Whether any of these options, which a command may lack, is given."""
    return any(getattr(options, name, None) not in (None, [], False) for name in names)


def refuse_given(options: argparse.Namespace, names: Iterable[str], why: str, help: str | None = None) -> None:
    """Raises SpecError E0601, `--name why`, for the first of these options that is given: it would be passed over."""
    for name in names:
        if is_given(options, (name,)):
            raise SpecError.of("E0601", f"--{name.replace('_', '-')} {why}", help=help)


def add_plot(parser: argparse.ArgumentParser | argparse._ArgumentGroup, what: str) -> None:
    """`--plot` and how the picture looks."""
    parser.add_argument("--plot", metavar="FILE", help=f"{what} (.png, .pdf, .svg, .jpg; needs seqlang[plot])")
    parser.add_argument("--style", metavar="NAME", help="of --plot: a style of matplotlib, such as grayscale")
    parser.add_argument("--size", metavar="WxH", help="of --plot: its width and height in inches, such as 6x4")


def refuse_plot(options: argparse.Namespace) -> None:
    """Raises SpecError E0605 where the picture of `--plot` could not be written, and for how it should look, before
    minutes are spent."""
    if options.plot is None:
        refuse_given(options, ("style", "size"), "belongs to --plot, which is not given")
        return
    from seqlang.report.pictures.look import look_of
    from seqlang.report.writable import refuse_unwritable_picture

    refuse_unwritable_picture(options.plot)
    look_of(options.style, options.size)


def write_plot(options: argparse.Namespace, results: Sequence[Drawn], **axes: str | None) -> None:
    """The picture of some results of one kind, where `--plot` asks for it."""
    if options.plot is not None:
        from seqlang.cli.terminal.output import say
        from seqlang.shown import draw

        draw(tuple(results), options.plot, options.style, options.size, **axes)
        say(f"wrote {options.plot}")


def seconds(text: str | None, option: str) -> float | None:
    """A number of seconds above 0; None where none is given."""
    if text is None:
        return None
    value = exact(text, option)
    if value <= 0:
        raise SpecError.of("E0603", f"{option} is {text}: it must be a number of seconds above 0")
    return float(value)


@contextmanager
def within_limit(
    options: argparse.Namespace, default: float | None = None, *, elsewhere: bool = False
) -> Iterator[None]:
    """What runs inside ends when `--time-limit` is over, or the default (seconds); a simulation and a sweep show what
    they have. `elsewhere`: other processes do the work, so it is the clock on the wall that counts."""
    limit = seconds(options.time_limit, "--time-limit") or default
    with limited(limit, time.monotonic if elsewhere else time.process_time, forced=True):
        yield


def ended_early() -> tuple[int, str]:
    """The exit code and the word for it, where something was interrupted: by the time limit, or by somebody."""
    return (1, "ended by --time-limit") if over() else (130, "interrupted")


def settings(texts: list[str]) -> dict[str, Fraction]:
    """`NAME=VALUE` texts as exact values; the last one of a name wins."""
    return dict(_setting(text, "--set") for text in texts)


def sweeps(texts: list[str]) -> list[tuple[str, list[Fraction]]]:
    """`NAME=v1,v2,..` texts, or `NAME=FROM:TO:COUNT`."""
    out: list[tuple[str, list[Fraction]]] = []
    for text in texts:
        name, _, values = text.partition("=")
        if not values:
            raise SpecError.of("E0602", f"`--sweep {text}` has no values", help="write --sweep NAME=1,2,3")
        if ":" in values:
            out.append(curve(text, "--sweep"))
        else:
            listed = values.split(",")
            if not all(v.strip() for v in listed):
                message = f"`--sweep {text}` has an empty place between its commas"
                raise SpecError.of("E0602", message, help="write --sweep NAME=1,2,3")
            out.append((name.strip(), [_setting(f"{name}={v}", "--sweep")[1] for v in listed]))
    return out


def curve(text: str, option: str = "--curve") -> tuple[str, list[Fraction]]:
    """`NAME=A:B:N`: N values from A to B, evenly spaced, exact."""
    name, _, values = text.partition("=")
    parts = values.split(":")
    if len(parts) != 3:
        named = option in ("--curve", "--sweep")
        form, example = ("NAME=FROM:TO:COUNT", "p=0.2:0.8:41") if named else ("FROM:TO:COUNT", "0:3:13")
        given = text if named else values
        raise SpecError.of("E0602", f"`{option} {given}` is not of the form {form}", help=f"write {option} {example}")
    name, low = _setting(f"{name}={parts[0]}", option)
    high = exact(parts[1], f"{option} {name}")
    count = whole(parts[2], f"{option} {name}, the COUNT,")
    if count > MOST_VALUES or (count < 2 and low != high):
        message = (
            f"{option} {name} asks for {count} value{'s' if count > 1 else ''}: from 2 to {MOST_VALUES} are possible"
        )
        raise SpecError.of("E0603", message)
    return name, [low + (high - low) * i / max(1, count - 1) for i in range(count)]


def _setting(text: str, option: str) -> tuple[str, Fraction]:
    name, equals, value = text.partition("=")
    name = name.strip()
    if not equals or not name.isidentifier() or not value.strip():
        raise SpecError.of("E0602", f"`{option} {text}` is not of the form NAME=VALUE")
    return name, exact(value, f"{option} {name}")


def exact(text: str, what: str) -> Fraction:
    """A decimal or a fraction as an exact rational; refuses NaN, infinities and what no float can hold."""
    text = text.strip()
    message = f"{what}: `{text[:40]}` is not a number that can be used here"
    refused = SpecError.of("E0602", message, help="write a decimal (0.25, 1e-6) or a fraction (1/3)")
    mantissa, _, exponent = text.lower().partition("e")
    if len(mantissa) > 400 or len(exponent) > 5:
        raise refused
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise refused from None
    if value != 0 and not 1e-300 < abs(value) < 1e300:
        raise refused
    return value


def probability(text: str, what: str) -> Fraction:
    """A number strictly between 0 and 1."""
    value = exact(text, what)
    if not 0 < value < 1:
        raise SpecError.of("E0603", f"{what} is {text}: it must lie strictly between 0 and 1")
    return value


def whole(text: str, what: str, least: int = 1) -> int:
    """A whole number of at least `least`."""
    value = exact(text, what)
    if value.denominator != 1 or value < least:
        raise SpecError.of("E0603", f"{what} is {text}: it must be a whole number of at least {least}")
    return int(value)
