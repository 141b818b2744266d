"""When did it change? Privately, afterwards and as it happens.

    python -m seqlang.tours change_points [--runs 1000] [--plot FILE.png]

The rate of an event jumps from 20 % to 80 %. Afterwards, with all the data at hand, how far from the truth is a private
estimate of the moment? And as it happens: how late is the alarm, how often is it false, and where does it put the
change? (Cummings, Krehbiel, Mei, Tuo and Zhang 2018; the specs of the library.)

`epsilon` is what is proved of the whole run, and T the bar above which the alarm is raised. Distances and delays are
in steps. Brackets hold the ends of 95 % intervals, those of shares of the runs by Clopper and Pearson. Data are drawn
from the model of the spec, with seed 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

import seqlang
from seqlang.tours import asked, between, drawing, mean_of, progress

RATES = {"p0": 0.2, "p1": 0.8}


def proved(spec: seqlang.Spec) -> float:
    """The least epsilon for which a proof was found."""
    return float(seqlang.check(spec).to_dict()["strong"]["pure"]["upper"])


def share(found: NDArray[np.bool_]) -> str:
    """Of the runs in which something was so."""
    ends = binomtest(int(found.sum()), found.size).proportion_ci()
    return f"{found.mean():6.3f} {between(ends.low, ends.high)}"


def mean(values: NDArray[np.float64]) -> str:
    middle, low, high = mean_of(values[~np.isnan(values)].tolist())
    return f"{middle:6.1f} {between(low, high, 1)}"


Bar = tuple[float, tuple[float, float, float]]
"""Where it is drawn, and a mean with the ends of its interval."""


EPSILONS = (0.1, 0.5, 1, 4)
SETTINGS = ((1, (80, 120, 160)), (4, (20, 30, 40)))
"""Epsilons of the online test, and the bars above which it raises the alarm."""


def afterwards(runs: int, epsilons: Sequence[float] = EPSILONS) -> list[Bar]:
    print("With all 200 steps at hand, change at step 100")
    print(f"  {'epsilon':>7}   {'mean distance':<22}   {'within 5 steps':<22}")
    drawn: list[Bar] = []
    for eps in epsilons:
        spec = seqlang.load("@cummings2018/changepoint_offline", **RATES, eps=eps, n=200, k_star=100)
        (found,) = seqlang.run(spec, runs=runs, seed=1)
        assert found.samples.values is not None
        distance = np.abs(found.samples.values - 100)
        epsilon = proved(spec)
        drawn.append((epsilon, mean_of(distance.tolist())))
        print(f"  {epsilon:7.4g}   {mean(distance):<22}   {share(distance <= 5):<22}")
    return drawn


def as_it_happens(runs: int, settings: Sequence[tuple[float, Sequence[float]]] = SETTINGS) -> dict[float, list[Bar]]:
    """By epsilon: the share of false alarms, and the mean delay of the others."""
    change = 500
    print(f"\nAs it happens, in a window of 250 steps, change at step {change}")
    print(f"  {'epsilon':>7}     T   {'false alarms':<22}   {'mean delay':<22}   mean distance of the estimate")
    done, of = 0, sum(len(bars) for _, bars in settings)
    drawn: dict[float, list[Bar]] = {}
    for eps, bars in settings:
        spec = "@cummings2018/changepoint_online"
        epsilon = proved(seqlang.load(spec, **RATES, eps=eps))  # neither the window nor the bar matters to privacy
        for bar in bars:
            loaded = seqlang.load(spec, **RATES, eps=eps, m=250, T=bar, k_star=change)
            (found,) = seqlang.run(loaded, runs=runs, seed=1, cap=4 * change)
            steps, back = found.samples.steps, found.samples.values
            assert back is not None
            done += 1
            progress("bars", done, of)
            late = steps >= change
            delays = (steps - change)[late].astype(float)
            drawn.setdefault(epsilon, []).append((float((~late).mean()), mean_of(delays.tolist())))
            distance = np.abs(steps - back + 1 - change)  # it returns how many steps back the change lies
            print(f"  {epsilon:7.4g}   {bar:3}   {share(~late):<22}   {mean(delays):<22}   {mean(distance[late])}")
    return drawn


def plot(runs: int, left: list[Bar], right: dict[float, list[Bar]], file: str) -> None:
    figure, (after, live) = drawing().subplots(1, 2, figsize=(11, 4.6), layout="constrained")

    def bars(axis: Any, points: list[Bar], label: str) -> None:
        means, lows, highs = (np.array([point[1][i] for point in points]) for i in range(3))
        axis.errorbar([x for x, _ in points], means, [means - lows, highs - means], marker="o", capsize=3, label=label)
        axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)

    bars(after, left, "OfflinePCPD")
    after.set(xlabel="epsilon", ylabel="mean distance from the true change (steps)", xscale="log")
    after.set_xticks([x for x, _ in left], [f"{x:g}" for x, _ in left])
    after.set_title("afterwards, with all 200 steps at hand", fontsize=10)
    for epsilon, points in right.items():
        bars(live, points, f"epsilon {epsilon:g}, a bar a point")
    live.set(xlabel="share of runs with a false alarm", ylabel="mean delay of the other alarms (steps)", xlim=(0, 1))
    live.set_title("as it happens, in a window of 250 steps", fontsize=10)
    live.legend()
    figure.suptitle(
        "Private change points: a rate jumps from 20 % to 80 %\n"
        f"means of {runs:,} runs with 95 % intervals, seed 1", fontsize=11,
    )  # fmt: skip
    figure.savefig(file, dpi=110)


def main() -> None:
    parser = asked(__doc__, "", "--runs 10000", "--plot change_points.png", short={"runs": 10})
    parser.add_argument("--runs", type=int, default=1000, help="of each row (1000)")
    parser.add_argument("--plot", metavar="FILE", help="a picture of distances and delays, with their intervals")
    options = parser.parse_args()
    if options.plot:
        drawing()  # before the work, not after it
    if options.short:
        left, right = afterwards(options.runs, EPSILONS[2:3]), as_it_happens(options.runs, ((4, (30,)),))
    else:
        left, right = afterwards(options.runs), as_it_happens(options.runs)
    if options.plot:
        plot(options.runs, left, right, options.plot)


if __name__ == "__main__":
    main()
