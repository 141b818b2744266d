"""Wrong conditions of joint/gaussian_values are noticed by the random programs of that kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from random_programs.judge import KINDS

from seqlang.model.gate_source import OfResult
from seqlang.rules.joint import gaussian_values

KIND = KINDS["gaussian"]


@pytest.mark.parametrize(
    ("seed", "name", "wrong"),
    [
        (1005, "_is_made_of", lambda facts, number, others: len(number.terms) > 1),
        (1107, "_shared", lambda facts, numbers: None),
        (1064, "_key", lambda facts, value, terms: tuple(term.noise for term in terms)),
        (1010, "total", lambda costs: costs[0]),
        (1002, "_source", lambda gates, number, numbers: OfResult(1)),
    ],
)
def test_noticed(seed: int, name: str, wrong: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    program = KIND.program(seed)
    assert KIND.judged(program).status in ("held", "open")
    monkeypatch.setattr(gaussian_values, name, wrong)
    assert KIND.judged(program).status == "false"
