"""One noisy value, shown several times: as if it were shown once."""

from __future__ import annotations

from math import inf

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of


def bounds(*lines: str) -> tuple[float, float]:
    """(pure, zcdp)."""
    made = elaborated("\n".join(("algorithm t", *lines)))
    proved = prove(made)
    return tuple(inf if b is None else size_of(made, b) for b in (proved.pure, proved.zcdp))


DATA = ("dataset x in [0, 1] size 50", "statistic a = sum(x)", "statistic b = sum(x)")


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("report u = a", "report v = 2 * a + 1", "stop", "attach laplace(2) to a"), (0.5, 0.125)),
        (("report u = a", "report v = floor(a)", "stop", "attach gaussian(2) to a"), (inf, 0.125)),
        # in four steps, with a new draw in each: whichever of them it is shown in
        (("report u = a", "report v = -a when step >= 3", "stop when step >= 4", "attach laplace(2) to a"), (2, 0.5)),
        (("report u = a", "report v = -a", "stop when step >= 4", "attach laplace(2) to a once"), (0.5, 0.125)),
        # another value, another noise, or the noise in the value of a third gate
        (("report u = a", "report v = b", "stop", "attach laplace(2) to a, b"), (1, 0.25)),
        (
            ("draw z ~ laplace(2)", "attach z to a", "attach -z to b", "report u = a", "report v = b", "stop"),
            (inf, inf),
        ),
        (("draw z ~ laplace(2)", "attach z to a", "report u = a", "report v = a", "report w = z", "stop"), (inf, inf)),
    ],
)
def test_bounds(lines: tuple[str, ...], expected: tuple[float, float]) -> None:
    found = bounds(*DATA, *lines)
    assert found[0] == (expected[0] if expected[0] == inf else pytest.approx(expected[0]))
    if expected[1] != 0.125 or expected[0] == inf:
        assert found[1] == (expected[1] if expected[1] == inf else pytest.approx(expected[1]))


STREAM = ("stream x in [0, 1]", "draw w ~ laplace(1)", "statistic s = sum(x over steps)")
FIVES = ("stream x in [0, 1]", "draw w ~ laplace(1)", "statistic s = sum(x since a)")


@pytest.mark.parametrize(
    ("lines", "loss"),
    [
        # reported in eight steps, returned in the ninth
        ((*STREAM, "stop when step >= 9 return s + w", "report y = s + w"), 9),
        ((*STREAM, "report y = s + w", "stop when step >= 9 return s + w"), 9),
        ((*STREAM, "draw v ~ laplace(1)", "stop when step >= 9 return s + w", "report y = 0 - s - w + v"), 9),
        # an entry lies in one stretch, which a shows once and b in each of its five steps
        ((*FIVES, "report a = s + w when step % 5 == 0", "report b = s + w", "stop when step >= 9"), 5),
        ((*FIVES, "report a = s + w when step % 5 == 0", "report b = -s - w when step % 5 == 0",
          "stop when step >= 9"), 1),
        # returned at one of two stops
        ((*STREAM, "stop when step == 3 return s + w", "stop when step >= 2 return floor(s + w)"), 1),
    ],
)  # fmt: skip
def test_other_gates_show_it_in_other_steps(lines: tuple[str, ...], loss: float) -> None:
    """The loss of the whole; a bound may be larger where the gates have different conditions."""
    found = bounds(*lines)[0]
    assert found >= loss
    if loss == 1:
        assert found == pytest.approx(loss)
