"""One noisy value, shown several times: as if it were shown once."""

from __future__ import annotations

from math import inf

import pytest

from seqlang.analyses.prove import prove, size_of
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse


def bounds(*lines: str) -> tuple[float, float]:
    """(pure, zcdp)."""
    tree, found = parse(Source("<test>", "\n".join(("algorithm t", *lines))))
    assert tree is not None, found
    made, found = elaborate(tree, {})
    assert made is not None, found
    proved = prove(made)
    return tuple(inf if b is None else size_of(made, b) for b in (proved.pure, proved.zcdp))  # type: ignore[return-value]


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
