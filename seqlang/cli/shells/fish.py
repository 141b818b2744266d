"""The completion script of fish (3 and later)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seqlang.cli.shells.offered import Command, Option

_HEAD = r"""# Completion of seqlang in fish. In ~/.config/fish/config.fish: seqlang completion fish | source
function __seqlang_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end
function __seqlang_first
    test (count (commandline -opc)) -eq $argv[1]
end
function __seqlang_specs
    complete -C "'' "(commandline -ct) | string match -r '^[^\t]*(?:\.seq|/)(?=\t|$)'
    printf '%s\n' $__seqlang_library
end
complete -c seqlang -f
"""


def fish_script(commands: Sequence[Command], library: Sequence[str]) -> str:
    """To be sourced."""
    lines = [f"set -g __seqlang_library {' '.join(library)}"]
    for command in commands:
        lines.append(f"complete -c seqlang -n '__seqlang_first 1' -a {command.name} -d {_quoted(command.about)}")
        lines += _of_command(command)
    return _HEAD + "\n".join(lines) + "\n"


def _of_command(command: Command) -> Iterator[str]:
    start = f"complete -c seqlang -n '__seqlang_is {command.name}'"
    for option in command.options:
        flags = " ".join(f"-l {f[2:]}" if f.startswith("--") else f"-s {f[1:]}" for f in option.flags)
        yield f"{start} {flags}{_follows(option)} -d {_quoted(option.about)}"
    if command.choices:
        both = f"'__seqlang_is {command.name}; and __seqlang_first 2'"
        yield f"complete -c seqlang -n {both} -a {_quoted(' '.join(command.choices))}"
    elif command.takes == "spec":
        yield f"{start} -a '(__seqlang_specs)'"
    elif command.takes == "file":
        yield f"{start} -F"


def _follows(option: Option) -> str:
    if option.choices:
        return f" -x -a {_quoted(' '.join(option.choices))}"
    return {"nothing": "", "value": " -x", "file": " -r -F", "spec": " -r -F -a '$__seqlang_library'"}[option.takes]


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
