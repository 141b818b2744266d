"""What somebody waits for at the analyst's page: milliseconds to the first paint, from a slider to the verdict, and the
memory of server and processes. Needs `.[all-test]` and chromium.

python tests/benchmarks/studio.py [SPEC...]
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

DEFAULT = ("@tight/one_sided", "@tight/two_sided", "@wald1945/sprt", "@zhang2022/sprt_laplace", "@michel2025/dp_sprt")
TOUCHES = 20
"""Of a slider, for each spec."""
TABS = 10
TOUCH = """(place) => new Promise((done) => {
  const slider = document.querySelector('.seq-slider'), began = performance.now(), times = {};
  const state = document.querySelector('[aria-label="what was found"] [role=status]');
  const watcher = new MutationObserver(() => {
    const text = state.textContent;
    if (/^(So far|checked|The text)/.test(text)) times.first ??= performance.now() - began;
    if (/^(checked|The text)/.test(text)) { watcher.disconnect(); done([times.first, performance.now() - began]); } });
  setTimeout(() => { watcher.disconnect(); done([times.first ?? 3000, 3000]); }, 3000);
  watcher.observe(state, { subtree: true, childList: true, characterData: true });
  slider.value = place; slider.dispatchEvent(new Event('input')); })"""
"""Moves it; resolves to the milliseconds until verdicts (or errors) were shown, and until nothing was searched
any more, 3000 at most."""


def memory(pid: int) -> int:
    """Bytes of a process and all that it started: proportional shares of what they share."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True).stdout.split()
    parents = dict(zip(map(int, listed[::2]), map(int, listed[1::2]), strict=True))
    family = {pid}
    while more := {p for p, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(_share(one) for one in family)


def _share(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def opened(page: Any, url: str, spec: str) -> None:
    page.goto(f"{url}&panel=see&spec={spec}")
    page.get_by_text("checked in").wait_for(timeout=120_000)


def main(specs: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        began = time.perf_counter()
        server = subprocess.Popen(
            [sys.executable, "-m", "seqlang", "studio", "--no-browser", "--port", "0", "--folder", folder],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "SEQLANG_CACHE": folder},
        )  # fmt: skip
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        print(f"the address is printed after {time.perf_counter() - began:.2f} s")
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        try:
            measure(browser, url, server.pid, specs)
        finally:
            browser.close()
            server.terminate()
            server.wait()


def measure(browser: Any, url: str, pid: int, specs: tuple[str, ...]) -> None:
    paints = []
    for _ in range(5):
        page = browser.new_page()
        page.goto(url)
        page.get_by_role("listitem").first.wait_for()
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        page.close()
    print(f"first paint: {paints[0]:.0f} ms with an empty cache, then {statistics.median(paints[1:]):.0f} ms")
    page = browser.new_page()
    before = memory(pid)
    everything: list[float] = []
    for spec in specs:
        opened(page, url, spec)
        pairs = [page.evaluate(TOUCH, 20 + 160 * i // TOUCHES) for i in range(TOUCHES)]
        everything += [first for first, _ in pairs]
        middle = [statistics.median(times) for times in zip(*pairs, strict=True)]
        print(f"  {spec:<28} median {middle[0]:4.0f} ms, with all witnesses {middle[1]:4.0f} ms")
    everything.sort()
    at95 = everything[int(0.95 * len(everything))]
    print(
        f"slider to verdict, {len(everything)} touches: median {statistics.median(everything):.0f} ms, "
        f"95 % {at95:.0f} ms"
    )
    print(f"memory: {before / 2**20:.0f} MiB before, {memory(pid) / 2**20:.0f} MiB after them")
    page.goto(f"{url}&panel=try&spec=@wald1945/sprt&runs=200000")
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("img", name="stopping steps").wait_for(timeout=120_000)
    time.sleep(1)
    print(f"memory after 200000 runs, and a second: {memory(pid) / 2**20:.0f} MiB")
    tabs = [browser.new_page() for _ in range(TABS)]
    for tab in tabs[1:]:  # each with work that takes long
        tab.goto(f"{url}&panel=try&spec=@wald1945/sprt&runs=10000000")
        tab.get_by_role("button", name="Run", exact=True).click()
    opened(tabs[0], url, specs[0])
    found = sorted(tabs[0].evaluate(TOUCH, 20 + 160 * i // TOUCHES)[0] for i in range(TOUCHES))
    print(
        f"the same beside {TABS - 1} tabs that simulate: median {statistics.median(found):.0f} ms, "
        f"most {found[-1]:.0f} ms"
    )
    for tab in tabs:
        tab.close()


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or DEFAULT)
