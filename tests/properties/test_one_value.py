"""One expression, one value: what fractions and mpmath make of a random program, and what each part of seqlang does.

Every program is run on all sequences of its entries. The oracle (`one_value/meaning.py`, `one_value/programs.py`)
shares nothing with the code under test. A part may refuse a program, or say that it does not decide it; it may not be
wrong.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from one_value import meaning as m
from one_value.expressions import Expressions
from one_value.judge import NOT_RATIONAL, judged, proved
from one_value.programs import Program, random_program

from seqlang.diagnostics import SpecError

PARTS = ("interpreter", "release", "numpy", "kernels", "twin", "transcripts", "solve")
UNREACHED = ("E0312", "E0318")
"""A constant without a value, or an if with equal sides, is refused wherever it is written; the oracle looks only at
what is reached."""


def closed(seed: int) -> Program:
    """A program that returns an expression of constants in its first step."""
    rng = random.Random(seed)
    made = Expressions(rng, odd=rng.random() < 0.2)
    return Program(("0", "1"), (), (), made.truth(0), made.number(rng.choice((1, 2, 2, 3))), 1)


def of_steps(seed: int) -> Program:
    rng = random.Random(seed)
    return random_program(rng, irrational=rng.random() < 0.2)


def verdicts(program: Program, is_closed: bool) -> Iterator[tuple[str, str]]:
    """(part, what it makes of the program)"""
    try:
        yield from judged(program)
        if is_closed:
            yield "prover", proved(program)
    except (m.TooLong, m.Unspecified, OverflowError):
        yield "oracle", "refuses"
    except SpecError as error:
        yield "check", f"refuses: {_refusal(program, error)}"


def _refusal(program: Program, error: SpecError) -> str:
    code, message = error.diagnostics[0].code, error.diagnostics[0].message
    if code == "E0419":
        may = any(name in program.text for name in NOT_RATIONAL)
        return code if may else f"DIFFERS: {message}"
    return code if code in UNREACHED or "limits of clip" in message else f"DIFFERS: {code} {message}"


def compared(programs: Iterator[Program], is_closed: bool) -> Counter[tuple[str, str]]:
    """How many programs each part has agreed on or refused; fails at the first that it has wrong."""
    found: Counter[tuple[str, str]] = Counter()
    for program in programs:
        for part, what in verdicts(program, is_closed):
            assert "DIFFERS" not in what, f"{part}: {what}\n{program.text}"
            found[part, what.split(":")[0].split(" [")[0]] += 1
    return found


def blocks(short: int, long: int) -> list[object]:
    return [pytest.param(k, marks=() if k < short else pytest.mark.long) for k in range(long)]


@pytest.mark.parametrize("block", blocks(4, 500))
def test_closed_expressions(block: int) -> None:
    """50,000 in the long form."""
    found = compared(map(closed, range(100 * block, 100 * block + 100)), True)
    for part in ("interpreter", "release", "prover"):
        assert found[part, "agrees"] >= 50, found
        assert found[part, "does not decide"] == 0, found


@pytest.mark.parametrize("block", blocks(4, 250))
def test_programs(block: int) -> None:
    """5,000 in the long form."""
    found = compared(map(of_steps, range(20 * block, 20 * block + 20)), False)
    assert found["interpreter", "agrees"] >= 10, found
    assert found["interpreter", "does not decide"] <= 2, found


def test_a_wrong_value_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """With an oracle that takes a whole part too few, every part is said to be wrong."""
    floor = m.floor
    monkeypatch.setattr(m, "floor", lambda c, x: floor(c, x) - 1)
    rng = random.Random(5)
    made = Expressions(rng)
    result = m.E("number", "floor(0.7 * 10)", lambda c: m.function("floor", c, m.Fraction(7)))
    program = Program(("0", "1"), (), (), made.truth(0), result, 1)
    wrong = {part for part, what in verdicts(program, True) if "DIFFERS" in what}
    assert wrong >= {*PARTS, "prover"}
