"""Faults in how often an entry is shown, and in which gates it is, that random programs must notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from random_programs.judge import KINDS

from seqlang.rules.composition import parallel
from seqlang.rules.joint import one_entry
from seqlang.rules.reading.schedule import Schedule

Honest = Callable[..., Any]


@pytest.mark.parametrize(
    ("place", "name", "fault", "seeds"),
    [
        (parallel, "exclude_each_other", lambda _: lambda program, a, b: a != b, (3005, 3016, 3025)),
        (parallel, "_moves", lambda _: lambda entry, condition: False, (3017,)),
        (one_entry, "_exclude", lambda _: lambda program, a, b: a != b, (3016, 3025)),
        (one_entry, "_last", lambda _: lambda held, k: k, (3006, 3010)),
        (one_entry, "_positions", lambda _: lambda entry, parts: range(2, 3), (3004, 3007)),
        (Schedule, "within", lambda honest: lambda s, length: honest(s, max(length - 1, 1)), (3006, 3034)),
        (Schedule, "up_to", lambda honest: lambda s, step: max(honest(s, step) - 1, 0), (3002, 3008)),
    ],
)
def test_planted_faults_are_seen(
    place: object, name: str, fault: Callable[[Honest], Honest], seeds: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = KINDS["cells"]
    assert all(kind.judged(kind.program(seed)).status == "held" for seed in seeds)
    monkeypatch.setattr(place, name, fault(getattr(place, name)))
    assert any(kind.judged(kind.program(seed)).status == "false" for seed in seeds)
