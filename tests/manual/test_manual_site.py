"""The site of the manual: every link leads to a file of it, nothing is read from the network, all names can be
searched, and the pictures show the laws."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from seqlang.driver import library
from seqlang.manual import pages
from seqlang.manual.site.build import build
from seqlang.manual.site.law_picture import ABOVE, BELOW, HEIGHT, drawn, law_picture
from seqlang.manual.site.markdown import reader

LINK = re.compile(r'(?:href|src)="([^"#]*)')
OUTWARD = re.compile('<a href="https://[^"]*">')
"""What a reader may follow, and no page reads."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(folder, pictures=0)
    return folder


def test_a_page_for_everything(site: Path) -> None:
    assert len(list(site.rglob("*.html"))) == len(pages()) + len(library()) + 2
    names = json.loads((site / "names.js").read_text("utf-8").removeprefix("const NAMES = ").removesuffix(";\n"))
    assert {name for page in pages() for name in page.names} | set(library()) == {name for name, *_ in names}
    assert all((site / address).is_file() for *_, address in names)


def test_links_lead_to_files_of_the_site(site: Path) -> None:
    known = {str(file.relative_to(site)) for file in site.rglob("*") if file.is_file()}
    for file in site.rglob("*.html"):
        here = file.parent.relative_to(site)
        for target in set(LINK.findall(OUTWARD.sub("", file.read_text("utf-8")))):
            assert "//" not in target, (file, target)
            parts: list[str] = []
            for part in (*here.parts, *target.split("/")):
                parts = parts[:-1] if part == ".." else [*parts, part]
            assert "/".join(parts) in known, (file, target)


def test_what_stands_on_pages(site: Path) -> None:
    law = (site / "law" / "laplace.html").read_text("utf-8")
    assert '<a href="../law/gaussian.html"><code>gaussian</code></a>' in law
    assert "lang=en" in law and "name=viewport" in law
    spec = (site / "specs" / "tight" / "one_sided.html").read_text("utf-8")
    assert "proved</span> <code>claim strong pure(max(D / lz, D / lw))</code>" in spec
    assert '<a href="../../rule/alignment-stopping.html">alignment/stopping</a>' in spec
    refuted = (site / "specs" / "lyu2017" / "svt6.html").read_text("utf-8")
    assert "class=bad>✗ refuted</span> <code>claim strong pure(eps)</code>" in refuted
    assert "prefers-color-scheme: dark" in (site / "style.css").read_text("utf-8")


def test_texts_are_escaped() -> None:
    made = reader(lambda name: None).render("<b>a</b> `<i>`\n\n```\n<script>\n```\n")
    assert not re.search("<(b|i|script)>", made)


def test_the_picture_of_a_law() -> None:
    """The first 1 of fair coins: P(T <= n) = 1 - 2^-n."""
    text = "algorithm a\nstream x in {0, 1}\nmodel fair: x ~ bernoulli(1/2)\nstop when x == 1\n"
    points = re.search(r'points="([^"]*)"', law_picture(text, 20))
    assert points is not None
    heights = [float(pair.split(",")[1]) for pair in points[1].split()]
    up = HEIGHT - BELOW - ABOVE
    steps = [ABOVE + up * chance for chance in (1, 1, 0.5, 0.5, 0.25, 0.25, 0.125)]
    assert heights[:7] == pytest.approx(steps, abs=0.06)
    assert law_picture("algorithm a\nstream x in {0, 1}\nmodel fair: x ~ bernoulli(1/2)\nstop\n", 20) == ""
    assert law_picture("algorithm a\ndataset x in {0, 1} size 2\nmodel f: x ~ bernoulli(1/2)\nstop\n", 20) == ""
    assert drawn({"<a>": [0.5, 1.0]}).count("&lt;a&gt;") == 1
