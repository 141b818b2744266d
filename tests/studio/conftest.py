"""A server of the page in a process of its own, and a browser that looks at it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

WAIT = 25_000
"""Milliseconds after which something has not happened: long, so that no test depends on the machine's speed."""


class Server:
    """`url` is what it printed. `folder` holds the user's own files."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "seqlang", "studio", "--no-browser", "--folder", str(folder), *options],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "SEQLANG_CACHE": str(folder / "cache")},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://127.0.0.1:"), self.url

    @property
    def port(self) -> int:
        return int(self.url.partition("?")[0].rstrip("/").rpartition(":")[2])

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Its exit code; fails if it takes more than 15 s."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.process.wait(15)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("nicegui", reason="the extra `studio` is not installed")
    made = Server(tmp_path_factory.mktemp("own"), "--port", "0")
    yield made
    made.end()


@pytest.fixture(scope="module")
def browser(request: pytest.FixtureRequest) -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api", reason="playwright, which drives browsers, is not installed")
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
    )
    if not found and not request.config.getoption("--everything"):
        pytest.skip("there is no chromium")
    with driver.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page of its own context, which fails the test if it asked for anything elsewhere or if a script failed."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    made = context.new_page()
    made.set_default_timeout(WAIT)
    asked: list[str] = []
    wrong: list[str] = []
    made.on("request", lambda request: asked.append(request.url))
    made.on("pageerror", lambda error: wrong.append(str(error)))
    yield made
    context.close()
    assert [
        url for url in asked if not url.startswith(("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:"))
    ] == []
    assert wrong == []
