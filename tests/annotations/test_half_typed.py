"""Texts as they are while somebody types: cut off, with parts removed, doubled or exchanged. Every function of the room
answers, whatever the text."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from library_slices import SPECS
from thorough import several

from seqlang.annotations import completion, meanings, outline, remedies, renaming, signatures, tokens
from seqlang.annotations.edit import applied
from seqlang.annotations.reading import Reading, read
from seqlang.syntax import format_text

CASES = several(60, 20_000)
PIECES = [*'()[]{=\n"#,~é\u2028', "for", "in", "let ", " since ", "..", "claim strong ", "\r\n"]


def half_typed(rng: random.Random) -> str:
    """A spec of the library after some damage."""
    text = rng.choice(sorted(SPECS.rglob("*.seq"))).read_text("utf-8")
    for _ in range(rng.randrange(1, 4)):
        a, b = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        match rng.randrange(5):
            case 0:
                text = text[:b]
            case 1:
                text = text[:a] + text[min(b, a + 40) :]
            case 2:
                text = text[:a] + rng.choice(PIECES) + text[a:]
            case 3:
                text = text[:a] + text[a : a + 30] + text[a:]
            case _:
                words = text.split(" ")
                i, j = rng.randrange(len(words)), rng.randrange(len(words))
                words[i], words[j] = words[j], words[i]
                text = " ".join(words)
    return text


def everything(reading: Reading, rng: random.Random) -> None:
    """Asks for all that there is."""
    text = reading.source.text
    spans = [t.span for t in tokens.tokens(reading)]
    assert all(0 <= s.start < s.end <= len(text) for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))
    outline.outline(reading)
    outline.foldings(reading)
    format_text(reading.source)
    for offset in (0, len(text), *(rng.randrange(len(text) + 1) for _ in range(3))):
        completion.completions(reading, offset)
        signatures.signature(reading, offset)
        meanings.explanation(reading, offset)
        renaming.references(reading, offset)
        renamed = renaming.renamed(reading, offset, "renamed_")
        if not isinstance(renamed, str):
            assert len(read(applied(text, renamed)).errors) <= len(reading.errors)
    for diagnostic in reading.diagnostics[:1]:
        for fix in remedies.remedies(reading, diagnostic):
            applied(text, fix.edits)


@pytest.mark.parametrize("part", range(2))
def test_every_capability_answers(part: int) -> None:
    for seed in range(part, CASES, 2):
        rng = random.Random(seed)
        text = half_typed(rng)
        try:
            everything(read(text), rng)
        except Exception as error:
            raise AssertionError(f"seed {seed}:\n{text}") from error


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "#", '"', "algorithm", "(" * 300, "let f(", "\ufeffalgorithm a", "é" * 50]
)
def test_odd_texts(text: str) -> None:
    everything(read(text), random.Random(0))
