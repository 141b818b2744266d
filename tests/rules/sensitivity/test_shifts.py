"""Shifts: known cases of the theory, and random statistics against all neighbouring streams."""

from __future__ import annotations

import math
import random

import pytest
from neighbouring import ADJACENT, Values, fits, pairs
from small_statistics import draw, program, text_of
from thorough import several

from seqlang.analyses.shifts import statistics
from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Local
from seqlang.model.program import ReleaseGate
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.shifts import shift_of


def shift(statistic: str, declarations: str = "stream x in [0, 2]", **options: object) -> tuple[Shift, float]:
    body = f"{declarations}\nstatistic s = {statistic}\nreport r when step % 3 == 0\nstop when step >= 9"
    made = program(f'algorithm t "t"\n{body}')
    found = shift_of(made, Local("s"), **options)
    return found, enclose(found.radius, parameter_values(made)).high


BITS = "stream x in {0, 1}"
QUERY = "stream q in real\nadjacent every q within 3"
ONE_WAY = QUERY + " same direction"


@pytest.mark.parametrize(
    ("statistic", "declarations", "kind", "radius"),
    [
        ("x", "stream x in [0, 2]", "single step", 2),
        ("sum(x over steps)", "stream x in [0, 2]", "uniform", 2),
        ("-3 * sum(x over steps) + 7", "stream x in [0, 2]", "uniform", 6),
        ("sum(x over steps) - sum(x over steps)", "stream x in [0, 2]", "none", 0),
        ("sum(3 * x over steps) - sum(x over steps)", "stream x in [0, 2]", "uniform", 4),
        ("sum(x over last 5)", "stream x in [0, 2]", "window", 2),
        ("dot(sum(x over steps), [1, -2, 2])", "stream x in ball(1, 3)", "uniform", 6),  # 2 * sqrt(1 + 4 + 4)
        ("dot(sum(x over steps), [1, -2, 2])", "stream x in [0, 1] ^ 3", "uniform", 5),  # |1| + |-2| + |2|
        ("dot([0, 3], sum(x over last 2))", "stream x in ball(1, 2)", "arbitrary", 6),
        ("dot(sum(x over steps), if step == 1 then [1, 0] else [0, 1])", "stream x in ball(1, 2)", "arbitrary", 2),
        ("sum(x since r)", "stream x in [0, 2]", "window", 2),
        ("mean(x over steps)", "stream x in [0, 2]", "same sign, not growing", 2),
        ("sum(x over steps) / step", "stream x in [0, 2]", "same sign, not growing", 2),
        ("max(x over steps)", "stream x in [0, 2]", "same sign, not growing", 2),
        ("max(x over last 4)", "stream x in [0, 2]", "same direction", 2),
        ("max(0, previous(s, 0) + x - 1)", "stream x in [0, 2]", "same sign, not growing", 2),
        ("0.5 * previous(s, 0) + x", "stream x in [0, 2]", "same sign, not growing", 2),
        ("previous(s, 0) + x", "stream x in [0, 2]", "uniform", 2),
        ("-previous(s, 0) + x", "stream x in [0, 2]", "arbitrary", 2),
        ("1.5 * previous(s, 0) + x", "stream x in [0, 2]", "unbounded", math.inf),
        ("previous(s, 0) * x", "stream x in [0, 2]", "unbounded", math.inf),
        ("(if x > 1 then previous(s, 0) + 1 else 0)", "stream x in [0, 2]", "unbounded", math.inf),
        ("(if step % 4 == 0 then 0 else previous(s, 0) + x)", "stream x in [0, 2]", "same sign, not growing", 2),
        ("count(x > 1 over steps)", "stream x in [0, 2]", "uniform", 1),
        ("sum(x where x > 1 over steps)", "stream x in [0, 2]", "uniform", 2),
        ("sum(step * x over steps)", "stream x in [0, 2]", "unbounded", math.inf),
        ("sum(x / step over steps)", "stream x in [0, 2]", "uniform", 2),
        ("sum(sum(x over steps) over steps)", "stream x in [0, 2]", "unbounded", math.inf),
        ("sum(previous(x, 0) over steps)", "stream x in [0, 2]", "uniform", 2),
        ("zeros(x)", "stream x in {1, 2}", "unbounded", math.inf),  # how long it is shows x
        ("previous(x[1], 0)", "dataset x in [0, 2] size 3", "same direction", 2),  # in step 1 it is 0 on both sides
        ("abs(sum(x over steps))", "stream x in [-1, 2]", "arbitrary", 3),
        ("max(0, sum(x over steps))", "stream x in [-1, 2]", "same direction", 3),
        ("clip(sum(x over steps), 0, 1)", "stream x in [-1, 2]", "same direction", 1),
        ("sum(x over steps) > 3", "stream x in [-1, 2]", "arbitrary", 1),
        ("exp(sum(x over steps))", "stream x in [-1, 2]", "unbounded", math.inf),
        ("sum(x * x over steps)", "stream x in {-1, 0, 2}", "uniform", 4),
        ("q", QUERY, "arbitrary", 3),
        ("2 * q - q + 5", QUERY, "arbitrary", 3),
        ("abs(q)", QUERY, "arbitrary", 3),
        ("clip(q, 0, 1)", QUERY, "arbitrary", 1),
        ("q", ONE_WAY, "same direction", 3),
        ("-max(q, 4)", ONE_WAY, "same direction", 3),
        ("abs(q)", ONE_WAY, "arbitrary", 3),
        ("sum(q over steps)", QUERY, "unbounded", math.inf),
        ("sum(q over last 4)", QUERY, "arbitrary", 12),
        ("sum(q over last 4)", ONE_WAY, "same direction", 12),
        ("mean(q over steps)", QUERY, "arbitrary", 3),
        ("max(q over steps)", ONE_WAY, "same direction", 3),
        ("0.5 * previous(s, 0) + q", QUERY, "arbitrary", 6),
        ("log(max(p, 0.001))", "stream p in [0, 1]\nadjacent every log(max(p, 0.001)) within 0.2", "arbitrary", 0.2),
        ("p", "stream p in [0, 1]\nadjacent every log(max(p, 0.001)) within 0.2", "arbitrary", 1),
        ("sum(q over steps)", "stream q in real\nadjacent one q within 3", "uniform", 3),
        ("sum(q over steps)", "stream q in real", "unbounded", math.inf),
        ("sum(x over steps)", "stream x in [0, 2]\nadjacent replace 3", "arbitrary", 6),
        ("max(x over steps)", "stream x in [0, 2]\nadjacent replace 3", "arbitrary", 2),
        ("sum(x * y over steps)", "stream x in [0, 2], y in {-1, 1}", "uniform", 4),
        ("sum(x + y over steps)", "stream x in [0, 2], y in {-1, 1}", "uniform", 4),
        ("sum(u over steps)", "stream x in [0, 2]\npublic u in [0, 1]", "none", 0),
        ("sum(u * x over steps)", "stream x in [0, 2]\npublic u in [0, 1]", "uniform", 2),
        ("sum(sign * x over steps)", "stream x in [0, 2]\ndraw sign ~ uniform({-1, 1})", "uniform", 2),
        ("max(abs(sum(sign * (if x >= c then 1 else 0) over steps)) for c in {0.5, 1})",
         "stream x in [0, 2]\ndraw sign ~ uniform({-1, 1})", "arbitrary", 1),
        ("max(sum(x over last k) for k in 1..4)", "stream x in [0, 2]", "same direction", 2),
    ],
)  # fmt: skip
def test_classes_of_the_theory(statistic: str, declarations: str, kind: str, radius: float) -> None:
    found, size = shift(statistic, declarations)
    assert found.kind == kind
    assert size == pytest.approx(radius, rel=1e-12)


