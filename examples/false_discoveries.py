"""Online false discovery control, with and without privacy.

    python examples/false_discoveries.py [--runs 1000] [--plot FILE.png]

Hypotheses come one after the other, and each p-value is answered at once. SAFFRON and LORD++ keep the expected share of
false discoveries below alpha = 0.05, but what they show can depend on one person without bound. PAPRIKA-LORD compares
noisy logarithms, in which one person moves every p-value by a factor of at most exp(eta), and takes its levels from the
rejections that were shown: its epsilon is proved, and the table says what it costs in power.
"""

from __future__ import annotations

import argparse
import math

import seqlang

HYPOTHESES = 400
ETA = math.sqrt(math.log(1000) / 1000)
"""One person of a thousand moves a p-value by a factor of at most exp(ETA)."""
SETTINGS = ((0.02, 1e-4), (0.02, 1e-8), (0.1, 1e-4), (0.1, 1e-8))
"""Share of the hypotheses that are false, and mean p-value of these."""

Row = tuple[str, float, float, float, float, float]


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


def table(runs: int) -> list[Row]:
    """(procedure, share, mean p-value, epsilon proved, false discovery rate, power) of every procedure and setting."""
    rows = []
    for name, (spec, parameters) in procedures().items():
        proved = seqlang.check(seqlang.load(f"@{spec}", **parameters)).to_dict()["strong"]["pure"]["upper"]
        for rate, size in SETTINGS:
            loaded = seqlang.load(f"@{spec}", **parameters, rate=rate, size=size)
            (found,) = seqlang.run(loaded, model="mixed", runs=runs, seed=1)
            means = found.to_dict()["statistics"]
            rows.append((name, rate, size, float(proved), means["fdp"]["mean"], means["power"]["mean"]))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--plot")
    options = parser.parse_args()
    rows = table(options.runs)
    print(f"{HYPOTHESES} hypotheses, alpha = 0.05, {options.runs:,} runs a row\n")
    print(f"{'procedure':20}  false   their mean p   epsilon    FDR   power")
    for name, rate, size, epsilon, fdr, power in rows:
        print(f"{name:20}  {rate:5.0%}   {size:12g}   {epsilon:7.4g}  {fdr:5.3f}   {power:5.3f}")
    print(
        "\nPower is over the hypotheses that were seen: PAPRIKA-LORD ends after c rejections. The last rows are a\n"
        "warning: they are as private as the rows above, but so much noise rejects hypotheses on its own."
    )
    if options.plot:
        plot(rows, options.plot)


def plot(rows: list[Row], file: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
    names = list(dict.fromkeys(row[0] for row in rows))
    for number, name in enumerate(names):
        mine = [row for row in rows if row[0] == name]
        places = [at + 0.12 * (number - (len(names) - 1) / 2) for at in range(len(mine))]  # beside one another
        left.plot(places, [row[4] for row in mine], "o", label=f"{name}: epsilon {mine[0][3]:g}")
        right.plot(places, [row[5] for row in mine], "o")
        for axes in (left, right):
            axes.set_xticks(range(len(mine)), [f"{row[1]:.0%} false,\np {row[2]:g}" for row in mine])
    left.axhline(0.05, linestyle=":", color="black")
    left.set(ylabel="false discovery rate")
    right.set(ylabel="power")
    left.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(file)


if __name__ == "__main__":
    main()
