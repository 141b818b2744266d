"""The long form: attempts until the time is up, and each fault with what makes it again.

python tests/fuzz/hunt.py --seconds 3600 --first 0 --kinds meaning settings --keep faults --record attempts.json

How many attempts there were stands in the record at every moment, also of a hunt that is cut; with a record of the same
seeds it goes on where that ends. tests/properties/tables/hunts.md has the totals.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[2])]

from attempts import KINDS, attempt  # noqa: E402 # the folders above must be known first
from forked import carried_out  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--first", type=int, default=0, help="the seed of the first attempt of each kind")
    parser.add_argument("--count", type=int, help="attempts of each kind (default: as many as there is time for)")
    parser.add_argument("--kinds", nargs="+", choices=[*KINDS], default=[*KINDS])
    parser.add_argument("--keep", type=Path, help="a folder for the files of each fault")
    parser.add_argument("--record", type=Path, help="a file for the number of attempts, and to go on from")
    options = parser.parse_args()
    import numpy  # noqa: F401 # what every child would import
    import scipy.special  # noqa: F401
    import sympy  # noqa: F401

    began = time.monotonic()
    done = [Done(kind, options.first) for kind in options.kinds]
    if options.record is not None and options.record.exists():
        known = {(row["kind"], row["first"]): Done(**row) for row in json.loads(options.record.read_text())}
        done = [known.get((one.kind, one.first), one) for one in done]
    while time.monotonic() - began < options.seconds:
        open_ = [one for one in done if options.count is None or one.attempts < options.count]
        if not open_:
            break
        _try_next(min(open_, key=lambda one: one.attempts), options.keep)
        if options.record is not None:
            options.record.write_text(json.dumps([asdict(one) for one in done], indent=1) + "\n")
    for one in done:
        slowest = f"the slowest {one.slowest:.1f} s of CPU (seed {one.slowest_seed})"
        print(f"{one.kind}: {one.attempts} attempts from seed {one.first}, {one.faults} faults, {slowest}")
    return 1 if any(one.faults for one in done) else 0


@dataclass
class Done:
    """What was tried of one kind: the seeds `first` .. `first + attempts - 1`."""

    kind: str
    first: int
    attempts: int = 0
    faults: int = 0
    slowest: float = 0.0
    """Seconds of CPU."""
    slowest_seed: int = 0


def _try_next(one: Done, keep: Path | None) -> None:
    """One more attempt; a fault is printed, and its files kept."""
    seed = one.first + one.attempts
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        words = attempt(one.kind, seed, folder)
        outcome = carried_out(words, folder)
        one.attempts += 1
        if outcome.cpu > one.slowest:
            one.slowest, one.slowest_seed = outcome.cpu, seed
        if not outcome.fault:
            return
        one.faults += 1
        last = " | ".join(outcome.err.strip().split("\n")[-4:])
        print(f"{one.kind} {seed}: {outcome.fault}\n  seqlang {' '.join(words)}\n  {last}", flush=True)
        if keep is not None:
            kept = keep / f"{one.kind}_{seed}"
            shutil.copytree(folder, kept, dirs_exist_ok=True)
            (kept / "said").write_text(f"seqlang {' '.join(words)}\n{outcome.err}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
