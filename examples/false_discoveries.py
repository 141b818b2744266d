"""Online false discovery control, with and without privacy.

    python -m seqlang.tours false_discoveries [--runs 1000] [--plot FILE.png]

Hypotheses come one after the other, and each p-value is answered at once. SAFFRON and LORD++ keep the expected share of
false discoveries below alpha = 0.05, but what they show can depend on one person without bound. PAPRIKA-LORD compares
noisy logarithms, in which one person moves every p-value by a factor of at most exp(eta), and takes its levels from the
rejections that were shown: its epsilon is proved, and the table says what it costs in power.

A row is one procedure on one kind of stream. `false`: the share of the hypotheses that are false; `their mean p`: the
mean of the p-values of these; `epsilon`: the proved bound, inf where there is none. FDR: the mean share of false
discoveries among the discoveries; power: the mean share of the false hypotheses that are discovered. Both are means of
runs with seed 1, with their 95 % intervals in brackets.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import seqlang
from seqlang.tours import asked, between, drawing, progress

HYPOTHESES = 400
ETA = math.sqrt(math.log(1000) / 1000)
"""One person of a thousand moves a p-value by a factor of at most exp(ETA)."""
SETTINGS = ((0.02, 1e-4), (0.02, 1e-8), (0.1, 1e-4), (0.1, 1e-8))
"""Share of the hypotheses that are false, and mean p-value of these."""

SEED = 1


class Share(NamedTuple):
    """A mean of runs, and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:5.3f} {between(self.low, self.high)}"


class Row(NamedTuple):
    """A procedure on streams of which a `share` is false with p-values of a mean `size`: the epsilon that is proved of
    it, and what it finds."""

    procedure: str
    share: float
    size: float
    epsilon: float
    fdr: Share
    power: Share


def private(eps: float, rejections: int, shift: float | None = None) -> tuple[str, dict[str, float]]:
    """PAPRIKA-LORD that ends after so many rejections. The noise makes p-values small by chance: a null is rejected at
    exp(-A) / ((1 - b^2) (1 - 4 b^2)) times its level, where b = 2 eta c / eps < 1/2 is the scale of the noise on the
    level. `shift` A undoes that by default. From b = 1/2 on the tails of the noise are too heavy for any A."""
    b = 2 * ETA * rejections / eps
    if shift is None:
        shift = -math.log((1 - b**2) * (1 - 4 * b**2))
    parameters = {"k": HYPOTHESES, "eta": ETA, "eps": eps, "c": rejections, "A": round(shift, 4)}
    return "zhang2021/paprika_lord", parameters


def procedures() -> dict[str, tuple[str, dict[str, float]]]:
    """Name in the table -> spec of the library, parameters."""
    return {
        "SAFFRON": ("ramdas2018/saffron", {"n": HYPOTHESES}),
        "LORD++": ("ramdas2018/lord", {"n": HYPOTHESES}),
        "PAPRIKA-LORD, c = 8": private(5, 8),
        "PAPRIKA-LORD, c = 2": private(1, 2),
        "the same, c = 8": private(1, 8, shift=0.5),
    }


SHORT = ("LORD++", "the same, c = 8")
"""Procedures of the short form, on the first kind of stream."""


def table(runs: int, short: bool = False) -> list[Row]:
    """Every procedure on every kind of stream."""
    rows: list[Row] = []
    shown = {name: each for name, each in procedures().items() if not short or name in SHORT}
    settings = SETTINGS[:1] if short else SETTINGS
    of = len(shown) * len(settings)
    for name, (spec, parameters) in shown.items():
        proved = seqlang.check(seqlang.load(f"@{spec}", **parameters)).to_dict()["strong"]["pure"]["upper"]
        for rate, size in settings:
            progress("procedures and streams", len(rows), of)
            loaded = seqlang.load(f"@{spec}", **parameters, rate=rate, size=size)
            (found,) = seqlang.run(loaded, model="mixed", runs=runs, seed=SEED)
            means = found.to_dict()["statistics"]
            rows.append(Row(name, rate, size, float(proved), _share(means["fdp"]), _share(means["power"])))
    progress("procedures and streams", of, of)
    return rows


def _share(found: dict[str, float]) -> Share:
    half = 1.96 * found["se"]
    return Share(found["mean"], max(0.0, found["mean"] - half), min(1.0, found["mean"] + half))


def main() -> None:
    parser = asked(__doc__, "", "--runs 200", "--plot discoveries.png", short={"runs": 2})
    parser.add_argument("--runs", type=int, default=1000, help="of each row (1000)")
    parser.add_argument("--plot", metavar="FILE", help="a picture of both columns, with their intervals")
    options = parser.parse_args()
    if options.plot:
        drawing()  # before the work, not after it
    rows = table(options.runs, options.short)
    print(f"{HYPOTHESES} hypotheses, alpha = 0.05, {options.runs:,} runs a row, seed {SEED}\n")
    print(f"{'procedure':20}  false  their mean p  epsilon  {'FDR':20}  power")
    for row in rows:
        print(f"{row.procedure:20}  {row.share:5.0%}  {row.size:12g}  {row.epsilon:7.4g}  {row.fdr}  {row.power}")
    print(
        "\nIn brackets: 95 % intervals. Power is over the hypotheses that were seen: PAPRIKA-LORD ends after c\n"
        "rejections. The last rows are a warning: they are as private as the rows above, but so much noise rejects\n"
        "hypotheses on its own, at more than alpha."
    )
    if options.plot:
        plot(rows, options.plot, options.runs)


def plot(rows: list[Row], file: str, runs: int) -> None:
    figure, (left, right) = drawing().subplots(1, 2, figsize=(11, 4.8))
    names = list(dict.fromkeys(row.procedure for row in rows))
    for number, name in enumerate(names):
        mine = [row for row in rows if row.procedure == name]
        places = [at + 0.12 * (number - (len(names) - 1) / 2) for at in range(len(mine))]  # beside one another
        known = f"epsilon {mine[0].epsilon:g}" if math.isfinite(mine[0].epsilon) else "not private"
        label = f"{name.replace('the same', 'PAPRIKA-LORD')}: {known}"
        if name.startswith("the same"):
            label += ", drowned in noise"
        for axes, shares in ((left, [row.fdr for row in mine]), (right, [row.power for row in mine])):
            ends = [[s.mean - s.low for s in shares], [s.high - s.mean for s in shares]]
            axes.errorbar(places, [s.mean for s in shares], yerr=ends, fmt="o", ms=4, label=label)
            axes.set_xticks(range(len(mine)), [f"{row.share:.0%} false,\nmean p {row.size:g}" for row in mine])
    left.axhline(0.05, linestyle=":", color="black", label="alpha, to be kept")
    left.set(ylabel="false discovery rate")
    right.set(ylabel="power: share of false hypotheses found")
    figure.legend(*left.get_legend_handles_labels(), loc="lower center", ncol=3, fontsize=8)
    figure.suptitle(
        f"Online false discovery control of {HYPOTHESES} hypotheses: what privacy costs (c: it ends at c rejections)\n"
        f"means of {runs:,} runs with 95 % intervals, seed {SEED}", fontsize=10,
    )  # fmt: skip
    figure.tight_layout(rect=(0, 0.08, 1, 1))
    figure.savefig(file, dpi=140)


if __name__ == "__main__":
    main()
