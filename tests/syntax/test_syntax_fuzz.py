"""Mutated texts: a tree or diagnostics, never an exception; what parses can be formatted."""

from __future__ import annotations

import random
import re

import pytest
from texts import DATASET, EVERYTHING, REPLACE
from thorough import several

from seqlang.diagnostics.as_json import diagnostic_dict
from seqlang.diagnostics.plain import render
from seqlang.process.locate import data_folder
from seqlang.source import Source
from seqlang.syntax import format_text, parse

TEXTS = [EVERYTHING, DATASET, REPLACE, *(f.read_text("utf-8") for f in sorted(data_folder("specs").rglob("*.seq")))]
SNIPPETS = [
    "(", ")", "[", "]", "{", "}", '"', "#", "\n", "..", ".", ",", ":", "=", "==", "~", "<", "<=", "&&", "!", "**", "-",
    "^", " when ", " return ", " to ", " stop ", " let ", " report ",
    " algorithm ", " size ", " over ", " since ",
    " if ", " for x in ", " then ", " else ", " not ", " each ", "1e999", "1e-999", "0.", ".5", "9" * 200, "\0",
    "\x1b[31m", "é", "漢", "\u202e", "\ufeff", "\u2028", "\r", "\t", "\ud800", "'", ";", "@", "\nstpo when",
    "statistc ", "x" * 300,
]  # fmt: skip


def mutate(rng: random.Random, text: str) -> str:
    for _ in range(rng.randint(1, 5)):
        at = rng.randrange(len(text) + 1)
        match rng.randrange(5):
            case 0:
                text = text[:at] + text[at + rng.randint(1, 12) :]
            case 1:
                text = text[:at] + rng.choice(SNIPPETS) + text[at:]
            case 2:
                text = text[:at] + chr(rng.randrange(0x180)) + text[at + 1 :]
            case 3:
                start = rng.randrange(len(text) + 1)
                text = text[:at] + text[start : start + 40] + text[at:]
            case _:
                words = list(re.finditer(r"\w+|[^\w\s]", text))
                if len(words) > 1:
                    gone = rng.choice(words)
                    text = text[: gone.start()] + rng.choice(words).group() + text[gone.end() :]
    return text


def examine(text: str) -> bool:
    """Whether a text parses; checks what must hold of every text."""
    source = Source("fuzz.seq", text)
    tree, diagnostics = parse(source)
    assert (tree is None) == bool(diagnostics)
    shown = render(diagnostics, source, colour=False)
    assert "\x1b" not in shown and "\u202e" not in shown
    assert max(map(len, shown.splitlines()), default=0) < 400
    for diagnostic in diagnostics:
        assert re.fullmatch(r"E01\d\d", diagnostic.code)
        place = diagnostic_dict(diagnostic, source)
        assert place["line"] >= 1 and place["column"] >= 1
        for label in (diagnostic.primary, *diagnostic.secondary):
            assert label is not None and 0 <= label.span.start <= label.span.end <= len(text)
    if tree is not None:
        laid_out, _ = format_text(source)
        assert laid_out is not None
        again = parse(Source("", laid_out))[0]
        assert _bare(again) == _bare(tree)
        assert format_text(Source("", laid_out))[0] == laid_out
    return tree is not None


def _bare(tree: object) -> str:
    return re.sub(r"Span\(start=\d+, end=\d+\)", "", repr(tree))


@pytest.mark.parametrize("seed", range(8))
def test_mutated_specs(seed: int) -> None:
    rng = random.Random(seed)
    outcomes = [examine(mutate(rng, rng.choice(TEXTS))) for _ in range(several(30, 60))]
    assert not all(outcomes)


@pytest.mark.parametrize("seed", range(4))
def test_mere_noise(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(several(30, 60)):
        examine("".join(rng.choice(SNIPPETS) for _ in range(rng.randint(0, 40))))
        examine(
            "".join(chr(rng.choice([rng.randrange(128), rng.randrange(0x11000)])) for _ in range(rng.randint(0, 200)))
        )


@pytest.mark.parametrize("seed", range(4))
def test_shuffled_tokens(seed: int) -> None:
    rng = random.Random(seed)
    words = re.findall(r"\w+|[^\w\s]+", EVERYTHING)
    for _ in range(40):
        examine(" ".join(rng.choices(words, k=rng.randint(1, 120))))
