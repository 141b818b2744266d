"""Random programs with a model of the data: `solve` and the engines against listed laws."""

from __future__ import annotations

from collections import Counter

import pytest
from random_programs.enumeration import TooWide
from random_programs.meaning import Undefined
from random_programs.run_hunt import engine_is_wrong, solve_is_wrong
from random_programs.running import listed_ends, modelled_program


def test_exact_laws_and_runs_agree_with_the_listed_law(request: pytest.FixtureRequest) -> None:
    """`--instances 100000` is the longer run; `python -m random_programs.run_hunt` tries the other engines too."""
    first = int(request.config.getoption("--first-seed"))
    count = round(int(request.config.getoption("--instances")) * 0.08)
    print(f"programs with a model, seeds {first} to {first + count - 1}")
    solved, run = Counter[str](), Counter[str]()
    for seed in range(first, first + count):
        modelled = modelled_program(seed)
        if modelled is None:
            continue
        try:
            ends, lost = listed_ends(modelled)
        except (TooWide, Undefined):
            continue
        for wrong in (
            solve_is_wrong(modelled, ends, lost, solved),
            engine_is_wrong(modelled, ends, lost, "numpy", seed, run),
        ):
            assert wrong is None, f"seed {seed}: {wrong}\n{modelled.text()}"
    assert solved and run
