"""Values in line, against numbers that are worked out by hand."""

from __future__ import annotations

from seqlang import driver
from seqlang.annotations.reading import read
from seqlang.annotations.values import joined, values_of_check, values_of_laws

TEST = """\
algorithm test
param eps > 0 = 0.5
stream x in [-1, 2]
model fair: x ~ bernoulli(0.5)
statistic s = sum(x over steps)
statistic last = x
report r = s when step == 5
stop when step >= 7 return done
attach laplace(6 / eps) to r
claim strong pure(eps)
claim strong pure(eps / 4) expect refuted
claim strong dp(eps, 1e-6)
claim expected(step) <= 7.5 under fair
"""


def lines(text: str) -> dict[str, str]:
    """The value beside each line, by the line."""
    loaded = driver.load(driver.loading.Source("<test>", text))
    file = read(text).file
    found = values_of_check(file, driver.check(loaded)) + values_of_laws(file, loaded.program, driver.solve(loaded))
    return {loaded.source.line_text(loaded.source.line_column(v.offset)[0]): v.text for v in joined(found)}


def test_values_of_a_release() -> None:
    # An entry of [-1, 2] moves the sum by at most 3, and 3 / (6 / eps) = eps / 2; the law of the stopping step is 7.
    found = lines(TEST)
    assert found["statistic s = sum(x over steps)"] == "sensitivity 3, uniform"
    assert found["statistic last = x"] == "sensitivity 3, single step"
    assert found["attach laplace(6 / eps) to r"] == "costs eps/2 = 0.25 a draw"
    assert found["claim strong pure(eps)"].startswith("eps/2 = 0.25 proved, ≥ 0.24"), found
    assert found["claim strong pure(eps / 4) expect refuted"].startswith("refuted as expected: ≥ 0.24")
    assert found["claim strong dp(eps, 1e-6)"] == "pure: eps/2 = 0.25 proved"  # it implies that at every delta
    assert found["claim expected(step) <= 7.5 under fair"].startswith("proved: expected(step) = 7")
    assert found["stop when step >= 7 return done"] == (
        "estimated steps: 7 under fair; estimated P(done): 1 under fair"
    )


def test_a_gaussian_costs_its_rho() -> None:
    # the l2 sensitivity of a vector of two counts under replacement is sqrt(2): rho = 2 / (2 * 9)
    text = (
        "algorithm a\ndataset x in {0, 1} size 9\nreport r = [sum(x), sum(1 - x[i] for i in records)]\nstop\n"
        "attach gaussian(3) to r once\nclaim strong zcdp(1 / 9)\n"
    )
    loaded = driver.load(driver.loading.Source("<test>", text))
    found = values_of_check(read(text).file, driver.check(loaded))
    texts = [v.text for v in found]
    assert "costs 1/9 = 0.111112 (zcdp)" in texts, texts
    assert any(t.startswith("1/9 = 0.111112 proved") for t in texts), texts


def test_what_is_not_known_is_not_shown() -> None:
    text = "algorithm a\nstream x in real\nstatistic s = sum(x over steps)\nstop when s > 1\nattach laplace(1) to s\n"
    loaded = driver.load(driver.loading.Source("<test>", text))
    assert [v.text for v in values_of_check(read(text).file, driver.check(loaded))] == ["sensitivity ∞"]
