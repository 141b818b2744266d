"""The long form: attempts until the time is up, and each fault with what makes it again.

python tests/fuzz/hunt.py --seconds 3600 --first 0 --kinds meaning settings --keep faults
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import tempfile
import time
from collections import Counter
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
    options = parser.parse_args()
    import numpy  # noqa: F401 # what every child would import
    import scipy.special  # noqa: F401
    import sympy  # noqa: F401

    began, tried, faults = time.monotonic(), Counter[str](), Counter[str]()
    slowest: dict[str, tuple[float, int]] = {}
    for seed in itertools.islice(itertools.count(options.first), options.count):
        for kind in options.kinds:
            if time.monotonic() - began > options.seconds:
                break
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                words = attempt(kind, seed, folder)
                outcome = carried_out(words, folder)
                tried[kind] += 1
                slowest[kind] = max(slowest.get(kind, (0.0, 0)), (outcome.cpu, seed))
                if outcome.fault:
                    faults[kind] += 1
                    last = " | ".join(outcome.err.strip().split("\n")[-4:])
                    print(f"{kind} {seed}: {outcome.fault}\n  seqlang {' '.join(words)}\n  {last}", flush=True)
                    if options.keep is not None:
                        kept = options.keep / f"{kind}_{seed}"
                        shutil.copytree(folder, kept, dirs_exist_ok=True)
                        (kept / "said").write_text(f"seqlang {' '.join(words)}\n{outcome.err}", encoding="utf-8")
        else:
            continue
        break
    for kind in options.kinds:
        cpu, seed = slowest.get(kind, (0.0, 0))
        print(f"{kind}: {tried[kind]} attempts, {faults[kind]} faults, the slowest {cpu:.1f} s of CPU (seed {seed})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
