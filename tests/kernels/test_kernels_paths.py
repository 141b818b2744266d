"""Kernels and the interpreter on the specs of the library, path by path and under poison, on random rows.

`test_kernels_library.py` compares the laws of whole simulations, this one every number of every step."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from coupled import Coupling, coupled
from plain_kernels import difference, interpreted, random_rows, streams
from test_kernels_library import SPECS, small

from seqlang.backends.interpret.compiled import Compiler
from seqlang.model import expression as ir
from seqlang.record import replace

STEPS, PATHS = 8, 4
NOT_ALIGNED = {
    "abadi2016/dp_sgd": "a sample of the records is drawn as a whole",
    "balle2018/subsampled_laplace": "a sample of the records is drawn as a whole",
    "bittner2020/batch_erm_objective": "not compiled: a minimum over all vectors",
    "bittner2020/batch_erm_output": "not compiled: a minimum over all vectors",
    "clutch/exact_cache": "the rows here are records, which say nothing of a public value of a step",
    "rogers2016/filter": "the rows here are records, which say nothing of a public value of a step",
}
"""Where the paths of the two engines have no draws in common; `test_kernels_library.py` has the laws of those."""


def specs() -> list[Any]:
    named = {f"{path.parent.name}/{path.stem}": path for path in sorted(SPECS.rglob("*.seq"))}
    return [pytest.param(path, id=name) for name, path in named.items() if name not in NOT_ALIGNED]


@pytest.mark.parametrize("path", specs())
def test_every_path_of_a_spec_is_the_interpreters(path: Path) -> None:
    found = small(path)
    assert found is not None
    program = replace(found, noises=tuple(replace(n, law=_copied(n.law)) for n in found.noises))
    size = STEPS if program.size is None else int(Compiler(program).constant(program.size))
    rows = random_rows(program, size, random.Random(path.stem))
    if program.size is None:
        fields, orders = streams([rows])
        kernel, current = coupled(program, fields, orders[0])
    else:
        fields = {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}
        kernel, current = coupled(program, fields, np.arange(len(rows)))
    for seed in range(PATHS):
        wanted = list(interpreted(program, rows, STEPS, Coupling(seed, program)))
        for step in range(1, STEPS + 1):
            current[:] = [Coupling(seed, program)]
            wrong = difference(kernel.after(step)[0], wanted[min(step, len(wanted)) - 1])
            assert wrong is None, f"path {seed} after {step} steps: {wrong}\n{kernel.text}"


def _copied(law: ir.Expression) -> ir.Expression:
    """The same law as an object of its own: `coupled` knows a noise by it."""
    if isinstance(law, ir.Law):
        return replace(law, arguments=tuple(_copied(a) for a in law.arguments))
    return replace(law)
