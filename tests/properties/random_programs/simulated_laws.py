"""Random programs for the exact laws: every kind of state beside every kind of data and noise, judged by simulation.

Noise and data may have a density, so nothing can be enumerated. The numpy engine simulates, which knows nothing of
lattices, panels or nodes; probabilities and the mean step must lie within five standard errors and the law's own bound.
"""

from __future__ import annotations

import math
import random

import numpy as np

from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.solve.solve import solve
from seqlang.model.program import Program

RUNS = 300_000
DATA = {
    "finite data": ("{0, 1}", "bernoulli(0.4)"),
    "a density": ("real", "normal(0.2, 1)"),
    "a density on an interval": ("[0, 1]", "uniform(0, 1)"),
}
KEPT = {
    "nothing": "x", "a sum": "sum(x over steps)", "a mean": "mean(x over steps)", "a maximum": "max(x over steps)",
    "a count": "count(x > 0.5 over steps)", "the best step": "argmax(x over steps)", "a window": "sum(x over last 2)",
    "a window for each k": "max(sum(x over last k) - k / 2 for k in 1..2)", "since a report": "sum(x since r)",
    "the entry before": "x - previous(x, 0)", "a recursion": "max(0, previous(s, 0) + x - 0.25)",
    "a history": "x + length(history(x, r))", "a memory": "sum(x over steps) - w / 4",
}  # fmt: skip
NOISES = {
    "none": "", "fresh": "attach laplace(1) to s", "fresh, whole numbers": "attach geometric(0.5) to s",
    "once": "attach gaussian(1) to T once", "once and fresh": "attach laplace(1) to T once\nattach laplace(0.5) to s",
    "after each report": "attach laplace(1) to T each r", "on the return": "attach randomized_response(0.75) to return",
}  # fmt: skip
KINDS = (*DATA, *(f"keeps {name}" for name in KEPT), *(f"noise: {name}" for name in NOISES))
METHODS = ("queries", "lattice", "states", "density at nodes", "density on panels")


def random_law(rng: random.Random) -> tuple[str, frozenset[str]]:
    """(the program, its kinds of state)."""
    data, kept, noise = rng.choice([*DATA]), rng.choice([*KEPT]), rng.choice([*NOISES])
    domain, law = DATA[data]
    report = "since" in KEPT[kept] or ", r)" in KEPT[kept] or kept == "a memory" or "each r" in NOISES[noise]
    threshold, last = rng.choice(("1", "1.5", "2")), rng.choice((3, 5, 8))
    lines = ["algorithm law", f"param T = {threshold}", f"stream x in {domain}", f"model m: x ~ {law}"]
    if kept == "a memory":
        lines.append("memory w = 0")
    lines.append(f"statistic s = {KEPT[kept]}")
    if report:
        lines.append(f"report r when {rng.choice(('s >= T', 'step % 2 == 0', 'x > 0.5'))}")
    if kept == "a memory":
        lines.append("update w = w + 1 when r")
    if report and "each r" in NOISES[noise]:
        lines.append("stop when count(r over steps) >= 2 return often")
    lines += [f"stop when s >= {'T' if not report else 'T + 1'} return high"]
    if rng.random() < 0.4:
        lines.append("stop when s <= -1 return low")
    lines += [f"stop when step >= {last} return late", NOISES[noise]]
    return "\n".join(lines) + "\n", frozenset((data, f"keeps {kept}", f"noise: {noise}"))


def compare_with_runs(program: Program, seed: int, runs: int = RUNS) -> tuple[str | None, str]:
    """(what differs from the simulation, or None; the method). Raises Unsolved."""
    found = solve(program, "m", work=3e8)
    sampled = simulate(program, "m", runs=runs, seed=seed, engine="numpy", keep=runs)
    ends = found.table.sum(axis=0) + (0.0 if found.tail is None else found.tail.outcomes)
    for outcome, chance in zip(found.outcomes, ends, strict=True):
        here = float(np.mean(sampled.codes == sampled.labels.index(str(outcome))))
        if abs(here - chance) > 5 * math.sqrt(max(chance * (1 - chance), 1e-6) / runs) + found.outcome_error:
            return f"P({outcome}) is {chance}, of {runs} runs {here}", found.method
    steps = np.arange(1, len(found.table) + 1) @ found.table.sum(axis=1)
    expected = float(steps) + (0.0 if found.tail is None else found.tail.steps)
    mean, error = float(np.mean(sampled.steps)), float(np.std(sampled.steps)) / math.sqrt(runs)
    if abs(mean - expected) > 5 * error + found.steps_error + 1e-9:
        return f"E[T] is {expected}, of {runs} runs {mean}", found.method
    return None, found.method
