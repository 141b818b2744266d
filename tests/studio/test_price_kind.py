"""The remark below the price of privacy is chosen by what was done."""

from __future__ import annotations

import pytest

from seqlang.studio.jobs.price import job

figure = pytest.importorskip(
    "seqlang.studio.parts.figure", reason="the extra `studio` is not installed", exc_type=ImportError
)

TEXT = """algorithm a
param eps > 0 = 1
stream x in {0, 1}
model fair: x ~ bernoulli(0.5)
report r = x when step == 1
attach laplace(1 / eps) to r
stop when step >= 2 return done
"""


@pytest.mark.parametrize(("exact", "kind"), [(True, "computed"), (False, "simulated")])
def test_an_answer_says_what_it_is(exact: bool, kind: str) -> None:
    asked = {"text": TEXT, "name": "a.seq", "settings": {}, "parameter": "eps", "from": "1", "to": "2", "count": "2",
             "exact": exact, "runs": "20"}  # fmt: skip
    answer = job(asked, lambda _: None)
    assert answer["kind"] == kind and ("simulated" in figure.REMARKS[kind]) == (kind == "simulated")
