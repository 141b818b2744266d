"""In a browser: a spec is run, solved, played step by step, compared, and taken along."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

if TYPE_CHECKING:
    from conftest import Server

pytest.importorskip("playwright.sync_api", reason="playwright, which drives browsers, is not installed")

COINS = """algorithm coins "Two heads in a row, or a tail"
param q in (0, 1) = 0.5
param b > 0 = 1
stream x in {0, 1}
model coin: x ~ bernoulli(q)
statistic heads = sum(x over steps)
stop when heads >= 1.5 * b return won
stop when step >= 2 return lost
attach laplace(1e-9) to heads
claim strong pure(1e10)
"""
"""Won with probability q * q = 1/4, but for a noise too small to matter."""


def opened(page: Any, server: Server, panel: str, **query: str) -> None:
    (server.folder / "coins.seq").write_text(COINS)
    page.goto(f"{server.url}&{urlencode({'panel': panel, 'spec': 'coins.seq', **query})}")


def sheet(page: Any, title: str) -> Any:
    return page.locator("section", has=page.get_by_role("heading", name=title))


def saved(page: Any, button: Any) -> bytes:
    with page.expect_download() as caught:
        button.click()
    return Path(caught.value.path()).read_bytes()


def test_the_exact_law_and_every_way_to_take_it_along(page: Any, server: Server) -> None:
    opened(page, server, "try")
    law = sheet(page, "The law")
    law.get_by_role("button", name="Solve").click()
    law.get_by_role("img").wait_for()
    assert re.search(r"won\s+0\.25", law.locator("pre").first.inner_text())
    rows = list(csv.DictReader(StringIO(saved(page, law.get_by_role("button", name="CSV")).decode())))
    won = sum(float(row["probability"]) for row in rows if row["return"] == "won")
    assert abs(won - 0.25) < 1e-9
    for kind, begins in (("SVG", b"<?xml"), ("PNG", b"\x89PNG"), ("PDF", b"%PDF")):
        assert saved(page, law.get_by_role("button", name=kind)).startswith(begins)
    law.get_by_text("The command line and Python lines").click()
    assert "seqlang solve coins.seq" in law.inner_text()
    assert "without data" in law.inner_text()


def test_runs_tell_how_far_they_are_and_can_be_cancelled(page: Any, server: Server) -> None:
    opened(page, server, "try", runs="400", seed="3")
    runs = sheet(page, "Many runs")
    runs.get_by_role("button", name="Run", exact=True).click()
    runs.get_by_role("img").wait_for()
    rows = list(csv.DictReader(StringIO(saved(page, runs.get_by_role("button", name="CSV")).decode())))
    assert sum(int(row["won"]) + int(row["lost"]) for row in rows) == 400
    assert "simulated data" in runs.inner_text()
    page.goto(f"{server.url}&panel=try&spec=@wang2020/serm&runs=10000000&cap=100000")
    runs.get_by_role("button", name="Run", exact=True).click()
    runs.get_by_text(re.compile(r"running|at work")).wait_for()
    runs.get_by_role("button", name="Cancel").click()
    runs.get_by_text("cancelled", exact=True).wait_for()
    assert runs.get_by_role("button", name="Run", exact=True).is_enabled()


def test_one_run_is_played_by_keyboard_until_it_stops(page: Any, server: Server) -> None:
    opened(page, server, "try", **{"set.q": "0.999999"})
    run = sheet(page, "One run")
    run.get_by_role("button", name="Draw a run").click()
    told = run.locator(".seq-told")
    told.filter(has_text="Before the first step").wait_for()
    run.get_by_role("button", name="one step on").click()
    told.filter(has_text="stop 1: 1 does not reach 1.5").wait_for()
    run.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    told.filter(has_text="stop 1: 2 does reach 1.5. The run: stopped at step 2: won").wait_for()
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    told.filter(has_text="stopped at step 2").wait_for()


def test_curves_and_the_price_of_privacy(page: Any, server: Server) -> None:
    opened(page, server, "try", **{"curve.parameter": "q", "curve.from": "0.2", "curve.to": "0.6", "curve.count": "3"})
    curves = sheet(page, "Curves")
    curves.get_by_role("button", name="Draw the curves").click()
    curves.get_by_role("img").wait_for()
    rows = list(csv.DictReader(StringIO(saved(page, curves.get_by_role("button", name="CSV")).decode())))
    assert [round(float(r["exact.returns.won"]), 6) for r in rows] == [0.04, 0.16, 0.36]  # q * q
    price = sheet(page, "The price of privacy")
    price.get_by_label("how many values").fill("2")
    price.get_by_label("figure", exact=True).fill("nothing of the kind")
    price.get_by_role("button", name="Compute").click()
    price.get_by_text("E0644").wait_for()
    price.get_by_label("figure", exact=True).fill("won")
    price.get_by_role("button", name="Compute").click()
    price.get_by_role("img").wait_for()
    assert "coin, without noise" in price.locator("pre").first.inner_text()


def test_settings_side_by_side_and_a_report(page: Any, server: Server) -> None:
    opened(page, server, "compare", kept=json.dumps([{"q": "0.5"}]), **{"set.q": "0.1"})
    page.get_by_role("button", name="Keep the present setting").click()
    page.get_by_text("q = 0.1", exact=True).wait_for()
    page.get_by_role("button", name="Compare", exact=True).click()
    row = page.get_by_role("row", name=re.compile(r"^P\(won\) under coin"))
    row.wait_for()
    cells = row.locator("td").all_inner_texts()
    assert [cell.split(";")[0] for cell in cells] == ["estimate 0.25", "estimate 0.01"]
    assert all("certain" in cell for cell in cells)
    page.reload()  # what is kept is in the address
    page.get_by_text("q = 0.1", exact=True).wait_for()
    html = saved(page, page.get_by_role("button", name="Report (HTML, one file)")).decode()
    assert "data:image/svg+xml;base64," in html and not re.search(r"""(src|href)=["']https?:""", html)
    assert saved(page, page.get_by_role("button", name="The text (.seq)")).decode() == COINS


@pytest.mark.parametrize("width", [400, 1600])
@pytest.mark.parametrize("panel", ["try", "compare"])
def test_nothing_is_wider_than_the_window(page: Any, server: Server, width: int, panel: str) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    opened(page, server, panel)
    button = {"try": "Draw a run", "compare": "Compare"}[panel]
    page.get_by_role("button", name=button, exact=True).click()
    (page.locator(".seq-player") if panel == "try" else page.get_by_role("row").first).wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
