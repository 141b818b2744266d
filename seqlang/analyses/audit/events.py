"""Events worth estimating: sets of what runs show that are likelier under the one input than under the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import inf, log, sqrt
from typing import TYPE_CHECKING

from seqlang.analyses.audit.runs import Sight, seen
from seqlang.process.late import np

if TYPE_CHECKING:
    from seqlang.backends.montecarlo.samples import Samples

MOST_STEPS = 400
"""Stopping steps up to which each is an event of its own; of more, ranges of steps are."""
QUANTILES = 24
"""Ranges that the values of a report are cut into, each about equally likely."""
FEWEST = 8.0  # runs that an event must have been seen in


def atoms(samples: Sequence[Samples]) -> list[Sight]:
    """A partition of what the runs show: by last step, label and, where they are few, returned numbers."""
    one = samples[0]
    last = int(max(s.steps.max() for s in samples))
    steps = range(1, last + 1) if last <= MOST_STEPS else range(1, last + 1, -(-last // MOST_STEPS))
    width = steps.step
    spans = [(n, n + width - 1) for n in steps]
    found = [Sight(span, False) for span in spans[-1:]]
    returned = [Sight(span, True, result=k) for span in spans for k in range(len(one.labels))]
    values = [s.values for s in samples if s.values is not None and s.values.ndim == 1]
    if values:
        numbers = np.concatenate(values)
        numbers = numbers[~np.isnan(numbers)]
        if len(numbers):
            cuts = np.unique(np.quantile(numbers, np.linspace(0, 1, QUANTILES + 1)[1:-1]))
            ends = [-inf, *map(float, cuts), inf]
            spans_few = spans if last == 1 else [(1, last)]
            found += [Sight(span, True, value=(a, inf if b == inf else float(np.nextafter(b, -inf))))
                      for span in spans_few for a, b in pairwise(ends)]  # fmt: skip
            return found
    found += returned if one.labels else [Sight(span, True) for span in spans]
    if one.labels:
        found += [Sight(span, True, result=-1) for span in spans]
    return found


def proposals(first: Samples, second: Samples) -> list[tuple[Sight, ...]]:
    """Events for both directions: half lines of steps or values, report counts, and unions of the atoms that look
    likelier the more."""
    both = (first, second)
    parts = atoms(both)
    last = int(max(s.steps.max() for s in both))
    found: list[tuple[Sight, ...]] = [(part,) for part in parts]
    for kind in {(p.stopped, p.result, p.reports) for p in parts if p.value is None}:
        ends = sorted({p.steps for p in parts if (p.stopped, p.result, p.reports) == kind})
        found += [(Sight((1, b), *kind[:2]),) for _, b in ends] + [(Sight((a, last), *kind[:2]),) for a, _ in ends]
    ends_of_values = sorted({p.value for p in parts if p.value is not None})
    found += [(Sight((1, last), True, value=(-inf, b)),) for _, b in ends_of_values]
    found += [(Sight((1, last), True, value=(a, inf)),) for a, _ in ends_of_values]
    for name in first.reports:
        counts = np.unique(np.concatenate([s.reports[name] for s in both]))[:50]
        found += [(Sight((1, last), reports=(name, int(k))),) for k in counts]
    sizes = [[float(seen(s, part).mean()) for part in parts] for s in both]
    ranked = sorted(range(len(parts)), key=lambda k: -_ratio(sizes[0][k], sizes[1][k], first.runs))
    for places in (ranked, ranked[::-1]):
        found += [tuple(parts[k] for k in places[:size]) for size in accumulate([1] * min(len(places) - 1, 40))]
    return list(dict.fromkeys(found))


def chosen(
    first: Samples, second: Samples, events: Sequence[tuple[Sight, ...]]
) -> list[tuple[float, bool, tuple[Sight, ...]]]:
    """(score, whether the second input is the likelier one, event), best first: by a cautious estimate of the loss."""
    found = []
    for event in events:
        p, q = (frequency(s, event) for s in (first, second))
        for swapped, (a, b) in ((False, (p, q)), (True, (q, p))):
            if a * first.runs >= FEWEST:
                found.append((_score(a, b, first.runs), swapped, event))
    found.sort(key=lambda one: (-one[0], len(one[2])))
    return found


def frequency(samples: Samples, event: Sequence[Sight]) -> float:
    """The share of the runs that show any of the sights, which exclude each other."""
    return float(sum(int(seen(samples, sight).sum()) for sight in event)) / samples.runs


def _score(p: float, q: float, runs: int) -> float:
    low = p - 3.3 * sqrt(p * (1 - p) / runs) - 3 / runs
    high = q + 3.3 * sqrt(q * (1 - q) / runs) + 7 / runs
    return log(low / high) if low > 0 else -inf


def _ratio(p: float, q: float, runs: int) -> float:
    return log((p + 1 / runs) / (q + 1 / runs))
