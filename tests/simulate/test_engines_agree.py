"""The numpy engine and the interpreter on every spec of the library: means within five standard errors."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from library_slices import slice_of_library
from thorough import several

from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

SPECS = Path(__file__).resolve().parents[2] / "specs"
SMALL = {"N": 40, "n": 14, "d": 3, "k": 30, "T": 6, "m": 6, "k_star": 5}
"""Values for parameters that are sizes in some specs; tried one by one, and kept where the spec still is one."""


def elaborated(path):
    tree, _ = parse(Source(path.name, path.read_text(encoding="utf-8")))
    program, _ = elaborate(tree, {})
    if program is None:
        return None
    values: dict[str, Fraction] = {}
    for p in program.parameters:
        if p.name in SMALL and p.value > SMALL[p.name]:
            tried, diagnostics = elaborate(tree, {**values, p.name: Fraction(SMALL[p.name])})
            if tried is not None and not any(d.severity == "error" for d in diagnostics):
                values[p.name] = Fraction(SMALL[p.name])
    return elaborate(tree, values)[0]


def differ(name, a, b):
    """Whether two samples have means more than five standard errors apart. A sample without scatter has none, so the
    chance of a rare value that 60 runs miss is allowed for."""
    a, b = (x[..., ~np.isnan(x.reshape(-1, x.shape[-1])).any(axis=0)].astype(float) for x in (a, b))
    if min(a.shape[-1], b.shape[-1]) < 30:
        return False
    n, m = a.shape[-1], b.shape[-1]
    error = np.sqrt(a.var(axis=-1) / n + np.maximum(a.var(axis=-1), b.var(axis=-1)) / m)
    return bool(np.any(np.abs(a.mean(axis=-1) - b.mean(axis=-1)) > 5 * error + 1e-9 * np.abs(a.mean(axis=-1)) + 1e-12))


@pytest.mark.parametrize("path", slice_of_library("engines"))
def test_engines_agree(path):
    program = elaborated(path)
    if program is None or not program.models:
        return  # nothing to simulate
    model = program.models[-1]
    try:
        fast = simulate(program, model, runs=2, seed=11, cap=25)
    except EvaluationError as none:  # a program with no value is none in both
        with pytest.raises(EvaluationError, match=str(none).partition(":")[0]):
            simulate(program, model, runs=2, seed=11, cap=25, engine="interpreter")
        return
    if fast.engine != "numpy":
        assert fast.why_interpreted
        return
    fast = simulate(program, model, runs=1000, seed=11, cap=25)
    slow = simulate(program, model, runs=several(40, 60), seed=12, cap=25, engine="interpreter")
    assert fast.labels == slow.labels
    assert set(fast.statistics) == set(slow.statistics)
    assert not differ("steps", fast.steps, slow.steps)
    for i, label in enumerate(("unstopped", "none", *fast.labels), start=-2):
        assert not differ(label, fast.codes == i, slow.codes == i), label
    if fast.values is not None and slow.values is not None:
        assert not differ("values", fast.values, slow.values)
    for name in fast.statistics:
        assert not differ(name, fast.statistics[name], slow.statistics[name]), name
    for name in set(fast.released) & set(slow.released):  # a report may never be made in so few runs
        assert not differ(name, fast.released[name], slow.released[name]), name
    for name in fast.reports:
        assert not differ(name, fast.reports[name], slow.reports[name]), name
