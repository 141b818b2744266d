"""The cell magic `%%seq`: a spec is the text of a cell, and its report what the cell shows."""

from __future__ import annotations

import inspect
import shlex
import sys
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from seqlang import api
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.plain import render
from seqlang.diagnostics.suggest import hint
from seqlang.record import record

_FUNCTIONS: tuple[Callable[..., Any], ...] = (
    api.check, api.run, api.solve, api.rare, api.calibrate, api.tune, api.instances, api.run_data, api.train,
)  # fmt: skip
COMMANDS: Mapping[str, Callable[..., Any]] = {found.__name__: found for found in _FUNCTIONS}
"""What can be done with the spec of a cell."""
_LISTS = frozenset(("model", "profile", "orders", "where", "free"))
"""Options with several values, between commas."""
_DATA = frozenset(("data", "test"))
"""Options that name a variable of the notebook, or a file."""
_OURS = ("set", "out", "plot")


class Shell(Protocol):
    """What is used of IPython."""

    user_ns: dict[str, Any]

    def register_magic_function(self, func: Any, magic_kind: str = ..., magic_name: str | None = ...) -> None: ...


@record
class Line:
    """What stands behind `%%seq`: a command, its arguments by place and by name, the parameters of the spec, the name
    that the result gets, and whether its picture is drawn."""

    command: str
    places: tuple[Any, ...]
    options: Mapping[str, Any]
    parameters: Mapping[str, str]
    out: str | None
    plot: bool


def load(shell: Shell) -> None:
    """Registers `%%seq` in a shell."""

    def seq(line: str, cell: str) -> Any:
        """A spec, and what a command finds about it.

        %%seq [check|run|solve|rare|calibrate|tune|instances|run_data|train] [options]

        Options are those of the function of that name in Python (`--runs 1000 --model null`), `--set NAME=VALUE` for
        each parameter of the spec, `--plot` for its picture, and `--out NAME` for a variable that holds the result,
        which `_seq` does too; `_spec` is the spec. `--data NAME` is a variable or a file.
        """
        return _done(shell, parsed(line, shell.user_ns), cell)

    shell.register_magic_function(seq, "cell", "seq")


def _done(shell: Shell, asked: Line, cell: str) -> Any:
    spec = api.load(f"\n{cell}" if "\n" not in cell else cell, **asked.parameters)
    if spec.diagnostics:
        print(render(spec.diagnostics, spec.loaded.source), end="", file=sys.stderr)
    result = COMMANDS[asked.command](spec, *asked.places, **asked.options)
    shell.user_ns |= {"_seq": result, "_spec": spec}
    if asked.out is not None:
        shell.user_ns[asked.out] = result
    if asked.plot:
        result.plot()
    return result


def parsed(line: str, variables: Mapping[str, Any]) -> Line:
    """Reads the line of the magic; `variables` are those of the notebook. Raises SpecError E0601 for what there is not,
    E0602 for what lacks its value."""
    words = _words(line)
    command = words.pop(0) if words and not words[0].startswith("--") else "check"
    if command not in COMMANDS:
        message = f"%%seq: there is no command `{command}`"
        raise SpecError.of("E0601", message, help=hint(command, COMMANDS) or f"there are {', '.join(COMMANDS)}")
    known = [*_OURS, *_names_of(COMMANDS[command])]
    places, options, settings = list[Any](), dict[str, Any](), dict[str, str]()
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            places.append(word)
            continue
        name = word[2:].replace("-", "_")
        if name not in known:
            near = hint(name, known) or f"there are {', '.join(f'--{n}' for n in known)}"
            raise SpecError.of("E0601", f"%%seq {command}: there is no option `{word}`", help=near)
        value = words.pop(0) if words and not words[0].startswith("--") and name != "plot" else None
        if name == "set":
            key, equals, text = (value or "").partition("=")
            if not equals or not text:
                raise SpecError.of("E0602", f"%%seq: `--set {value or ''}` is not of the form NAME=VALUE")
            settings[key.strip()] = text
        else:
            options[name] = _value(name, value, variables)
    out, plot = options.pop("out", None), bool(options.pop("plot", False))
    if out is not None and not str(out).isidentifier():
        raise SpecError.of("E0602", f"%%seq: `--out {out}` is not a name of a variable")
    return Line(command, tuple(places), options, settings, out, plot)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise SpecError.of("E0602", f"%%seq {line}: {error}") from None


def _names_of(function: Callable[..., Any]) -> list[str]:
    """Its parameters by name, without the spec; what `**options` takes is what rows of data are read with."""
    found = inspect.signature(function).parameters.values()
    more = ("columns", "where", "clip") if any(p.kind is p.VAR_KEYWORD for p in found) else ()
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in found if p.kind in kinds and p.name not in ("spec", "progress", "columns")] + list(more)


def _value(name: str, text: str | None, variables: Mapping[str, Any]) -> Any:
    """A flag stands alone."""
    if text is None:
        return True
    if name in _DATA:
        return variables.get(text, text)
    if name == "columns":
        return dict(part.split("=", 1) for part in text.split(",") if "=" in part)
    return text.split(",") if name in _LISTS else text
