"""The figures of settings side by side: each says of which kind it is."""

from __future__ import annotations

import re

from seqlang.studio.jobs.compare import job

SLOW = """algorithm slow
param p in (0, 1) = 0.00001
stream x in {0, 1}
model m: x ~ bernoulli(p)
memory seen = 0
let wait = 1 + seen
report bad when x >= 1
update seen = seen + 1 when bad
stop when seen >= 2 return harm
"""
"""Harm takes 200,000 steps on average."""
SHORT = """algorithm short
param eps > 0 = 1
stream x in {0, 1, 2}
statistic s = sum(x over steps)
report r = s
attach laplace(1 / eps) to r
stop when x >= 2
claim strong pure(5 * eps) within 5 steps
"""


def cells(text: str) -> dict[str, str]:
    """The first setting's column."""
    answer = job({"text": text, "name": "a.seq", "kept": [{}], "settings": {}}, lambda _: None)
    return {row[""]: row["1"] for row in answer["rows"]}


def test_mass_that_is_not_resolved_is_no_zero() -> None:
    """P(harm) is 1; what was not followed to its end must not be shown as 0."""
    found = cells(SLOW)
    shown = next(value for name, value in found.items() if name.startswith("P(harm)"))
    ends = [float(x) for x in re.findall(r"\d[0-9.e-]*", shown.split(";")[0].replace("..", " "))]
    assert max(ends) > 0.999, shown


def test_a_number_says_its_kind() -> None:
    found = cells(SLOW.replace("0.00001", "0.5"))
    assert all(re.search("estimate|certain|≈", value) for name, value in found.items() if name.startswith("P("))


def test_a_bound_says_for_how_many_steps_it_holds() -> None:
    """Each report costs; only the horizon bounds how many there are."""
    found = cells(SHORT)
    bounds = [value for name, value in found.items() if name.startswith("pure epsilon, proved")]
    assert bounds
    assert all("within 5 steps" in value or value == "∞" for value in bounds), bounds
