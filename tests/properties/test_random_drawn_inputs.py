"""Weak claims of random programs whose models draw public and private fields by one another, and read memory, against
exact laws that are followed draw by draw."""

from __future__ import annotations

from collections import Counter

import pytest
from random_programs.drawn_inputs import drawn_program, judged
from thorough import several

LONG = 600
"""Programs with `--long`."""


def test_no_verdict_is_false() -> None:
    told: Counter[tuple[str, str, str]] = Counter()
    for seed in range(several(5, LONG)):
        told += judged(seed)
    for verdict in ("proved", "refuted"):
        assert told["public", "dp", verdict] + told["public", "pure", verdict], told
    assert not any(kind == "adaptive" and verdict == "proved" for kind, _, verdict in told), told


def test_what_the_public_fields_tell_is_not_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the strong bounds taken for weak ones under every model, verdicts are false."""
    monkeypatch.setattr("seqlang.rules.claims.not_on_average", lambda program, model: None)
    for seed in range(80):
        program = drawn_program(seed)
        if not program.public or program.steps > 2:
            continue
        try:
            judged(seed)
        except AssertionError:
            return
    pytest.fail("no verdict was false")
