"""Sums over windows whose length depends on private data: how they move is not known, whatever they are part of."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.source import Source

HEAD = """algorithm example
stream x in {0, 1}, y in {0, 1}
adjacent replace one
memory k = 1
update k = if step % 2 == 0 then 1 else 3
statistic long = if sum(x over steps) >= 30 then 1 else 100
"""
PARTS = (
    "sum(y over last M)",
    "sum(y over last M) - 1",
    "2 * sum(y over last M)",
    "count(y == 1 over last M) + sum(x over steps)",
    "norm([sum(y over last M), sum(1 - y over last M)])",
    "max(sum(y over last M) - 1, 0)",
)


@pytest.mark.parametrize("part", PARTS)
def test_a_private_length(part: str) -> None:
    assert kind(part.replace("M", "long")) == "unbounded"


@pytest.mark.parametrize("part", PARTS)
def test_a_public_length(part: str) -> None:
    assert kind(part.replace("M", "k")) != "unbounded"


def kind(part: str) -> str:
    program = driver.load(Source("<test>", f"{HEAD}statistic s = {part}\nstop when s >= 3\n")).program
    return shift_of(program, program.define("s").expression).kind
