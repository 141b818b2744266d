"""What is known of the learners, as plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from seqlang.backends.train import METRICS
from seqlang.results.train import RANGES, spread
from seqlang.studio.learning.follow import SETS, Followed

Numbers = Mapping[str, Any]
Bar = tuple[float, float, float]
Series = list[tuple[float, float, float, float]]
NAMES = (*SETS, "bought", "predicted", "time", "metrics")
"""Of the charts."""
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


def series_of(numbers: Numbers, name: str) -> dict[str, Series]:
    """Variant -> the known (step, mean, low, high) of the accuracy on a set, or of the labels bought. Low and high are
    the ends of the 95 % interval, and the mean where there is none."""
    found = {}
    for variant, one in numbers["variants"].items():
        points = one["bought"] if name == "bought" else one["curves"][name]
        known = [(step, point) for step, point in zip(numbers["marks"], points, strict=True) if point["n"]]
        found[variant] = [(step, p["mean"], *(p["ci95"] or (p["mean"],) * 2)) for step, p in known]
    return found if any(found.values()) else {}


def bars_of(numbers: Numbers, name: str) -> dict[str, list[Bar | None]]:
    """Variant -> (value, low, high) of each metric, or of the test rows that are predicted positive and negative, with
    the truth beside them."""
    variants: Mapping[str, Any] = numbers["variants"]
    if name == "metrics":
        return {variant: [_bar(one["metrics"].get(metric)) for metric in METRICS] for variant, one in variants.items()}
    (first, *_) = variants.values()
    rows = {**{variant: one["predicted"] for variant, one in variants.items()}, "truth": first["truth"]}
    return {name: [(v, v, v) for v in values] for name, values in rows.items()} if any(first["truth"]) else {}


def _bar(point: Mapping[str, Any] | None) -> Bar | None:
    if not point or point["mean"] is None:
        return None
    low, high = point["ci95"] or (point["mean"],) * 2
    return point["mean"], low, high


def label_rows(numbers: Numbers) -> dict[str, list[tuple[int, bool]]]:
    """Variant, and "truth" -> (step, label)."""
    found = {name: one["labels"] for name, one in numbers["variants"].items() if one["labels"]}
    if not found:
        return {}
    longest = max(found.values(), key=len)
    rows = {name: [(step, said) for step, said, _ in labels] for name, labels in found.items()}
    return {**rows, "truth": [(step, truth) for step, _, truth in longest]}


def table_of(numbers: Numbers, name: str) -> list[dict[str, Any]]:
    """A chart's numbers, a row each, for a file."""
    if name == "time":
        return [{"learner": who, "row": step, "positive": int(said)} for who, labels in label_rows(numbers).items()
                for step, said in labels]  # fmt: skip
    if name in ("metrics", "predicted"):
        names = METRICS if name == "metrics" else ("positive", "negative")
        pairs = [(who, *pair) for who, bars in bars_of(numbers, name).items() for pair in zip(names, bars, strict=True)]
        return [{"learner": who, "what": what, "value": bar[0], "low": bar[1], "high": bar[2]}
                for who, what, bar in pairs if bar]  # fmt: skip
    return [{"learner": who, "rows read": step, "mean": mean, "low": low, "high": high}
            for who, points in series_of(numbers, name).items() for step, mean, low, high in points]  # fmt: skip
