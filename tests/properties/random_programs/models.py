"""Random programs with a law of their data, and their exact laws by listing every course of the entries."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from random_programs.enumeration import Laws, TooWide, laws
from random_programs.generate_transcripts import transcript_program
from random_programs.inputs import Inputs
from random_programs.syntax import Program, number, text

MOST_COURSES = 64
Ends = dict[tuple[int, str], float]


@dataclass(frozen=True)
class Entry:
    """The law of a field: as it is written, and the chances of the field's values in the first step and later."""

    written: str
    first: tuple[float, ...]
    later: tuple[float, ...]


@dataclass(frozen=True)
class Modelled:
    """A program on a stream with an independent law for each of its fields."""

    program: Program
    entries: tuple[Entry, ...]

    def text(self, claims: tuple[str, ...] = ()) -> str:
        fields = zip(self.program.fields, self.entries, strict=True)
        model = ", ".join(f"{field.name} ~ {entry.written}" for field, entry in fields)
        return text(self.program, (f"model m: {model}", *claims))

    @cached_property
    def letters(self) -> list[tuple[int, ...]]:
        """What one entry can be: for each field the number of its value."""
        return list(itertools.product(*(range(len(f.values)) for f in self.program.fields)))

    def chance(self, letter: tuple[int, ...], step: int) -> float:
        """`step` counts from 0."""
        rows = [entry.later if step else entry.first for entry in self.entries]
        return math.prod(row[k] for row, k in zip(rows, letter, strict=True))

    def courses(self) -> list[tuple[tuple[int, ...], ...]]:
        """All streams. Raises TooWide."""
        if len(self.letters) ** self.program.steps > MOST_COURSES:
            raise TooWide
        return list(itertools.product(self.letters, repeat=self.program.steps))

    def laws(self) -> Laws:
        """The law of the transcript of each course."""
        courses = self.courses()
        entries = {
            f.name: np.array([[f.values[letter[j]] for letter in course] for course in courses])
            for j, f in enumerate(self.program.fields)
        }
        none = np.zeros(0, dtype=int)
        return laws(self.program, Inputs(entries, np.full(len(courses), self.program.steps), none, none))


def modelled_program(seed: int) -> Modelled | None:
    """None if the program is not on a stream of few letters."""
    program = transcript_program(seed)
    fields = program.fields
    if program.kind != "stream" or any(f.domain == "real" or isinstance(f.values[0], tuple) for f in fields):
        return None
    rng = random.Random(seed)
    return Modelled(program, tuple(_entry(f.values, f.domain, rng) for f in fields))


def _entry(values: tuple[float, ...], domain: str, rng: random.Random) -> Entry:
    """Listed chances, mostly; a conditioned law, or one that changes after the first step."""
    weights = {2: (0.375, 0.625), 3: (0.25, 0.5, 0.25)}[len(values)]
    listed = "{" + ", ".join(f"{number(v)}: {p}" for v, p in zip(values, weights, strict=True)) + "}"
    roll = rng.random()
    if roll < 0.15 and domain in ("{0, 1}", "0..2"):
        inside = [0.5**k for k in range(len(values))]
        chances = tuple(w / sum(inside) for w in inside)
        return Entry(f"conditioned(geometric(0.5), 0, {len(values) - 1})", chances, chances)
    if roll < 0.3:
        later = {2: (0.75, 0.25), 3: (0.5, 0.25, 0.25)}[len(values)]
        other = "{" + ", ".join(f"{number(v)}: {p}" for v, p in zip(values, later, strict=True)) + "}"
        return Entry(f"if step < 2 then {listed} else {other}", weights, later)
    return Entry(listed, weights, weights)


def listed_ends(modelled: Modelled) -> tuple[Ends, float]:
    """The law of (last step, what is returned), and what is missing of it. Raises TooWide."""
    courses, law = modelled.courses(), modelled.laws()
    out: Ends = {}
    lost = 0.0
    for course, ends, missing in zip(courses, law.ends, law.missing, strict=True):
        weight = math.prod(modelled.chance(letter, n) for n, letter in enumerate(course))
        lost += weight * missing
        for key, p in ends.items():
            out[key] = out.get(key, 0.0) + weight * p
    return out, lost
