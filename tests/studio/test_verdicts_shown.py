"""Every verdict that there is can be shown everywhere: on the page, in the editor and in the reports."""

from __future__ import annotations

from typing import get_args

import pytest

from seqlang import driver
from seqlang.annotations.fixes import expectation
from seqlang.annotations.found import findings
from seqlang.annotations.reading import Reading
from seqlang.annotations.values import values_of_check
from seqlang.proof.verdict import VERDICTS, VerdictWord, shown_verdict
from seqlang.record import replace
from seqlang.results.check import CheckResult
from seqlang.source import Source
from seqlang.studio.jobs.words import words_of
from seqlang.studio.parts.claims import claims_html

learn = pytest.importorskip(
    "seqlang.studio.panels.learn", reason="the extra `studio` is not installed", exc_type=ImportError
)

TEXT = """algorithm a
stream x in {0, 1}
model fair: x ~ bernoulli(0.5)
report r = x when step == 1
attach laplace(4) to r
stop when step >= 2 return done
claim probability(done) >= 0.5 under fair
"""


def result_with(word: VerdictWord, holds: bool | None, expect: str | None = None) -> tuple[Reading, CheckResult]:
    """A check whose claim has this verdict."""
    text = TEXT.rstrip() + (f" expect {expect}\n" if expect else "\n")
    source = Source("<test>", text)
    result = driver.check(driver.load(source))
    (verdict,) = result.verdicts
    claimed = replace(verdict, verdict=word, because="some reason", holds=holds)
    return Reading(source), replace(result, verdicts=(claimed,))


SURE = [word for word in get_args(VerdictWord) if word != "computed"]
CASES = [*((word, None) for word in SURE), ("computed", True), ("computed", False)]


def test_no_verdict_is_forgotten() -> None:
    assert set(VERDICTS) == set(get_args(VerdictWord))
    shown = [shown_verdict(word, holds) for word, holds in CASES]
    assert len({s.phrase for s in shown}) == len({s.words for s in shown}) == len(CASES)
    assert len({VERDICTS[word].mark for word in VERDICTS}) == len(VERDICTS)


@pytest.mark.parametrize(("word", "holds"), CASES)
def test_every_verdict_on_the_page(word: VerdictWord, holds: bool | None) -> None:
    reading, result = result_with(word, holds)
    answer = result.to_dict()
    if holds is not None:  # the estimate itself is not at hand here
        answer["claims"][0]["computed"] = {"value": 0.6, "low": 0.59, "high": 0.61, "holds": holds}
    expected = shown_verdict(word, holds)
    for page in (claims_html({"check": answer}), learn._claims(answer)):
        assert f"{expected.mark} {expected.words}" in page and f"seq-{expected.tone}" in page
    assert any(expected.phrase in sentence for sentence in words_of(result))
    assert f"{expected.mark} {expected.words}" in str(result)
    (value,) = (v for v in values_of_check(reading.file, result) if v.tone is not None)
    assert value.text.startswith(expected.words) and value.tone == expected.tone


@pytest.mark.parametrize("holds", [True, False])
def test_an_estimate_is_no_expectation_that_can_be_written(holds: bool) -> None:
    """`expect computed` is no text of the language: what is offered is what the estimate points to."""
    reading, result = result_with("computed", holds, "unknown")
    (fix,) = expectation(reading, result)
    assert "computed" not in fix.edits[0].text and "expect computed" not in fix.title
    assert fix.edits[0].text == ("" if holds else "refuted")


def test_the_editor_and_the_command_agree_on_what_is_expected() -> None:
    """The editor marks a claim exactly where `check` fails for it."""
    reading = Reading(Source("<test>", TEXT))
    *_, last = findings(reading, 10.0)
    result = driver.check(driver.load(reading.source))
    assert [claim.ok for claim in last.claims] == [verdict.ok for verdict in result.verdicts]
