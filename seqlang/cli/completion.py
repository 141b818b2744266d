"""`seqlang completion`: a script by which a shell completes commands, options, their values and names of specs."""

from __future__ import annotations

import sys

from seqlang.cli.options import Parser

_EXAMPLES = """\
  eval "$(seqlang completion bash)"      (in ~/.bashrc)
  eval "$(seqlang completion zsh)"       (in ~/.zshrc, after compinit)
  seqlang completion fish | source       (in ~/.config/fish/config.fish)"""
SHELLS = ("bash", "zsh", "fish")


def run(arguments: list[str]) -> int:
    """Prints the script of one shell."""
    options = parser().parse_args(arguments)
    from seqlang.cli.shells.bash import bash_script
    from seqlang.cli.shells.fish import fish_script
    from seqlang.cli.shells.offered import commands, library_names
    from seqlang.cli.shells.zsh import zsh_script

    write = {"bash": bash_script, "zsh": zsh_script, "fish": fish_script}[options.shell]
    sys.stdout.write(write(commands(), library_names()))
    return 0


def parser() -> Parser:
    parser = Parser("completion", "A script by which a shell completes what is typed.", _EXAMPLES)
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    return parser
