"""The completion script of zsh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seqlang.cli.shells.offered import Command, Option

_TAIL = """\
_seqlang_specs() {
  if [[ $PREFIX == @* ]]; then compadd -a _seqlang_library; else _files -g '*.seq(-.)'; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _seqlang "$@"; else compdef _seqlang seqlang; fi
"""
_FOLLOWS = {"value": ":value: ", "file": ":file:_files", "spec": ":spec:_seqlang_specs"}


def zsh_script(commands: Sequence[Command], library: Sequence[str]) -> str:
    """To be evaluated after `compinit`, or kept as the file `_seqlang` in a folder of `$fpath`."""
    lines = [
        "#compdef seqlang",
        '# Completion of seqlang in zsh. In ~/.zshrc, after compinit: eval "$(seqlang completion zsh)"',
        f"_seqlang_library=({' '.join(library)})",
        "_seqlang() {",
        "  if (( CURRENT == 2 )); then",
        "    local -a commands",
        "    commands=(",
        *(f"      {_quoted(f'{command.name}:{_plain(command.about)}')}" for command in commands),
        "    )",
        "    _describe -t commands command commands",
        "    return",
        "  fi",
        "  local command=$words[2]",
        "  shift words",
        "  (( CURRENT-- ))",
        "  case $command in",
    ]
    for command in commands:
        lines += [f"    {command.name}) _arguments \\", *_arguments(command), "      ;;"]
    return "\n".join([*lines, "  esac", "}"]) + "\n" + _TAIL


def _arguments(command: Command) -> Iterator[str]:
    for option in command.options:
        for flag in option.flags:
            yield f"        {_quoted(_specification(option, flag))} \\"
    if command.choices:
        words = " ".join(command.choices)
        yield f"        {_quoted(f'1:word:({words})')} \\"
    if command.takes in ("file", "spec"):
        yield f"        {_quoted('*' + _FOLLOWS[command.takes])}"
    else:
        yield "        '*: : '"


def _specification(option: Option, flag: str) -> str:
    follows = "" if option.takes == "nothing" else _FOLLOWS[option.takes]
    if option.choices:
        follows = f":value:({' '.join(option.choices)})"
    return ("*" if option.repeatable else "") + f"{flag}[{_plain(option.about)}]{follows}"


def _plain(text: str) -> str:
    for mark in "\\[]:":
        text = text.replace(mark, f"\\{mark}")
    return text


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
