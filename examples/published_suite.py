"""The algorithms on which tools that find and refute privacy were tried, in one table.

    python -m seqlang.tours published_suite

CheckDP and ShadowDP prove with the help of solvers and model checkers; StatDP and DP-Sniper search by sampling, and
report the largest epsilon that their samples support. Every row below is one spec, at the parameters at which DP-Sniper
and StatDP were run where they were. Published figures: eth-sri/dp-sniper at ee087b2, eval_sp2021/reference-results
(seconds on its authors' machine, of the search alone); ours are seconds of processor time, of one process.
The table is Markdown, a line when it is done; specs/suite/README.md shows one run. Nothing in it is random, save the
seconds. `at most` is the proved bound on the privacy loss, `at least` the largest loss that a witness shows, `claimed`
what the authors of the algorithm, or of the mistake, say, and `is` our verdict on that. A tool's cell holds the epsilon
that it reports, with the seconds of its search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import seqlang
from seqlang.tours import asked


class Found(NamedTuple):
    """What a sampling tool published: the epsilon it reports, and the seconds of its search."""

    eps: float
    seconds: float

    def __str__(self) -> str:
        return f"{'∞' if self.eps == math.inf else f'{self.eps:g}'} ({self.seconds:.0f} s)"


class Row(NamedTuple):
    """One spec of the library at given parameters. `sniper` holds the better of its two classifiers."""

    spec: str
    sources: str
    sniper: Found | None = None
    statdp: Found | None = None
    settings: tuple[tuple[str, float], ...] = ()


ROWS = (
    Row("suite/laplace_mechanism", "DP-Sniper LaplaceMechanism", Found(0.100, 200), Found(0.100, 46)),
    Row("suite/laplace_parallel", "DP-Sniper LaplaceParallel", Found(0.037, 96), Found(0.013, 4717)),
    Row("suite/truncated_geometric", "DP-Sniper TruncatedGeometric", Found(0.118, 18), Found(0.117, 352)),
    Row("suite/histogram", "StatDP histogram, DP-Sniper NoisyHist1", Found(0.100, 35), Found(0.084, 505)),
    Row("suite/histogram_eps", "StatDP histogram_eps, DP-Sniper NoisyHist2", Found(4.603, 38), Found(9.75, 817)),
    Row("suite/noisymax", "CheckDP, ShadowDP, StatDP v1a, DP-Sniper RNM1", Found(0.095, 59), Found(0.092, 60)),
    Row("suite/noisy_max_v2a", "StatDP v2a, DP-Sniper RNM2", Found(0.100, 56), Found(0.100, 59)),
    Row("suite/badnoisymax", "CheckDP, StatDP v1b, DP-Sniper RNM3", Found(0.251, 408), Found(0.200, 132)),
    Row("suite/noisy_max_v2b", "StatDP v2b, DP-Sniper RNM4", Found(0.356, 428), Found(0.197, 132)),
    Row("suite/noisymax_half", "half the noise of report noisy max"),
    Row("suite/sparsevector", "CheckDP, ShadowDP, StatDP SVT, DP-Sniper SVT1", Found(0.088, 118), Found(0.033, 344)),
    Row("lyu2017/svt2", "Lyu Alg. 2, DP-Sniper SVT2", Found(0.088, 148), Found(0.035, 403),
        (("eps", 0.1), ("n", 10), ("c", 1))),
    Row("suite/isvt4", "StatDP iSVT4, DP-Sniper SVT3", Found(0.184, 829), Found(0.043, 5821)),
    Row("suite/badsparsevector3", "CheckDP, StatDP iSVT3, DP-Sniper SVT4", Found(0.172, 774), Found(0.173, 556)),
    Row("suite/badsparsevector1", "CheckDP, StatDP iSVT1, DP-Sniper SVT5", Found(1.763, 56), Found(math.inf, 351)),
    Row("suite/badsparsevector2", "CheckDP, StatDP iSVT2, DP-Sniper SVT6", Found(0.274, 91), Found(0.326, 755)),
    Row("suite/numsparsevector", "CheckDP, ShadowDP, DP-Sniper NumericalSVT", Found(0.037, 142)),
    Row("suite/svt34_parallel", "DP-Sniper SVT34Parallel", Found(0.264, 1025), Found(0.165, 27301)),
    Row("suite/one_time_rappor", "DP-Sniper OneTimeRappor", Found(0.602, 369), Found(0.476, 991)),
    Row("suite/rappor", "DP-Sniper Rappor", Found(0.303, 455), Found(0.250, 1178)),
    Row("suite/prefixsum_every", "DP-Sniper PrefixSum", Found(0.579, 950), Found(0.352, 3367)),
    Row("suite/prefixsum", "ShadowDP prefixsum"),
    Row("suite/partialsum", "CheckDP, ShadowDP partialsum"),
    Row("suite/badpartialsum", "CheckDP badpartialsum"),
    Row("suite/smartsum", "CheckDP smartsum"),
    Row("suite/smartsum_carried", "ShadowDP smartsum"),
    Row("suite/badsmartsum", "CheckDP badsmartsum"),
    Row("suite/svt_monotone", "CheckDP svt_increasing, svt_decreasing"),
    Row("suite/gapsparsevector", "CheckDP, ShadowDP gapsparsevector"),
    Row("suite/badgapsparsevector", "CheckDP badgapsparsevector"),
    Row("suite/adaptivesparsevector", "CheckDP adaptivesparsevector"),
    Row("suite/badadaptivesparsevector", "CheckDP badadaptivesparsevector"),
    Row("lyu2017/svt1", "Lyu Alg. 1"),
    Row("lyu2017/svt3", "Lyu Alg. 3, any length"),
    Row("lyu2017/svt4", "Lyu Alg. 4"),
    Row("lyu2017/svt4_monotone", "Lyu Alg. 4, monotone"),
    Row("lyu2017/svt5", "Lyu Alg. 5"),
    Row("lyu2017/svt6", "Lyu Alg. 6, any length"),
    Row("lyu2017/svt7", "Lyu Alg. 7"),
    Row("lyu2017/svt7_monotone", "Lyu Alg. 7, monotone"),
)  # fmt: skip


def _number(value: float | str | None) -> str:
    """Four digits, cut off: a lower bound stays one."""
    if value is None:
        return "-"
    if value in ("inf", math.inf):
        return "∞"
    scale = 10.0 ** (3 - math.floor(math.log10(float(value))))
    return f"{math.floor(float(value) * scale) / scale:.4g}"


def table(rows: Sequence[Row] = ROWS) -> Iterator[str]:
    """The lines of the table, each when its spec is done, then the totals."""
    yield "| algorithm | parameters | also known as | claimed | is | at most | at least | s | DP-Sniper | StatDP |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    total = sniper = statdp = 0.0
    for row in rows:
        began = time.process_time()
        found = seqlang.check(seqlang.load(f"@{row.spec}", **dict(row.settings))).to_dict()
        seconds = time.process_time() - began
        total += seconds
        sniper += row.sniper.seconds if row.sniper else 0
        statdp += row.statdp.seconds if row.statdp else 0
        pure = found["strong"]["pure"]
        upper = "∞" if pure["upper"] == "inf" else f"`{pure['symbolic']}` = {pure['upper']:.6g}"
        claims = [claim for claim in found["claims"] if claim["kind"] == "strong"]
        settings = ", ".join(f"{name} = {value:g}" for name, value in row.settings)
        claimed = claims[0]["text"].removeprefix("claim strong ").split(" expect ")[0]
        cells = (row.spec, settings, row.sources, f"`{claimed}`", claims[0]["verdict"], upper, _number(pure["lower"]),
                 f"{seconds:.2f}", str(row.sniper or ""), str(row.statdp or ""))  # fmt: skip
        yield "| " + " | ".join(cells) + " |"
    yield ""
    yield f"{len(rows)} specs in {total:.1f} s of processor time, one process."
    yield f"The searches of the same rows took DP-Sniper {sniper:.0f} s and StatDP {statdp:.0f} s."


if __name__ == "__main__":
    options = asked(__doc__, "", "> table.md").parse_args()
    for line in table(ROWS[:2] if options.short else ROWS):
        print(line, flush=True)