@pytest.mark.parametrize(("p0", "p1"), [(0.3, 0.7), (0.05, 0.25), (0.45, 0.55), (0.2, 0.9), (0.7, 0.3)])
def test_walds_statistic(p0: float, p1: float) -> None:
    statistic = "sum(log(bernoulli(p1).pmf(x) / bernoulli(p0).pmf(x)) over steps)"
    found, size = shift(statistic, f"param p0 in (0, 1) = {p0}\nparam p1 in (0, 1) = {p1}\n{BITS}")
    assert found.kind == "uniform"
    assert str(found.radius) == "abs(log(p1*(1 - p0)/(p0*(1 - p1))))"
    assert size == pytest.approx(abs(math.log(p1 * (1 - p0) / (p0 * (1 - p1)))), rel=1e-12)


BERNOULLI = "bernoulli(0.7).pmf(x) / bernoulli(0.2).pmf(x)"
NORMAL = "normal(1, 1).pdf(x) / normal(0, 1).pdf(x)"


@pytest.mark.parametrize("law", [BERNOULLI, NORMAL])
@pytest.mark.parametrize("A", [0.31, 0.5, 4])
def test_a_clipped_ratio_moves_by_twice_the_clip(law: str, A: float) -> None:
    domain = BITS if law is BERNOULLI else "stream x in real"
    found, size = shift(f"sum(clip(log({law}), -A, A) over steps)", f"param A > 0 = {A}\n{domain}")
    assert (found.kind, str(found.radius)) == ("uniform", "2*A")
    assert size == pytest.approx(2 * A, rel=1e-12)


def test_without_clip_a_gaussian_ratio_has_no_bound_and_the_note_says_why() -> None:
    found, size = shift(f"sum(log({NORMAL}) over steps)", "stream x in real")
    assert (found.kind, size) == ("unbounded", math.inf)
    assert "clip" in found.note
    bounded, size = shift(f"sum(log({NORMAL}) over steps)", "stream x in [-2, 2]")
    assert (bounded.kind, size) == ("uniform", 4)


