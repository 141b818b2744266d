"""What the README prints is what the commands print."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from seqlang import driver
from seqlang.source import Source

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"


def _block(mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```\n(.*?)```", README.read_text(encoding="utf-8"), re.S)
    assert found, mark
    return found[1]


def _report(text: str) -> str:
    return str(driver.check(driver.load(Source("safety.seq", text))))


def _broken() -> str:
    """The same spec without the noise on the limit."""
    return "".join(line for line in _block("spec").splitlines(keepends=True) if "to limit" not in line)


def _library() -> str:
    rows = ["| spec | what it is | strong privacy | witness / bound |", "|---|---|---|---|"]
    for name, path in driver.library().items():
        result = driver.check(driver.load(driver.read(str(path))))
        strong = result.to_dict()["strong"]["pure"]
        pure = strong["symbolic"]
        claims = [v for v in result.verdicts if v.claim.kind != "operating"]
        claim = next((v for v in claims if v.claim.kind == "strong"), next(iter(claims), None))
        text = "" if claim is None else claim.claim.text.removeprefix("claim ").removeprefix("strong ")
        shown = f"`{pure}`" if pure != "inf" else ("" if claim is None else f"{claim.verdict} `{text}`")
        ratio = f"{math.floor(strong['ratio'] * 1e4) / 1e4:.4f}" if "ratio" in strong else ""
        rows.append(f"| [{name}](specs/{name}.seq) | {result.program.title} | {shown} | {ratio} |")
    return "\n".join(rows) + "\n"


def test_twelve_lines() -> None:
    assert len(_block("spec").splitlines()) == 12


@pytest.mark.parametrize(
    ("mark", "make"), [("report", lambda: _report(_block("spec"))), ("refuted", lambda: _report(_broken()))]
)
def test_reports(mark: str, make: object, request: pytest.FixtureRequest) -> None:
    wanted = make()  # type: ignore[operator]
    if request.config.getoption("--update"):
        text = README.read_text(encoding="utf-8")
        fresh = re.sub(rf"(<!-- {mark} -->\n```\n).*?```", lambda m: f"{m[1]}{wanted}```", text, flags=re.S)
        README.write_text(fresh, encoding="utf-8")
    assert _block(mark) == wanted


def test_the_table_of_specs_is_true(request: pytest.FixtureRequest) -> None:
    table = _library()
    text = README.read_text(encoding="utf-8")
    if request.config.getoption("--update"):
        text = re.sub(
            r"<!-- library -->\n(\n\|.*?\n(?=\n))?", lambda _: f"<!-- library -->\n\n{table}", text, flags=re.S
        )
        README.write_text(text, encoding="utf-8")
    assert table in text
