"""How long releases take: rows a second through a block design, from a file and without, and draws a second."""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from seqlang.driver import Loaded, load
from seqlang.release.exact import samplers
from seqlang.release.exact.run import ExactRun
from seqlang.release.ledger.book import Book
from seqlang.release.ledger.budget import amount_of
from seqlang.release.ledger.store import SqliteStore
from seqlang.release.releasing import Entries, agreed, release
from seqlang.release.rows import Form, Rows, opened
from seqlang.source import Source

SPEC = """algorithm blocks
param p0 in (0, 1) = 0.3
param p1 in (0, 1) = 0.7
param eps > 0 = 1
stream x in {0, 1}
memory score = 0
let P0 = convolve(binomial(1000, p0), geometric(exp(-eps)))
let P1 = convolve(binomial(1000, p1), geometric(exp(-eps)))
report block when sum(1 since block) >= 1000
report ones  = sum(x since block) when block
update score = score + log((1 + abs(ones)) / 500) when block
stop when score >= 100000 return reject
attach geometric(exp(-eps)) to ones
claim strong pure(eps)
"""


def timed(said: str, count: int, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    spent = time.process_time() - start
    print(f"{said:44} {spent:7.2f} s {count / spent:14,.0f} a second")


def stepped(made: Loaded, rows: int) -> None:
    run, coins = ExactRun(made.program), random.Random(1)
    entries = [{"x": coins.randrange(2)} for _ in range(1000)]
    for i in range(rows):
        run.advance(entries[i % 1000])


def from_a_file(made: Loaded, folder: Path, rows: int) -> None:
    coins = random.Random(2)
    with (folder / "rows.csv").open("w") as file:
        file.write("x\n")
        file.writelines(f"{coins.randrange(2)}\n" for _ in range(rows))
    book = Book(SqliteStore(folder / "ledger", make=True))
    book.open_account("mine", "replace one", amount_of("pure(1)", ""))
    terms = agreed(made, book, None, None)

    def read() -> Entries:
        return iter(Rows(made.program, opened(folder / "rows.csv"), "rows", Form()))

    timed("rows from a file, looks to a ledger", rows, lambda: release(terms, book, read))


def drawn(draw: Callable[[], object], count: int) -> None:
    for _ in range(count):
        draw()


def main(rows: int = 1_000_000, draws: int = 20_000) -> None:
    made = load(Source("blocks.seq", SPEC))
    timed("rows, blocks of 1000", rows, lambda: stepped(made, rows))
    with TemporaryDirectory() as folder:
        from_a_file(made, Path(folder), rows)
    for name, draw in (
        ("discrete Laplace, exp(-1)", lambda: samplers.geometric_exp(Fraction(1), samplers.SYSTEM)),
        ("discrete Laplace, exp(-1/100)", lambda: samplers.geometric_exp(Fraction(1, 100), samplers.SYSTEM)),
        ("discrete Laplace, 9/10", lambda: samplers.geometric(Fraction(9, 10), samplers.SYSTEM)),
        ("discrete Gaussian, variance 100", lambda: samplers.discrete_gaussian(Fraction(100), samplers.SYSTEM)),
    ):
        timed(name, draws, partial(drawn, draw, draws))
    _opendp(draws)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB at most")


def _opendp(draws: int) -> None:
    """The second implementation, where it is installed."""
    try:
        import opendp.prelude as dp
    except ImportError:
        print("opendp is not installed")
        return
    dp.enable_features("contrib")
    one = dp.atom_domain(T=int)
    space, many = (one, dp.absolute_distance(T=int)), dp.vector_domain(one)
    for name, noise in (
        ("opendp: discrete Laplace, exp(-1)", dp.m.make_laplace(*space, scale=1.0)),
        ("opendp: discrete Gaussian, variance 100", dp.m.make_gaussian(*space, scale=10.0)),
    ):
        timed(name, draws, partial(drawn, partial(noise, 0), draws))
    for name, noise in (
        ("opendp, in one call: exp(-1)", dp.m.make_laplace(many, dp.l1_distance(T=int), scale=1.0)),
        ("opendp, in one call: variance 100", dp.m.make_gaussian(many, dp.l2_distance(T=float), scale=10.0)),
    ):
        timed(name, draws, partial(noise, [0] * draws))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
