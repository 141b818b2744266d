"""Every name has its page: of the grammar, of the catalogues, of the commands and their options. A new option needs a
line in `seqlang/manual/written/command/COMMAND.md`, a new word or law a page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import import_module

import pytest

from seqlang.cli.__main__ import COMMANDS
from seqlang.diagnostics.explain import codes
from seqlang.elaborate.names.builtins import AGGREGATES, CALLABLE, FUNCTIONS, LOOKBACKS, METHODS, NOTIONS, RESERVED
from seqlang.laws.facts import facts, names
from seqlang.manual import Page, find, near, pages
from seqlang.manual.written import page_of, written
from seqlang.operators.catalogue import OPERATORS
from seqlang.rules import names as rules
from seqlang.syntax.load_table import load_table

TABLE = load_table()
ARGUMENTS = {
    **{("law", name): [p.name for p in facts(name).parameters] for name in names()},
    **{("function", name): list(signature.names) for name, signature in FUNCTIONS.items()},
    **{("notion", name): list(signature.names) for name, signature in NOTIONS.items()},
}
WITHOUT_SEE_ALSO = frozenset({"term", "diagnostic", "rule"})


def without_page(words: Iterable[str]) -> list[str]:
    return [word for word in words if not find(word)]


def not_described(page: Page) -> list[str]:
    """Arguments that a page has no line about."""
    return [
        a for a in ARGUMENTS.get((page.kind, page.name), []) if not re.search(rf"^- `{a}`", page.text, re.MULTILINE)
    ]


def dead_ends(page: Page) -> list[str]:
    """Names after "See also:" that lead nowhere, or that there are none."""
    found = re.search(r"^See also: (.*(?:\n.+)*)", page.text, re.MULTILINE)
    if found is None:
        return [] if page.kind in WITHOUT_SEE_ALSO else ["none"]
    return without_page(re.findall("`([^`]+)`", found[1]))


def options_of(command: str) -> set[str]:
    """The options of a command's parser, and of its other forms."""
    parser = import_module(f"seqlang.cli.{command}").parser()
    actions = [action for form in (parser, *parser.also) for action in form._actions]
    return {o for action in actions for o in action.option_strings if o.startswith("--")} - {"--help"}


def described(page: Page) -> set[str]:
    return {
        name for line in re.findall("^- (.*?): ", page.text, re.MULTILINE) for name in re.findall("`(--[a-z-]+)", line)
    }


def test_words_and_marks_of_the_grammar() -> None:
    assert not without_page([*TABLE.words, *TABLE.marks])
    assert {page.name for page in written() if page.kind == "statement"} == TABLE.opening_words()
    assert without_page(["laplac"])


def test_names_of_the_catalogues() -> None:
    assert not without_page([*OPERATORS, *CALLABLE, *METHODS, *NOTIONS, *RESERVED])
    of_kind = {kind: {page.name for page in written() if page.kind == kind} for kind in ("law", "function", "notion")}
    assert of_kind["law"] == names() | {"weights"}
    assert of_kind["function"] == {*FUNCTIONS, *AGGREGATES, *LOOKBACKS, *METHODS, "probability", "expected"}
    assert of_kind["notion"] == set(NOTIONS)


def test_codes_and_rules() -> None:
    assert not without_page([*codes(), *rules()])
    every = pages()
    assert {page.name for page in every if page.kind == "diagnostic"} == set(codes())
    assert {page.name for page in every if page.kind == "rule"} == set(rules())
    assert {"glossary", "gate", "guard", "within r"} <= {page.name for page in every if page.kind == "term"}


def test_arguments_are_described() -> None:
    assert not {page.name: found for page in pages() if (found := not_described(page))}
    assert not_described(page_of("law", "laplace", "# laplace\n\nNoise.\n")) == ["b"]


def test_see_also_leads_somewhere() -> None:
    assert not {page.name: found for page in pages() if (found := dead_ends(page))}
    assert dead_ends(page_of("law", "a", "# a\n\nNoise.\n\nSee also: `laplace`,\n`nothing`\n")) == ["nothing"]
    assert dead_ends(page_of("law", "a", "# a\n\nNoise.\n")) == ["none"]


def test_summaries_are_sentences() -> None:
    assert not [page.name for page in pages() if not 5 <= len(page.summary) <= 240 or "\n" in page.summary]


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_commands(command: str) -> None:
    """Each option is described on the page of its command, and nothing else is."""
    (page,) = [page for page in find(command) if page.kind == "command"]
    options = options_of(command)
    assert described(page) == options
    assert not without_page(options)


def test_what_is_near() -> None:
    assert near("laplac") == "laplace"
    assert near("--solv-for") == "--solve-for"
    assert near("E9301") == "E0301"
    assert find("nothing at all") == ()
    assert [page.kind for page in find("  Each   STEP ")] == ["life"]
