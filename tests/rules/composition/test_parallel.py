"""Gates that speak of different entries cost what one entry, or the two that differ, have to do with.

The expected numbers are sums of sensitivities over scales, by hand.
"""

from __future__ import annotations

import math

import pytest

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import enclose
from seqlang.proof.derivation import ConcentratedBound, PureBound
from seqlang.rules.composition import parallel
from seqlang.rules.reading import partition
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source


def bounds(body: str) -> tuple[float, float]:
    """The pure and the concentrated bound; infinite where there is none."""
    program = driver.load(Source("<test>", f"algorithm example\n{body}\n")).program
    found = prove(program)
    values = parameter_values(program)
    pure = found.pure.conclusion if found.pure else None
    rho = found.zcdp.conclusion if found.zcdp else None
    return (
        enclose(pure.epsilon, values).high if isinstance(pure, PureBound) else math.inf,
        enclose(rho.rho, values).high if isinstance(rho, ConcentratedBound) else math.inf,
    )


def two(
    first: str, second: str, before: str = "public arm in {1, 2}", between: str = "", noise: str = "laplace(1)"
) -> str:
    return (
        f"stream x in [0, 1]\n{before}\nstatistic a = {first}\n{between}\nstatistic b = {second}\n"
        f"report ra = a when step == 9\nreport rb = b when step == 9\nstop when step >= 9\nattach {noise} to ra, rb"
    )


PRIVATE = "stream x in [0, 1], arm in {1, 2}\n"


@pytest.mark.parametrize(
    ("body", "pure"),
    [
        (two("sum(x where arm == 1 over steps)", "sum(x where arm == 2 over steps)"), 1),
        (two("sum(if arm == 1 then x else 0 over steps)", "sum(x where arm != 1 over steps)"), 1),
        (two("mean(x where arm <= 1 over last 3)", "sum(x where arm > 1 since ra)"), 1),
        (two("count(x > 0.5 and arm == 1 over steps)", "count(x > 0.5 and not (arm == 1) over steps)"), 1),
        (two("sum(x where step <= 4 over steps)", "sum(x where step >= 5 over steps)", ""), 1),
        (two("if arm == 1 then max(previous(a, 0), x) else previous(a, 0)", "sum(x where arm > 1 over steps)"), 1),
        # a memory that is turned in every step, read at the same time by both
        (two("sum(x where w == 1 over steps)", "sum(x where w == 2 over steps)", "memory w = 1\nupdate w = 3 - w"), 1),
        # the two entries that differ may lie in two cells
        (two("count(x >= 0.5 over steps)", "count(x < 0.5 over steps)", ""), 2),
        # not apart: they overlap; two times of a memory; a default that reads the entry; what is added reads it
        (two("sum(x where arm >= 1 over steps)", "sum(x where arm == 2 over steps)"), 2),
        (two("sum(x where w == 1 over steps)", "sum(x where w > 1 over steps)", "memory w = 1", "update w = 3 - w"), 2),
        (two("sum(if arm == 1 then 0 else x over steps)", "sum(x where arm == 2 over steps)"), 2),
        (two("sum(x where arm == 1 over steps) + x", "sum(x where arm == 2 over steps)"), 3),
        (two("sum(previous(x, 0) where arm == 1 over steps)", "sum(x where arm == 2 over steps)"), 2),
    ],
)  # fmt: skip
def test_two_sums_of_a_stream(body: str, pure: float) -> None:
    assert bounds(body)[0] == pytest.approx(pure)


@pytest.mark.parametrize(
    ("adjacency", "tests", "pure"),
    [
        ("add or remove one", ("g[i] == 1", "g[i] == 2", "g[i] == 3"), 1),
        ("replace one", ("g[i] == 1", "g[i] == 2", "g[i] == 3"), 2),
        ("replace one", ("i <= 3", "i > 3 and i <= 5", "i >= 6"), 1),
        ("add or remove one", ("g[i] == 1", "g[i] == 2", "g[i] >= 2"), 2),
        ("replace 2", ("g[i] == 1", "g[i] == 2", "g[i] == 3"), 4),
        # 1/10 + 1/5 is more than 3/10 in doubles, and one half is 1/4 + 1/4
        ("add or remove one", ("x[i] < 0.1 + 0.2", "x[i] >= 0.3", "g[i] == 3"), 3),
        ("add or remove one", ("x[i] < 0.25 + 0.25", "x[i] >= 0.5", "g[i] == 3"), 2),
    ],
)
def test_three_sums_of_records(adjacency: str, tests: tuple[str, ...], pure: float) -> None:
    sums = "\n".join(f"report r{n} = sum(x[i] for i in records where {test})" for n, test in enumerate(tests))
    head = f"dataset x in [0, 1], g in {{1, 2, 3}} size 9\nadjacent {adjacency}"
    assert bounds(f"{head}\n{sums}\nstop\nattach laplace(1) to r0, r1, r2")[0] == pytest.approx(pure)


def test_a_fold_inside_a_fold_reads_other_records() -> None:
    head = "dataset x in [0, 1], g in {1, 2} size 4\nadjacent replace one"
    outer = "report a = sum(min(1, sum(x[j] for j in records where g[i] == 1)) for i in records)"
    rest = "report b = sum(x[i] for i in records where g[i] == 2)\nstop\nattach laplace(1) to a, b"
    program = driver.load(Source("<test>", f"algorithm example\n{head}\n{outer}\n{rest}\n")).program
    assert partition.conditions_of(program, ("a",)) == ()


def test_divergences_take_conditions_that_nothing_shown_decides() -> None:
    """Cells that the step decides stand apart for every notion, cells that a public input decides for pure bounds."""
    steps = two("sum(x where step <= 4 over steps)", "sum(x where step > 4 over steps)", "")
    chosen = two("sum(x where arm == 1 over steps)", "sum(x where arm == 2 over steps)")
    apart, together = [frozenset({0}), frozenset({1})], [frozenset({0, 1})]
    for body, adaptive, sets in ((steps, False, apart), (chosen, True, apart), (chosen, False, together)):
        program = driver.load(Source("<test>", f"algorithm example\n{body}\n")).program
        found = parallel._sets_of_parts(program, [("ra",), ("rb",)], adaptive)
        assert found is not None and sorted(found, key=sorted) == sets


def test_tests_of_two_arms() -> None:
    """A sum moves by one constant of at most 1, which a threshold with noise of scale 2 hides; one of the two moves."""
    body = (
        "stream x in [0, 1]\npublic arm in {1, 2}\nparam s = 10\nparam t = 20\n"
        "statistic a = sum(x where arm == 1 over steps)\nstatistic b = sum(x where arm == 2 over steps)\n"
        "report ra when a >= s\nreport rb when b >= t\nstop when ra\nstop when rb\n"
        "attach laplace(2) to s, t once\nattach laplace(4) to a, b"
    )
    assert bounds(body)[0] == pytest.approx(0.5)


def test_largest_sets() -> None:
    """Against all subsets."""
    apart = {(a, b) for a, b in [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)] for a, b in ((a, b), (b, a))}
    subsets = [frozenset(i for i in range(6) if mask >> i & 1) for mask in range(64)]
    fine = [s for s in subsets if not any(i in s and j in s for i, j in apart)]
    largest = {s for s in fine if not any(s < other for other in fine)}
    found = parallel._largest_sets(frozenset(range(6)), apart)
    assert found is not None and set(found) == largest
