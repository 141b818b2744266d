"""A comparison that a stop returns is one more decision, and a late stop asks again in the step after: each bound is
compared with the loss of one event, found by integrals over the threshold noises."""

from __future__ import annotations

from math import inf

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of

NOISY = ("attach laplace(1) to q", "attach laplace(1) to T once")
RETURNED = "return if q >= T then yes else no"


def pure(*lines: str) -> float:
    made = elaborated("\n".join(("algorithm t", "stream q in real", *lines)))
    bound = prove(made).pure
    return inf if bound is None else size_of(made, bound)


@pytest.mark.parametrize(
    ("lines", "loss"),
    [
        # q = 2 twenty times, then -3, -3, against 3 twenty times, then -4, -4: nothing, R, then yes
        (("report R when length(history(step, R)) < 1 and q >= T", f"stop when u == 1 {RETURNED}", *NOISY), 4.99),
        ((f"stop when length(history(step, R)) >= 1 {RETURNED}", "report R when q >= T", *NOISY), 4.99),
        # two segments of this kind, each with its own threshold noise
        (
            (
                "memory m = 0",
                "report R when m < 1 and q >= T",
                "update m = m + 1 when R",
                f"stop when u == 1 {RETURNED}",
                "attach laplace(1) to q",
                "attach laplace(1) to T each R",
            ),
            5.99,
        ),
        # nothing for nine steps, R in the tenth, then a noisy stop above the late one
        (
            (
                "statistic a = q",
                "statistic b = q",
                "param S = 0",
                "stop when a >= T return yes",
                "stop when length(history(step, R)) >= 1",
                "report R when b >= S",
                "attach laplace(1) to a",
                "attach laplace(1) to b",
                "attach laplace(1) to T once",
                "attach laplace(1) to S once",
            ),
            5.99,
        ),
    ],
)
def test_the_bound_is_no_less_than_a_loss(lines: tuple[str, ...], loss: float) -> None:
    assert pure("adjacent every q within 1", "public u in {0, 1}", "param T = 0", *lines) >= loss
