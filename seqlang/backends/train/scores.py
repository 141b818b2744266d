"""How good a prediction is: counts of the four outcomes, and what is made of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.record import record

Array = NDArray[Any]


def _ratio(a: Array, b: Array) -> Array:
    """a / b, and 0 where b is 0: there was nothing to be right about. Not a number where nothing was counted."""
    return np.divide(a, b, out=np.where(np.isnan(b), np.nan, np.zeros(np.broadcast(a, b).shape)), where=b > 0)


@record
class Scores:
    """Counts on the rows held out: true positives, false positives, true negatives, false negatives."""

    tp: Array
    fp: Array
    tn: Array
    fn: Array

    @property
    def accuracy(self) -> Array:
        """(TP + TN) / all."""
        return _ratio(self.tp + self.tn, self.tp + self.tn + self.fp + self.fn)

    @property
    def precision(self) -> Array:
        """TP / (TP + FP)."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> Array:
        """TP / (TP + FN)."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def specificity(self) -> Array:
        """TN / (TN + FP)."""
        return _ratio(self.tn, self.tn + self.fp)

    @property
    def f1(self) -> Array:
        """2 TP / (2 TP + FP + FN)."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def mcc(self) -> Array:
        """(TP TN - FP FN) / sqrt((TP + FP)(TP + FN)(TN + FP)(TN + FN)) (Matthews 1975); 0 if a factor is 0."""
        factors = (self.tp + self.fp, self.tp + self.fn, self.tn + self.fp, self.tn + self.fn)
        below = np.prod([np.sqrt(f) for f in factors], axis=0)
        return _ratio(self.tp * self.tn - self.fp * self.fn, below)

    def all(self) -> dict[str, Array]:
        """Name -> values, in the order in which they are shown."""
        return {name: getattr(self, name) for name in METRICS}


METRICS = ("accuracy", "precision", "recall", "specificity", "f1", "mcc")


def counted(predicted: Array, truth: Array, times: Array) -> tuple[float, float, float, float]:
    """(TP, FP, TN, FN) of truth values, each of which occurs so many times."""
    yes, true = float(times[predicted].sum()), float(times[truth].sum())
    tp = float(times[predicted & truth].sum())
    fp, fn = yes - tp, true - tp
    return tp, fp, float(times.sum()) - tp - fp - fn, fn
