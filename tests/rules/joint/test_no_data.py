"""Programs, and parts of programs, that read no private data lose nothing."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove, size_of
from seqlang.source import Source

NOISE = "attach laplace(4) to a\nattach laplace(2) to b\n"
TWO = "statistic a = 0\nstatistic b = 0\n"


def bound(body: str, noise: str = NOISE) -> float:
    text = "algorithm a\nstream f in [0, 1]\nmodel flat: f ~ point(0)\n" + body + noise
    spec = driver.load(Source("a.seq", text)).program
    found = prove(spec).pure
    return float("inf") if found is None else size_of(spec, found)


@pytest.mark.parametrize(
    "body",
    [
        TWO + "stop when a >= b return top\nreport shown = a + b\n",
        TWO + "statistic x = if a > previous(x, 0) then b else previous(x, 0)\nstop when a >= x\nreport r = b\n",
        TWO + "statistic m = max(a over steps)\nreport r = m * b\nreport s = a when m > 3\n",
        TWO + "memory k = 0\nreport up when a > k\nupdate k = k + 1 when up\nreport c = a * b\n",
    ],
)  # fmt: skip
def test_pure_noise_tells_nothing(body: str) -> None:
    assert bound(body) == 0


def test_beside_gates_that_read_data() -> None:
    noisy = TWO + "statistic g = f\nreport shown = g when step == 1\nstop when a >= b return top\nreport c = a * b\n"
    assert bound(noisy, NOISE + "attach laplace(2) to g\n") == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    "body",
    [
        TWO + "stop when a >= b return top\nreport shown = a + f\n",
        TWO + "statistic g = f\nreport shown = g + a when step == 1\nreport c = a\n",
        TWO + "statistic x = if step == 1 or f > 0.5 then b else previous(x, 0)\nreport r = a + b\nreport s = x\n",
        TWO + "report r = a * b when f > 0.5\nreport s = a\n",
    ],
)
def test_data_anywhere_counts(body: str) -> None:
    assert bound(body) > 0
