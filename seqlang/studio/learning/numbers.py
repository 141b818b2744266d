"""What is known of the learners, as plain numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from seqlang.results.train import RANGES, spread
from seqlang.studio.learning.follow import SETS, Followed

LATEST = 120
"""Rows whose predicted labels are shown."""


def numbers_of(found: Sequence[Followed]) -> dict[str, Any]:
    """`marks`, the steps of the checkpoints, and for each variant

    - `curves`: set -> a spread of the accuracy at each mark; `bought`: one of the labels bought;
    - `predicted` and `truth`: (positive, negative) rows of the test rows at the last mark that is known;
    - `labels`: (step, prediction, truth) of the latest rows of the first order;
    - `metrics`: a spread of each on the test rows, at the end.
    """
    return {
        "marks": list(found[0].marks),
        "variants": {one.name: _numbers(one) for one in found},
    }


def _numbers(one: Followed) -> dict[str, Any]:
    curves = {name: [spread(values, RANGES["accuracy"]) for values in one.scores(name).accuracy] for name in SETS}
    known = [c for c, point in enumerate(curves["test"]) if point["n"]]
    last = known[-1] if known else None
    tp, fp, tn, fn = (np.nanmean(counts[last]) if last is not None else 0.0 for counts in one.counts["test"])
    at_end = one.scores("test").all() if last == len(one.marks) - 1 else {}
    return {
        "curves": curves,
        "bought": [spread(values) for values in one.bought],
        "predicted": [float(tp + fp), float(tn + fn)],
        "truth": [float(tp + fn), float(tn + fp)],
        "labels": sorted(one.labels)[-LATEST:],
        "metrics": {name: spread(values[-1], RANGES[name]) for name, values in at_end.items()},
    }
