"""The renderers: what people, programs and GitHub see."""

from __future__ import annotations

import json

from seqlang.diagnostics import Diagnostic, Label
from seqlang.diagnostics.as_json import diagnostic_dict
from seqlang.diagnostics.plain import render
from seqlang.source import Source, Span


def span(text: str, part: str) -> Span:
    start = text.index(part)
    return Span(start, start + len(part))


def shown(text: str, *labels: tuple[str, str], notes: tuple[str, ...] = (), advice: str | None = None) -> list[str]:
    first, *others = [Label(span(text, part), said) for part, said in labels]
    diagnostic = Diagnostic("E0101", "message", first, tuple(others), notes, advice)
    return render([diagnostic], Source("a.seq", text)).splitlines()


def test_one_label() -> None:
    assert shown("one\ntwo three\n", ("three", "here"), notes=("a note", "two\nlines"), advice="do this") == [
        "error[E0101]: message",
        " --> a.seq:2:5",
        "  |",
        "2 | two three",
        "  |     ^^^^^ here",
        "  = note: a note",
        "  = note: two",
        "          lines",
        "  = help: do this",
    ]


def test_labels_on_one_line_and_on_others() -> None:
    assert shown("a b c\n\n\nd\n", ("b", "first"), ("a", "second"), ("c", "third"), ("d", "fourth"))[3:] == [
        "1 | a b c",
        "  | - ^ - third",
        "  |   first".replace("  |   first", "  | | first"),
        "  | second",
        "...",
        "4 | d",
        "  | - fourth",
    ]


def test_overlapping_labels_have_rows_of_their_own() -> None:
    assert shown("f(x + y)\n", ("x + y", "sum"), ("y", "term"))[3:] == [
        "1 | f(x + y)",
        "  |   ^^^^^ sum",
        "  |       - term",
    ]


def test_the_gutter_is_as_wide_as_the_largest_number() -> None:
    lines = shown("a\n" * 119 + "b", ("b", "here"), ("a", "there"))
    assert lines[1:] == ["   --> a.seq:120:1", "    |", "  1 | a", "    | - there", "...", "120 | b", "    | ^ here"]


def test_tabs_and_wide_characters_keep_the_marks_in_place() -> None:
    assert shown("\tx\ty", ("y", "here"))[3:] == ["1 |     x    y", "  |          ^ here"]
    assert shown("漢字 y", ("y", "here"))[3:] == ["1 | 漢字 y", "  |      ^ here"]
    assert shown("漢字 y", ("字", "here"))[4] == "  |   ^^ here"
    assert shown("e\u0301 y", ("y", "here"))[4] == "  |   ^ here"


def test_nothing_reaches_the_terminal_as_a_command() -> None:
    text = "\x1b[31mred\u202e\x07 x"
    lines = "\n".join(shown(text, ("x", "here \x1b[0m")))
    assert "\x1b" not in lines and "\u202e" not in lines and "\x07" not in lines
    assert "␛[31mred" in lines
    named = Source("a\x1b[2J.seq", text)
    assert "\x1b" not in render([Diagnostic("E0101", "m\x1b", Label(Span(0, 1)))], named)


def test_very_long_lines_are_cut_around_the_mark() -> None:
    text = "a " * 500 + "HERE" + " b" * 500
    lines = shown(text, ("HERE", "here"))
    assert all(len(line) < 130 for line in lines)
    at = lines[3].index("HERE")
    assert lines[4] == "  |" + " " * (at - 3) + "^^^^ here"
    assert lines[1].endswith(":1:1001")
    both = shown(text, ("HERE", "here"), ("a", "start"))
    assert sum("HERE" in line for line in both) == 1
    assert any(line.endswith("- start") for line in both)


def test_places_at_the_ends_of_a_text() -> None:
    for text in ("", "x", "x\n"):
        end = Label(Span(len(text), len(text)), "end")
        lines = render([Diagnostic("E0102", "m", end)], Source("a.seq", text)).splitlines()
        assert lines[-1].endswith("^ end")


def test_a_span_over_lines_is_marked_on_the_first() -> None:
    assert shown("let x = (1,\n 2)\n", ("(1,\n 2)", "this"))[4] == "  |         ^^^ this"


def test_without_a_place() -> None:
    diagnostic = Diagnostic("W0601", "message", help="advice")
    assert render([diagnostic], Source("", "")) == "warning[W0601]: message\n  = help: advice\n"
    assert render([diagnostic], Source("a", "")).splitlines()[1] == " --> a"
    assert render([], Source("", "")) == ""


def test_colour_only_if_asked_for() -> None:
    diagnostic = Diagnostic("E0101", "message", Label(Span(0, 1), "here"))
    source = Source("a", "x")
    coloured = render([diagnostic], source, colour=True)
    assert "\x1b[1;31m" in coloured
    import re

    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render([diagnostic], source)


def test_json() -> None:
    text = "one\ntwo three\n"
    diagnostic = Diagnostic("E0101", "m", Label(span(text, "three"), "here"), (Label(span(text, "one")),), ("n",), "h")
    found = diagnostic_dict(diagnostic, Source("a.seq", text))
    assert json.loads(json.dumps(found)) == found
    assert {k: v for k, v in found.items() if k != "labels"} == {
        "code": "E0101", "severity": "error", "message": "m", "file": "a.seq", "line": 2, "column": 5, "end_line": 2,
        "end_column": 10, "notes": ["n"], "help": "h",
    }  # fmt: skip
    assert [(label["line"], label["text"], label["primary"]) for label in found["labels"]] == [
        (2, "here", True),
        (1, "", False),
    ]
    bare = diagnostic_dict(Diagnostic("E0601", "m"), None)
    assert (bare["file"], bare["line"], bare["end_column"], bare["labels"]) == (None, None, None, [])
