"""A state is in its address, and an address that says anything else does no harm."""

from __future__ import annotations

import base64
import zlib
from urllib.parse import parse_qsl

import pytest

from seqlang.studio.state import LARGEST_TEXT, State, packed, query_of, state_of, unpacked

STATES = [
    State(),
    State("@tight/one_sided", "", (("lz", "2"),), "see"),
    State(
        "", 'algorithm a "ü & <b>"\nstream x in [0, 1]\n', (("eps", "1/3"), ("a b", "&=#")), "try", (("runs", "10"),)
    ),
]


@pytest.mark.parametrize("state", STATES)
def test_an_address_opens_the_same_state(state: State) -> None:
    assert state_of(dict(parse_qsl(query_of(state)))) == state


def test_a_text_that_was_not_changed_is_not_in_the_address() -> None:
    assert "text" not in dict(parse_qsl(query_of(State("@a", "same"), "same")))
    assert "text" in dict(parse_qsl(query_of(State("@a", "changed"), "same")))


@pytest.mark.parametrize("word", ["", "!", "AAAA", "x" * 1000, packed("a")[:-3], "\u00fc"])
def test_a_text_that_was_cut_off_is_none(word: str) -> None:
    assert unpacked(word) == ""


def test_a_small_word_cannot_become_a_huge_text() -> None:
    bomb = base64.urlsafe_b64encode(zlib.compress(b"a" * (LARGEST_TEXT * 50), 9)).decode()
    assert len(bomb) < LARGEST_TEXT
    assert unpacked(bomb) == ""


def test_what_an_address_says_wrongly_is_left_out() -> None:
    found = state_of({"panel": "../etc", "token": "secret", "set.eps": "2", "runs": "5"})
    assert found == State("", "", (("eps", "2"),), "pick", (("runs", "5"),))
    assert "secret" not in query_of(found)
