"""python -m seqlang.kernel CERTIFICATE [--smt FOLDER]: exit 0 established, 1 not established, 2 unreadable.

--smt writes every condition as SMT-LIB 2 into the folder, one file each; a solver should answer `unsat` to all."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from seqlang.kernel.check import check, conditions
from seqlang.kernel.proof import Certificate
from seqlang.kernel.reading import read
from seqlang.kernel.refused import Refused, Unreadable
from seqlang.kernel.smt import script
from seqlang.kernel.text import shown


def main(arguments: Sequence[str]) -> int:
    match arguments:
        case [file] | [file, "--smt", _] if file not in ("-h", "--help"):
            pass
        case _:
            print(__doc__)
            return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    try:
        proof = read(json.loads(Path(file).read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError, Unreadable) as why:
        print(f"unreadable: {why}", file=sys.stderr)
        return 2
    print(shown(proof.program, proof.epsilon))
    try:
        check(proof)
        if len(arguments) == 3:
            write(proof, Path(arguments[2]))
    except Refused as why:
        print(f"not established: {why}", file=sys.stderr)
        return 1
    print("established")
    return 0


def write(proof: Certificate, folder: Path) -> None:
    """Every condition as a script of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, (condition, _) in enumerate(conditions(proof), 1):
        (folder / f"{count:05d}.smt2").write_text(script(condition), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
