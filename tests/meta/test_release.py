"""What a release says of itself: its version in the release notes, its page data, how it is cited."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from seqlang.cli.__main__ import main
from seqlang.version import __version__

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_newest_release_notes_are_of_this_version() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    versions = [re.fullmatch(r"(\d+)\.(\d+)\.(\d+)( \(unreleased\))?", heading) for heading in headings]
    assert all(versions), headings
    numbers = [tuple(map(int, v.groups()[:3])) for v in versions if v]
    assert ".".join(map(str, numbers[0])) == __version__
    assert numbers == sorted(set(numbers), reverse=True)
    assert not any(v and v[4] for v in versions[1:]), "only the newest may be unreleased"


def test_page_data() -> None:
    """Hatchling refuses classifiers that do not exist, when the wheel is built."""
    pythons = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert pythons[0] == PROJECT["requires-python"].removeprefix(">=")
    for topic in ("Development Status", "Intended Audience", "Topic", "Environment"):
        assert any(c.startswith(topic) for c in PROJECT["classifiers"]), topic
    assert PROJECT["readme"] == "README.md" and PROJECT["authors"]


def test_how_to_cite(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--cite"]) == 0
    text = capsys.readouterr().out
    entry = text[text.index("@software{") : text.rindex("}") + 1]
    assert entry.count("{") == entry.count("}")
    fields = dict(re.findall(r"^  (\w+) += \{+(.*?)\}+,?$", entry, re.M))
    assert set(fields) == {"author", "title", "version", "year"} and fields["version"] == __version__
    assert fields["year"] in (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert "seqlang --cite" in (ROOT / "README.md").read_text(encoding="utf-8")
