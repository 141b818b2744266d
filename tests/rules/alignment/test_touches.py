"""The rule about single looks: what it counts, and that a changed proof is not accepted."""

from __future__ import annotations

from fractions import Fraction

import pytest

from seqlang import driver
from seqlang.arithmetic.formula import enclose
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation, PureBound
from seqlang.record import replace
from seqlang.rules.alignment.touches import RULE, suggest
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

HEAD = "algorithm example\nstream q in real\nadjacent {adjacent}\n"


def loaded(body: str, adjacent: str = "one q within 1") -> Program:
    return driver.load(Source("<test>", HEAD.format(adjacent=adjacent) + body)).program


def private(program: Program) -> tuple[str, ...]:
    return tuple(gate.name for gate in program.gates if type(gate).__name__ != "PublicGate")


def bound(program: Program) -> float | str:
    found = suggest(program, private(program))
    if isinstance(found, str):
        return found
    assert isinstance(found.conclusion, PureBound)
    assert RULE.holds(program, found) is None
    return enclose(found.conclusion.epsilon, parameter_values(program)).high


@pytest.mark.parametrize(
    ("body", "looks"),
    [
        ("stop when q >= 3\n", 1),
        ("stop when sum(q over last 4) >= 3\n", 4),
        ("stop when max(sum(q over last 4), previous(q, 0)) >= 3\n", 4),
        ("stop when previous(previous(q, 0), 0) >= 3\n", 1),
        ("report r when sum(q over last 4) >= 3 and step % 2 == 0\n", 2),
        ("report r when sum(q over last 5) >= 3 and step % 2 == 0\n", 3),
        ("report r when sum(q over steps) >= 3\nstop when step >= 7\n", 7),
        ("report r when sum(q over steps) >= 3 and step % 3 == 1\nstop when step >= 7\n", 3),
        ("report r when sum(q over steps) >= 3 and step >= 5\nstop when step >= 7\n", 3),
        ("report r when sum(q over steps) >= 3 and step <= 5\n", 5),
        ("report r when sum(q over steps) >= 3 and step == 5\n", 1),
        ("report r when sum(q over steps) >= 3 and log2(step) == floor(log2(step))\nstop when step >= 20\n", 5),
        ("report cut when step % 9 == 0\nreport r when cut and sum(q since cut) >= 3\n", 1),
        ("memory m = 3\nreport r when m > 0 and sum(q over steps) >= 3\nupdate m = m - 1 when m > 0\n", 3),
    ],
)
def test_how_often_a_changed_entry_is_looked_at(body: str, looks: int) -> None:
    program = loaded(f"draw w ~ laplace(1) each step\n{body.replace('>= 3', '+ w >= 3')}")
    assert bound(program) == pytest.approx(looks)


@pytest.mark.parametrize(
    "body",
    [
        "stop when sum(q over steps) + w >= 3\n",
        "report cut when step % 9 == 0\nreport r when sum(q since cut) + w >= 3\n",
        "memory m = 3\nreport r when m > 0 and sum(q over steps) + w >= 3\nupdate m = m - 1 when r\n",
        "report r when max(q over steps) + w >= 3\n",
    ],
)
def test_no_limit(body: str) -> None:
    found = bound(loaded("draw w ~ laplace(1) each step\n" + body))
    assert isinstance(found, str)
    assert "nothing limits" in found


def test_every_entry_may_move() -> None:
    body = "draw w ~ laplace(1) each step\nreport r when q + w >= 3\nstop when step >= 7\n"
    assert bound(loaded(body, "every q within 1")) == pytest.approx(7)


# an entry of long ago decides which of two sums is read, or how long a window is, in every later step
@pytest.mark.parametrize(
    "body",
    [
        "statistic pair = [sum(clip(q, 0, 1) * (k - 1) over last 1) for k in 1..2]\n"
        "report r when {g} * clip(pair[m], 0, 1) + {g} * w >= {g}\n",
        "report r when {g} * clip(sum(clip(q, 0, 1) over last m), 0, 1) + {g} * w >= {g}\n",
        "report r when {g} * clip(sum(1 over last m), 1, 2) + {g} * w >= {g}\n",  # what is added up is no data
    ],
)
@pytest.mark.parametrize("g", ["1", "sqrt(2)", "(1 + 1 / step)"])
def test_an_old_entry_decides_what_is_looked_at(body: str, g: str) -> None:
    head = "statistic m = if sum(q over steps) >= 1 then 1 else 2\ndraw w ~ laplace(1) each step\n"
    assert bound(loaded(head + body.format(g=g) + "stop when step >= 50\n")) >= 24


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("draw w ~ gaussian(1) each step\nstop when q + w >= 3\n", "no translation"),
        ("draw w ~ staircase(1, 1, 0.5) each step\nstop when q + w >= 3\n", "staircase"),
        ("draw w ~ geometric(0.5) each step\nstop when q / 2 + w >= 3\n", "whole numbers"),
        ("draw w ~ exponential(1) each step\nstop when q + w >= 3\n", "no translation"),
    ],
)
def test_conditions(body: str, reason: str) -> None:
    found = bound(loaded(body))
    assert isinstance(found, str)
    assert reason in found


def test_noise_that_another_gate_reads() -> None:
    program = loaded("draw w ~ laplace(1) each step\nreport a when q + w >= 3\nreport b when q + w >= 5\n")
    assert isinstance(suggest(program, ("a",)), str)
    assert bound(program) == pytest.approx(1)


def derivation() -> tuple[Program, Derivation]:
    program = loaded("draw w ~ laplace(1) each step\nstop when sum(q over last 4) + w >= 3\n")
    found = suggest(program, private(program))
    assert isinstance(found, Derivation)
    return program, found


def test_a_smaller_bound_is_not_accepted() -> None:
    program, found = derivation()
    assert isinstance(found.conclusion, PureBound)
    smaller = PureBound(found.conclusion.gates, found.conclusion.epsilon * Fraction(99, 100))
    assert RULE.holds(program, replace(found, conclusion=smaller)) is not None


def test_no_translation_is_not_accepted() -> None:
    program, found = derivation()
    nothing = tuple(((),) for _ in found.evidence)
    assert RULE.holds(program, replace(found, evidence=nothing)) is not None
    assert RULE.holds(program, replace(found, evidence=found.evidence[:-1])) is not None
    assert RULE.name == found.rule
