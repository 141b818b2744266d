"""What is proposed does what it says: each fix is applied, and the changed text is checked by the whole tool."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.annotations import fixes
from seqlang.annotations.edit import Fix, applied
from seqlang.annotations.missing_noise import missing_noise
from seqlang.annotations.reading import Reading, read
from seqlang.annotations.remedies import remedies
from seqlang.syntax import tree

SAFETY = """\
algorithm safety
param eps   > 0 = 1
param limit > 0 = 20
stream harmed in {0, 1}
statistic total = sum(harmed over steps)
stop when total >= limit return halt
attach laplace(1 / eps) to total
claim strong pure(eps)
"""
TWO = """\
algorithm two
dataset x in [0, 1] size 10
param eps > 0 = 0.5
report s = sum(x)
report t = max(x)
stop
attach laplace(1 / eps) to s
attach laplace(1 / eps) to t
claim strong pure(eps)
"""


def claims(reading: Reading) -> list[tree.Claim]:
    return [s for s in reading.file.statements if isinstance(s, tree.Claim)]


def verdicts(text: str) -> list[tuple[str, bool]]:
    return [(v.verdict, v.ok) for v in driver.check(driver.load(driver.loading.Source("<test>", text))).verdicts]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (SAFETY, "attach laplace(1 / eps) to limit once\n"),
        (
            SAFETY.replace("attach laplace(1 / eps) to total\n", ""),
            "attach laplace(1 / eps) to total\nattach laplace(1 / eps) to limit once\n",
        ),
        # a sum of ten entries of [0, 1]: rho = 1 / (2 sd^2) = 1/8 at sd = 2
        (TWO.split("param")[0] + "report s = sum(x)\nstop\nclaim strong zcdp(1 / 8)\n", "attach gaussian(2) to s\n"),
    ],
)  # fmt: skip
def test_missing_noise(text: str, lines: str) -> None:
    reading = read(text)
    assert verdicts(text) != [("proved", True)]
    fix = missing_noise(reading, claims(reading)[0])
    assert isinstance(fix, Fix), fix
    assert [edit.text for edit in fix.edits] == [lines]
    assert verdicts(applied(text, fix.edits)) == [("proved", True)]


def test_where_no_noise_helps_it_says_so() -> None:
    reading = read("algorithm a\nstream x in real\nreport s = x\nclaim strong pure(1)\n")
    assert "no noise on `s`" in str(missing_noise(reading, claims(reading)[0]))


def test_split_budget() -> None:
    reading = read(TWO)
    (fix,) = fixes.split_budget(reading, claims(reading)[0])
    changed = applied(TWO, fix.edits)
    assert changed.count("laplace(1 / (eps / 2))") == 2
    assert verdicts(changed) == [("proved", True)]
    assert fixes.split_budget(read(SAFETY), claims(read(SAFETY))[0]) == ()


def test_shares_are_as_large_as_is_proved() -> None:
    text = TWO.replace("report t", "report u = min(x)\nreport t").replace(
        "attach", "attach laplace(1 / eps) to u\nattach", 1
    )
    reading = read(text)
    (fix,) = fixes.split_budget(reading, claims(reading)[0])
    assert fix.title == "Split the budget: `eps / 3` for each noise"
    assert verdicts(applied(text, fix.edits)) == [("proved", True)]


def test_strongest_claim() -> None:
    # two releases, each of sensitivity 1 and scale 1 / eps: 2 eps
    reading = read(TWO)
    result = driver.check(driver.load(reading.source))
    (fix,) = fixes.strongest(reading, result)
    assert fix.edits[0].text == "\nclaim strong pure(2*eps)"
    changed = applied(TWO, fix.edits)
    assert verdicts(changed)[-1] == ("proved", True)
    again = read(changed)
    assert fixes.strongest(again, driver.check(driver.load(again.source))) == ()


@pytest.mark.parametrize(
    ("expect", "wanted"), [("", " expect refuted"), (" expect unknown", " expect refuted"), (" expect refuted", None)]
)
def test_expectations(expect: str, wanted: str | None) -> None:
    text = TWO.replace("pure(eps)", f"pure(eps){expect}")
    reading = read(text)
    found = fixes.expectation(reading, driver.check(driver.load(reading.source)))
    assert len(found) == (wanted is not None)
    for fix in found:
        changed = applied(text, fix.edits)
        assert changed == TWO.replace("pure(eps)", f"pure(eps){wanted}")
        assert verdicts(changed) == [("refuted", True)]


def test_an_expected_refutation_of_what_is_proved() -> None:
    text = TWO.replace("pure(eps)", "pure(2 * eps) expect refuted")
    reading = read(text)
    (fix,) = fixes.expectation(reading, driver.check(driver.load(reading.source)))
    assert verdicts(applied(text, fix.edits)) == [("proved", True)]


@pytest.mark.parametrize(
    ("text", "code", "after"),
    [
        ("algorithm a\nstream x in {0, 1}\nstop when x > 0 && x < 1\n", "E0113", "x > 0 and x < 1"),
        ("algorithm a\nstream x in {0, 1}\nstatistc s = x\nstop\n", "E0109", "statistic s = x"),
        ("algorithm a\nstream entry in {0, 1}\nstop when entri > 0\n", "E0203", "when entry > 0"),
        ("algorithm a\nstream x in {0, 1}\nupdate q = 3\nstop\n", "E0212", "memory q = 0\nupdate q"),
        (
            "algorithm a\nstream x in {0, 1}\nstatistic s = smu(x over steps)\nstop when s > 1\n",
            "E0214",
            "= sum(x over",
        ),
    ],
)
def test_remedies(text: str, code: str, after: str) -> None:
    reading = read(text)
    diagnostic = next(d for d in reading.diagnostics if d.code == code)
    (fix, *_) = remedies(reading, diagnostic)
    changed = applied(text, fix.edits)
    assert after in changed
    assert code not in [d.code for d in read(changed).diagnostics]


def test_a_remedy_that_leaves_something_open_is_no_fix() -> None:
    reading = read("algorithm a\nstream x in {0, 1}\nstatistic s = sum\nstop when s > 1\n")
    assert all(not remedies(reading, d) for d in reading.diagnostics)


def test_a_bound_whose_formula_cannot_be_written_is_claimed_by_its_number() -> None:
    """Several Gaussian noises: epsilon at a delta is a curve in closed form that the language does not have."""
    reading = read(driver.read("@dipapprox/noisy_max_gauss").text)
    found = fixes.strongest(reading, driver.check(driver.load(reading.source)))
    assert [fix.edits[0].text.strip().split("(")[0] for fix in found] == ["claim strong zcdp", "claim strong dp"]
    for fix in found:
        assert verdicts(applied(reading.source.text, fix.edits))[-1] == ("proved", True)
