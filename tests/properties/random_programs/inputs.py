"""Small inputs of a program, and which pairs of them are neighbours."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from random_programs.syntax import Program

Array = NDArray[Any]


@dataclass(frozen=True)
class Inputs:
    """`entries[f]`: inputs times entries, the values of field f; `count`: how many records there are; `first`,
    `second`: pairs of neighbours, as rows."""

    entries: dict[str, Array]
    count: Array
    first: Array
    second: Array

    def shown(self, row: int) -> str:
        n = int(self.count[row])
        return ", ".join(f"{f} = {v[row, :n].tolist()}" for f, v in self.entries.items())


def inputs_of(program: Program, most: int = 300, seed: int = 0, count: int = 16) -> Inputs:
    """All inputs over the fields' values if they are few, else some of them with all their neighbours."""
    rng = random.Random(seed)
    length = program.size if program.kind == "dataset" else program.steps
    alphabet = list(itertools.product(*(f.values for f in program.fields)))
    found: dict[tuple[int, ...], int] = {}
    pairs: set[tuple[int, int]] = set()

    def row(entry: tuple[int, ...]) -> int:
        return found.setdefault(entry, len(found))

    if len(alphabet) ** length <= most:
        starts = list(itertools.product(range(len(alphabet)), repeat=length))
    else:
        starts = [tuple(rng.randrange(len(alphabet)) for _ in range(length)) for _ in range(count)]
    whole = len(alphabet) ** length <= most
    for start in starts:
        row(start)  # it may have no neighbour
        for other in _neighbours(program, alphabet, start, rng, whole):
            pairs.add((row(start), row(other)))
            if len(pairs) > 40_000:
                break
    rows = list(found)
    sizes = np.array([len(r) for r in rows])
    entries = {
        f.name: np.array([[alphabet[a][j] for a in r] + [alphabet[0][j]] * (length - len(r)) for r in rows])
        for j, f in enumerate(program.fields)
    }
    both = sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]})
    first, second = (np.array([p[k] for p in both], dtype=int) for k in (0, 1))
    return Inputs(entries, sizes, first, second)


def _neighbours(program: Program, alphabet: list[Any], start: tuple[int, ...], rng: random.Random, whole: bool) -> Any:
    length, letters = len(start), range(len(alphabet))
    match program.adjacency:
        case ("replace", count):
            for places in itertools.combinations(range(length), count):
                for new in itertools.product(letters, repeat=count):
                    yield _put(start, places, new)
        case ("add or remove", count):
            for places in itertools.combinations(range(length), count):
                yield tuple(a for n, a in enumerate(start) if n not in places)
        case ("one", _, radius, _):
            for place in range(length):
                for new in letters:
                    if _near(alphabet, start[place], new, radius):
                        yield _put(start, (place,), (new,))
        case ("every", _, radius, same):
            near = [[a for a in letters if _near(alphabet, old, a, radius)] for old in start]
            others = list(itertools.product(*near))
            for other in others if whole else rng.sample(others, min(40, len(others))):
                moves = [alphabet[a][0] - alphabet[b][0] for a, b in zip(start, other, strict=True)]
                if not same or all(m >= 0 for m in moves) or all(m <= 0 for m in moves):
                    yield other


def _near(alphabet: list[Any], a: int, b: int, radius: float) -> bool:
    """`within` speaks of the first field; another field is the same."""
    return abs(alphabet[a][0] - alphabet[b][0]) <= radius and alphabet[a][1:] == alphabet[b][1:]


def _put(start: tuple[int, ...], places: tuple[int, ...], new: tuple[int, ...]) -> tuple[int, ...]:
    out = list(start)
    for place, a in zip(places, new, strict=True):
        out[place] = a
    return tuple(out)


def publics(program: Program) -> list[tuple[tuple[float, ...], ...]]:
    """Some courses of the public inputs: for each step the values of its fields."""
    if not program.public:
        return [()]
    entries = list(itertools.product(*(f.values for f in program.public)))
    courses = list(itertools.product(entries, repeat=program.steps))
    return courses if len(courses) <= 5 else random.Random(0).sample(courses, 5)
