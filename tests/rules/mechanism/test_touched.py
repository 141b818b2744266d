"""How many showings one changed entry touches: events that do not happen, and choices that are drawn elsewhere."""

from __future__ import annotations

from math import inf, log

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of


def pure(*lines: str) -> float:
    made = elaborated("\n".join(("algorithm t", *lines)))
    bound = prove(made).pure
    return inf if bound is None else size_of(made, bound)


@pytest.mark.parametrize(
    "lines",
    [
        ("statistic b = sum(x since R) >= 1", "report R when b", "attach randomized_response(0.75) to b"),
        ("statistic s = sum(x since R)", "report R when floor(s) % 2 == 0", "attach laplace(1) to s"),
    ],
)
def test_an_event_that_does_not_happen_is_shown_too(lines: tuple[str, ...]) -> None:
    """No R by step n: 0.75^n where all entries are 0, 0.25^n where the first one is 1."""
    assert pure("stream x in {0, 1}", *lines) == inf
    assert pure("stream x in {0, 1}", *lines, "stop when step >= 4") >= 2


def test_a_choice_shown_later_than_it_is_drawn() -> None:
    """The choices of steps 5 and 6 both look at the entry of step 4; they are shown in steps 5 and 10."""
    lines = ("report A = c when step % 5 == 0", "stop when step >= 10")
    law = "bernoulli(0.25 + 0.5 * max(x over last 3))"
    elsewhere = pure("stream x in {0, 1}", "report Q when step == 4 or step == 5", f"draw c ~ {law} each Q", *lines)
    assert elsewhere >= 2 * log(3) - 1e-9
    assert pure("stream x in {0, 1}", f"draw c ~ {law}", *lines) == pytest.approx(log(3))


def test_one_report_does_not_stand_for_another() -> None:
    """Q shows a new noisy value of the sum in every step; R, at which the sum starts anew, is decided by a coin."""
    lines = ("statistic s = sum(x since R)", "draw z ~ laplace(1)", "report R = s when z >= 1", "report Q = s")
    assert pure("stream x in {0, 1}", *lines, "stop when step >= 4", "attach laplace(1) to s") >= 4
