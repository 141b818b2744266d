"""What is offered at a place, what a call takes, what a place means, and how tokens are coloured."""

from __future__ import annotations

import pytest

from seqlang.annotations.completion import completions
from seqlang.annotations.meanings import explanation
from seqlang.annotations.reading import read
from seqlang.annotations.signatures import signature
from seqlang.annotations.tokens import MODIFIERS, TYPES, tokens
from seqlang.manual import find

SPEC = """\
algorithm test
param eps > 0 = 1
stream x in {0, 1}
model fair: x ~ bernoulli(0.5)
memory m = 0
let f(a, b) = a + b
statistic s = sum(x over steps)
report above when s > 3
update m = step when above
stop when s > f(3, m) return done
attach laplace(1 / eps) to s
"""


@pytest.mark.parametrize(
    ("typed", "offered", "not_offered"),
    [
        ("", {"param", "claim", "attach"}, {"algorithm", "eps"}),
        ("statistic ", set(), {"s", "sum", "eps"}),
        ("statistic t = ", {"s", "sum", "f", "previous", "if", "step"}, {"over", "within"}),
        ("statistic t = sum(s ", {"over", "for", "where"}, {"eps", "param"}),
        ("statistic t = sum(s over ", {"steps", "last"}, {"since"}),
        ("statistic t = sum(s since ", {"above"}, {"eps", "s"}),
        ("statistic t = sum(i for i in 1..3 where ", {"i", "s"}, {"within"}),
        ("let g(u, v) = ", {"u", "v", "eps", "laplace"}, {"over"}),
        ("attach ", {"laplace", "gaussian"}, {"true", "sum"}),
        ("attach lap", {"laplace"}, {"true"}),
        ("attach discrete_gaussian(", {"sigma =", "sd ="} & set(), {"over"}),
        ("attach laplace(1) to ", {"s", "eps", "return", "x"}, {"m", "fair", "f", "laplace"}),
        ("attach laplace(1) to s ", {"once", "each", "param"}, {"s"}),
        ("attach laplace(1) to s each ", {"step", "above"}, {"s", "eps"}),
        ("update ", set(), {"s", "eps"}),
        ("model other: ", {"x"}, {"s", "laplace"}),
        ("model other: x ~ ", {"bernoulli", "uniform"}, {"true"}),
        ("claim ", {"strong", "weak", "probability", "expected"}, {"over"}),
        ("claim strong ", {"pure", "dp", "rdp", "zcdp"}, {"eps", "true"}),
        ("claim strong pure(", {"eps", "eps ="}, {"over"}),
        ("claim probability(", {"done", "s"}, {"laplace"}),
        ("claim probability(done) <= 0.1 under ", {"fair"}, {"s", "eps"}),
        ("claim strong pure(1) expect ", {"refuted", "unknown"}, {"eps"}),
        ("adjacent ", {"replace", "add", "one", "every"}, {"eps"}),
        ("statistic t = s # and ", set(), {"s", "param"}),
        ('algorithm b "a tit', set(), {"s", "param"}),
    ],
)
def test_what_is_offered(typed: str, offered: set[str], not_offered: set[str]) -> None:
    text = SPEC + typed
    found = {item.label for item in completions(read(text), len(text))}
    assert offered <= found, offered - found
    assert not not_offered & found, not_offered & found


def test_an_update_is_of_a_memory() -> None:
    text = SPEC + "update "
    text = SPEC.replace("update m = step when above", "update m")
    where = text.index("update m") + len("update m")
    assert [i.label for i in completions(read(text), where) if i.kind == "name"] == ["m"]


def test_the_library_is_offered_in_an_empty_file() -> None:
    found = {i.label: i for i in completions(read("# mine\n"), 7)}
    assert read(found["@tight/one_sided"].text).program is not None
    assert not any(label.startswith("@") for label in (i.label for i in completions(read(SPEC), len(SPEC))))


@pytest.mark.parametrize(
    ("typed", "label", "active"),
    [
        ("statistic t = clip(", "clip(x, low, high)", 0),
        ("statistic t = clip(sum(s over steps), ", "clip(x, low, high)", 1),
        ("statistic t = clip(s, [1, 2][1], ", "clip(x, low, high)", 2),
        ("statistic t = f(1, ", "f(a, b)", 1),
        ("claim strong dp(", "dp(eps, delta)", 0),
        ("attach laplace(", "laplace(b)", 0),
        ("statistic t = (1 + ", None, 0),
        ("statistic t = f(1, 2) + ", None, 0),
    ],
)
def test_signatures(typed: str, label: str | None, active: int) -> None:
    text = SPEC + typed
    found = signature(read(text), len(text))
    assert (None if found is None else found.label) == label
    assert found is None or found.active == active


def test_what_names_mean() -> None:
    reading = read(SPEC)
    say = lambda word: explanation(reading, SPEC.index(word)).text  # type: ignore[union-attr] # noqa: E731
    assert "private, noised, a whole number from 0 to ∞" in say("s = sum")
    assert "sensitivity `1`, uniform" in say("s = sum")
    assert "`s.step ~ laplace(1 / eps)`, drawn each step" in say("s = sum")
    assert "public" in say("m = 0") and "param `eps`, public" in say("eps > 0")
    assert "stream of entries `x`, private, in `{0, 1}`" in say("x in")
    assert say("laplace").startswith("# `laplace(b)`")
    assert explanation(reading, SPEC.index("1\n")) is None


@pytest.mark.parametrize(
    ("place", "page"),
    [
        ("over last", "over last"), ("steps)", "over steps"), ("over steps", "over steps"), ("each above", "each"),
        ("in {0", "stream"), ("in 1..", "for"), ("> 3", ">"), ("when s", "when"), ("+ b", "+"),
        ("claim strong", "claim"), ("strong", "strong"), ("pure", "pure"), ("~ b", "model"),
        ("return", "return"), ("sum(", "sum"),
    ],
)  # fmt: skip
def test_every_word_has_its_page(place: str, page: str) -> None:
    text = SPEC + "statistic t = sum(i for i in 1..3) + sum(x over last 3)\nattach laplace(1) to t each above\n"
    text += "claim strong pure(eps)\n"
    found = explanation(read(text), text.index(place))
    assert found is not None
    assert any(found.text.startswith(known.text) or known.text in found.text for known in find(page)), found.text[:80]


def test_tokens_say_what_names_are() -> None:
    found = {(SPEC[t.span.start : t.span.end], t.type): set(t.modifiers) for t in tokens(read(SPEC))}
    assert found["x", "property"] >= {"private"}
    assert found["s", "variable"] >= {"private", "noised"}
    assert found["laplace", "type"] == {"defaultLibrary"}
    assert found["done", "enumMember"] >= {"readonly", "public"}
    assert found["over", "keyword"] == set()
    assert all(t.type in TYPES and set(t.modifiers) <= set(MODIFIERS) for t in tokens(read(SPEC)))
