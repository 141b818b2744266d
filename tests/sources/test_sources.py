"""What the sources say, held against what our commands show: `specs/sources`, `specs/SOURCES.md`."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from source_figures import Figure, as_recorded, figures, holds, meets, shown, shown_figures
from source_page import KEY, PAGE, on_page, page
from source_rows import FOLDER, Row, every_source, faults, read

ROOT = Path(__file__).resolve().parents[2]
SOURCES = every_source()
ROWS = [row for source in SOURCES for row in source.rows]
COMMANDS = [
    (command, tuple(rows)) for command, rows in groupby(sorted(ROWS, key=lambda r: r.command), lambda r: r.command)
]
LIMIT = 900
"""Seconds of one command."""


def _slug(rows: tuple[Row, ...]) -> str:
    return rows[0].source + "-" + re.sub(r"\W+", "-", rows[0].place.lower())


def test_places_are_names() -> None:
    """A row is known by its source and place, and two sources by how they are cited."""
    keys = [row.key for row in ROWS]
    assert sorted({key for key in keys if keys.count(key) > 1}) == []
    assert len({source.cite for source in SOURCES}) == len(SOURCES) == len(list(FOLDER.glob("*.toml")))


def test_what_commands_name_is_there() -> None:
    for command, _ in COMMANDS:
        _names_what_is_there(command)


def _names_what_is_there(command: str) -> None:
    words = shlex.split(command)
    assert words[0] in ("seqlang", "python"), words[0]
    if words[0] == "python":
        assert words[1].startswith("examples/"), "a script lies in examples/, and is named by its path"
    for word in words[1:]:
        if word.startswith("@"):
            named = ROOT / "specs" / word[1:]
            assert named.with_suffix(".seq").is_file() or named.is_dir(), word
        elif word.startswith(("examples/", "specs/")):
            assert (ROOT / word).exists(), word


def test_the_page_shows_the_rows(request: pytest.FixtureRequest) -> None:
    """All that is fixed in them; and a figure of ours, and the seconds, in every row."""
    if request.config.getoption("--update"):
        request.node.user_properties.append((KEY, ["", "", "", ""]))
        return
    found = on_page()
    assert PAGE.read_text(encoding="utf-8") == page(SOURCES, found), "run `pytest --long --update tests/sources`"
    assert [row.key for row in ROWS if not all(found.get(row.key, ("", "")))] == []
    assert [row.key for row in ROWS if float(found[row.key][1]) < 0] == []


def test_the_verdicts_follow_from_the_page() -> None:
    """As far as they can be checked without the spread of single runs, which only the commands tell."""
    found = on_page()
    rows = [row for row in ROWS if not row.runs and found.get(row.key, ("", ""))[0]]
    wrong = [(row.place, holds(row, tuple(shown_figures(found[row.key][0])))) for row in rows]
    assert [each for each in wrong if each[1]] == []


def _run(command: str) -> tuple[str, int, float]:
    """What a command prints, its exit code, and its seconds."""
    program, *words = shlex.split(command)
    start = [sys.executable, *(["-m", "seqlang.cli"] if program == "seqlang" else [])]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    began = time.monotonic()
    done = subprocess.run([*start, *words], cwd=ROOT, env=env, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode in (0, 1, 2), done.stderr
    return done.stdout + (done.stderr if done.returncode == 2 else ""), done.returncode, time.monotonic() - began


@pytest.mark.long
@pytest.mark.parametrize("rows", [pytest.param(rows, id=_slug(rows)) for _, rows in COMMANDS])
def test_a_command_shows_what_the_page_has(rows: tuple[Row, ...], request: pytest.FixtureRequest) -> None:
    """Each command is run once, for all rows that it shows."""
    output, code, seconds = _run(rows[0].command)
    if code == 2:
        lacking = [row.data for row in rows if row.data]
        if lacking:
            pytest.skip(f"without {lacking[0]}: {output.strip()[-200:]}")
        assert all(row.verdict == "out of reach" for row in rows), output
    update, before, wrong = request.config.getoption("--update"), on_page(), []
    for row in rows:
        found = figures(row, output)
        if said := holds(row, found):
            wrong.append(f"{row.place}: {said}")
        if update:
            request.node.user_properties.append((KEY, [*row.key, shown(found), f"{seconds:.1f}"]))
        elif not as_recorded(before[row.key][0], found):
            wrong.append(f"{row.place}: the page has {before[row.key][0]}, the command shows {shown(found)}")
    assert not wrong, "\n".join(wrong)


def _example(**changes: Any) -> Row:
    given: dict[str, Any] = {
        "source": "s", "place": "p", "kind": "table", "command": "seqlang specs", "printed": "0.86",
        "verdict": "agrees", "json": ("0",),
    }  # fmt: skip
    return Row(**{**given, **changes})


@pytest.mark.parametrize(
    "figure, wanted, row, fine",
    [
        (Figure("0.8641"), "0.86", {}, True),
        (Figure("0.8651"), "0.86", {}, False),
        (Figure("0.8651"), "0.86", {"within": 0.01}, True),
        (Figure("0.9", 0.85, 0.95), "0.86", {}, True),
        (Figure("0.9", 0.87, 0.95), "0.86", {}, False),
        (Figure("89.3", sd=25.0), "86.12", {"runs": 1000}, False),
        (Figure("88.3", sd=25.0), "86.12", {"runs": 1000}, True),
        (Figure("0.915"), "0.90..0.92", {}, True),
        (Figure("0.935"), "0.90..0.92", {}, False),
        (Figure("0.1086"), "<= 0.0123", {}, False),
        (Figure("0.1086"), "> 0.0123", {}, True),
        (Figure("1.04e-20"), "1.04e-20", {}, True),
        (Figure("1.06e-20"), "1.04e-20", {}, False),
        (Figure("proved"), "proved", {}, True),
        (Figure("refuted"), "proved", {}, False),
        (Figure("inf"), "<= 5", {}, False),
        (Figure("10,000"), "10000", {}, True),
    ],
)
def test_when_a_figure_is_as_printed(figure: Figure, wanted: str, row: dict[str, Any], fine: bool) -> None:
    assert meets(_example(**row), figure, wanted) is fine


def test_a_verdict_that_the_figures_do_not_bear_out() -> None:
    assert holds(_example(), (Figure("0.9"),)) and not holds(_example(), (Figure("0.86"),))
    wrong = _example(verdict="erratum", statement="It is.", true="It is not.", why="So.")
    assert holds(wrong, (Figure("0.86"),)) and not holds(wrong, (Figure("0.9"),))


def test_what_is_recorded() -> None:
    found = (Figure("0.9", 0.85, 0.95), Figure("eps/2"), Figure("12"))
    assert shown(found) == "0.9 [0.85, 0.95]; eps/2; 12" and tuple(shown_figures(shown(found))) == found
    assert as_recorded(shown(found), (Figure("0.88", 0.83, 0.93), *found[1:]))
    assert not as_recorded(shown(found), (Figure("0.82", 0.80, 0.84), *found[1:]))
    assert not as_recorded(shown(found), (Figure("0.84"), *found[1:]))
    assert not as_recorded(shown(found), (found[0], Figure("eps"), found[2]))
    assert not as_recorded(shown(found), (*found[:2], Figure("12.1")))
    assert not as_recorded(shown(found), found[:2])


def test_figures_are_found() -> None:
    output = 'words\n{"a": {"0.05": [1, 2.3456789]}, "b": "refuted", "c": [0.5, 1.5]}\n'
    row = _example(json=("0.a.0.05.1", "0.b"), wanted=("2.3", "refuted"))
    assert figures(row, output) == (Figure("2.34568"), Figure("refuted"))
    assert figures(_example(json=("0.a.0.05.0",), interval=("0.c",)), output) == (Figure("1", 0.5, 1.5),)
    means = _example(json=("0.a.0.05.1",), se=("0.c.0",))
    assert [f"{f.low:.4f} {f.high:.4f}" for f in figures(means, output)] == ["1.3657 3.3257"]
    patterns = (r"^mean +(\S+) \[(\S+), (\S+)\]", r"sd (\S+)")
    words = figures(_example(json=(), shows=patterns), "x\nmean  .5 [.4, .6]\nsd 2")
    assert words == (Figure(".5", 0.4, 0.6), Figure("2"))
    for lost in (_example(json=("0.d",)), _example(json=(), shows=("(never)",))):
        with pytest.raises(LookupError):
            figures(lost, output)


@pytest.mark.parametrize(
    "changes, wrong",
    [
        ({"kind": "picture"}, "kind is one of"),
        ({"verdict": "wrong"}, "verdict is one of"),
        ({"json": ()}, "by `shows` or by `json`"),
        ({"json": (), "shows": ("(",)}, "regular expressions"),
        ({"json": (), "shows": ("no group",)}, "regular expressions"),
        ({"verdict": "explained"}, "needs a `why`"),
        ({"verdict": "explained", "why": "a word"}, "whole sentences"),
        ({"within": 0.1}, "justified"),
        ({"verdict": "erratum", "why": "So."}, "has `statement` and `true`"),
        ({"statement": "It is."}, "belong to errata"),
        ({"printed": "none printed"}, "what the figures must be"),
        ({"printed": ""}, "whole texts"),
        ({"wanted": ("1", "2")}, "for each figure"),
    ],
)
def test_what_a_row_must_have(changes: dict[str, Any], wrong: str) -> None:
    assert faults(_example()) == []
    assert any(wrong in text for text in faults(_example(**changes)))


def test_an_unknown_key_is_named(tmp_path: Path) -> None:
    file = tmp_path / "some2020.toml"
    file.write_text('title = "t"\ncite = "c"\n[[row]]\nplace = "p"\nsaid = "1"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"unknown \['said'\], missing"):
        read(file)
