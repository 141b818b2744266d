"""In a browser: a learner beside its twin, on the shipped rows, a file of the folder, and one that is handed over."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from seqlang.backends.interpret.data import kdd_cup_99
from seqlang.studio.learning import synthetic

if TYPE_CHECKING:
    from conftest import Server

driver = pytest.importorskip("playwright.sync_api", reason="playwright, which drives browsers, is not installed")
WAIT = 60_000
SHOTS = os.environ.get("SEQLANG_SCREENSHOTS")
"""A folder for pictures of the page, where somebody wants to look at them."""


def rows(count: int = 300) -> str:
    return "".join(synthetic.text().splitlines(keepends=True)[: count + 1])


def learnt(page: Any) -> None:
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("status").filter(has_text=re.compile("^done$")).wait_for(timeout=WAIT)


def few(page: Any, training: str, validation: str, test: str) -> None:
    page.get_by_label("rows to train on").fill(training)
    page.get_by_label("for validation").fill(validation)
    page.get_by_label("test rows, A:B").fill(test)


def metric(page: Any, learner: str, place: int) -> float:
    row = page.get_by_role("region", name="metrics at the end").get_by_role("row", name=learner)
    return float(row.locator("td").nth(place).inner_text().split()[0])


@pytest.fixture
def done(page: Any, server: Server) -> Any:
    """By three clicks."""
    page.goto(server.url)
    page.get_by_role("tab", name="Learn from data").click()
    page.get_by_role("button", name="Synthetic rows").click()
    learnt(page)
    return page


def test_three_clicks_learn_beside_the_twin(done: Any) -> None:
    assert metric(done, "without noise", 0) > 0.8  # at most 0.9: one row in ten looks like the other kind
    assert done.locator(".seq-chart").count() == 7
    assert "10 orders were gone through" in done.inner_text("main")
    assert done.get_by_text("not private").count() >= 8
    name = re.compile("Accuracy on the test rows: as written .* after 3000 rows, without noise .* after 3000 rows")
    assert done.get_by_role("img", name=name).count() == 1
    files = {}
    for kind, title in (("CSV", "Metrics on the test rows"), ("PDF", "Label against time"), ("PNG", "Labels bought")):
        with done.expect_download() as given:
            done.get_by_role("button", name=f"{kind} of {title}").click()
        files[kind] = Path(given.value.path()).read_bytes()
    lines = files["CSV"].decode().splitlines()
    assert lines[0] == "learner,what,value,low,high" and len(lines) == 13
    assert files["PDF"].startswith(b"%PDF") and files["PNG"].startswith(b"\x89PNG")


def test_what_is_seen_is_accessible_and_fits(done: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    done.get_by_text("the 8 weights").click()
    for width, scheme in ((400, "dark"), (900, "light"), (1600, "dark")):
        done.emulate_media(color_scheme=scheme)
        done.wait_for_timeout(500)  # colours change gradually
        done.set_viewport_size({"width": width, "height": 900})
        assert done.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = [v for v in axe.Axe().run(done).response["violations"] if v["impact"] in ("serious", "critical")]
        assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []
        if SHOTS:
            done.screenshot(path=f"{SHOTS}/learn_{width}_{scheme}.png", full_page=True)


def test_a_file_of_the_folder_by_a_link(page: Any, server: Server) -> None:
    (server.folder / "<b>own.csv").write_text(rows())
    page.goto(
        f"{server.url}&panel=learn&spec=@bittner2020/batch_erm_output&learn.data=file:<b>own.csv&learn.training=100"
        "&learn.validation=50&learn.test=201:300&learn.y=label{normal=-1|*=1}&learn.orders=2&set.eps=100"
        "&learn.x=project(same_host/511,error_rate)"
    )
    page.get_by_label("what is made of error_rate").wait_for()
    assert not page.get_by_role("checkbox", name="duration").is_checked()
    page.get_by_role("checkbox", name="bytes").click()
    page.get_by_label("what is made of bytes").fill("log1p(bytes)/21")
    page.wait_for_function("document.URL.includes('log1p')")
    learnt(page)
    assert "d = 3, n = 100" in page.inner_text("main") and metric(page, "without noise", 0) > 0.6
    page.get_by_label("what is made of bytes").fill("bytes/max")
    page.wait_for_function("document.URL.includes('max')")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_text("E0625").wait_for()


def test_a_file_that_is_handed_over(page: Any, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "<i>mine.csv"
    file.write_text(rows())
    page.goto(f"{server.url}&panel=learn&spec=@bittner2020/private_sgd&learn.orders=1")
    page.get_by_label("hand over a file").set_input_files(file)
    page.get_by_text("is here, as long as this tab is open").wait_for()
    plain = f"project({','.join(synthetic.HEADER[:-1])})"  # the columns of the file, of which nothing is known
    driver.expect(page.get_by_label("attributes, as text")).to_have_value(plain, timeout=WAIT)
    few(page, "150", "50", "201:300")
    page.get_by_label("attributes, as text").fill("project(same_host/511,error_rate)")
    page.get_by_label("label: 1 or -1").fill("label{normal=-1|*=1}")
    page.wait_for_function("document.URL.includes('error_rate') && document.URL.includes('normal')")
    learnt(page)
    assert "d = 2, n = 150" in page.inner_text("main")
    large = tmp_path / "large.csv"
    with large.open("wb") as out:
        out.truncate(65 * 2**20)
    page.get_by_label("hand over a file").set_input_files(large)
    page.get_by_text("refused: a file may have 64 MiB").wait_for()


def test_work_can_be_cancelled(page: Any, server: Server) -> None:
    page.goto(f"{server.url}&panel=learn&spec=@bittner2020/flmb&learn.orders=200&learn.checkpoints=100")
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("img", name=re.compile("Accuracy on the test rows: as written")).wait_for()  # while it runs
    page.get_by_role("button", name="Cancel", exact=True).last.click()
    page.get_by_role("status").filter(has_text="cancelled").wait_for()
    assert page.get_by_role("region", name="metrics at the end").inner_text() == ""


@pytest.fixture(scope="module")
def quiet(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    made = type(server)(tmp_path_factory.mktemp("quiet"), "--port", "0", "--released-only")
    yield made
    made.end()


def test_released_only_shows_what_the_mechanism_releases(page: Any, quiet: Server) -> None:
    page.goto(f"{quiet.url}&panel=learn")
    page.get_by_role("button", name="Synthetic rows").click()
    learnt(page)
    assert "One order was gone through" in page.inner_text("main")
    page.get_by_text("the 8 weights").click()
    assert page.get_by_role("row", name="protocol = udp").count() == 1
    assert page.locator(".seq-chart, .seq-chart-box").count() == 0
    said = page.inner_text("body").lower()
    assert "accuracy" not in said and "without noise" not in said and "seed" not in said


@pytest.fixture
def with_kdd(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    found = kdd_cup_99.find(Path(__file__).parent)
    if found is None:
        pytest.skip(f"{kdd_cup_99.FILE} is not here")
    monkeypatch.setenv("KDDCUP99", str(found))
    made = type(server)(tmp_path, "--port", "0")
    yield made
    made.end()


@pytest.mark.long
def test_kdd_cup_by_three_clicks_as_in_the_paper(page: Any, with_kdd: Server) -> None:
    page.goto(with_kdd.url)
    page.get_by_role("tab", name="Learn from data").click()
    page.get_by_role("button", name="KDD Cup 1999, as in the paper").click()
    page.get_by_role("button", name="Learn", exact=True).click()
    page.get_by_role("status").filter(has_text=re.compile("^done$")).wait_for(timeout=5 * WAIT)
    print(page.get_by_text("Learnt with").inner_text())
    print(page.get_by_role("region", name="metrics at the end").inner_text())
    assert "Learnt with d = 120, n = 800" in page.inner_text("main")  # the paper's 120 features and 800 rows
    assert "epsilon is at most 2 for each run" in page.inner_text("main")  # eps_s + eps_g
    assert metric(page, "without noise", 0) > metric(page, "as written", 0)
    with page.expect_download() as given:
        page.get_by_role("button", name="CSV of Predicted labels of the test rows").click()
    truth = [float(line.split(",")[2]) for line in Path(given.value.path()).read_text().splitlines() if "truth" in line]
    assert sum(truth) == 94021
