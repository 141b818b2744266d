"""Random programs of the property tests: kernels and the interpreter, path by path.

`pytest tests/kernels/test_kernels_random.py --instances 20000 --first-seed 1000` is a longer run, of 4,000.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from coupled import Coupling, coupled
from plain_kernels import difference, interpreted, program_of, streams
from report_programs import random_instance
from selection_programs import random_selection

from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.values import CannotCompile
from seqlang.model.domain import Power
from seqlang.model.program import Program

CHUNK = 100


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        metafunc.parametrize("chunk", range(max(1, int(metafunc.config.getoption("--instances")) // 5 // CHUNK)))


def test_every_path_is_the_interpreters(chunk: int, request: pytest.FixtureRequest) -> None:
    """After each step: reports, released values, statistics, stops, results; every draw in its place and life."""
    first = int(request.config.getoption("--first-seed")) + chunk * CHUNK
    refused = 0
    for seed in range(first, first + CHUNK):
        rng = random.Random(seed)
        instance = (random_selection if seed % 4 == 0 else random_instance)(rng)
        program = program_of(instance.text)
        entries = [_entry(program, e) for e in rng.choice(instance.pairs)[0]]
        try:
            _agree(program, entries, seed)
        except CannotCompile as reason:
            assert "without a finite domain" in str(reason), instance.text
            with pytest.raises((EvaluationError, AssertionError)):
                _faultless(program, entries)
            refused += 1
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}\n{instance.text}") from None
    assert refused < CHUNK // 10


def _agree(program: Program, entries: list[dict[str, Any]], seed: int) -> None:
    data = any(i.kind == "dataset" for i in program.inputs)
    if data:
        rows = [{"q": value} for value in entries[0]["q"]]
        fields, order = {"q": np.array(entries[0]["q"], dtype=float)}, np.arange(len(rows))
    else:
        rows = entries * 2
        fields, orders = streams([rows])
        order = orders[0]
    steps = len(entries) if data else len(rows)
    kernel, current = coupled(program, fields, order)
    for path in range(3):
        wanted = list(interpreted(program, rows, steps, Coupling(f"{seed} {path}", program)))
        for step in range(1, steps + 1):
            current[:] = [Coupling(f"{seed} {path}", program)]
            wrong = difference(kernel.after(step)[0], wanted[min(step, len(wanted)) - 1])
            assert wrong is None, f"path {path} after {step} steps: {wrong}\n{kernel.text}"


def _faultless(program: Program, entries: list[dict[str, Any]]) -> None:
    """Flipped values without a finite domain: the interpreter finds it when it comes to one."""
    for path in range(20):
        found = list(interpreted(program, entries * 2, 2 * len(entries), Coupling(path, program)))
        assert not found[-1].fault


def _entry(program: Program, entry: Any) -> dict[str, Any]:
    """One step's fields, from the generators' various forms."""
    names = [i.name for i in program.inputs]
    if not isinstance(entry, dict):
        return dict(zip(names, entry if isinstance(entry, tuple) else (entry,), strict=True))
    wide = program.inputs[0].kind == "dataset" or isinstance(program.inputs[0].domain, Power)
    return {"q": tuple(entry[f"q{i}"] for i in range(1, len(entry) + 1))} if wide else entry
