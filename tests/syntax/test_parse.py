"""The tree of well-formed texts: what it says, where it stands, and that Lark agrees on what is well formed."""

from __future__ import annotations

import logging
import re
from fractions import Fraction
from typing import Any

import pytest
from texts import DATASET, EVERYTHING, REPLACE

from seqlang.process.locate import data_folder
from seqlang.source import Source, Span
from seqlang.syntax import parse, tree

SPECS = sorted(data_folder("specs").rglob("*.seq"))
TEXTS = {"everything": EVERYTHING, "dataset": DATASET, "replace": REPLACE}


def parsed(text: str) -> tree.File:
    file, diagnostics = parse(Source("test.seq", text))
    assert file is not None, diagnostics
    assert diagnostics == ()
    return file


def expression(text: str) -> Any:
    statement = parsed(f"algorithm a let e = {text}").statements[1]
    assert isinstance(statement, tree.Let)
    return statement.value


def brief(node: Any) -> Any:
    """A tree as nested lists, spans left out."""
    match node:
        case tree.Number(value=value):
            return value
        case tree.Name(name=name):
            return name
        case tree.Binary(operator=operator, left=left, right=right):
            return [operator, brief(left), brief(right)]
        case tree.Unary(operator=operator, operand=operand):
            return [operator, brief(operand)]
        case tree.If(test=test, yes=yes, no=no):
            return ["if", brief(test), brief(yes), brief(no)]
        case tree.Range(low=low, high=high):
            return ["..", brief(low), brief(high)]
        case tree.Call(function=function, arguments=arguments):
            return [brief(function), *(brief(a) for a in arguments)]
        case tree.Positional(value=value):
            return brief(value)
        case tree.Step():
            return "step"
        case tree.Truth(value=value):
            return value
        case tree.Index(base=base, at=at):
            return ["[]", brief(base), brief(at)]
        case tree.Member(base=base, name=name):
            return [".", brief(base), brief(name)]
    raise AssertionError(node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 - 2 - 3", ["-", ["-", 1, 2], 3]),
        ("1 + 2 * 3", ["+", 1, ["*", 2, 3]]),
        ("(1 + 2) * 3", ["*", ["+", 1, 2], 3]),
        ("-x ^ 2", ["-", ["^", "x", 2]]),
        ("2 ^ -1.6", ["^", 2, ["-", Fraction(8, 5)]]),
        ("2 ^ 3 ^ 4", ["^", 2, ["^", 3, 4]]),
        ("a - -b", ["-", "a", ["-", "b"]]),
        ("a or b and not c == d", ["or", "a", ["and", "b", ["not", ["==", "c", "d"]]]]),
        ("not a and b", ["and", ["not", "a"], "b"]),
        ("a or b or c", ["or", ["or", "a", "b"], "c"]),
        ("if a then b else if c then d else e", ["if", "a", "b", ["if", "c", "d", "e"]]),
        ("0..k - 1", ["..", 0, ["-", "k", 1]]),
        ("f(x)[1].pmf(y)", [[".", ["[]", ["f", "x"], 1], "pmf"], "y"]),
        ("step / 2 % 3", ["%", ["/", "step", 2], 3]),
        ("true == false", ["==", True, False]),
        ("2.50e-1", Fraction(1, 4)),
        ("size + last * within", ["+", "size", ["*", "last", "within"]]),
    ],
)
def test_precedence(text: str, expected: Any) -> None:
    assert brief(expression(text)) == expected


@pytest.mark.parametrize("name", TEXTS)
def test_every_span_covers_its_parts(name: str) -> None:
    text = TEXTS[name]

    def visit(node: Any, outer: Span) -> None:
        if isinstance(node, tuple):
            for item in node:
                visit(item, outer)
        elif hasattr(node, "span"):
            span = node.span
            assert outer.start <= span.start < span.end <= outer.end
            cut = text[span.start : span.end]
            assert cut == cut.strip()
            if isinstance(node, tree.Name):
                assert cut == node.name
            if isinstance(node, tree.Number):
                assert cut == node.text
            if isinstance(node, tree.Text):
                assert cut == f'"{node.value}"'
            for name in node.__match_args__:
                if name != "span":
                    visit(getattr(node, name), span)

    for statement in parsed(text).statements:
        visit(statement, Span(0, len(text)))


def test_statements_say_what_the_text_says() -> None:
    statements = parsed(EVERYTHING).statements
    head, p, k, size, radius = statements[:5]
    assert isinstance(head, tree.Algorithm)
    assert (head.name.name, head.title and head.title.value) == ("everything", "A title")
    assert head.documentation and head.documentation.value.startswith("What it is: #")
    assert isinstance(p, tree.Param) and isinstance(p.limit, tree.DomainLimit)
    assert isinstance(p.limit.domain, tree.IntervalDomain)
    assert (p.limit.domain.low_open, p.limit.domain.high_open) == (True, False)
    assert isinstance(k, tree.Param) and isinstance(k.limit, tree.DomainLimit)
    assert isinstance(k.limit.domain, tree.IntegerDomain) and k.limit.domain.high is None
    assert isinstance(size, tree.Param) and size.name.name == "size" and isinstance(size.limit, tree.DomainLimit)
    assert isinstance(size.limit.domain, tree.IntegerDomain) and isinstance(size.limit.domain.low, tree.Unary)
    assert isinstance(radius, tree.Param) and isinstance(radius.limit, tree.BoundLimit)
    assert radius.limit.operator == ">=" and isinstance(radius.default, tree.Number)


