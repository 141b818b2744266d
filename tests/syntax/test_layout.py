"""The formatter: same tree, same comments, and a second pass changes nothing."""

from __future__ import annotations

import re

import pytest
from texts import DATASET, EVERYTHING, REPLACE

from seqlang.process.locate import data_folder
from seqlang.source import Source
from seqlang.syntax import format_text, parse

SPECS = sorted(data_folder("specs").rglob("*.seq"))


def formatted(text: str) -> str:
    result, diagnostics = format_text(Source("test.seq", text))
    assert result is not None, diagnostics
    return result


def bare(text: str) -> str:
    """The tree without its places."""
    tree, diagnostics = parse(Source("test.seq", text))
    assert tree is not None, diagnostics
    return re.sub(r"Span\(start=\d+, end=\d+\)", "", repr(tree))


def comments(text: str) -> list[str]:
    without_texts = re.sub(r'"[^"\n]*"', "", text)
    return [line[line.index("#") :].rstrip() for line in without_texts.splitlines() if "#" in line]


def check(text: str) -> str:
    result = formatted(text)
    assert bare(result) == bare(text)
    assert comments(result) == comments(text)
    assert formatted(result) == result
    assert result.endswith("\n") and not result.endswith("\n\n")
    assert "\n\n\n" not in result and not result.startswith("\n")
    assert all(line == line.rstrip() for line in result.splitlines())
    return result


@pytest.mark.parametrize("text", [EVERYTHING, DATASET, REPLACE], ids=["everything", "dataset", "replace"])
def test_tree_and_comments_stay(text: str) -> None:
    check(text)
    check(text.replace("\n", "\n\n\n"))
    check(re.sub(r" +", "   ", text))
    check(text.replace("\n", "\r\n"))


def test_shipped_specs() -> None:
    for spec in SPECS:
        check(spec.read_text("utf-8"))


def test_where_lines_end_makes_no_difference() -> None:
    words = DATASET.split()
    assert formatted(" ".join(words)) == formatted("\n".join(words)) == formatted(DATASET)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("let x=-a^2*( b+1 )", "let x = -a ^ 2 * (b + 1)"),
        ("let x = a - - b", "let x = a - -b"),
        ("let x = 0 .. k", "let x = 0..k"),
        ("let x = - 1 .. - k", "let x = -1..-k"),
        ("let x = f ( a , b = 2 ) [ 1 ] . pmf ( x )", "let x = f(a, b=2)[1].pmf(x)".replace("b=2", "b = 2")),
        ("let x = [ 1 , [ 2 ] , { 3 : - 4 } ]", "let x = [1, [2], {3: -4}]"),
        ("let x = if not a then ( b ) else - c", "let x = if not a then (b) else -c"),
        ("param k in 1 .. = 3", "param k in 1.. = 3"),
        ("param p in( 0,1 ] ^ 3=2", "param p in (0, 1] ^ 3 = 2"),
        ("stream x in{0,1},y in 0 ..", "stream x in {0, 1}, y in 0.."),
        ("dataset x in 0 .. size 5", "dataset x in 0.. size 5"),
        ("model m : x~normal( 0,1 )", "model m: x ~ normal(0, 1)"),
        ("adjacent every - q within - 1", "adjacent every -q within -1"),
        ("adjacent one ( q ) within ( 1 )", "adjacent one (q) within (1)"),
        ("attach -z+2 to a,b each step", "attach -z + 2 to a, b each step"),
        ("statistic s = sum( x where ( y ) over last - 2 )", "statistic s = sum(x where (y) over last -2)"),
        ("stop when(a)return[b]", "stop when (a) return [b]"),
        (
            'claim strong pure( 1 )within 2 steps"T"expect refuted',
            'claim strong pure(1) within 2 steps "T" expect refuted',
        ),
    ],
)
def test_spaces(text: str, expected: str) -> None:
    assert check(f"algorithm a\n{text}") == f"algorithm a\n{expected}\n"


def test_one_statement_a_line_and_single_blank_lines() -> None:
    assert check("\n\nalgorithm a let b = 1 let c = 2\n\n\n\nstop # end\n\n\n# last\n\n") == (
        f"algorithm a\nlet b = 1\nlet c = 2\n\n{'stop':<51}# end\n\n# last\n"
    )


def test_neighbours_are_aligned() -> None:
    text = "algorithm a\nmodel null: x ~ point(0)\nmodel other: x ~ point(1)\n"
    text += "stop when x >= 1 return up\nstop when x <= -1 return down\n"
    assert check(text) == (
        "algorithm a\nmodel null:  x ~ point(0)\nmodel other: x ~ point(1)\n"
        "stop when x >= 1  return up\nstop when x <= -1 return down\n"
    )


def test_very_different_neighbours_are_not() -> None:
    text = "algorithm a\nlet x = 1\nlet a_very_long_name = 2\n"
    assert check(text) == text


def test_comments_inside_a_statement_stay_in_place() -> None:
    text = "algorithm a\nlet x = 1 + # one\n  # two\n 2 # three\n# four\nstop\n"
    assert check(text) == (f"algorithm a\n{'let x = 1 +':<51}# one\n    # two\n{'    2':<51}# three\n# four\nstop\n")


def test_long_lines_are_broken_where_parts_meet() -> None:
    terms = " + ".join(f"some_function(argument_{i}, other_{i})" for i in range(12))
    lines = check(f"algorithm a\nstatistic s = {terms}\nstop when s > 1\n").splitlines()
    assert all(len(line) <= 120 for line in lines)
    assert all(line.startswith("    + ") for line in lines[2:-1])
    assert len(lines) > 4


def test_a_long_list_is_broken_at_commas() -> None:
    numbers = ", ".join(str(i * 1000) for i in range(60))
    lines = check(f"algorithm a\nlet x = [{numbers}]\n").splitlines()
    assert all(len(line) <= 120 for line in lines)
    assert all(line.endswith(",") for line in lines[1:-1])


def test_errors_are_passed_on() -> None:
    text, diagnostics = format_text(Source("test.seq", "algorithm a let = 1"))
    assert text is None
    assert diagnostics
