"""Files of users go on working. In a folder named after each edition are specs as they were when its last release was
made, and the verdicts of their claims: they must go on parsing, and keep these verdicts. None of them ever changes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from seqlang import driver
from seqlang.source import Source
from seqlang.syntax import format_text, parse, upgraded
from seqlang.syntax.editions.table import EDITIONS, REWRITES

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*/*.seq"))
STATEMENTS = {
    "2026": "algorithm param let stream dataset public adjacent model memory update statistic draw attach report stop "
    "claim"
}


def test_every_edition_has_its_folder() -> None:
    assert {path.name for path in HERE.iterdir() if path.name.isdecimal()} == set(map(str, EDITIONS))
    assert list(EDITIONS) == sorted(EDITIONS)
    for rewrite in REWRITES:
        assert EDITIONS.index(rewrite.to_edition) == EDITIONS.index(rewrite.from_edition) + 1


@pytest.mark.parametrize("edition", STATEMENTS)
def test_the_sample_has_every_statement_of_its_edition(edition: str) -> None:
    lines = [line for file in HERE.glob(f"{edition}/*.seq") for line in file.read_text(encoding="utf-8").splitlines()]
    used = {line.split()[0] for line in lines if line and not line[0].isspace() and line[0] != "#"}
    assert used == set(STATEMENTS[edition].split())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_it_keeps_its_verdicts(file: Path) -> None:
    wanted = json.loads((file.parent / "verdicts.json").read_text(encoding="utf-8"))
    result = driver.check(driver.load(Source(file.name, file.read_text(encoding="utf-8"))))
    assert [v.verdict for v in result.verdicts] == wanted[file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_its_upgrade_is_well_formed(file: Path) -> None:
    text = upgraded(file.read_text(encoding="utf-8"))
    tree, diagnostics = parse(Source(file.name, text))
    assert tree is not None and not diagnostics
    assert format_text(Source(file.name, text))[0] is not None
    if file.parent.name == str(EDITIONS[-1]):
        assert text == file.read_text(encoding="utf-8")
