"""A flip of a flip against the product of the two transition matrices."""

from __future__ import annotations

import random
from itertools import product
from math import inf, log

import pytest
from elaborated import elaborated

from seqlang.analyses.prove import prove, size_of
from seqlang.arithmetic.enclosure import exact_value
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.alphabet import alphabet_of
from seqlang.elaborate import elaborate
from seqlang.model.expression import Noised, walk
from seqlang.proof.replay import replay
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.finite import letters
from seqlang.source import Source
from seqlang.syntax import parse


def bound(*lines: str) -> float:
    made = elaborated("\n".join(("algorithm t", *lines)))
    proved = prove(made)
    if proved.pure is None:
        return inf
    assert not replay(made, proved.pure)
    return size_of(made, proved.pure)


def exact(k: int, *truths: float) -> float:
    """The largest log ratio of two rows of the product of the matrices, by enumeration of all paths."""

    def chance(x: int, z: int) -> float:
        total = 0.0
        for path in product(range(k), repeat=len(truths) - 1):
            steps = list(zip((x, *path), (*path, z), truths, strict=True))
            value = 1.0
            for here, there, truth in steps:
                value *= truth if here == there else (1 - truth) / (k - 1)
            total += value
        return total

    return max(log(chance(x, z) / chance(y, z)) for x, y, z in product(range(k), repeat=3))


def twice(k: int, a: float, b: float, *more: str, life: str = "") -> float:
    return bound(f"stream x in 1..{k}", "statistic y = x", "statistic z = y",
                 f"attach randomized_response({a}) to y {life}", f"attach randomized_response({b}) to z",
                 *more)  # fmt: skip


def test_both_flips_count() -> None:
    draws = random.Random(4)
    for _ in range(12):
        k, a, b = draws.randint(2, 5), round(draws.uniform(0.05, 0.95), 3), round(draws.uniform(0.05, 0.95), 3)
        found = twice(k, a, b, "stop return z")
        assert found == pytest.approx(exact(k, a, b), rel=1e-9), (k, a, b)


def test_three_flips() -> None:
    found = bound("stream x in {0, 1}", "statistic y = x", "statistic z = y", "statistic w = z", "stop return w",
                  "attach randomized_response(0.9) to y", "attach randomized_response(0.8) to z",
                  "attach randomized_response(0.7) to w")  # fmt: skip
    assert found == pytest.approx(exact(2, 0.9, 0.8, 0.7), rel=1e-9)


def test_new_flips_at_every_showing() -> None:
    assert twice(2, 0.8, 0.7, "report r = z") == pytest.approx(exact(2, 0.8, 0.7), rel=1e-9)


def test_a_flip_that_stays_is_not_counted_again() -> None:
    """Of an entry of a dataset, shown ten times: the inner flip can be learnt, the outer ones wear off."""
    found = bound("dataset x in {0, 1} size 3", "statistic y = x[1]", "statistic z = y", "report r = z",
                  "stop when step >= 10", "attach randomized_response(0.8) to y once",
                  "attach randomized_response(0.7) to z")  # fmt: skip
    same, other = 0.8 * 0.7**10 + 0.2 * 0.3**10, 0.2 * 0.7**10 + 0.8 * 0.3**10
    assert found >= log(same / other)


def test_an_answer_that_is_shown_too() -> None:
    """Both y and z are seen: y alone costs log(a / (1 - a)), and z is a function of y and coins."""
    found = twice(2, 0.8, 0.7, "report first = y", "report second = z")
    assert found >= log(0.8 / 0.2) * (1 - 1e-12)


def test_a_vector() -> None:
    found = bound("dataset x in {0, 1} size 6", "adjacent replace 3", "statistic y = x", "statistic z = y",
                  "stop return z", "attach randomized_response(0.8) to y",
                  "attach randomized_response(0.7) to z")  # fmt: skip
    assert found == pytest.approx(3 * exact(2, 0.8, 0.7), rel=1e-9)


def test_flips_among_different_values_are_not_joined() -> None:
    """The inner flip chooses among 0 and 1, the outer one among 0, 1 and 2: the product of the two matrices is not that
    of one flip, and costs log(0.6875 / 0.1875) = log(11/3)."""
    found = bound("param u in {0, 1} = 1", "stream x in {0, 1}", "statistic s = x",
                  "statistic t = if u == 1 then s else 2", "report A = t", "stop",
                  "attach randomized_response(0.1) to s", "attach randomized_response(0.75) to t")  # fmt: skip
    assert found >= log(11 / 3)


@pytest.mark.parametrize(
    ("domain", "base"),
    [
        ("1..4", "x"),
        ("{0, 2, 5}", "x"),
        ("1..4", "x % 3"),
        ("1..4", "x >= 2"),
        ("1..4", "if x >= 2 then 7 else x"),
        ("1..4", "if u == 1 then x % 2 else x % 3"),
    ],
)
def test_the_proof_and_the_runs_read_one_alphabet(domain: str, base: str) -> None:
    text = ("algorithm t", "param u in {0, 1} = 1", f"stream x in {domain}", f"statistic s = {base}", "report A = s",
            "stop", "attach randomized_response(0.7) to s")  # fmt: skip
    tree, found = parse(Source("<test>", "\n".join(text)))
    assert tree is not None, found
    program, _ = elaborate(tree, {})
    assert program is not None
    facts = facts_of(program)
    read = next(node for node in walk(program.body[-2].value) if isinstance(node, Noised))
    run = alphabet_of(Compiler(program), read)
    flipped = facts.expand(read)
    assert isinstance(flipped, Noised)
    proof = letters(facts, flipped.base)
    assert proof is not None and run is not None
    assert {v if isinstance(v, bool) else exact_value(v, {}) for v in proof} == set(run)
