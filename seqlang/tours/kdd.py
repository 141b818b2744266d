"""KDD Cup 99 as a stream to learn from: rows that are read once, orders of them, and errors where so many labels were
bought. What is private learning there is Bittner et al. (2020)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang import api
from seqlang.backends.interpret.data import kdd_cup_99
from seqlang.tours.shared import data_file, progress

Floats = NDArray[np.float64]
LABELS = "count(selected over steps)"
TRACKED = {"flmb": LABELS, "flsw": LABELS, "input_perturbation": "step"}
"""What counts the labels that were bought; where the choice is a drawn 0 or 1, their sum does."""

KEPT = 100
"""Rows of each class for validation."""


class Study:
    """Rows for training (`pool` of the first 400,000), 200 others of the same for validation, half of them attacks, and
    the last 94,021 rows for the test. `balanced` draws as many attacks as normal connections for training."""

    def __init__(
        self, orders: int, rows: int, seed: int, *, balanced: bool = True, eta: float = 1, pool: int = 40_000
    ) -> None:
        self.orders, self.rows, self.seed, self.eta, self.settings = orders, rows, seed, eta, 0
        whole = api.rows("@bittner2020/flmb", _file(), names=(), columns=kdd_cup_99.COLUMNS, tell=_reading)
        split = round(whole.count * kdd_cup_99.TRAINING / kdd_cup_99.ROWS)
        random = np.random.default_rng(seed)
        label = whole.fields["y"][:split]
        groups = [np.flatnonzero(label == c) for c in (-1, 1)] if balanced else [np.arange(split)]
        drawn = np.concatenate(
            [random.choice(g, min(pool // len(groups), len(g) - KEPT), replace=False) for g in groups]
        )
        self.training = whole.part(np.sort(drawn))
        left = np.setdiff1d(np.arange(split), drawn)
        both = [left[label[left] == c] for c in (-1, 1)]
        self.validation = whole.part(np.concatenate([random.choice(g, min(KEPT, len(g)), False) for g in both]))
        self.test = whole.part(slice(split, None))

    def train(
        self, name: str, *, twin: bool = False, checkpoints: int = 20, test: Any = None, **parameters: Any
    ) -> Any:
        """The result of one setting of @bittner2020/NAME, `labels` tracked (and its twin's, without noise)."""
        self.settings += 1
        spec = api.load(f"@bittner2020/{name}", **{"n": self.rows, "eta": self.eta, **parameters})
        found = api.train(
            spec, self.training, test=self.test if test is None else test, permutations=self.orders, seed=self.seed,
            checkpoints=checkpoints, twin=twin, track={"labels": TRACKED.get(name, "sum(selected over steps)")},
            progress=lambda what, done, of: progress(f"setting {self.settings}, {what}", done, of),
        )  # fmt: skip
        return found if twin else found[0]

    def batch_error(self, rows: int = 2000) -> float:
        """The error of a support vector machine that is trained on so many rows at once, without noise."""
        rows = min(rows, self.training.count)
        some = np.random.default_rng(self.seed).permutation(self.training.count)[:rows]
        spec = api.load("@bittner2020/batch_erm_output", n=rows, svm=1, d=self.training.fields["x"].shape[1])
        both = api.train(spec, self.training.part(some), test=self.test, twin=True, progress=progress)
        return float(errors_of(both["without noise"])[-1, 0])


def errors_of(result: Any) -> Floats:
    """(checkpoints, orders)."""
    return np.asarray(1 - result.run.scores.accuracy)


def errors_at(result: Any, labels: Floats) -> Floats:
    """(labels, orders): the error of every order when it had bought so many labels, by linear interpolation between
    checkpoints, as in the paper; not a number where it never bought so many."""
    error, bought = errors_of(result), result.run.tracked["labels"]
    found = [np.interp(labels, bought[:, i], error[:, i], left=np.nan, right=np.nan) for i in range(bought.shape[1])]
    return np.array(found).T


def mean_and_half(values: Floats) -> tuple[Floats, Floats]:
    """The mean over the orders (the last axis), and half of its 95 % interval by Student's law; not a number where an
    order has none."""
    from scipy.special import stdtrit

    n = values.shape[-1]
    sd = values.std(axis=-1, ddof=1) if n > 1 else np.full(values.shape[:-1], np.nan)
    return values.mean(axis=-1), stdtrit(max(1, n - 1), 0.975) * sd / np.sqrt(n)


def _file() -> Path:
    """As the package looks for it (KDDCUP99), or else as tours look for their data."""
    return kdd_cup_99.find(Path.cwd()) or data_file(
        kdd_cup_99.FILE, what="494,021 connections of KDD Cup 99, the 10 % file",
        get="Get it from https://archive.ics.uci.edu/dataset/130, and name its folder by SEQLANG_DATA.",
    )  # fmt: skip


def _reading(rows: int) -> None:
    progress("reading", rows, kdd_cup_99.ROWS)
