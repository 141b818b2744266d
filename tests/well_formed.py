"""Whether a fragment of HTML is well formed, and the text that a reader sees."""

from __future__ import annotations

from html.parser import HTMLParser


class _Fragment(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        assert not any(name.startswith("on") or name in ("src", "href") for name, _ in attrs), attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(html: str) -> str:
    """Raises AssertionError for tags that are not closed in order, and for any that could act or load."""
    found = _Fragment()
    found.feed(html)
    found.close()
    assert not found.open, found.open
    assert found.tags <= {"pre", "span", "div"}, found.tags
    return found.text
