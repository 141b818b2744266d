"""`python -m seqlang` is the command `seqlang`."""

from seqlang.cli.__main__ import command

command()
