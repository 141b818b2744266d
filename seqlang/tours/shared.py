"""What tours share: how they are asked, where their data are, progress on the terminal, intervals, pictures."""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

INVALID = 2
"""Exit code where something that the tour needs is not there, as of the command `seqlang`."""


class _Short(argparse.Action):
    """`--short`: smaller numbers, for options that are not given."""

    def __init__(self, option_strings: Sequence[str], dest: str, const: Mapping[str, Any], **rest: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, const=const, default=False, **rest)

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, True)
        for name, value in self.const.items():
            if getattr(namespace, name) == parser.get_default(name):
                setattr(namespace, name, value)


def asked(about: str | None, *examples: str, short: Mapping[str, Any] | None = None) -> argparse.ArgumentParser:
    """A parser of options. `--help` shows `about`, the docstring of the tour, and examples: the words that come after
    `python -m seqlang.tours NAME`, one example a text. Every tour has a short form of some seconds: `--short` gives the
    options in `short` these values unless they are given, and sets `short`, which is false otherwise."""
    name = Path(sys.argv[0]).stem if sys.argv[0].endswith(".py") else sys.argv[0].rpartition(" ")[2]
    lines = "\n".join(f"  python -m seqlang.tours {name} {words}".rstrip() for words in examples)
    parser = argparse.ArgumentParser(
        description=about,
        epilog=f"examples\n{lines}" if examples else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    help = "a short form of it, with smaller numbers and less of them: some seconds"
    parser.add_argument("--short", action=_Short, const=short or {}, help=help)
    return parser


def sorry(why: str) -> NoReturn:
    """Ends the tour with a message and exit code 2."""
    print(f"error: {why}", file=sys.stderr)
    raise SystemExit(INVALID)


def data_file(name: str, *, what: str, get: str, folder: str | Path | None = None) -> Path:
    """Where a file of data lies: in `folder` if one is given, else in the folder that the environment variable
    SEQLANG_DATA names, in the folder at hand, or in `shared/data` beside or above it or the checkout. Without it the
    tour ends, and says `what` the file holds and how to `get` it."""
    places = [Path(folder)] if folder is not None else list(_places())
    for place in places:
        if (place / name).is_file():
            return place / name
    tried = f"not in {places[0]}" if folder is not None else "not in the folder at hand, nor in one named SEQLANG_DATA"
    sorry(f"{name} is {tried}.\n  It holds {what}.\n  {get}")


def _places() -> Iterable[Path]:
    if named := os.environ.get("SEQLANG_DATA"):
        yield Path(named)
    here, package = Path.cwd().resolve(), Path(__file__).resolve().parents[2]
    yield here
    for parent in (here, *here.parents, package, *package.parents):
        yield parent / "shared" / "data"


def progress(what: str, done: int, of: int) -> None:
    """Writes over one line of the terminal how far the work is; nothing where stderr is no terminal. The line is
    cleared when all is done."""
    if sys.stderr.isatty():
        text = f"\r  {what}: {done:,} of {of:,}"
        print(f"{text:<78}" if done < of else "\r" + " " * 78 + "\r", end="", file=sys.stderr, flush=True)


def between(low: float, high: float, digits: int = 3) -> str:
    """An interval as all tours print it: `[0.491, 0.512]`."""
    return f"[{low:.{digits}f}, {high:.{digits}f}]"


def mean_of(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean of independent repetitions, and the ends of its 95 % interval by Student's law; with fewer than two
    repetitions nothing is known of their spread, and the ends are infinite."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return mean, -math.inf, math.inf
    from scipy.special import stdtrit

    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (count - 1))
    half = float(stdtrit(count - 1, 0.975)) * deviation / math.sqrt(count)
    return mean, mean - half, mean + half


def drawing() -> Any:
    """`matplotlib.pyplot`, which draws into files; without it the tour ends, and says how to install it."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        sorry("a picture needs matplotlib: pip install 'seqlang[plot]'")
    return plt
