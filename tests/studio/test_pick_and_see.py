"""In a browser: a spec is picked, seen, and changed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

if TYPE_CHECKING:
    from conftest import Server

pytest.importorskip("playwright.sync_api", reason="playwright, which drives browsers, is not installed")

OWN = """algorithm own "<img src=x onerror=document.title='obeyed'> & <b>bold</b>"
param eps > 0 = 1
stream x in [0, 1]
statistic total = sum(x over steps)
report t = total
attach laplace(1 / eps) to total
stop when step >= 1
claim strong pure(eps)
"""


def opened(page: Any, server: Server, query: str = "") -> Any:
    page.goto(server.url + query)
    return page


def claim(page: Any, verdict: str) -> Any:
    return page.locator(".seq-card", has_text=re.compile(f"[✓✗?] {verdict}")).first


def bounded_by(page: Any, epsilon: str) -> None:
    """Waits until that is proved."""
    row = page.locator("tr", has_text="pure epsilon")
    row.locator("td:nth-child(2)", has_text=re.compile(f"^{re.escape(epsilon)}$")).wait_for()


def test_a_spec_is_found_opened_and_its_slider_refutes_it(page: Any, server: Server) -> None:
    opened(page, server)
    page.get_by_label("search").fill("one end, one running sum")
    page.get_by_role("status").filter(has_text="1 of").wait_for()
    page.get_by_label("task").select_option("stopping")  # tasks are found out after the list is shown
    page.get_by_role("button", name="tight/one_sided").click()
    claim(page, "proved").wait_for()
    assert "@tight/one_sided" in parse_qs(urlsplit(page.url).query)["spec"]
    row = page.locator("tr", has_text="pure epsilon")
    assert row.locator("td").nth(1).inner_text() == "1"  # max(D / lz, D / lw) with all of them 1
    page.get_by_label("lz", exact=True).last.fill("0.5")
    bounded_by(page, "2")
    assert parse_qs(urlsplit(page.url).query)["set.lz"] == ["0.5"]
    page.get_by_role("slider", name="lw").focus()
    page.keyboard.press("Home")  # the least value: a hundredth of the default
    bounded_by(page, "100")


def test_a_link_opens_the_same_again(page: Any, server: Server) -> None:
    opened(page, server, "&panel=see&spec=@tight/one_sided&set.lz=4&set.lw=0.25")
    bounded_by(page, "4")
    assert page.get_by_label("lz", exact=True).last.input_value() == "4"


def test_two_people_change_what_they_see_and_not_what_the_other_sees(page: Any, browser: Any, server: Server) -> None:
    elsewhere = browser.new_context()
    other = elsewhere.new_page()
    for one, lz in ((page, "2"), (other, "5")):
        one.goto(f"{server.url}&panel=see&spec=@tight/one_sided&set.lz={lz}&set.lw=0.1")
        bounded_by(one, "10")
    for one, lw, epsilon in ((page, "0.25", "4"), (other, "0.125", "8"), (page, "0.5", "2")):
        one.get_by_label("lw", exact=True).last.fill(lw)
        bounded_by(one, epsilon)
    assert [one.get_by_label("lw", exact=True).last.input_value() for one in (page, other)] == ["0.5", "0.125"]
    assert [one.get_by_label("lz", exact=True).last.input_value() for one in (page, other)] == ["2", "5"]
    elsewhere.close()


def test_errors_are_diagnostics_with_buttons_that_mend_them(page: Any, server: Server) -> None:
    opened(page, server, "&panel=see")
    page.get_by_label("the text of the spec").fill(OWN.replace("laplace", "laplce"))
    problem = page.locator(".seq-card.seq-bad", has_text="laplce").first
    problem.wait_for()
    assert "line 6" in problem.inner_text() and "Traceback" not in page.inner_text("body")
    problem.get_by_role("button").first.click()
    claim(page, "proved").wait_for()
    assert page.get_by_label("the text of the spec").input_value() == OWN


def test_nothing_that_is_typed_while_answers_arrive_is_lost(page: Any, server: Server) -> None:
    opened(page, server, "&panel=see&spec=@tight/one_sided")
    claim(page, "proved").wait_for()
    text = page.get_by_label("the text of the spec")
    before = text.input_value()
    typed = "# " + "what is typed stays as it is " * 6
    text.press("Control+End")
    text.press_sequentially(typed, delay=25)
    page.wait_for_timeout(500)
    assert text.input_value() == before + typed
    text.press("Enter")
    text.press_sequentially("claim strong pure(7)", delay=25)
    page.locator(".seq-card", has_text="pure(7)").first.wait_for()
    assert text.input_value() == f"{before}{typed}\nclaim strong pure(7)"


def test_markup_in_titles_and_names_is_shown_and_not_obeyed(page: Any, server: Server) -> None:
    (server.folder / "<b>own.seq").write_text(OWN)
    opened(page, server)
    page.get_by_role("button", name="<b>own.seq").click()
    claim(page, "proved").wait_for()
    assert page.title() == "seqlang studio" and page.locator("img[src=x]").count() == 0


def test_a_million_parameters_are_refused_at_once(page: Any, server: Server) -> None:
    (server.folder / "many.seq").write_text("algorithm many\n" + "param p = 1\n" * 1_000_000)
    opened(page, server)
    page.get_by_role("button", name="many.seq").click()
    page.get_by_text("it is not opened here").wait_for()
    opened(page, server, "&panel=see&spec=@tight/one_sided")
    claim(page, "proved").wait_for()
    page.evaluate("""() => { const area = document.querySelector('.seq-editor textarea');
      area.value = 'algorithm many' + ' '.repeat(300000); area.dispatchEvent(new Event('input')); }""")
    page.get_by_text("is longer than 200,000 characters").wait_for()


def test_templates_prove_what_they_claim(page: Any, server: Server) -> None:
    opened(page, server)
    page.get_by_role("button", name="test: a test that stops early").click()
    claim(page, "proved").wait_for()
    assert page.locator(".seq-card.seq-bad").count() == 0


def test_a_design_opens_as_a_spec(page: Any, server: Server) -> None:
    opened(page, server)
    page.get_by_label("error alpha").fill("0.2")
    page.get_by_label("error beta").fill("0.2")
    page.get_by_label("most entries").fill("x")
    page.get_by_role("button", name="Design", exact=True).click()
    page.get_by_text(re.compile("E060[23]")).wait_for()
    page.get_by_label("most entries").fill("40")
    page.get_by_role("button", name="Design", exact=True).click()
    page.get_by_role("button", name="Open it as a spec").click()
    claim(page, "proved").wait_for()
    assert "errors 0.2 and 0.2" in page.get_by_label("the text of the spec").input_value()


@pytest.mark.parametrize("width", [400, 900, 1600])
@pytest.mark.parametrize("panel", ["pick", "see"])
def test_nothing_is_wider_than_the_window(page: Any, server: Server, width: int, panel: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    opened(page, server, f"&panel={panel}&spec=@zhang2022/privsprt_bernoulli")
    (claim(page, "proved") if panel == "see" else page.get_by_label("search")).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
