"""The completion script of bash (3.2 and later)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seqlang.cli.shells.offered import Command, flags_of

_HEAD = """\
# Completion of seqlang in bash. In ~/.bashrc: eval "$(seqlang completion bash)"
_seqlang() {
    # COMP_WORDS is cut at @ and =, so the words are read off the line.
    local line="${COMP_LINE:0:COMP_POINT}" word before command offered="" kind=""
    local -a words
    word="${line##*[[:space:]]}"
    read -r -a words <<< "${line%"$word"}"
    command="${words[1]}"
    before="${words[${#words[@]}-1]}"
    case "$word" in --*=*) before="${word%%=*}"; word="${word#*=}" ;; esac
    if [ "${#words[@]}" -lt 2 ]; then
"""

_TAIL = """\
    fi
    local IFS=$'\\n'
    case "$kind" in
        file) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word")) ;;
        spec) if [ "${word:0:1}" = "@" ]; then offered="$_seqlang_library"; kind=""
              else compopt -o filenames 2>/dev/null
                   COMPREPLY=($(compgen -f -X '!*.seq' -- "$word"; compgen -d -- "$word")); fi ;;
    esac
    if [ -z "$kind" ]; then
        IFS=$' \\t\\n'
        COMPREPLY=($(compgen -W "$offered" -- "$word"))
    fi
}
complete -F _seqlang seqlang
"""


def bash_script(commands: Sequence[Command], library: Sequence[str]) -> str:
    """Defines the function and registers it."""
    lines = list(_cases(commands))
    names = " ".join(command.name for command in commands)
    first = f'        offered="{names} --help --version"\n    else\n'
    return f'_seqlang_library="{" ".join(library)}"\n{_HEAD}{first}' + "\n".join(lines) + "\n" + _TAIL


def _cases(commands: Sequence[Command]) -> Iterator[str]:
    """What is offered, by the command and the word before."""
    yield '        case "$command $before" in'
    for command in commands:
        for option in command.options:
            where = " | ".join(f'"{command.name} {flag}"' for flag in option.flags)
            if option.choices:
                yield f'            {where}) offered="{" ".join(option.choices)}" ;;'
            elif option.takes != "nothing":
                yield f"            {where}) kind={option.takes} ;;"
    yield '            *) case "$command" in'
    for command in commands:
        flags, words = " ".join(flags_of(command)), " ".join(command.choices)
        rest = f'offered="{words}"' if words else f"kind={command.takes}"
        yield f'                {command.name}) case "$word" in -*) offered="{flags}" ;; *) {rest} ;; esac ;;'
    yield "            esac ;;"
    yield "        esac"
