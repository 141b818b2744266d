"""In a browser: a ledger is followed, and not written to."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from followed import ALARMS, BLOCKS, FIRST, made

from seqlang.diagnostics import SpecError
from seqlang.release.ledger.places import book_at, store_at
from seqlang.studio.jobs.follow import job

if TYPE_CHECKING:
    from conftest import Server

NAME = "my trial.sqlite"
SHOTS = os.environ.get("SEQLANG_SCREENSHOTS")
"""A folder for pictures of the page, where somebody wants to look at them."""


def contents(folder: Path) -> dict[str, bytes]:
    """Of a ledger and of what is beside it, but for the memory that those who read it at a time share."""
    return {path.name: path.read_bytes() for path in folder.glob("*.sqlite*") if not path.name.endswith("-shm")}


def asked(path: Path, reference: str) -> dict[str, Any]:
    return job({"path": str(path), "reference": reference}, lambda _: None)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    made(tmp_path / NAME).store.close()
    return tmp_path / NAME


def test_what_is_said_of_releases(ledger: Path) -> None:
    before = contents(ledger.parent)
    first, second, alarms, never = (asked(ledger, name) for name in (FIRST, "second", "alarms", "never"))
    account = {"account": "trial", "neighbours": "replace one", "budget": "pure(5)", "spent": "pure(15/4)"}
    assert first["accounts"] == [{**account, "left": "pure(5/4)"}]  # 1 + 1/2 + 2 + 1/4, without what was refunded
    states = {row["reference"]: row["state"] for row in first["charges"]}
    assert states["table 2"].startswith("no release") and states["never"] == never["state"] == "refunded"
    assert first["looks"] == [
        {"step": "3", "block": "yes", "ones": "3", "return": ""},
        {"step": "6", "block": "yes", "ones": "2", "return": "high"},
    ]
    assert "ended: high" in first["report"] and "next block: 3" in second["report"]
    assert first["files"]["html"].startswith("<!doctype html>") and first["head"] in first["files"]["md"]
    assert alarms["looks"] == [{"step": "7", "above": "yes", "return": ""}]
    assert "E0623" in alarms["why_not"] and "report" not in alarms
    assert asked(ledger, "")["reference"] == "never"  # the latest
    assert "E0670" in asked(ledger, "nobody")["why_not"] and "E0670" in asked(ledger, "table 2")["why_not"]
    assert list(before) == [NAME] and contents(ledger.parent) == before


def test_a_ledger_that_is_being_written_is_only_read(tmp_path: Path) -> None:
    writing = made(tmp_path / NAME)  # open: its journal is beside the file
    before = contents(tmp_path)
    assert before.keys() == {NAME, f"{NAME}-journal"}
    left = tmp_path / "left"
    left.mkdir()
    for name in before:  # as a writer leaves it whose power was cut
        shutil.copy(tmp_path / name, left / name)
    for folder in (tmp_path, left):
        assert [row["reference"] for row in asked(folder / NAME, "")["charges"]][:2] == [FIRST, "second"]
        assert contents(folder) == before
    writing.store.close()


def test_nobody_writes_by_way_of_reading(ledger: Path, tmp_path: Path) -> None:
    raw = sqlite3.connect(ledger)
    raw.execute("PRAGMA journal_mode = WAL")  # as ledgers of the first version are
    raw.close()
    store = store_at(str(ledger), reading=True)
    with pytest.raises(SpecError, match="cannot be written"), store.transaction():
        pass
    with sqlite3.connect(ledger) as other:
        other.execute("PRAGMA user_version = 1")
        other.execute("CREATE TABLE t (x)")
    other.close()
    with pytest.raises(SpecError, match="was written to while it was read"):
        store.entries()
    store.close()
    (tmp_path / "no.sqlite").write_text("nothing")
    (tmp_path / "empty.sqlite").touch()
    for name in ("no.sqlite", "empty.sqlite", "none.sqlite"):
        with pytest.raises(SpecError, match="E0670"):
            book_at(str(tmp_path / name))


def test_a_ledger_that_was_changed_is_refused_and_a_false_decision_is_said(tmp_path: Path) -> None:
    book = made(tmp_path / NAME)
    book.looks(
        "second", 3, [{"step": 9, "reports": {"block": True, "ones": 2}, "stopped": True, "result": "high", "by": 1}]
    )
    book.store.close()
    said = asked(tmp_path / NAME, "second")  # the score is 3 * -3 + 2 * (1 + 2 + 2) = 1
    assert "follows from what was released" in said["why_not"] and len(said["looks"]) == 3
    with sqlite3.connect(tmp_path / NAME) as other:
        other.execute("DROP TRIGGER kept_as_written")
        other.execute("UPDATE entries SET body = replace(body, 'pure(5)', 'pure(9)')")
    other.close()
    with pytest.raises(SpecError, match="was changed"):
        asked(tmp_path / NAME, "second")


# ---- in a browser


@pytest.fixture(scope="module")
def quiet(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that shows only what was released."""
    folder = tmp_path_factory.mktemp("quiet")
    made(folder / NAME).store.close()
    made(folder.parent / "others.sqlite").store.close()
    (folder / "link.sqlite").symlink_to(folder.parent / "others.sqlite")
    started = type(server)(folder, "--port", "0", "--released-only")
    yield started
    started.end()


def opened(page: Any, server: Server, reference: str = FIRST, ledger: str = NAME) -> None:
    query = {"panel": "follow", "follow.ledger": ledger, "follow.reference": reference}
    page.goto(f"{server.url}&{urlencode(query)}")
    page.get_by_role("tab", name="Follow", selected=True).wait_for()


