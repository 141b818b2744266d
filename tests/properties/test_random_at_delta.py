"""Random programs that are decided at a delta: no neighbours lose more than is proved.

`python -m random_programs.decided_at_delta histogram --instances 1000` (or `short`, `whole numbers`) is the longer run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from random_programs.decided_at_delta import Subject, judged
from random_programs.histograms import histogram_subject
from random_programs.short_tests import short_subject
from random_programs.whole_numbers import whole_numbers_subject

from seqlang.accounting import discrete_gaussian
from seqlang.rules.conversion import discrete_gaussians_to_approximate
from seqlang.rules.joint import every_input, stability_histogram

KINDS: dict[str, tuple[Callable[[int], Subject], int, str]] = {
    "histogram": (histogram_subject, 6, stability_histogram.RULE.name),
    "short": (short_subject, 3, every_input.RULE.name),
    "whole numbers": (whole_numbers_subject, 12, discrete_gaussians_to_approximate.RULE.name),
}
"""The kind, how many programs the short run takes, and the rule that it is for."""


@pytest.mark.parametrize("kind", KINDS)
def test_no_neighbours_lose_more(kind: str, request: pytest.FixtureRequest) -> None:
    subject, most, rule = KINDS[kind]
    first = int(request.config.getoption("--first-seed"))
    count = min(most, int(request.config.getoption("--instances")))
    print(f"{kind}: the seeds {first} to {first + count - 1}")
    counts = Counter[str]()
    for seed in range(first, first + count):
        found = judged(subject(seed))
        counts[found.status] += 1
        counts[rule] += rule in found.rules
        assert found.status in ("held", "open", "trivial"), (
            f"{seed}: {found.said}, {found.witness}\n{subject(seed).text}"
        )
    assert counts[rule] >= 0.2 * count, f"bounds must be proved by {rule}: {counts}"


def thousandth(right: Any) -> Any:
    return lambda *arguments: right(*arguments) / 1000


def half(right: Any) -> Any:
    return lambda program, vector, moved: right(program, vector, moved) / 2


def without_the_last(right: Any) -> Any:
    return lambda program, inputs: [pair for pair in right(program, inputs) if len(inputs) - 1 not in pair]


@pytest.mark.parametrize(
    ("place", "name", "fault", "kind", "seeds"),
    [
        (stability_histogram._Noise, "reaches", thousandth, "histogram", (8, 16)),
        (stability_histogram, "_falls", half, "histogram", (16, 25)),
        (discrete_gaussian, "epsilon", thousandth, "whole numbers", range(6)),
        (every_input, "_neighbours", without_the_last, "short", (9,)),
    ],
)
def test_planted_faults_are_seen(
    place: Any, name: str, fault: Any, kind: str, seeds: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(place, name, fault(getattr(place, name)))
    assert any(judged(KINDS[kind][0](seed)).status == "false" for seed in seeds)
