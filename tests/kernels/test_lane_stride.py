"""Several steps in one go: nothing shows it but the time."""

from __future__ import annotations

import pytest
from lane_kernels import FAULTY, KERNELS, NOISY, ONCE, REFRESHED, SPRT, abreast, counted, counts, outcomes, same
from plain_kernels import as_python

from seqlang.backends.kernels.lanes import columns as lane_columns
from seqlang.backends.kernels.lanes.stride import stride_of
from seqlang.backends.kernels.one_by_one import scalar_text


@pytest.mark.parametrize("stride", [1, 2, *(pytest.param(stride, marks=pytest.mark.long) for stride in (4, 8))])
@pytest.mark.parametrize("name", ["sprt", pytest.param("noisy", marks=pytest.mark.long), "once"])
def test_steps_in_one_go_do_not_show(name: str, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, constants = KERNELS[name]
    monkeypatch.setattr(lane_columns, "stride_of", lambda kernel: stride)
    single, together = as_python(scalar_text(kernel)), as_python(abreast(kernel))
    for cap in (0, 1, 2, 3, 4, 7, 10):
        # no run but those in the lanes, and runs that take their places
        for count in (3, 110):
            one, other = (outcomes(function, kernel, constants, count, cap) for function in (single, together))
            same(one, other)
            same(counted(one, cap), counts(together, kernel, constants, count, cap))
            assert cap == 0 or one["steps"].max() == cap or count == 3
            assert not one["fault"].any()


@pytest.mark.parametrize("stride", [2, 4])
def test_errors_have_their_step_among_those_in_one_go(stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_columns, "stride_of", lambda kernel: stride)
    steps = set()
    for kernel, constants in (
        (FAULTY, (0.004, 0.0)),
        (FAULTY, (0.5, 0.0)),
        (FAULTY, (0.002, 0.01)),
        (ONCE, (4.0, 2.6)),
        (ONCE, (6.0, 2.4)),
        (ONCE, (6.0, 2.5)),
        (ONCE, (5.0, 2.8)),
    ):
        one, other = (outcomes(as_python(t), kernel, constants, 100) for t in (scalar_text(kernel), abreast(kernel)))
        assert one["fault"][0] in (3, 4, 5)
        assert other["fault"].tolist() == one["fault"].tolist()
        steps.add(one["fault"][2] % 2)
    assert steps == {0, 1}


def test_which_kernels_make_two_steps_in_one_go() -> None:
    assert [stride_of(kernel) for kernel in (SPRT, NOISY, REFRESHED, ONCE, FAULTY)] == [1, 2, 1, 2, 1]


@pytest.mark.parametrize(
    "stride", [pytest.param(1, marks=pytest.mark.long), 2, pytest.param(4, marks=pytest.mark.long)]
)
def test_runs_are_broken_off_when_the_flag_is_set(stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_columns, "stride_of", lambda kernel: stride)
    never = [0.5, 1.0, -1.0, 1e9, -1e9]
    found = outcomes(as_python(abreast(SPRT)), SPRT, never, 70, flag=1)
    begun = lane_columns.LANES
    assert (found["codes"] == -2).all()
    assert (found["steps"][:begun] == 1024).all() and not found["steps"][begun:].any()
    assert found["done"].tolist() == [begun, 1024 * begun]
    sums = counts(as_python(abreast(SPRT)), SPRT, never, 70, flag=1)
    same(counted(found), sums)
    assert sums["apart"].T.tolist() == [[run, 1024, -2] for run in range(begun)]
