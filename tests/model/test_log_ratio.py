"""Far out, where both densities are 0 as floats, the logarithm of their ratio is a number all the same."""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any

import pytest

from seqlang import driver
from seqlang.backends.interpret.data.reading import Reading
from seqlang.source import Source

BODY = """algorithm ratio
param m > 0 = 2
stream x in {domain}
model here: x ~ point({at})
model a: x ~ {above}
model b: x ~ {below}
statistic llr = log(a.{method}(x) / b.{method}(x))
report A = clip(llr, -1, 1)
stop
attach laplace(1) to A
"""

FAR: list[tuple[str, str, str, str, str, float]] = [
    # domain, P, Q, method, x, log(P(x) / Q(x)) by hand
    ("real", "normal(1, 1)", "normal(0, 1)", "pdf", "45", 44.5),
    ("real", "normal(1, 1)", "normal(0, 1)", "pdf", "1e5", 99999.5),
    ("real", "normal(1, 1)", "normal(0, 1)", "pdf", "-1e5", -100000.5),
    ("real", "normal(0, m)", "normal(0, 1)", "pdf", "100", 3 * 100**2 / 8 - log(2)),
    ("real", "normal(0, m)", "normal(1, 2)", "pdf", "1000", (999**2 - 1000**2) / 8),
    ("real", "laplace(2)", "laplace(1)", "pdf", "-1e5", 1e5 / 2 - log(2)),
    ("[0, 1e6]", "exponential(2)", "exponential(1)", "pdf", "1e5", 1e5 / 2 - log(2)),
    ("0..", "poisson(2)", "poisson(1)", "pmf", "500", 500 * log(2) - 1),
    ("0..3000", "binomial(3000, 0.9)", "binomial(3000, 0.8)", "pmf", "0", 3000 * log(0.1 / 0.2)),
]


def llr(engine: Any, domain: str, above: str, below: str, method: str, at: str) -> float:
    text = BODY.format(domain=domain, above=above, below=below, method=method, at=at)
    loaded = driver.load(Source("ratio.seq", text))
    (found,) = driver.run(loaded, models=("here",), runs=3, engine=engine)
    return float(found.to_dict()["statistics"]["llr"]["mean"])


@pytest.mark.parametrize("engine", ["interpreter", "numpy"])
@pytest.mark.parametrize(("domain", "above", "below", "method", "at", "expected"), FAR)
def test_far_out(
    engine: str, domain: str, above: str, below: str, method: str, at: str, expected: float
) -> None:  # fmt: skip
    assert llr(engine, domain, above, below, method, at) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("domain", "above", "below", "method", "at", "expected"), FAR[1:2])
def test_far_out_compiled(domain: str, above: str, below: str, method: str, at: str, expected: float) -> None:
    pytest.importorskip("numba")
    assert llr("compiled", domain, above, below, method, at) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("above", "below"),
    [("normal(1, 1)", "normal(0, 1)"), ("normal(1, 2)", "normal(0, 3)"), ("laplace(2)", "laplace(1)")],
)
@pytest.mark.parametrize("at", ["-1.5", "0", "0.25", "3"])
def test_near_it_is_the_quotient(above: str, below: str, at: str) -> None:
    found = llr("interpreter", "real", above, below, "pdf", at)
    quotient = llr("interpreter", "real", above, f"if 1 == 1 then {below} else {below}", "pdf", at)
    assert found == pytest.approx(quotient, rel=1e-12, abs=1e-12)


def test_a_shipped_spec_has_values_far_out(tmp_path: Path) -> None:
    spec = Path(__file__).resolve().parents[2] / "specs" / "zhang2022" / "privsprt_gaussian.seq"
    data = tmp_path / "far.csv"
    data.write_text("x\n" + "45\n-1e5\n" * 3)
    found = driver.run_data(driver.load(Source(spec.name, spec.read_text(encoding="utf-8"))), data, Reading.of())
    assert found is not None
