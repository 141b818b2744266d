"""Chances of rare returns computed independently: sums of positive numbers only, so that they are accurate relatively.

A walk on the integers with finitely many increments is followed step by step; noise of each step enters through its
tail, noise drawn once by the trapezoidal rule on a fine grid. Nothing is shared with the code under test.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.special import log_ndtr


@dataclass(frozen=True)
class Noise:
    """`family` "laplace" (scale) or "gaussian" (standard deviation)."""

    family: str
    size: float

    def above(self, x: np.ndarray) -> np.ndarray:
        """P(noise >= x), accurate in the tail."""
        if self.family == "gaussian":
            return np.exp(log_ndtr(-x / self.size))
        return np.where(x >= 0, 0.5 * np.exp(-np.abs(x) / self.size), 1 - 0.5 * np.exp(-np.abs(x) / self.size))

    def density(self, x: np.ndarray) -> np.ndarray:
        if self.family == "gaussian":
            return np.exp(-((x / self.size) ** 2) / 2) / (self.size * np.sqrt(2 * np.pi))
        return np.exp(-np.abs(x) / self.size) / (2 * self.size)

    def grid(self, reach: float, step: float) -> tuple[np.ndarray, np.ndarray]:
        """Nodes and weights; the kink of a Laplace density is a node."""
        count = int(np.ceil(reach / step))
        at = np.linspace(-reach, reach, 2 * count + 1)
        return at, self.density(at) * (at[1] - at[0])

    def cells(self, reach: float) -> tuple[np.ndarray, np.ndarray]:
        """The middles of the unit intervals between whole numbers, and their chances."""
        low = np.arange(-np.ceil(reach), np.ceil(reach))
        far, near = np.abs(low + 0.5) + 0.5, np.abs(low + 0.5) - 0.5  # from the tail's side: no cancellation
        return low + 0.5, self.above(near) - self.above(far)


@dataclass(frozen=True)
class Case:
    """stop when walk >= b (+ once_b + step_b) return reject; stop when walk <= -a (+ once_a + step_a) return accept.

    `once`: "none", "apart" (independent draws for a and b), "high" (for b only), "same" (one draw added to both ends),
    or "wide" (one draw that moves the ends apart). `step`: "none", "apart" (independent for each end) or "walk" (one
    for the walk, in both comparisons). Without noise of each step the ends are whole numbers apart from their noise.
    """

    letters: tuple[int, ...]
    chances: tuple[float, ...]
    a: float
    b: float
    once: str = "none"
    once_noise: Noise | None = None
    step: str = "none"
    step_noise: Noise | None = None


@cache
def chance_of_reject(test: Case, cap: int | None = None) -> float:
    """P(reject), within `cap` steps."""
    high, low, weights = _ends(test)
    return _follow(test, high, low, weights, cap)


def _ends(test: Case) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    noise = test.once_noise
    if noise is None or test.once == "none":
        return np.array([test.b]), np.array([-test.a]), np.ones(1)
    far = 11 * noise.size if noise.family == "gaussian" else 1.3 * (test.a + test.b) + 10 * noise.size
    if test.step == "none" or test.step_noise is None:
        assert test.a.is_integer() and test.b.is_integer()  # then all that matters is between which whole numbers z is
        z, w = noise.cells(far)
    else:
        fine = 0.4 if noise.family == test.step_noise.family == "gaussian" else 0.03
        z, w = noise.grid(far, fine * min(noise.size, 2 * test.step_noise.size))
    if test.once == "high":
        return test.b + z, np.full(len(z), -test.a), w
    if test.once == "same":
        return test.b + z, -test.a + z, w
    if test.once == "wide":
        return test.b + z, -test.a - z, w
    first, second = np.meshgrid(z, z, indexing="ij")
    return test.b + first.ravel(), -test.a + second.ravel(), np.outer(w, w).ravel()


def _follow(test: Case, high: np.ndarray, low: np.ndarray, weights: np.ndarray, cap: int | None) -> float:
    most = max(abs(v) for v in test.letters)
    size = 64
    mass = np.zeros((len(weights), 2 * size + 1))
    mass[:, size] = weights
    total = 0.0
    recent = [np.inf] * 32
    for step in range(1, (cap or 20_000) + 1):
        if (step + 1) * most >= size:
            mass = np.pad(mass, ((0, 0), (size, size)))
            size *= 2
        moved = np.zeros_like(mass)
        for v, p in zip(test.letters, test.chances, strict=True):
            moved += p * np.roll(mass, v, axis=1)
        live = np.flatnonzero(moved.sum(axis=0) > 0)
        here = slice(live[0], live[-1] + 1)
        s = np.arange(-size, size + 1)[None, here]
        reject, stay = _chances(test, high[:, None] - s, low[:, None] - s)
        new = float((moved[:, here] * reject).sum())
        total += new
        mass = moved
        mass[:, here] *= stay
        before, recent = sum(recent), [*recent[1:], new]
        if not mass.any() or (total > 0 and sum(recent) < min(before, 1e-9 * total)):  # it decays geometrically by now
            return total
    if cap is None:
        raise RuntimeError("too long")
    return total


def _chances(test: Case, up: np.ndarray, down: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(P(reject here), P(no stop here)); the upper end lies `up` above the walk, the lower one `down`."""
    if test.step == "none" or test.step_noise is None:
        reject = up <= 1e-9
        return reject * 1.0, (~reject & (down < -1e-9)) * 1.0
    noise = test.step_noise
    reject = noise.above(up)
    if test.step == "apart":
        return reject, noise.above(-up) * noise.above(down)
    return reject, np.maximum(noise.above(down) - noise.above(up), 0.0)


def spec_of(test: Case) -> str:
    """The same test as a spec."""
    letters = ", ".join(str(v) for v in test.letters)
    law = ", ".join(f"{v}: {p!r}" for v, p in zip(test.letters, test.chances, strict=True))
    lines = [
        "algorithm generated",
        f"let b = {test.b!r}",
        f"let low = -({test.a!r})",
        f"stream x in {{{letters}}}",
        f"model null: x ~ {{{law}}}",
        "statistic walk = sum(x over steps)",
        "stop when walk >= b return reject",
        "stop when walk <= low return accept",
    ]
    if test.once_noise is not None and test.once != "none":
        noise = f"{test.once_noise.family}({test.once_noise.size!r})"
        if test.once == "apart":
            lines.append(f"attach {noise} to b, low once")
        elif test.once == "high":
            lines.append(f"attach {noise} to b once")
        else:
            sign = "" if test.once == "same" else "-"
            lines += [f"draw z ~ {noise} once", "attach z to b", f"attach {sign}z to low"]
    if test.step_noise is not None and test.step != "none":
        noise = f"{test.step_noise.family}({test.step_noise.size!r})"
        lines.append(f"attach {noise} to " + ("b, low" if test.step == "apart" else "walk"))
    return "\n".join(lines) + "\n"
