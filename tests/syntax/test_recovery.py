"""Syntax errors: which, where, how many at once, and what remedy is named."""

from __future__ import annotations

import pytest

from seqlang.diagnostics import Diagnostic
from seqlang.source import Source
from seqlang.syntax import parse

HEAD, TAIL = "algorithm a\n", "\nlet ok = 1\n"


def errors(text: str) -> tuple[Diagnostic, ...]:
    file, diagnostics = parse(Source("test.seq", text))
    assert file is None
    assert diagnostics
    return diagnostics


def only(line: str) -> tuple[Diagnostic, str]:
    """The single diagnostic of a line between good ones, and the text that it marks."""
    text = HEAD + line + TAIL
    found = errors(text)
    assert len(found) == 1, found
    span = found[0].primary.span
    return found[0], text[span.start : span.end]


@pytest.mark.parametrize(
    ("line", "code", "marked"),
    [
        ("let x = 1 + @@ 2", "E0103", "@@"),
        ("let naïve = 1", "E0103", "naïve"),
        ("memory w = 1;", "E0103", ";"),
        ('let t = "abc', "E0104", '"abc'),
        ("let x = f(1, 2", "E0105", "("),
        ("stop when (a >= b return x", "E0105", "("),
        ("param a in [0, 1 = 2", "E0105", "["),
        ("let x = {1, (2}", "E0105", "("),
        ("let x = 1) + 2", "E0106", ")"),
        ("let x = 1}", "E0106", "}"),
        ("let x = (1]", "E0101", "]"),
        ("statistc x = 1", "E0109", "statistc"),
        ("stpo when x", "E0109", "stpo"),
        ("Stop when x", "E0109", "Stop"),
        ("assume x > 1", "E0109", "assume"),
        ("let when = 3", "E0110", "when"),
        ("let report = 3", "E0110", "report"),
        ("param model in (0, 1) = 0.5", "E0110", "model"),
        ("stop when report >= 2", "E0110", "report"),
        ("stop when not over", "E0110", "over"),
        ("let x == 3", "E0111", "=="),
        ("let x := 3", "E0113", ":="),
        ("stop when x = 1", "E0111", "="),
        ("draw z = laplace(1)", "E0111", "="),
        ("statistic s ~ laplace(1)", "E0111", "~"),
        ("stop when 0 < x < 1", "E0112", "<"),
        ("stop when 0 <= x == 1", "E0112", "=="),
        ("stop when a && b", "E0113", "&&"),
        ("let x = 2 ** 3", "E0113", "**"),
        ("stop when !b", "E0113", "!"),
        ("stop when a ≤ b", "E0113", "≤"),
        ("let x = 1e999999", "E0114", "1e999999"),
        ("let x = 0e999999999", "E0114", "0e999999999"),
        ("let x = 1e-400", "E0114", "1e-400"),
        ("let x = " + "9" * 101, "E0114", "9" * 101),
        ("attach laplace(1) x once", "E0116", "x"),
        ("let f(a b) = 2", "E0116", "b"),
        ("let x = 2y", "E0116", "2y"),
        ("model null x ~ normal(0, 1)", "E0116", "x"),
        ("param x 3", "E0116", "3"),
        ("let x = if a then b c", "E0116", "c"),
        ("adjacent every x 2", "E0116", "2"),
        ("stop return x when y > 1", "E0117", "when"),
        ("stop whn x > 1", "E0101", "whn"),
        ("statistic s = sum(x ovr steps)", "E0101", "ovr"),
        ("stop when a AND b", "E0101", "AND"),
        ("let x = 1 // why", "E0101", "/"),
        ("let x = [1, 2,]", "E0101", "]"),
        ("let x = {}", "E0101", "}"),
        ("let x = 1 + if b then 1 else 2", "E0101", "if"),
        ("let x = y when c", "E0101", "when"),
        ("param k in 1..n + 1 = 2", "E0101", "+"),
        ("claim strong pure(1) under null", "E0101", "under"),
        ("let 3 = 4", "E0101", "3"),
        ("param a = .5", "E0101", "."),
        ("param a = 1.", "E0102", ""),
        ("stream x in", "E0102", ""),
        ("param x > 1", "E0102", ""),
        ("let", "E0102", ""),
        ("algorithm b", "E0108", "algorithm"),
    ],
)
def test_one_error_one_diagnostic(line: str, code: str, marked: str) -> None:
    diagnostic, text = only(line)
    assert (diagnostic.code, text) == (code, marked), diagnostic


