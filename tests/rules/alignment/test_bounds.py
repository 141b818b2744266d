"""The cheapest alignments of the known structures."""

from __future__ import annotations

import pytest
from structures import (
    ARBITRARY,
    DOWN,
    KEPT_MOVES,
    OPPOSITE,
    OPPOSITE_EVERYWHERE,
    REFRESHED,
    RESTARTED_MOVES,
    SAME_DIRECTION,
    SAME_SIGN,
    SINCE,
    UNIFORM,
    D,
    W,
    X,
    Z,
    move,
    noise,
    one_sided,
    program,
    repeated,
    stop,
    terms,
    value,
)

from seqlang.model.gate_source import OfStop
from seqlang.model.life import EachStep, Once
from seqlang.model.program import And, CompareGate, Margin, Not, Or, Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.rules.alignment import stopping
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.motion.shift import Move

SCALES = [(1, 1), (2, 1), (1, 4), (3.7, 0.9)]


def epsilon(monkeypatch: pytest.MonkeyPatch, spec: Program, moves: tuple[Move, ...], *gates: str) -> PureBound | str:
    facts_of(spec).answers.clear()  # the moves are not part of the program here
    monkeypatch.setattr(stopping, "moves", lambda *_, **__: moves)
    found = stopping.suggest(spec, gates or tuple(g.name for g in spec.gates if isinstance(g, CompareGate)))
    if isinstance(found, str):
        return found
    assert isinstance(found, Derivation)
    assert stopping.RULE.holds(spec, found) is None
    assert isinstance(found.conclusion, PureBound)
    return found.conclusion


def check(monkeypatch: pytest.MonkeyPatch, spec: Program, moves: tuple[Move, ...], expected: object) -> None:
    bound = epsilon(monkeypatch, spec, moves)
    assert isinstance(bound, PureBound), bound
    for lz, lw in SCALES:
        for c in (1, 2, 5):
            got = value(bound.epsilon, D=1, lz=lz, lw=lw, c=c)
            want = expected(1 / lz, 1 / lw, c) if callable(expected) else expected
            assert got == pytest.approx(want, rel=1e-12), (str(bound.epsilon), lz, lw, c)


TWO_SIDED = program(
    (Z, noise("y", "lz", Once()), W, noise("v", "lw", EachStep())),
    (stop(1, z=-1, w=1), stop(2, y=1, v=-1)),
)
SHARED_W = program((Z, noise("y", "lz", Once()), W), (stop(1, z=-1, w=1), stop(2, y=1, w=-1)))
OUTSIDE = program((Z, W), (stop(1, z=-1, w=1), stop(2, z=-1, w=-1)))
PARALLEL = program((Z, W), (stop(1, z=-1, w=1), stop(2, z=1, w=-1)))


@pytest.mark.parametrize(
    ("spec", "moves", "expected"),
    [
        (one_sided(), UNIFORM, lambda z, w, c: max(z, w)),
        (one_sided(), SAME_SIGN, lambda z, w, c: z + w),
        (one_sided(), ARBITRARY, lambda z, w, c: z + 2 * w),
        (TWO_SIDED, OPPOSITE, lambda z, w, c: z + w),
        (SHARED_W, OPPOSITE, lambda z, w, c: z + w),
        (OUTSIDE, OPPOSITE, lambda z, w, c: z + 2 * w),
        (OUTSIDE, OPPOSITE_EVERYWHERE, lambda z, w, c: z + 2 * w),
        (TWO_SIDED, OPPOSITE_EVERYWHERE, lambda z, w, c: 2 * z + 2 * w),
        (repeated(), KEPT_MOVES, lambda z, w, c: max(z + (c - 1) * w, c * w)),
        (repeated(REFRESHED), KEPT_MOVES, lambda z, w, c: max(c * z, w + (c - 1) * min(w, z))),
        (repeated(REFRESHED, SINCE), RESTARTED_MOVES, lambda z, w, c: max(z, w)),
        (repeated(), ARBITRARY, lambda z, w, c: z + 2 * c * w),
        (repeated(REFRESHED), ARBITRARY, lambda z, w, c: c * (z + 2 * w)),
        (repeated(), SAME_DIRECTION, lambda z, w, c: z + c * w),
    ],
)
def test_theorems(monkeypatch: pytest.MonkeyPatch, spec: Program, moves: tuple[Move, ...], expected: object) -> None:
    check(monkeypatch, spec, moves, expected)


