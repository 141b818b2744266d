"""The examples of the manual: each can be read, makes a step, and has the verdicts that it claims; the values that a
page gives are those that the interpreter computes; and what a page says of engines is what these say."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from manual_examples import LINE, close, engines, engines_line, examples, law_or_reason, steps, values

import seqlang
from seqlang.laws.facts import facts, names
from seqlang.manual import Page, find, pages
from seqlang.manual.page import Kind

WITHOUT: frozenset[Kind] = frozenset({"guide", "command", "option", "term", "diagnostic", "rule"})
ENGINES: frozenset[Kind] = frozenset({"statement", "function", "law", "life", "time clause"})
PARTS = 16
WRITTEN = Path(seqlang.__file__).parent / "manual" / "written"
PAGES = [page for page in pages() if page.kind not in WITHOUT]


@cache
def loaded(text: str) -> seqlang.Spec:
    return seqlang.load(text)


def name(page: Page) -> str:
    return f"{page.kind}: {page.name}"


def without_example(found: list[Page]) -> list[str]:
    return [name(page) for page in found if not examples(page)]


def wrong_values(found: list[Page]) -> list[str]:
    """Expressions of which a page says that they are something else, computed in one run of one step."""
    said = [(page, *pair) for page in found for pair in values(page)]
    text = "\n".join(f"report v{i} = {expression}" for i, (_, expression, _) in enumerate(said))
    shown = seqlang.start(seqlang.load(f"algorithm v\nstream x in {{0, 1}}\n{text}\nstop"), seed=1).step(x=0).reports
    return [
        f"{name(page)}: {expression} = {shown[f'v{i}']}"
        for i, (page, expression, value) in enumerate(said)
        if not close(shown[f"v{i}"], value)
    ]


def wrong_steps(page: Page) -> list[str]:
    wrong = []
    for entries, statements, expression, said in steps(page):
        text = "\n".join(["algorithm v", "stream x in {0, 1}", *statements, f"report v = {expression}"])
        session = seqlang.start(seqlang.load(f"{text}\nstop when step >= {len(entries)}"), seed=1)
        shown = [session.step(x=x).reports["v"] for x in entries]
        if not all(close(a, str(b)) for a, b in zip(shown, said, strict=True)):
            wrong.append(f"{name(page)}: {expression} = {shown}")
    return wrong


def wrong_verdicts(text: str) -> list[str]:
    return [
        f"{verdict.claim.text}: {verdict.verdict}"
        for verdict in seqlang.check(loaded(text)).verdicts
        if verdict.verdict != (verdict.claim.expect or "proved")
    ]


def test_every_page_of_the_language_has_an_example() -> None:
    assert not without_example(PAGES)
    assert without_example([Page("a", "law", "a", "a", "```\nseqlang check\n```\n", ("a",))])


def test_examples_make_a_step() -> None:
    for page in PAGES:
        for text in examples(page):
            spec = loaded(text)
            seqlang.run(spec, runs=1, cap=1, engine="interpreter")


def test_values() -> None:
    assert not wrong_values(PAGES)
    assert wrong_values([Page("a", "law", "a", "a", "```values\n1 + 1 = 3\n```\n", ("a",))])


def test_values_by_step() -> None:
    assert not [line for page in PAGES for line in wrong_steps(page)]
    assert wrong_steps(Page("a", "law", "a", "a", "```steps\nx = 1 0\nsum(x over steps) = 1 0\n```\n", ("a",)))


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, PARTS))])
def test_claims_of_examples(part: int) -> None:
    """As they should be, also those that should be refuted."""
    chosen = PAGES[part::PARTS]
    wrong = {name(page): found for page in chosen for text in examples(page) if (found := wrong_verdicts(text))}
    assert not wrong, wrong


def test_a_wrong_claim_is_noticed() -> None:
    text = "algorithm a\ndataset x in {0, 1} size 2\nstop return sum(x)\nattach laplace(1) to return\n"
    assert wrong_verdicts(text + "claim strong pure(1/2)\n")
    assert not wrong_verdicts(text + "claim strong pure(1)\n")


def test_engines_on_pages(request: pytest.FixtureRequest) -> None:
    """What a page says of the engines that run its example. `--update` rewrites it."""
    for page in PAGES:
        if page.kind not in ENGINES:
            continue
        (text, *_) = examples(page)
        said = LINE.findall(page.text)
        if request.config.getoption("--update"):
            _rewrite(page, text, engines_line(loaded(text)))
            continue
        assert len(said) == 1, name(page)
        program = loaded(text).loaded.program
        found, why = engines(program)
        line = " ".join(said[0].split())
        head, _, rest = line.partition(";")
        assert head == "Runs with " + ", ".join(f"`{e}`" for e in found) + (f" ({why})" if why else ""), name(page)
        assert rest.strip(), name(page)


@pytest.mark.long
def test_exact_laws_on_pages() -> None:
    for page in PAGES:
        if page.kind in ENGINES:
            reason = law_or_reason(loaded(examples(page)[0]).loaded.program)
            line = " ".join(LINE.findall(page.text)[0].split())
            assert line.endswith("its exact law." if reason is None else f"no exact law: {reason}."), name(page)


CALLS = {
    "laplace": "laplace(2)", "gaussian": "gaussian(2)", "normal": "normal(0, 2)", "geometric": "geometric(1/2)",
    "discrete_gaussian": "discrete_gaussian(2)", "exponential": "exponential(2)", "gumbel": "gumbel(2)",
    "logistic": "logistic(2)", "staircase": "staircase(1, 1)", "binomial": "binomial(4, 1/2)", "poisson": "poisson(2)",
    "tree": "tree(laplace(2))", "conditioned": "conditioned(laplace(2), -3, 3)",
    "convolve": "convolve(laplace(1), laplace(2))", "sum_of": "sum_of(2, laplace(1))",
}  # fmt: skip


@pytest.mark.parametrize("law", [
    pytest.param(law, marks=() if law in ("tree", "laplace", "sum_of") else pytest.mark.long)
    for law in sorted(law for law in names() if facts(law).noise and not facts(law).joint)
])  # fmt: skip
def test_exact_laws_of_noises(law: str) -> None:
    """Of noise on what is compared with a threshold: what the page of a law says is so."""
    text = "algorithm a\nstream x in {0, 1}\nmodel fair: x ~ bernoulli(1/2)\nstatistic total = sum(x over steps)\n"
    text += "stop when total >= 3 return a\nstop when step >= 6 return b\n"
    for life in ("each step", "once"):
        program = loaded(f"{text}attach {CALLS[law]} to total {life}\n").loaded.program
        exact = law_or_reason(program) is None
        assert ("`solve` has the exact law" in find(law)[0].text) == exact


def _rewrite(page: Page, example: str, line: str) -> None:
    from textwrap import fill

    folder = WRITTEN / page.kind.replace(" ", "_")
    (file,) = [file for file in folder.glob("*.md") if example in file.read_text("utf-8")
               and file.read_text("utf-8").find(page.title) >= 0]  # fmt: skip
    text = LINE.sub("", file.read_text("utf-8"))
    block = f"```seq\n{example}```\n"
    text = text.replace(block, f"{block}\n{fill(line, 120, break_long_words=False, break_on_hyphens=False)}\n", 1)
    while "\n\n\n" in text:
        text = text.replace("\n\n\n", "\n\n")
    file.write_text(text, "utf-8")
