"""Random programs that compare with noisy values that are kept: no bound lies below the loss that quadrature finds.

`python -m random_programs.kept --instances 5000 --first-seed 1000` is the longer run.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from planted_faults import Mutant, instead, plant
from random_programs.faults import forget
from random_programs.kept import Ending, KeptProgram, judged, kept_program, written

from seqlang.arithmetic.formula import ZERO
from seqlang.record import replace

MOST = 30
"""Programs of the short run: each takes about a tenth of a second."""


def test_no_bound_lies_below_the_loss(request: pytest.FixtureRequest) -> None:
    first = int(request.config.getoption("--first-seed"))
    count = min(MOST, int(request.config.getoption("--instances")))
    print(f"programs that keep noisy values, with the seeds {first} to {first + count - 1}")
    counts = Counter[str]()
    for seed in range(first, first + count):
        found = judged(kept_program(seed), seed)
        counts[found.status] += 1
        assert found.status in ("held", "open"), f"{seed}: {found.said}, {found.witness}\n{written(kept_program(seed))}"
    assert counts["held"] >= 0.1 * count, f"bounds must be proved: {counts}"


def either_way(right: Any) -> Any:
    """An extreme that is moved alone may move both ways."""
    return lambda *arguments: replace(right(*arguments), family="laplace")


def stored_from_the_start(right: Any) -> Any:
    """Something is stored in step 1 already."""

    def store(*arguments: Any) -> Any:
        found = right(*arguments)
        return None if found is None else replace(found, steps=(1, *(s for s in found.steps if s > 1)))

    return store


def one_test(schedule: int, kind: str, first: int, operator: str, steps: int, own: float = 1.0) -> KeptProgram:
    guard = "" if first == 1 else f"step >= {first}"
    test = Ending(guard, first, 1, operator, 1.0, 0, 0.0)
    return KeptProgram("every f within 1", schedule, (kind,), "f", False, (own, 1.0), (test,), steps)


THRESHOLDS = "seqlang.rules.alignment.thresholds"
FAULTS = [
    (Mutant("storing costs nothing", f"{THRESHOLDS}:hiding", instead(ZERO), ""), kept_program(57)),
    (
        Mutant("a largest entry moves down alone", f"{THRESHOLDS}:_law", either_way, ""),
        one_test(2, "max", 3, "<=", 6, 4.0),
    ),
    (
        Mutant("kept from the start", f"{THRESHOLDS}:store_of", stored_from_the_start, ""),
        one_test(7, "latest", 1, ">=", 8),
    ),
]


@pytest.mark.parametrize(("fault", "program"), FAULTS, ids=lambda f: f.name if isinstance(f, Mutant) else "")
def test_a_planted_fault_is_seen(fault: Mutant, program: KeptProgram, monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(program, 0).status in ("held", "open")  # this also imports what takes no planted function for its own
    forget()
    plant(monkeypatch, fault)
    assert any(judged(program, seed).status == "false" for seed in range(8))
