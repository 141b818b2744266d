"""The picture and the protocol of a design: one file that says what the design says, and obeys nothing."""

from __future__ import annotations

from fractions import Fraction
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.designs.find import find
from seqlang.designs.problem.request import problem_of
from seqlang.driver import check, load
from seqlang.record import replace
from seqlang.report.document.document import Heading, Paragraph, Table, Tree, line, row
from seqlang.report.document.markdown import as_markdown, as_page, code
from seqlang.report.protocol import protocol
from seqlang.results.design import DesignResult
from seqlang.source import Source


class _Page(HTMLParser):
    """What a browser would load or run, and the cells of all tables."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.cells: list[str] = []
        self.feed(text)
        self.cells = [cell.strip() for cell in self.cells]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href")]
        self.cells += [""] * (tag == "td")

    def handle_data(self, data: str) -> None:
        if self.cells and self.tags[-1] == "td":
            self.cells[-1] += data


@pytest.fixture(scope="module")
def result() -> DesignResult:
    half = Fraction(1, 10)
    return find(problem_of("x ~ bernoulli(1/4)", "x ~ bernoulli(3/4)", half, half, "pure(2)", "average", True),
                verify=False, draw=True)  # fmt: skip


def test_curves_pass_through_what_is_known(result: DesignResult) -> None:
    curves = result.curves
    assert curves is not None
    reject = dict(zip(curves.places, curves.reject, strict=True))
    steps = dict(zip(curves.places, curves.steps, strict=True))
    assert reject[0.25] == pytest.approx(result.errors["null"], rel=1e-9)
    assert 1 - reject[0.75] == pytest.approx(result.errors["alternative"], rel=1e-9)
    assert steps[0.25] == pytest.approx(result.expected_steps["null"], rel=1e-9)
    assert sorted(curves.reject) == list(curves.reject)
    for side, law in curves.lengths.items():
        tail = 1 - sum(law)
        assert 0 <= tail < 2e-3
        mean = sum(n * p for n, p in enumerate(law))
        assert mean < result.expected_steps[side] + 1e-9 < mean + tail * 20 * len(law)


def test_the_page_holds_what_the_design_says(result: DesignResult) -> None:
    checked = check(load(Source("<text>", result.spec)))
    text = protocol(result, checked, "seqlang design --null 'x ~ bernoulli(1/4)'", "html")
    page = _Page(text)
    assert set(page.tags) <= set(
        "html head meta title style body h1 h2 p table thead tbody tr th td pre code span img".split()
    )
    assert len(page.links) == 1
    assert page.links[0].startswith("data:image/svg+xml;base64,")
    assert f"{result.expected_steps['null']:.6g}" in page.cells
    schedule = [cell for entry in result.schedule for cell in (str(entry.size or entry.decision),)]
    assert all(cell in page.cells for cell in schedule)
    assert sha256(result.spec.encode()).hexdigest() in text
    assert "at most e^eps times as likely" in text
    markdown = protocol(result, checked, "seqlang design", "md")
    assert "](data:image/png;base64,iVBOR" in markdown  # of pictures, word processors read points
    assert result.spec in markdown
    lines = [text.strip().strip("|") for text in markdown.splitlines() if text.startswith("|")]
    written = {cell.replace("\\", "").strip() for text in lines for cell in text.split("|")}
    assert {cell for cell in page.cells if cell} <= written


def test_nothing_in_a_document_is_obeyed() -> None:
    hostile = "<script>a()</script> [b](javascript:c) ![d](https://e.org/f.png) **g** | `h`"
    blocks = (Heading(hostile), Paragraph(line(hostile)), Table(("a|b",), (row(hostile),), "l"), Tree(line(hostile)))
    page = _Page(as_page(as_markdown(blocks) + code("```\n<b>" + hostile), hostile))
    assert page.links == []
    assert set(page.tags) <= set(
        "html head meta title style body h2 p table thead tbody tr th td ul li pre code".split()
    )
    assert hostile in page.cells


def test_links_that_are_written_as_links_are_not_followed() -> None:
    assert _Page(as_page("[a](javascript:b) ![c](https://d.org/e.png) <https://f.org>", "g")).links == []


def test_the_command_writes_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, page = tmp_path / "design.png", tmp_path / "protocol.html"
    asked = ["design", "--null", "x ~ bernoulli(1/4)", "--alternative", "x ~ bernoulli(3/4)", "--alpha", "0.1"]
    asked += ["--beta", "0.1", "--privacy", "pure(2)", "--pure", "--plot", str(picture), "--report", str(page)]
    assert main(asked) == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "--privacy &#x27;pure(2)&#x27;" in page.read_text(
        encoding="utf-8"
    ) or "--privacy 'pure(2)'" in page.read_text(encoding="utf-8")
    capsys.readouterr()
    assert main([*asked[:-1], str(tmp_path / "protocol.docx")]) == 2
    assert "formats are .html .md" in capsys.readouterr().err
    for option, file in (("--output", "nowhere/a.seq"), ("--plot", "nowhere/a.png"), ("--report", "nowhere/a.md")):
        assert main([*asked[:9], "--privacy", "pure(2)", option, str(tmp_path / file)]) == 2
        assert "there is no folder" in capsys.readouterr().err  # before the work is done


def test_warnings_stand_beside_the_assumptions(result: DesignResult) -> None:
    checked = check(load(Source("designed", result.spec)))
    warned = replace(result, warnings=("the two rates are <odd>",))
    assert "Warning: the two rates are <odd>." not in protocol(result, checked, "design", "md")
    page = protocol(warned, checked, "design", "html")
    assert "Warning: the two rates are &lt;odd&gt;." in page and "<odd>" not in page
