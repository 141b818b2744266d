"""Joint moves of several margins: known vertices, and every observed pair of differences inside their hull."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from neighbouring import ADJACENT, Values, pairs
from scipy.optimize import linprog
from small_statistics import draw, program, text_of
from thorough import several

from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Apply, Local, Number, Term
from seqlang.model.program import Margin
from seqlang.rules.sensitivity.motion.moves import moves
from seqlang.rules.sensitivity.motion.shift import Move, Step


def compared(body: str, names: Sequence[tuple[str, int]], **options: object) -> tuple[Move, ...] | str:
    made = program(f'algorithm t "t"\n{body}\nstop when step >= 9')
    values = [Local(n) if s > 0 else Apply("negate", (Local(n),)) for n, s in names]
    return moves(made, [Margin(value, (), False) for value in values], **options)


def numbers(steps: Sequence[Step]) -> tuple[tuple[float, float], ...]:
    return tuple((enclose(s.before, {}).high, enclose(s.at, {}).high) for s in steps)


def test_both_ends_of_a_running_sum() -> None:
    found = compared("stream x in [0, 2]\nstatistic s = sum(x over steps)", [("s", 1), ("s", -1)])
    assert not isinstance(found, str)
    assert {(numbers(m.within), numbers(m.after)) for m in found} == {
        (((2, 2), (0, -2)), ((2, 2), (-2, -2))),
        (((0, -2), (2, 2)), ((-2, -2), (2, 2))),
    }


def test_opposite_statistics_of_one_entry_rise_and_fall_together() -> None:
    body = "stream x in {0, 1}\nstatistic up = sum(x * x - 2 over steps)\nstatistic down = sum(5 - exp(x) over steps)"
    found = compared(body, [("up", 1), ("down", 1)])
    assert not isinstance(found, str)
    at = {tuple(np.sign([d for _, d in numbers(m.within)])) for m in found}
    assert at == {(1, -1), (-1, 1)}


def test_cusums_of_both_sides_move_against_each_other() -> None:
    body = (
        "stream x in [-1, 1]\nstatistic up = max(0, previous(up, 0) + x)\n"
        "statistic down = max(0, previous(down, 0) - x)"
    )
    found = compared(body, [("up", 1), ("down", 1)])
    assert not isinstance(found, str)
    for move in found:
        (_, a), (_, b) = numbers(move.within)
        assert a * b <= 0


def test_queries_move_freely_or_one_way() -> None:
    body = "stream q in real\nadjacent every q within 3{}\nstatistic s = q"
    found = compared(body.format(""), [("s", 1)])
    assert not isinstance(found, str)
    assert {numbers(m.within) for m in found} == {((3, 3),), ((3, -3),)}
    assert all(m.everywhere for m in found)
    assert len({m.family for m in found}) == 1
    found = compared(body.format(" same direction"), [("s", 1)])
    assert not isinstance(found, str)
    families = {m.family: set() for m in found}
    for move in found:
        families[move.family].add(numbers(move.within))
    assert sorted(map(sorted, families.values())) == [[((0, -3),), ((0, 0),)], [((3, 0),), ((3, 3),)]]


def test_sums_since_a_report_are_still_in_later_segments() -> None:
    body = "stream x in [0, 2]\nstatistic s = sum(x since high)\nreport high when s >= 3\nattach laplace(1) to s"
    found = compared(body, [("s", 1)])
    assert not isinstance(found, str)
    assert {(numbers(m.within), numbers(m.after)) for m in found} == {
        (((2, 2),), ((0, 0),)),
        (((0, -2),), ((0, 0),)),
    }


def test_another_report_cuts_but_does_not_reset() -> None:
    body = (
        'algorithm t "t"\nstream x in [0, 2]\nstatistic s = sum(x since high)\nreport high when s >= 3\n'
        "report low when s <= 1\nstop when step >= 9\nattach laplace(1) to s"
    )
    found = moves(program(body), [Margin(Local("s"), (), False)])
    assert not isinstance(found, str)
    assert any(numbers(m.after) == ((2, 2),) for m in found)


def test_a_noise_that_is_part_of_the_statistic_cannot_be_translated() -> None:
    made = program(
        'algorithm t "t"\nstream x in [0, 2]\nstatistic s = sum(x over steps)\nstop when s >= 3\nattach laplace(1) to x'
    )
    one = Number(Fraction(1))
    assert isinstance(moves(made, [Margin(Local("s"), (Term("x.step", one),), False)]), str)
    assert not isinstance(moves(made, [Margin(Local("s"), (), False)]), str)


def test_nothing_moves() -> None:
    found = compared("stream x in [0, 2]\nstatistic s = sum(step over steps)", [("s", 1)])
    assert not isinstance(found, str)
    assert [numbers(m.within) for m in found] == [((0, 0),)]


def test_unbounded_says_why() -> None:
    found = compared("stream x in real\nstatistic s = sum(x over steps)", [("s", 1)])
    assert isinstance(found, str)
    assert "clip" in found


# ---- brute force


def in_hull(vertices: list[tuple[list[float], list[float]]], before: Sequence[float], at: Sequence[float]) -> bool:
    """Some mixture of the vertices has exactly these `at` and at least these `before`."""
    m, d = np.array([v[0] for v in vertices]), np.array([v[1] for v in vertices])
    solved = linprog(
        np.zeros(len(vertices)),
        A_ub=-m.T,
        b_ub=-np.array(before, float) + 1e-9,
        A_eq=np.vstack([np.ones(len(vertices)), d.T]),
        b_eq=[1.0, *at],
        bounds=(0, None),
    )
    return bool(solved.status == 0)


def vertex(*segments: Sequence[Step]) -> tuple[list[float], list[float]]:
    steps = [pair for segment in segments for pair in numbers(segment)]
    return [m for m, _ in steps], [d for _, d in steps]


@pytest.mark.parametrize("seed", range(several(6, 25)))
def test_observed_differences_are_mixtures_of_the_moves(seed: int) -> None:
    r = random.Random(seed)
    body, names, meanings = draw(r)
    adjacency = r.choice(list(ADJACENT))
    text = text_of(adjacency, body)
    chosen = [(i, r.choice((1, -1))) for i in r.sample(range(4), r.choice((1, 2, 2, 3)))]
    values = [Local(names[i]) if s > 0 else Apply("negate", (Local(names[i]),)) for i, s in chosen]
    found = moves(program(text), [Margin(value, (), False) for value in values])
    if isinstance(found, str):
        return
    quantities = [(Values(meanings[i]), s) for i, s in chosen]
    one: dict[tuple[tuple[float, ...], tuple[float, ...]], object] = {}
    two: dict[tuple[tuple[float, ...], tuple[float, ...]], object] = {}
    length = 3 if found[0].everywhere else 4
    for x, y in pairs(adjacency, length):
        moved = [[float(s * d) for d in q.differences(x, y)] for q, s in quantities]
        entry = next(i for i in range(length) if x[i] != y[i])
        for t in range(length):
            start = t // 2 * 2 if "since" in body else 0  # the segment that `even` cuts
            if start <= entry or found[0].everywhere:
                before = tuple(max([0.0, *d[start:t]]) for d in moved)
                one[before, tuple(d[t] for d in moved)] = (x, y, t)
        if found[0].everywhere or entry > 1 or sum(a != b for a, b in zip(x, y, strict=True)) > 1:
            continue
        # the report `even` cuts after two steps: one pair of steps decides in each of the two segments
        for t in range(entry, 2):
            for u in (2, 3):
                both = [max([0.0, *d[:t]]) for d in moved] + [max([-1e6, *d[2:u]]) for d in moved]
                two[tuple(both), (*(d[t] for d in moved), *(d[u] for d in moved))] = (x, y, t, u)
    within = [vertex(m.within) for m in found]
    for (before, at), where in one.items():
        assert in_hull(within, before, at), (text, chosen, where)
    joint = [vertex(m.within, m.after) for m in found]
    for (before, at), where in two.items():
        assert in_hull(joint, before, at), (text, chosen, where)
