"""python -m seqlang.kernel CERTIFICATE: exit 0 established, 1 not established, 2 unreadable."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from seqlang.kernel.check import check
from seqlang.kernel.reading import read
from seqlang.kernel.refused import Refused, Unreadable
from seqlang.kernel.text import shown


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    try:
        proof = read(json.loads(Path(arguments[0]).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, Unreadable) as why:
        print(f"unreadable: {why}", file=sys.stderr)
        return 2
    print(shown(proof.program, proof.epsilon))
    try:
        check(proof)
    except Refused as why:
        print(f"not established: {why}", file=sys.stderr)
        return 1
    print("established")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
