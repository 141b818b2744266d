"""A window of less than one step keeps no step: its length never counts as a negative number."""

from __future__ import annotations

import pytest

from seqlang.driver import check, load
from seqlang.source import Source

TEXT = """algorithm windows
stream x in [0, 1]
adjacent {neighbours}
statistic v = [sum(x over last {length}) for k in 1..4]
stop when step >= 4 return {shown}
attach laplace(1) to v each step
claim strong pure({claimed})
"""


@pytest.mark.parametrize("neighbours", ["every x within 1", "one x within 1", "replace 1"])
@pytest.mark.parametrize("shown", ["v", "argmax(v)"])
@pytest.mark.parametrize("length, kept", [("k - 5", 0), ("k - 3", 1), ("k", 10)])
def test_the_bound_is_no_smaller_than_what_is_kept(neighbours: str, shown: str, length: str, kept: int) -> None:
    """At step 4 the windows hold `kept` entries together, if every entry moves by 1; each costs 1 under Laplace noise
    of scale 1. So the loss of v is `kept` in the worst case of all entries, and no bound may be below it."""
    text = TEXT.format(neighbours=neighbours, length=length, shown=shown, claimed=100)
    upper = check(load(Source("<windows>", text))).to_dict()["strong"]["pure"]["upper"]
    assert float(upper) >= (kept if neighbours.startswith("every") and shown == "v" else 0)
