"""Processes that are killed while they release, and what must hold after every death."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import pytest
from released import BLOCK, terms_of

from seqlang.release.ledger.book import Book
from seqlang.release.ledger.places import store_at
from seqlang.release.verification import faults_of

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


class Dying:
    """The process of `dying.py`."""

    def __init__(self, library: Path, folder: Path) -> None:
        environment = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": f"{ROOT}:{HERE}"}
        self._process = subprocess.Popen(
            [sys.executable, HERE / "dying.py", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip

    def __call__(
        self, folder: Path, action: str, k: int = -1, log: bool = False, address: str = "", victim: str = "itself"
    ) -> int:
        """The exit status, as `os.wait` has it."""
        to, back = self._process.stdin, self._process.stdout
        assert to is not None and back is not None
        print(json.dumps([str(folder), action, k, log, address, victim]), file=to, flush=True)
        return int(back.readline())

    def close(self) -> None:
        for end in (self._process.stdin, self._process.stdout):
            assert end is not None
            end.close()
        self._process.wait()


@contextmanager
def started(folder: Path) -> Iterator[Dying]:
    """Skips the test where there is no C compiler."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler, and Linux")
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", folder / "faults.so", HERE / "faults.c", "-ldl"], check=True
    )
    made = Dying(folder / "faults.so", folder)
    yield made
    made.close()


def looks_told(folder: Path) -> list[list[dict[str, object]]]:
    """Of each process, in order: each begins again with the first look."""
    runs: list[list[dict[str, object]]] = []
    for line in (folder / "told").read_text().splitlines() if (folder / "told").exists() else []:
        look = json.loads(line)
        if "charged" in look:
            continue
        if not runs or look["step"] <= runs[-1][-1]["step"]:
            runs.append([])
        runs[-1].append(look)
    return runs


def require_sound(folder: Path, ledger: Path | str) -> Book:
    """What must hold after every death."""
    book = Book(store_at(str(ledger)))
    assert not list(faults_of(book))
    prices = [charge.price.epsilon for charge in book.charges.values()]
    assert book.account(None).spent.epsilon == sum(prices, Fraction(0))
    releases = [charge for charge in book.charges.values() if charge.spec]
    assert len(releases) <= 1
    written = [dict(look) for look in releases[0].looks] if releases else []
    for run in looks_told(folder):
        assert run == written[: len(run)]  # what was told is what was written, and what is told again is the same
    if (folder / "read").exists():
        assert releases and releases[0].begun
    return book


def require_the_whole_account(folder: Path, book: Book) -> None:
    """After a release and a charge of a tenth that died on the way and were done again: each was charged once, and what
    was told is what is written, to the end."""
    price = terms_of(BLOCK, book).price.epsilon
    assert book.account(None).spent.epsilon == price + Fraction(1, 10)
    release = next(charge for charge in book.charges.values() if charge.spec)
    assert looks_told(folder)[-1] == list(release.looks)
    assert release.stopped or release.looks[-1]["step"] == 12
