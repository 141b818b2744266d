"""Names of a program as names of generated Python: what is called differently stays different."""

from __future__ import annotations

import pytest

from seqlang import check, load
from seqlang.backends.transcript.plain_values import name_of

CAPTURED = """
algorithm a
stream x in {{0, 1}}
memory w = 0
draw z ~ laplace(1)
draw v ~ laplace(100)
let L = normal(w, 1)
update w = min(step, 1)
statistic {name} = 5 * x
report R = x - L.cdf(1) + z
report S = {name} + v
stop when step >= 2
"""


def test_names_stay_different() -> None:
    names = ("L.w", "L_w", "L__w", "Lw", "L_2e_w", "sum.1", "sum_1", "sum 1", "s\u00e9", "se")
    assert len({name_of(name) for name in names}) == len(names)
    assert all(f"v_{name_of(name)}".isidentifier() for name in names)


@pytest.mark.parametrize("name", ["other", "L_w"])
def test_a_memory_that_a_law_keeps_is_not_a_statistic_of_a_similar_name(name: str) -> None:
    """The memory in `L` is what it was above its update; R moves by x, S by 5 x: a loss of 1 + 5 / 100."""
    found = check(load(CAPTURED.format(name=name))).to_dict()["strong"]["pure"]
    assert found["lower"] == pytest.approx(1.05, abs=1e-6)