@pytest.mark.parametrize(
    ("line", "remedy"),
    [
        ("stop when 0 < x < 1", "`0 < x and x < 1`"),
        ("stop when a and 0 <= f(x, 2) < b + 1 or c", "`0 <= f(x, 2) and f(x, 2) < b + 1`"),
        ("let x = (0 < y < 1)", "`0 < y and y < 1`"),
        ("stop when x = 1", "`==`"),
        ("statistc x = 1", "`statistic`"),
        ("stpo when x", "`stop`"),
        ("noise laplace(1) to x", "`attach`"),
        ("stop whn x > 1", "`when`"),
        ("statistic s = sum(x ovr steps)", "`over`"),
        ("let when = 3", "`when_`"),
        ("let x = 2y", "`2 * y`"),
        ("let x = 2 ** 3", "`^`"),
        ("let x = 1 // why", "`#`"),
        ("param a = .5", "`0.5`"),
        ("report r = 3 if x", "`when CONDITION`"),
        ("let x = [1, 2,]", "comma"),
        ("let x = f(1, 2", "`)`"),
    ],
)
def test_the_remedy_is_named(line: str, remedy: str) -> None:
    diagnostic, _ = only(line)
    assert remedy in (diagnostic.help or ""), diagnostic


def test_missing_word_and_what_would_fit() -> None:
    diagnostic, _ = only("attach laplace(1) x once")
    assert diagnostic.message == "`to` is missing before `x`"
    assert "attach NOISE to NAME" in diagnostic.notes[0]
    diagnostic, _ = only("stream x in 3")
    assert diagnostic.primary is not None and "`..`" in diagnostic.primary.text
    diagnostic, _ = only("stream x in")
    assert diagnostic.primary is not None and "domain" in diagnostic.primary.text


def test_secondary_labels_show_the_other_place() -> None:
    text = HEAD + "let x = f(1, 2" + TAIL
    (diagnostic,) = errors(text)
    (label,) = diagnostic.secondary
    assert text[label.span.start :].startswith("let ok")
    text = "algorithm a\nalgorithm b\n"
    (diagnostic,) = errors(text)
    assert diagnostic.secondary[0].span.start == 0


def test_all_errors_at_once_in_order() -> None:
    text = (
        "algorithm a\nparam p0 in (0, 1) == 0.2\nparam c in 1.. = \nstreem x in {0, 1}\n"
        "statistic s = sum(x over stps)\n"
        "stop when 0 < s < 1 && s ≥ 2\nattach laplace(1) s\nclaim strong pure(1\n"
        "let report = 1e9999 + 2z\nstpo when x\n"
    )
    found = errors(text)
    lines = [Source("", text).line_column(d.primary.span.start)[0] for d in found if d.primary]
    assert lines == sorted(lines)
    assert [(line, d.code) for line, d in zip(lines, found, strict=True)] == [
        (2, "E0111"), (3, "E0102"), (4, "E0109"), (5, "E0101"), (6, "E0112"), (6, "E0113"), (6, "E0113"),
        (7, "E0116"), (8, "E0105"), (9, "E0110"), (9, "E0114"), (9, "E0116"), (10, "E0109"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", ["E0107"]),
        ("# nothing but a comment", ["E0107"]),
        ("hello world", ["E0107"]),
        ("\ufeff", ["E0107"]),
        ("let a = 1", ["E0107"]),
        ("let a = 1 algorithm b", ["E0107"]),
        ("let a = 1 algorithm b algorithm c", ["E0107", "E0108"]),
        ("algoritm a\nstop", ["E0109"]),
        ("mechanism a\nstop", ["E0109"]),
        ("algorithm", ["E0102"]),
        ("algorithm stop", ["E0102"]),
        ("algorithm draw\ndraw draw ~ draw\nstop", ["E0110", "E0110", "E0110"]),
    ],
)
def test_the_head_of_a_file(text: str, codes: list[str]) -> None:
    assert [d.code for d in errors(text)] == codes


@pytest.mark.parametrize(
    "inner",
    [
        "(" * 5000 + "1" + ")" * 5000,
        "(" * 5000,
        ")" * 5000,
        "f(" * 80 + "1" + ")" * 80,
        "-" * 5000 + "1",
        "not " * 3000 + "x",
        " + ".join(["1"] * 5000),
        "1" + " ^ 2" * 3000,
        "if a then b else " * 2000 + "c",
        "x" + "[1]" * 3000,
        "f" + "(1)" * 3000,
        "[" * 3000,
        "9" * 20000,
        "1e" + "9" * 20000,
        "0." + "0" * 20000 + "1",
        "x" * 100000,
    ],
)
def test_extreme_texts_end_in_a_diagnostic(inner: str) -> None:
    file, diagnostics = parse(Source("test.seq", f"algorithm a\nlet y = {inner}\nstop\n"))
    if inner.startswith("xx"):
        assert file is not None
    else:
        assert file is None
        assert 1 <= len(diagnostics) <= 50


def test_deep_but_allowed() -> None:
    text = "algorithm a let y = " + "(" * 100 + "1" + ")" * 100 + " let z = " + " + ".join(["1"] * 100)
    assert parse(Source("test.seq", text))[1] == ()


def test_thousands_of_errors_are_cut_off() -> None:
    text = "algorithm a\n" + "let x == 1\n" * 5000
    assert len(errors(text)) == 50
