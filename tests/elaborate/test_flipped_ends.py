"""Stops that differ in a flipped label only are one stop; anything else is left as it stands."""

from __future__ import annotations

from math import inf, log

import pytest

from seqlang.analyses.prove import prove, size_of
from seqlang.driver import load
from seqlang.source import Source

HEAD = """algorithm t
stream x in {0, 1}
statistic s = sum(x over steps)
attach randomized_response(3 / 4) to return
"""


def pure(text: str) -> float:
    made = load(Source("t", HEAD + text)).program
    found = prove(made).pure
    return inf if found is None else size_of(made, found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("stop when step >= 9 return if s >= 5 then yes else no", log(3)),
        ("stop when step >= 9 and s >= 5 return yes\nstop when step >= 9 return no", log(3)),
        # three labels: the truth against one of two others, log(3/4 / (1/8))
        ("stop when step >= 9 and s >= 7 return high\nstop when step >= 9 and s >= 4 return middle\n"
         "stop when step >= 9 return low", log(6)),
        ("stop when s >= 5 return yes\nstop return no", log(3)),
        # a statistic in between shows nothing
        ("stop when step >= 9 and s >= 5 return yes\nstatistic r = s\nstop when step >= 9 return no", log(3)),
        # when the run ends depends on the data
        ("stop when s >= 5 return yes\nstop when step >= 9 return no", inf),
        ("stop when step >= 9 and s >= 5 return yes\nstop when step >= 10 return no", inf),
        # which stop it was is seen by what comes between
        ("stop when step >= 9 and s >= 5 return yes\nreport r when step >= 1\nstop when step >= 9 return no", inf),
    ],
)  # fmt: skip
def test_bounds(text: str, expected: float) -> None:
    assert pure(text) == (inf if expected == inf else pytest.approx(expected))


def test_without_a_flip_the_condition_is_shown() -> None:
    plain = HEAD.replace("attach randomized_response(3 / 4) to return\n", "")
    made = load(Source("t", plain + "stop when step >= 9 and s >= 5 return yes\nstop when step >= 9 return no")).program
    assert prove(made).pure is None
