"""The stored parse table: the same as a fresh one, and never in the way."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from seqlang.process.locate import data_folder
from seqlang.syntax.build import ACTIONS
from seqlang.syntax.compile_grammar import compile_grammar
from seqlang.syntax.errors.forms import FORMS, MEANT
from seqlang.syntax.load_table import cache_file, load_table, table_of

GRAMMAR = (data_folder("grammars") / "seq.lark").read_text("utf-8")
SMALL = """
start: algorithm statement*
algorithm: "algorithm" NAME
statement: "let" NAME
NAME: /(?!(?:algorithm|let)\\b)[a-z]+/
NUMBER: /[0-9]+/
STRING: /"[^"]*"/
COMMENT: /#[^\\n]*/
SPACE: /[ \\n]+/
%ignore SPACE
%ignore COMMENT
%ignore NUMBER
%ignore STRING
"""


def test_stored_equals_compiled(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "er" / "table.json"
    first = table_of(SMALL, file)
    assert file.exists()
    assert table_of(SMALL, file) == first == compile_grammar(SMALL)


def test_the_same_grammar_gives_the_same_table_in_another_process() -> None:
    program = (
        "from zlib import crc32; from seqlang.process.locate import data_folder;"
        "from seqlang.syntax.compile_grammar import *;"
        "print(crc32(repr(compile_grammar((data_folder('grammars') / 'seq.lark').read_text('utf-8')).states).encode()))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe\x00", b"{}", b"0\n{}", b"[" * 100000, b"null\n"],
    ids=["empty", "bytes", "object", "old", "deep", "null"],
)
def test_a_damaged_file_is_replaced(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "table.json"
    file.write_bytes(content)
    assert table_of(SMALL, file) == compile_grammar(SMALL)
    assert file.read_bytes() != content


def test_a_file_with_one_wrong_letter_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    good = table_of(SMALL, file)
    whole = file.read_bytes()
    for place in range(0, len(whole), 37):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        file.write_bytes(bytes(damaged))
        assert table_of(SMALL, file) == good
        assert file.read_bytes() == whole


def test_a_place_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert table_of(SMALL, blocked / "table.json") == compile_grammar(SMALL)


def test_many_writers_leave_a_whole_file(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    expected = compile_grammar(SMALL)

    def work(_: int) -> bool:
        file.unlink(missing_ok=True)
        return table_of(SMALL, file) == expected

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(40)))
    assert table_of(SMALL, file) == expected
    assert [f.name for f in tmp_path.iterdir()] in (["table.json"], [])


def test_another_grammar_has_another_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert Path(cache_file(GRAMMAR)).is_relative_to(tmp_path)
    assert cache_file(GRAMMAR) != cache_file(GRAMMAR + " ")


def test_a_parse_with_a_stored_table_does_not_load_lark() -> None:
    load_table()
    program = (
        "import sys; from seqlang.source import Source; from seqlang.syntax import parse;"
        "assert parse(Source('', 'algorithm a stop'))[0];"
        "print(sorted({'lark', 'numpy', 'scipy', 'sympy', 'rich'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_every_production_builds_a_node_or_passes_one_on() -> None:
    loose = {p.action for p in load_table().productions if p.action not in ACTIONS and p.size > 1}
    assert {name for name in loose if not name.startswith("__")} == {"arguments", "expect", "start"}


def test_every_action_belongs_to_a_production() -> None:
    assert set(ACTIONS) <= {p.action for p in load_table().productions}


def test_statements_and_their_forms_agree() -> None:
    opening = load_table().opening_words()
    assert set(FORMS) == opening
    assert all(form.startswith(word) for word, form in FORMS.items())
    assert set(MEANT.values()) <= opening
    assert opening <= set(load_table().reserved)


def test_reserved_words() -> None:
    documented = (
        "algorithm param let stream dataset public adjacent model memory update statistic draw attach report stop "
        "claim when return to once each step if then else and or not in for where over since under true false"
    )
    assert set(load_table().reserved) == set(documented.split())
