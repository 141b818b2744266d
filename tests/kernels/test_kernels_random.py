"""Random programs of the property tests: kernels and the interpreter, path by path.

`pytest tests/kernels/test_kernels_random.py --instances 20000 --first-seed 1000` is a longer run, of 2,600.
"""

from __future__ import annotations

import pytest
from random_programs.coupled_paths import Refused, kernel_disagrees
from random_programs.judge import KINDS
from random_programs.syntax import text

from seqlang.diagnostics import SpecError

SHARE = {"release": 0.04, "transcript": 0.05, "stopping": 0.02, "linear": 0.02}
"""Programs for one of `--instances`."""


@pytest.mark.parametrize("name", SHARE)
def test_every_path_is_the_interpreters(name: str, request: pytest.FixtureRequest) -> None:
    """After each step: reports, released values, statistics, stops, results; every draw in its place and life."""
    first = int(request.config.getoption("--first-seed"))
    count, refused = round(int(request.config.getoption("--instances")) * SHARE[name]), 0
    for seed in range(first, first + count):
        program = KINDS[name].program(seed)
        try:
            wrong = kernel_disagrees(program, seed)
        except (Refused, SpecError):
            refused += 1
            continue
        assert wrong is None, f"{name} program, seed {seed}: {wrong}\n{text(program)}"
    assert refused <= count // 10 + 1