def test_each_kind_of_statement() -> None:
    kinds: dict[str, list[Any]] = {}
    for statement in parsed(EVERYTHING).statements:
        kinds.setdefault(type(statement).__name__, []).append(statement)
    stream, public = kinds["Inputs"]
    assert (stream.kind, public.kind, len(stream.fields), stream.size) == ("stream", "public", 2, None)
    (within,) = kinds["AdjacentWithin"]
    assert (within.extent, within.same_direction) == ("every", True)
    assert [law.name.name for law in kinds["ModelDeclaration"][0].laws] == ["x", "y"]
    assert [type(draw.life) for draw in kinds["Draw"]] == [type(None), tree.LifeStep, tree.LifeOnce]
    assert [(r.value is None, r.when is None) for r in kinds["Report"]] == [
        (True, False),
        (False, False),
        (False, True),
    ]
    stops = [(stop.when is None, stop.result is None) for stop in kinds["Stop"]]
    assert stops == [(False, False), (True, False), (False, True), (True, True)]
    first, second, third = kinds["Attach"]
    assert ([t.name.name for t in first.targets], first.life.report.name) == (["total", "recent"], "seen")
    assert isinstance(second.life, tree.LifeOnce)
    assert (third.targets[0].name, third.life) == (None, None)
    told = [
        (
            c.kind,
            c.within is None,
            c.model and c.model.name,
            c.per_step,
            c.label and c.label.value,
            c.expect and c.expect.name,
        )
        for c in kinds["Claim"]
    ]
    assert told == [
        ("strong", False, None, False, "Theorem 1", "refuted"),
        ("strong", True, None, False, None, None),
        ("weak", True, "null", True, "weak", "unknown"),
        ("operating", True, "null", False, None, None),
        ("operating", True, None, False, None, None),
    ]
    assert kinds["Update"][0].when.name == "seen"
    f = next(let for let in kinds["Let"] if let.parameters is not None)
    assert [p.name for p in f.parameters] == ["a", "b"]


def test_dataset_size_and_adjacency() -> None:
    _, _, dataset, adjacent, _ = parsed(DATASET).statements
    assert isinstance(dataset, tree.Inputs) and isinstance(dataset.size, tree.Binary)
    assert isinstance(adjacent, tree.AdjacentAddRemove) and adjacent.count is None
    replace = parsed(REPLACE).statements[1]
    assert isinstance(replace, tree.AdjacentReplace) and isinstance(replace.count, tree.Binary)


def test_words_that_are_not_reserved_are_names_where_they_do_not_fit() -> None:
    text = (
        "algorithm size let size = 1 param last in 1..size = size stream per in real stop when steps >= one return add"
    )
    assert len(parsed(text).statements) == 5


@pytest.mark.parametrize("text", ["\ufeffalgorithm a stop", "algorithm a\r\nstop\r\n", "\t algorithm\n\na # c\nstop #"])
def test_white_space_and_byte_order_marks_mean_nothing(text: str) -> None:
    assert [type(s) for s in parsed(text).statements] == [tree.Algorithm, tree.Stop]


def _lark() -> Any:
    lark = pytest.importorskip("lark")
    return lark.Lark((data_folder("grammars") / "seq.lark").read_text("utf-8"), parser="lalr")


def test_lark_itself_accepts_what_we_accept() -> None:
    reader = _lark()
    for text in [*TEXTS.values(), *(spec.read_text("utf-8") for spec in SPECS)]:
        parsed(text)
        reader.parse(_without_the_name_size(text))


def _without_the_name_size(text: str) -> str:
    """`size` as a name is told apart by our own lexer only; `dataset x in D size N` keeps its word."""
    renamed = re.sub(r"\bsize\b", "size_", text)
    return re.sub(r"^(dataset .*? )size_ ", r"\1size ", renamed, flags=re.MULTILINE)


def test_the_grammar_has_no_conflicts(caplog: pytest.LogCaptureFixture) -> None:
    import lark

    level = lark.logger.level
    try:
        lark.logger.setLevel(logging.DEBUG)
        lark.logger.addHandler(caplog.handler)
        lark.Lark((data_folder("grammars") / "seq.lark").read_text("utf-8"), parser="lalr", debug=True)
    finally:
        lark.logger.setLevel(level)
        lark.logger.removeHandler(caplog.handler)
    assert "conflict" not in caplog.text.lower()
