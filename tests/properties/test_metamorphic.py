"""Changes that must leave every bound as it is, or may only lower it, on random programs and the library."""

from __future__ import annotations

import math
import random
from collections import Counter
from pathlib import Path

import pytest
from library_slices import slice_of_library
from random_programs.judge import KINDS, ORDERS, Crashed, proved, size_of
from random_programs.library_changes import fresh_names, one_letter, renamed
from random_programs.metamorphic import LESS, SAME
from random_programs.syntax import Program, text
from thorough import several

from seqlang import driver
from seqlang.diagnostics import SpecError
from seqlang.source import Source

SHARE = {"release": 0.03, "linear": 0.02, "transcript": 0.012}


def bounds_of(source: str) -> tuple[float, ...]:
    """What is proved: pure, zCDP, epsilon at a delta, and the Renyi bounds (infinite: nothing)."""
    model = driver.load(Source("<random>", source)).program
    found = proved(model)
    size = lambda d: math.inf if d is None else size_of(model, d)  # noqa: E731
    renyi = {d.conclusion.order: size_of(model, d) for d in found.rdp}
    return (size(found.pure), size(found.zcdp), size(found.dp), *(renyi.get(order, math.inf) for order in ORDERS))


def alike(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return all(x == y or abs(x - y) <= 1e-6 * max(abs(x), abs(y), 1e-9) for x, y in zip(a, b, strict=True))


def at_most(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return all(x <= y * (1 + 1e-6) + 1e-12 for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize("name", SHARE)
def test_random_programs(name: str, request: pytest.FixtureRequest) -> None:
    kind, done = KINDS[name], Counter[str]()
    first = int(request.config.getoption("--first-seed"))
    count = max(several(9, 12), round(int(request.config.getoption("--instances")) * SHARE[name]))
    print(f"{name} programs with the seeds {first} to {first + count - 1}")
    for seed in range(first, first + count):
        program = kind.program(seed)
        try:
            before = bounds_of(text(program))
        except (SpecError, Crashed):
            continue  # `test_random_programs` speaks of these
        if min(before) < math.inf:
            done.update(_tried(program, before, seed))
    assert len(done) >= 9, f"most changes must apply: {done}"


def _tried(program: Program, before: tuple[float, ...], seed: int) -> list[str]:
    done = []
    for what, change in (SAME | LESS).items():
        other = change(program, random.Random(seed))
        if other is None:
            continue
        after = bounds_of(text(other))
        fine = alike(before, after) if what in SAME else at_most(after, before)
        assert fine, f"seed {seed}, {what}: {before} became {after}\n{text(program)}\n{text(other)}"
        done.append(what)
    return done


@pytest.mark.parametrize("spec", slice_of_library("letters"))
def test_letters_and_names_of_the_library(spec: Path) -> None:
    """Every binder called i, and every name another one (by default both at once): no bound moves."""
    source = spec.read_text()
    before = bounds_of(source)
    lettered = one_letter(source)
    both = renamed(lettered, fresh_names(lettered))
    for changed in (both,) if several(0, 1) == 0 else (lettered, renamed(source, fresh_names(source)), both):
        if changed != source:
            assert alike(before, bounds_of(changed)), changed