@pytest.mark.parametrize(
    ("spec", "moves"),
    [
        (PARALLEL, OPPOSITE),
        (one_sided(z=None), UNIFORM),
        (one_sided(w=None), UNIFORM),
        (one_sided(z=None), ARBITRARY),
        (repeated(limited=False), KEPT_MOVES),
        (repeated(REFRESHED, limited=False), KEPT_MOVES),
        (one_sided(z=noise("z", "lz", Once(), "gaussian")), UNIFORM),
        # one-sided noise on an upper threshold must push upwards: here it would have to leave its support
        (program((noise("z", "lz", Once(), "exponential"), W), (stop(1, z=1, w=1),)), UNIFORM),
    ],
)
def test_no_alignment(monkeypatch: pytest.MonkeyPatch, spec: Program, moves: tuple[Move, ...]) -> None:
    assert isinstance(epsilon(monkeypatch, spec, moves), str)


def test_an_unlimited_number_of_restarted_segments_costs_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    bound = epsilon(monkeypatch, repeated(REFRESHED, SINCE, limited=False), RESTARTED_MOVES)
    assert isinstance(bound, PureBound)
    assert str(bound.epsilon) == "max(D/lz, D/lw)"


@pytest.mark.parametrize(
    ("spec", "moves", "text"),
    [
        (one_sided(), UNIFORM, "max(D/lz, D/lw)"),
        (TWO_SIDED, OPPOSITE, "D/lz + D/lw"),
        (OUTSIDE, OPPOSITE_EVERYWHERE, "D/lz + 2*D/lw"),
    ],
)
def test_printed(monkeypatch: pytest.MonkeyPatch, spec: Program, moves: tuple[Move, ...], text: str) -> None:
    bound = epsilon(monkeypatch, spec, moves)
    assert isinstance(bound, PureBound)
    assert str(bound.epsilon) == text


def test_exponential_noise_costs_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = one_sided(noise("z", "lz", Once(), "exponential"), noise("w", "lw", EachStep(), "exponential"))
    check(monkeypatch, spec, UNIFORM, lambda z, w, c: max(z, w))


def test_a_noise_with_twice_the_factor_moves_half_as_far(monkeypatch: pytest.MonkeyPatch) -> None:
    check(monkeypatch, program((Z, W), (stop(1, z=-2, w=3),)), SAME_SIGN, lambda z, w, c: z / 2 + w / 3)


def test_either_of_two_conditions_is_two_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    noises = (Z, noise("y", "lz", Once()), W, noise("v", "lw", EachStep()))
    high, low = Margin(X, terms(z=-1, w=1), False), Margin(X, terms(y=1, v=-1), False)
    spec = program(noises, (CompareGate(OfStop(1), None, Or((high, low))),))
    check(monkeypatch, spec, OPPOSITE, lambda z, w, c: z + w)


def test_both_of_two_conditions(monkeypatch: pytest.MonkeyPatch) -> None:
    # up together: both thresholds move; down together: both fresh noises move
    noises = (Z, noise("y", "lz", Once()), W, noise("v", "lw", EachStep()))
    both = And((Margin(X, terms(z=-1, w=1), False), Margin(X, terms(y=-1, v=1), False)))
    spec = program(noises, (CompareGate(OfStop(1), None, both),))
    together = (move("up", [(D, D), (D, D)]), move("down", [(0, -D), (0, -D)]))
    check(monkeypatch, spec, together, lambda z, w, c: 2 * max(z, w))


def test_a_negated_condition_turns_round(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = program((Z, W), (CompareGate(OfStop(1), None, Not(Margin(X, terms(z=1, w=-1), True))),))
    check(monkeypatch, spec, UNIFORM, lambda z, w, c: max(z, w))


def test_noise_read_outside_of_the_group(monkeypatch: pytest.MonkeyPatch) -> None:
    found = epsilon(monkeypatch, OUTSIDE, (DOWN,), "stop 1")
    assert isinstance(found, str)
    assert "stop 2" in found