def region(page: Any, name: str) -> Any:
    return page.get_by_role("region", name=name, exact=True)


def address(page: Any) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def choose(page: Any, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def saved(page: Any, button: str) -> str:
    with page.expect_download() as given:
        page.get_by_role("button", name=button, exact=True).click()
    return Path(given.value.path()).read_text()


def test_a_ledger_is_chosen_and_its_releases_followed(page: Any, quiet: Server) -> None:
    before = contents(quiet.folder)
    page.goto(quiet.url)
    page.get_by_role("tab", name="Follow").click()
    page.get_by_label("ledger", exact=True).click()
    assert page.get_by_role("option").all_inner_texts() == ["none is chosen", NAME]  # and none that is elsewhere
    page.get_by_role("option", name=NAME).click()
    page.get_by_role("heading", name="The release never").wait_for()
    assert address(page)["follow.reference"] == ["never"]
    choose(page, "release", FIRST)
    page.get_by_role("heading", name=f"The release {FIRST}", exact=True).wait_for()
    region(page, "what monitor says").get_by_text("ended: high").wait_for()
    row = region(page, "accounts of the ledger").get_by_role("row").nth(1)
    assert row.inner_text().split("\t") == ["trial", "replace one", "pure(5)", "pure(15/4)", "pure(5/4)"]
    charges = region(page, "charges of the ledger").get_by_role("row").all_inner_texts()
    assert [line.split("\t") for line in charges[1:3]] == [
        [FIRST, "trial", "pure(1)", "stopped at entry 6"],
        ["second", "trial", "pure(1/2)", "going on, looks so far: 2"],
    ]
    assert saved(page, "CSV of what the release has shown") == "step,block,ones,return\n3,yes,3,\n6,yes,2,high\n"
    html = saved(page, "Report (HTML, one file)")
    assert "The private budget" in html and "&lt;b&gt;first" in html and "<b>first" not in html
    assert "Of the budget pure(5), pure(15/4) is spent" in saved(page, "Report (Markdown)").replace("\\", "")
    choose(page, "release", "alarms")
    page.get_by_text(re.compile("E0623")).wait_for()
    assert page.get_by_role("button", name="Report (Markdown)").count() == 0
    assert sorted(before) == ["link.sqlite", NAME]
    assert contents(quiet.folder) == before


def test_the_lines_say_the_same(page: Any, quiet: Server) -> None:
    opened(page, quiet)
    said = region(page, "what monitor says")
    said.get_by_text("ended: high").wait_for()
    page.get_by_text("The command line and Python lines").click()
    command = region(page, "command line").inner_text().splitlines()[1]
    python = region(page, "Python").inner_text()
    here: dict[str, Any] = {"cwd": quiet.folder, "text": True, "capture_output": True, "check": True}
    typed = subprocess.run(command.replace("seqlang", f"{sys.executable} -m seqlang", 1), shell=True, **here)
    run = subprocess.run([sys.executable, "-c", python], **here)
    assert typed.stdout.split() == run.stdout.split() == said.inner_text().split() != []


def test_it_is_read_again(page: Any, quiet: Server) -> None:
    book = made(quiet.folder / "live.sqlite")
    opened(page, quiet, "second", "live.sqlite")
    page.get_by_text("going on, looks so far: 2").first.wait_for()
    book.looks("second", 3, [{"step": 9, "reports": {"block": True, "ones": -2}}])
    book.looks(
        "second", 4, [{"step": 12, "reports": {"block": True, "ones": 7}, "stopped": True, "result": "high", "by": 1}]
    )
    page.get_by_role("button", name="Read it again").click()
    page.get_by_text("stopped at entry 12").first.wait_for()
    book.store.close()
    (quiet.folder / "live.sqlite").unlink()


@pytest.mark.parametrize("name", ["../others.sqlite", "link.sqlite", "/etc/passwd", "a\0.sqlite", "spec.seq"])
def test_no_name_leads_out(page: Any, quiet: Server, name: str) -> None:
    (quiet.folder / "spec.seq").write_text(BLOCKS + ALARMS)
    opened(page, quiet, ledger=name)
    page.get_by_role("status").filter(has_text="E0605").wait_for()
    assert region(page, "accounts of the ledger").inner_text() == "None."


def test_what_is_no_ledger_and_no_release(page: Any, quiet: Server) -> None:
    (quiet.folder / "notes.sqlite").write_text("no ledger")
    opened(page, quiet, ledger="notes.sqlite")
    page.get_by_role("status").filter(has_text="E0670").wait_for()
    opened(page, quiet, "nobody")
    page.get_by_text(re.compile("E0670: the ledger has no release `nobody`")).wait_for()
    assert address(page)["follow.reference"] == ["nobody"]
    (quiet.folder / "notes.sqlite").unlink()


def test_it_is_accessible_and_fits(page: Any, quiet: Server) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
    opened(page, quiet)
    region(page, "what monitor says").get_by_text("ended: high").wait_for()
    page.get_by_text("The command line and Python lines").click()
    for width, scheme in ((400, "dark"), (900, "light"), (1600, "dark")):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_timeout(500)  # colours change gradually
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        found = [v for v in axe.Axe().run(page).response["violations"] if v["impact"] in ("serious", "critical")]
        assert [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found] == []
        if SHOTS:
            page.screenshot(path=f"{SHOTS}/follow_{width}_{scheme}.png", full_page=True)
