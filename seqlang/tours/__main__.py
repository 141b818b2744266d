"""`python -m seqlang.tours [NAME [..]]`: the guided tours."""

from __future__ import annotations

import os
import runpy
import sys
import textwrap

from seqlang.tours.shelf import title, tours

USAGE = """usage: python -m seqlang.tours NAME [..]

Guided tours: each is a script that prints what it does, and explains itself with --help.
"""


def main(words: list[str]) -> int:
    """Runs the tour that is named first with the words after it, or lists all. Exit code 2: none has that name."""
    known = tours()
    if not words or words[0] in ("-h", "--help"):
        print(USAGE)
        for name, script in known.items():
            print(textwrap.fill(title(script), 98, initial_indent=f"  {name:18}", subsequent_indent=" " * 20))
        return 0
    name = words[0].removesuffix(".py")
    if name not in known:
        print(f"error: no tour `{name}`; there are {', '.join(known)}", file=sys.stderr)
        return 2
    sys.argv = [f"python -m seqlang.tours {name}", *words[1:]]
    sys.path.insert(0, str(known[name].parent))  # as if the script were started itself
    runpy.run_path(str(known[name]), run_name="__main__")
    return 0


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # `.. | head`: who reads has read enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    sys.exit(code)
