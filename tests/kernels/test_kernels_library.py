"""Compiled kernels and the numpy engine on the specs of the library (`--long`: on all of them): means within five
standard errors. The numpy engine is compared with the interpreter elsewhere."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.runs import ByKernel
from seqlang.backends.montecarlo.by_interpreter import ByInterpreter
from seqlang.backends.montecarlo.by_numpy import ByNumpy
from seqlang.backends.montecarlo.chunks import Chunk, Watch
from seqlang.elaborate import elaborate
from seqlang.model.program import Program
from seqlang.source import Source
from seqlang.syntax import parse

SPECS = Path(__file__).resolve().parents[2] / "specs"
FEW = (
    "zhang2022/privsprt_bernoulli", "tight/window", "smith2013/ftal", "dwork2014/numeric_sparse_vector",
    "zhang2021/paprika",
)  # fmt: skip
"""Each takes seconds to compile: a walk with noisy ends, a window, vectors with a tree, reports, lists. Datasets and
training are compiled by test_kernels_exact.py and tests/train."""
SMALL = {"N": 40, "n": 14, "d": 3, "k": 30, "T": 6, "m": 6, "k_star": 5}
"""Values for parameters that are sizes in some specs; tried one by one, and kept where the spec still is one."""
RUNS, FEWER = 3000, 1500


def small(path: Path) -> Program | None:
    tree, _ = parse(Source(path.name, path.read_text(encoding="utf-8")))
    assert tree is not None
    program, _ = elaborate(tree, {})
    values: dict[str, Fraction] = {}
    for p in () if program is None else program.parameters:
        if p.name in SMALL and p.value > SMALL[p.name]:
            tried, found = elaborate(tree, {**values, p.name: Fraction(SMALL[p.name])})
            if tried is not None and not any(d.severity == "error" for d in found):
                values[p.name] = Fraction(SMALL[p.name])
    return elaborate(tree, values)[0]


def watch() -> Watch:
    return Watch(np.zeros(1, np.int64), lambda: None)


def differ(a: Any, b: Any) -> bool:
    """Whether two samples have means more than five standard errors apart; a rare value may be missed by one."""
    a, b = (x[..., ~np.isnan(x.reshape(-1, x.shape[-1])).any(axis=0)].astype(float) for x in (a, b))
    n, m = a.shape[-1], b.shape[-1]
    if min(n, m) < 30:
        return False
    spread = np.maximum(a.var(axis=-1), b.var(axis=-1))
    error = 5 * np.sqrt(spread / n + spread / m) + 1e-9 * np.abs(a.mean(axis=-1)) + 1e-12
    return bool(np.any(np.abs(a.mean(axis=-1) - b.mean(axis=-1)) > error))


def specs() -> list[Any]:
    found = []
    for path in sorted(SPECS.rglob("*.seq")):
        name = f"{path.parent.name}/{path.stem}"
        found.append(pytest.param(path, id=name, marks=() if name in FEW else pytest.mark.long))
    return found


@pytest.mark.parametrize("path", specs())
def test_kernels_agree_with_numpy(path: Path) -> None:
    pytest.importorskip("numba")
    program = small(path)
    if program is None or not program.models:
        return  # nothing to simulate
    model = program.models[-1]
    try:
        fast = ByKernel(program, model, 11).run(0, RUNS, 25, watch())
    except CannotVectorise as reason:
        assert str(reason)
        return
    except EvaluationError:
        with pytest.raises(EvaluationError):
            ByNumpy(program, model, 12, None).run(0, RUNS, 25, watch())
        return
    try:
        slow = ByNumpy(program, model, 12, None).run(0, FEWER, 25, watch())
    except CannotVectorise as reason:
        slow = ByInterpreter(program, model, 12, str(reason)).run(0, 60, 25, watch())
    _agree(fast, slow)


def _agree(fast: Chunk, slow: Chunk) -> None:
    assert not differ(fast.steps, slow.steps)
    for code in np.unique(np.concatenate([fast.codes, slow.codes])):
        assert not differ(fast.codes == code, slow.codes == code), code
    if fast.values is not None and slow.values is not None:
        assert fast.values.shape[:-1] == slow.values.shape[:-1]
        assert not differ(fast.values, slow.values)
    for table, other in ((fast.statistics, slow.statistics), (fast.released, slow.released)):
        for name in set(table) & set(other):
            assert not differ(table[name], other[name]), name
            known, there = (float(np.mean(~np.isnan(x.astype(float)))) for x in (table[name], other[name]))
            assert abs(known - there) < 0.1, name
    for name in fast.reports:
        assert not differ(fast.reports[name], slow.reports[name]), name
