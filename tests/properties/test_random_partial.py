"""Random programs whose operations may have no value: no finite bound where one of two neighbours alone has none.

`python -m random_programs.hunt partial --instances 50000 --first-seed 5000` is the longer run.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from planted_faults import Mutant, instead, plant
from random_programs.hunt import FAILURES, reproducer, small
from random_programs.partial import PARTIAL, partial_program

from seqlang.rules.sensitivity.totality.known_value import FINITE

PLANTED = 100
"""Programs that the planted faults are shown to, if neighbours are told apart there."""


def test_nothing_is_proved_where_neighbours_fail_differently(request: pytest.FixtureRequest) -> None:
    first = int(request.config.getoption("--first-seed"))
    count = round(int(request.config.getoption("--instances")) * 1.2)
    print(f"partial programs with the seeds {first} to {first + count - 1}")
    counts = Counter[str]()
    for seed in range(first, first + count):
        program = partial_program(seed)
        judged = PARTIAL.judged(program)
        counts[judged.status] += 1
        if judged.status in FAILURES:
            least, said = small(PARTIAL, program, judged, letters=True)
            pytest.fail(reproducer(PARTIAL, seed, least, said, letters=True))
    assert counts["open"] >= 0.12 * count, f"neighbours must be told apart: {counts}"
    assert counts["invalid"] <= 0.3 * count, f"the programs must be valid: {counts}"


@cache
def told_apart() -> tuple[int, ...]:
    return tuple(seed for seed in range(PLANTED) if PARTIAL.judged(partial_program(seed)).status == "open")


def total(*operators: str) -> Any:
    """The operators always have a finite value."""
    return lambda right: lambda place, e, infinite: FINITE if e.operator in operators else right(place, e, infinite)


TOTALITY, RANGES = "seqlang.rules.sensitivity.totality", "seqlang.rules.sensitivity.ranges"
FAULTS = [
    Mutant("roots and logarithms have values", f"{TOTALITY}.total_operators:of_operator", total("sqrt", "log"), ""),
    Mutant("divisions have values", f"{TOTALITY}.total_operators:of_operator", total("/", "%"), ""),
    Mutant("a position is in its list", f"{RANGES}.lengths:is_position", instead(True), ""),
    Mutant("a set has an element", f"{RANGES}.aggregates:set_may_be_empty", instead(False), ""),
    Mutant("an argument is one of its law", f"{TOTALITY}.totality:_arguments", instead(FINITE), ""),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_a_planted_fault_is_seen(fault: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    seeds = told_apart()
    planted = plant(monkeypatch, fault)
    seen = next((seed for seed in seeds if PARTIAL.judged(partial_program(seed)).status == "false"), None)
    print(f"seen in program {seen}")
    assert planted.changed
    assert seen is not None