def test_a_mean_read_late_moves_less() -> None:
    found, size = shift("mean(x over steps)", first=4)
    assert (found.kind, size) == ("same sign, not growing", 0.5)


CLIPPED = "sum(clip_norm(v[i], 2) for i in records)"


@pytest.mark.parametrize(
    ("value", "declarations", "norm", "radius"),
    [
        ("x", "dataset x in [0, 2] size 5", "l1", 2),
        ("sum(x)", "dataset x in [0, 2] size 5", "abs", 2),
        ("mean(x)", "dataset x in [0, 2] size 5", "abs", 0.4),
        ("max(x)", "dataset x in [0, 2] size 5", "abs", 2),
        ("sum(x[i] * x[i] for i in records)", "dataset x in [-1, 2] size 5", "abs", 4),
        ("count(x[i] > 1 for i in records)", "dataset x in [-1, 2] size 5", "abs", 1),
        ("x[2]", "dataset x in [0, 2] size 5", "abs", 2),
        ("q", "dataset q in real size 5\nadjacent every q within 3", "linf", 3),
        ("max(q)", "dataset q in real size 5\nadjacent every q within 3", "abs", 3),
        ("sum(q)", "dataset q in real size 5\nadjacent every q within 3", "abs", 15),
        ("q", "dataset q in real size 5\nadjacent one q within 3", "l1", 3),
        ("sum(q)", "dataset q in real size 5\nadjacent one q within 3", "abs", 3),
        ("sum(x)", "dataset x in [-1, 3] size 5\nadjacent add or remove one", "abs", 3),
        ("sum(x)", "dataset x in [-1, 3] size 5\nadjacent replace 2", "abs", 8),
        (CLIPPED, "dataset v in ball(9, 3) size 5", "l2", 4),
        (CLIPPED, "dataset v in ball(9, 3) size 5\nadjacent add or remove one", "l2", 2),
    ],
)  # fmt: skip
def test_datasets(value: str, declarations: str, norm: str, radius: float) -> None:
    made = program(f'algorithm t "t"\n{declarations}\nstop return {value}')
    gate = next(g for g in made.gates if isinstance(g, ReleaseGate))
    found = shift_of(made, gate.value)
    assert (found.kind, found.norm) == ("uniform", norm)
    assert enclose(found.radius, {}).high == pytest.approx(radius, rel=1e-12)


def test_a_flipped_name_moves_unless_its_choice_is_shown() -> None:
    text = (
        'algorithm t "t"\nstream x in {0, 1}\nstatistic b = x == 1\nstatistic n = count(b over steps)\n'
        "report r when n >= 3\nstop when step >= 9\nattach randomized_response(0.75) to b"
    )
    made = program(text)
    assert shift_of(made, Local("n")).kind == "uniform"
    assert shift_of(made, Local("n"), revealed=frozenset({"b"})).kind == "none"


def test_streams_of_another_length_are_no_neighbours_here() -> None:
    found, _ = shift("sum(x over steps)", "stream x in [0, 2]\nadjacent add or remove one")
    assert found.kind == "unbounded"
    assert "adding or removing" in found.note


@pytest.mark.parametrize("seed", range(several(20, 40)))
def test_random_statistics_against_all_neighbours(seed: int) -> None:
    r = random.Random(seed)
    body, names, meanings = draw(r)
    adjacency = r.choice(list(ADJACENT))
    made = program(text_of(adjacency, body))
    neighbours = pairs(adjacency, 3)
    for name, meaning in zip(names, meanings, strict=True):
        found = shift_of(made, Local(name))
        limit = enclose(found.radius, {}).high
        values = Values(meaning)
        for x, y in neighbours:
            differences = values.differences(x, y)
            assert fits(found.kind, differences), (text_of(adjacency, body), name, found, x, y)
            assert max(map(abs, differences)) <= limit, (text_of(adjacency, body), name, found, x, y)


def test_radii_of_listed_entries_are_attained() -> None:
    """Where all values of an entry are listed, the radius is the exact one."""
    body = "statistic s = sum(x * x - x over steps)"
    made = program(text_of("replace one", body))
    values = Values(lambda p: sum(v * v - v for v in p))
    attained = max(abs(d) for x, y in pairs("replace one", 3) for d in values.differences(x, y))
    assert enclose(shift_of(made, Local("s")).radius, {}).high == attained


def test_the_report_lists_every_statistic() -> None:
    body = "stream x in [0, D]\nstatistic s = sum(x over steps)\nstatistic t = x\nstop when step >= 3"
    made = program(f'algorithm t "t"\nparam D > 0 = 2\n{body}')
    rows = statistics(made)
    assert [(row.name, str(row.shift.radius)) for row in rows] == [("s", "D"), ("t", "D")]
    assert "uniform" in rows[0].words
