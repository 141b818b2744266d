"""Lanes beside one run after the other: the same numbers to the last bit, whatever runs are abreast."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lane_kernels import FAULTY, KERNELS, abreast, counted, counts, outcomes, same
from plain_kernels import as_python

from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.lanes import columns as lane_columns
from seqlang.backends.kernels.lanes import kernel as lane_printer
from seqlang.backends.kernels.lanes import nursery as lane_nursery
from seqlang.backends.kernels.lanes.kernel import can_go_abreast, lane_text
from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import lower
from seqlang.backends.kernels.lowering.values import CannotCompile
from seqlang.backends.kernels.one_by_one import scalar_text
from seqlang.backends.kernels.operations import Block, Kernel, Leave, Output, Recorded
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse

SPECS = Path(__file__).parents[2] / "specs"


@pytest.mark.parametrize(
    ("name", "count", "cap", "chunk"),
    [
        pytest.param(name, *how, marks=() if i % 4 == j else pytest.mark.long)
        for i, name in enumerate(KERNELS)
        for j, how in enumerate(((1, 0, 0), (70, 0, 31), (150, 9, 0), (40, 1, 0), (150, 0, 0)))
    ],
)
def test_lanes_give_the_numbers_of_single_runs(name: str, count: int, cap: int, chunk: int) -> None:
    kernel, constants = KERNELS[name]
    single = outcomes(as_python(scalar_text(kernel)), kernel, constants, count, cap)
    together = outcomes(as_python(abreast(kernel)), kernel, constants, count, cap, chunk)
    same(single, together)
    assert together["done"].tolist() == [count, together["steps"].sum()]
    assert cap == 0 or together["steps"].max() <= cap
    for text in (scalar_text(kernel), abreast(kernel)):
        same(counted(single, cap), counts(as_python(text), kernel, constants, count, cap, chunk))


@pytest.mark.parametrize(
    ("lanes", "nursery"),
    [pytest.param(8, 8, marks=pytest.mark.long), (16, 5), pytest.param(32, 32, marks=pytest.mark.long)],
)
def test_the_number_of_lanes_does_not_show(lanes: int, nursery: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, constants = KERNELS["refreshed"]
    usual = outcomes(as_python(abreast(kernel)), kernel, constants, 90)
    for module in (lane_columns, lane_nursery, lane_printer):
        monkeypatch.setattr(module, "LANES", lanes)
    monkeypatch.setattr(lane_nursery, "NURSERY", nursery)
    same(usual, outcomes(as_python(abreast(kernel)), kernel, constants, 90))


@pytest.mark.parametrize("constants", [(0.004, 0.0), (0.5, 0.0), (0.002, 0.01), (0.0, 0.2)])
def test_the_fault_is_that_of_the_lowest_run(constants: tuple[float, float]) -> None:
    single = outcomes(as_python(scalar_text(FAULTY)), FAULTY, constants, 100)
    together = outcomes(as_python(abreast(FAULTY)), FAULTY, constants, 100)
    assert single["fault"][0] in (3, 4)
    assert together["fault"].tolist() == single["fault"].tolist()


@pytest.mark.parametrize(
    "name", ["sprt", *(pytest.param(name, marks=pytest.mark.long) for name in ("refreshed", "once"))]
)
def test_compiled_lanes_give_the_numbers_of_compiled_single_runs(name: str) -> None:
    kernel, constants = KERNELS[name]
    single = outcomes(build.compiled(scalar_text(kernel)), kernel, constants, 20_000)
    together = outcomes(build.compiled(abreast(kernel)), kernel, constants, 20_000, chunk=7_001)
    same(single, together)
    for text in (scalar_text(kernel), abreast(kernel)):
        same(counted(single), counts(build.compiled(text), kernel, constants, 20_000, chunk=7_001))


def test_wald_s_sprt_by_lanes_has_the_exact_error() -> None:
    """Symmetric steps of one, p = 0.6, ends at -6 and 6: gambler's ruin."""
    kernel, constants = KERNELS["sprt"]
    codes = outcomes(build.compiled(abreast(kernel)), kernel, constants, 100_000)["codes"]
    ratio = (0.4 / 0.6) ** 6
    lower = (ratio - ratio**2) / (1 - ratio**2)
    assert abs((codes == 0).mean() - lower) < 5 * np.sqrt(lower * (1 - lower) / 100_000)


def test_blocks_and_leaves_at_the_start_do_not_go_abreast() -> None:
    block = Kernel((), (), (), (Block(("pass",)), Leave(None, "0", ())), Recorded((), (), (), 0))
    early = Kernel((), (), (Leave(None, "0", ()),), (Leave(None, "0", ()),), Recorded((), (), (), 0))
    vector = Kernel((), (), (), (Leave(None, "0", ()),), Recorded((Output("v", "v[q]", 3),), (), (), 0))
    assert not any(can_go_abreast(kernel) for kernel in (block, early, vector))
    assert lane_text(block) is None


BLOCKS = 8


def published(block: int) -> Iterator[Any]:
    """The kernels of every eighth spec that goes abreast, under its first model."""
    for path in sorted(SPECS.glob("*/*.seq"))[block::BLOCKS]:
        tree, _ = parse(Source(str(path), path.read_text(encoding="utf-8")))
        program, _ = elaborate(tree) if tree is not None else (None, ())
        for model in program.models[:1] if program is not None else ():
            try:
                lowered = lower(program, ModelInputs(model))
            except (CannotCompile, CannotVectorise):
                continue
            if can_go_abreast(lowered.kernel):
                yield lowered


@pytest.mark.parametrize("block", [3, *(pytest.param(b, marks=pytest.mark.long) for b in range(BLOCKS) if b != 3)])
def test_published_algorithms_run_the_same_in_lanes(block: int) -> None:
    compared = 0
    for lowered in published(block):
        single = outcomes(as_python(scalar_text(lowered.kernel)), lowered.kernel, lowered.constants, 70, cap=6)
        together = outcomes(as_python(abreast(lowered.kernel)), lowered.kernel, lowered.constants, 70, cap=6)
        same(single, together)
        sums = counts(as_python(abreast(lowered.kernel)), lowered.kernel, lowered.constants, 70, cap=6)
        same(counted(single, 6), sums)
        compared += 1
    assert compared > 3
