"""The long text of a diagnostic code: a page for each, in a folder of `explanations` for each subject."""

from __future__ import annotations

import re
from pathlib import Path

_PAGES = Path(__file__).resolve().parent / "explanations"
_CODE = re.compile(r"[EW][0-9]{4}")


def explain(code: str) -> str | None:
    """The page (Markdown) of a code such as `E0105`; None if there is no such code."""
    page = page_of(code)
    return None if page is None else page.read_text("utf-8")


def page_of(code: str) -> Path | None:
    """The file of that page."""
    return next(_PAGES.glob(f"*/{code}.md"), None) if _CODE.fullmatch(code) else None


def codes() -> tuple[str, ...]:
    """All codes that have a page, in order."""
    return tuple(sorted(page.stem for page in _PAGES.glob("*/*.md") if _CODE.fullmatch(page.stem)))
