"""In a browser, in both colour schemes: axe finds nothing serious in any panel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Server

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed")
PANELS = {
    "pick": "Design a test",
    "see": "The two data sets that differ most",
    "try": "The price of privacy",
    "learn": "What the mechanism releases",
    "follow": "Where the test stands",
    "compare": "To take along",
}
"""Panel -> a text at its end."""


@pytest.mark.parametrize("panel", PANELS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(page: Any, server: Server, panel: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{server.url}&panel={panel}&spec=@tight/one_sided")
    page.get_by_role("tab", selected=True).wait_for()
    page.get_by_text(PANELS[panel], exact=True).first.wait_for()
    page.wait_for_load_state("networkidle")
    found = axe.Axe().run(page).response["violations"]
    serious = {v["id"]: [n["html"][:200] for n in v["nodes"]] for v in found if v["impact"] in ("serious", "critical")}
    assert serious == {}
