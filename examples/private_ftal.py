"""Regret of private follow-the-approximate-leader, and what privacy adds to it (Smith and Thakurta 2013).

    python examples/private_ftal.py [--steps 8191] [--runs 40] [--epsilon 10 1] [--plot FILE.png]

In round t a point x_t of the unit disc comes, and the loss is |w_t - x_t|^2 / 2. The leader only sees the sum of the
past gradients through a binary tree of noisy partial sums. Its regret is what its points lose more than the best fixed
point, the mean of all x, would have lost. Without noise it grows with the logarithm of the number of rounds. The
guarantee is for all rounds together, whichever way the points are chosen.

The regret is not in the spec: it is a statistic that is tracked while the spec runs.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import seqlang

LOST = "sum(norm(previous(w, zeros(d)) - x) ^ 2 / 2 over steps)"  # round t is played with what was known before it
BEST = "(sum(norm(x) ^ 2 over steps) - norm(sum(x over steps)) ^ 2 / step) / 2"


def disc(random: np.random.Generator, count: int) -> Any:
    """Points spread evenly over the unit disc, (count, 2)."""
    angle, radius = 2 * np.pi * random.random(count), np.sqrt(random.random(count))
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def regrets(steps: int, runs: int, epsilon: float, seed: int, twin: bool = False) -> list[Any]:
    """Results with the tracked statistic `regret`: with noise, and for the twin without."""
    spec = seqlang.load("@smith2013/ftal", n=steps, eps=epsilon)
    points = disc(np.random.default_rng(seed), 4 * steps)
    done = seqlang.train(
        spec, {"x": points}, permutations=runs, seed=seed, checkpoints=13, twin=twin,
        track={"regret": f"{LOST} - {BEST}"}, progress=_progress,
    )  # fmt: skip
    return list(done)


def _progress(what: str, done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r  {what}: round {done:,} of {of:,}   ", end="", file=sys.stderr, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=8191)
    parser.add_argument("--runs", type=int, default=40)
    parser.add_argument("--epsilon", type=float, nargs="+", default=[10.0, 1.0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot")
    options = parser.parse_args()
    curves: dict[str, Any] = {}
    for i, epsilon in enumerate(options.epsilon):
        done = regrets(options.steps, options.runs, epsilon, options.seed, twin=i == 0)
        if i == 0:
            curves["without noise"] = done[1]
        curves[f"epsilon {epsilon:g}"] = done[0]
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"regret after {options.steps:,} rounds: mean of {options.runs} runs, 95 % interval, growth with the rounds")
    for name, result in curves.items():
        end = result.curve[-1]["tracked"]["regret"]
        low, high = end["ci95"]
        means = result.run.tracked["regret"].mean(axis=1)
        rounds = np.log(np.array(result.run.checkpoints))
        power = np.polyfit(rounds[3:], np.log(means[3:]), 1)[0]
        print(f"  {name:15} {end['mean']:10.4g} {low:8.4g} .. {high:<8.4g} rounds^{power:.2f}")
    if options.plot:
        plot(curves, options.plot)


def plot(curves: dict[str, Any], file: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6.5, 4.5))
    for name, result in curves.items():
        points = [(c["step"], c["tracked"]["regret"]) for c in result.curve]
        steps, means = [s for s, _ in points], [v["mean"] for _, v in points]
        axis.plot(steps, means, marker="o", label=name)
        axis.fill_between(steps, [v["ci95"][0] for _, v in points], [v["ci95"][1] for _, v in points], alpha=0.2)
    axis.set(xlabel="rounds", ylabel="regret, with 95 % intervals", xscale="log", yscale="log")
    axis.grid(alpha=0.3)
    axis.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=140)


if __name__ == "__main__":
    main()
