"""Regret of private follow-the-approximate-leader, and what privacy adds to it (Smith and Thakurta 2013).

    python -m seqlang.tours private_ftal [--steps 8191] [--runs 40] [--epsilon 10 1] [--points disc] [--plot FILE.png]

In round t a point x_t of the unit disc comes, and the loss is |w_t - x_t|^2 / 2. The leader only sees the sum of the
past gradients through a binary tree of noisy partial sums. Its regret is what its points lose more than the best fixed
point, the mean of all x, would have lost. Without noise it grows with the logarithm of the number of rounds. The
guarantee is for all rounds together, whichever way the points are chosen.

Without noise it is about s^2 / 2 ln(rounds), where s^2 is the mean square distance of the points from their mean: it
depends on which points come (`--points`: even over the disc, with an even distance from its centre, or even over a
square). What privacy adds hardly does. Single runs differ much, so their spread is printed beside the interval of the
mean: 1.4 without noise, 18.8 at epsilon 10 and 244 at epsilon 1 are what one run with `--points radius` may well show.

The regret is not in the spec: it is a statistic that is tracked while the spec runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import seqlang
from seqlang.tours import asked, between, drawing, progress

LOST = "sum(norm(previous(w, zeros(d)) - x) ^ 2 / 2 over steps)"  # round t is played with what was known before it
BEST = "(sum(norm(x) ^ 2 over steps) - norm(sum(x over steps)) ^ 2 / step) / 2"


def disc(random: np.random.Generator, count: int) -> Any:
    """Points spread evenly over the unit disc, (count, 2)."""
    return _turned(random, np.sqrt(random.random(count)))


def radius(random: np.random.Generator, count: int) -> Any:
    """Points whose distance from the centre is even between 0 and 1: more of them in the middle."""
    return _turned(random, random.random(count))


def square(random: np.random.Generator, count: int) -> Any:
    """Points spread evenly over the square inside the disc."""
    return random.uniform(-1, 1, (count, 2)) / np.sqrt(2)


def _turned(random: np.random.Generator, distance: Any) -> Any:
    angle = 2 * np.pi * random.random(len(distance))
    return np.column_stack([distance * np.cos(angle), distance * np.sin(angle)])


POINTS = {"disc": disc, "radius": radius, "square": square}


def regrets(steps: int, runs: int, epsilon: float, seed: int, points: str, twin: bool = False) -> list[Any]:
    """Results with the tracked statistic `regret`: with noise, and for the twin without."""
    spec = seqlang.load("@smith2013/ftal", n=steps, eps=epsilon)
    given = POINTS[points](np.random.default_rng(seed), 4 * steps)
    done = seqlang.train(
        spec, {"x": given}, permutations=runs, seed=seed, checkpoints=13, twin=twin,
        track={"regret": f"{LOST} - {BEST}"}, progress=progress,
    )  # fmt: skip
    return list(done)


def main() -> None:
    parser = asked(__doc__, "", "--epsilon 100 10 1 --plot regret.png", "--points radius --runs 200",
                   short={"steps": 255, "runs": 4})  # fmt: skip
    parser.add_argument("--steps", type=int, default=8191, help="rounds (8191)")
    parser.add_argument("--runs", type=int, default=40, help="each on points of its own order (40)")
    parser.add_argument("--epsilon", type=float, nargs="+", default=[10.0, 1.0], help="of all rounds together (10 1)")
    parser.add_argument("--points", choices=POINTS, default="disc", help="where they come from (disc)")
    parser.add_argument("--seed", type=int, default=1, help="of the points and the noise (1)")
    parser.add_argument("--plot", metavar="FILE", help="a picture of the regret against the rounds")
    options = parser.parse_args()
    if options.plot:
        drawing()  # before the work, not after it
    curves: dict[str, Any] = {}
    for i, epsilon in enumerate(options.epsilon):
        done = regrets(options.steps, options.runs, epsilon, options.seed, options.points, twin=i == 0)
        if i == 0:
            curves["without noise"] = done[1]
        curves[f"epsilon {epsilon:g}"] = done[0]
    print(f"regret after {options.steps:,} rounds, points: {options.points}; {options.runs} runs, seed {options.seed}")
    print(f"  {'':15} {'mean':>10} {'95 % interval':>20} {'95 % of the runs':>20}   growth")
    for name, result in curves.items():
        end = result.curve[-1]["tracked"]["regret"]
        runs = result.run.tracked["regret"]
        ends = [between(a, b, 2) for a, b in (end["ci95"], np.quantile(runs[-1], [0.025, 0.975]))]
        rounds = np.log(np.array(result.run.checkpoints))
        power = np.polyfit(rounds[3:], np.log(runs.mean(axis=1)[3:]), 1)[0]
        print(f"  {name:15} {end['mean']:10.4g} {ends[0]:>20} {ends[1]:>20}   rounds^{power:.2f}")
    print(
        "\nmean: of the runs; 95 % interval: where the mean of infinitely many runs lies; 95 % of the runs: how far\n"
        "single runs are apart; growth: the power of the rounds that fits the mean over the later checkpoints"
    )
    if options.plot:
        plot(curves, options.plot, f"{options.runs} runs, points: {options.points}, seed {options.seed}")


def plot(curves: dict[str, Any], file: str, title: str) -> None:
    figure, axis = drawing().subplots(figsize=(7.5, 4.8), layout="constrained")
    for name, result in curves.items():
        points = [(c["step"], c["tracked"]["regret"]) for c in result.curve]
        steps, means = [s for s, _ in points], [v["mean"] for _, v in points]
        axis.plot(steps, means, marker="o", label=name)
        axis.fill_between(steps, [v["ci95"][0] for _, v in points], [v["ci95"][1] for _, v in points], alpha=0.2)
    axis.set(xlabel="rounds", ylabel="mean regret", xscale="log", yscale="log")
    last = max(c["step"] for result in curves.values() for c in result.curve)
    ticks = [last >> shift for shift in range(4)]
    axis.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axis.minorticks_off()
    axis.set_title(
        "Private follow the approximate leader: how much more it loses than the best fixed point\n"
        f"{title}; shaded: 95 % intervals of the means; epsilon is for all rounds together", fontsize=8.5,
    )  # fmt: skip
    axis.grid(alpha=0.3)
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncol=len(curves))  # curves may lie anywhere
    figure.savefig(file, dpi=140)


if __name__ == "__main__":
    main()
