"""What elaboration makes of small specs: cells and their places, noises and their names, lives, values of params."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from seqlang.elaborate import elaborate
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.life import EachReport, EachStep, Once
from seqlang.model.validate import validate
from seqlang.source import Source
from seqlang.syntax import parse

HEAD = "algorithm t\nparam a = 1\nparam b = 2\nstream x in [0, 1]\n"


def made(text: str, **values: Fraction) -> p.Program:
    file, diagnostics = parse(Source("test", text))
    assert file is not None, diagnostics
    program, diagnostics = elaborate(file, values)
    assert program is not None, diagnostics
    assert validate(program) == ()
    return program


def order(program: p.Program) -> list[str]:
    return [
        s.memory if isinstance(s, p.Update) else f"stop {s.index}" if isinstance(s, p.Stop) else s.name
        for s in program.body
    ]


def test_accumulators_stand_before_and_lookbacks_behind_their_statement() -> None:
    program = made(
        HEAD + "statistic s = sum(x over steps)\nstatistic g = max(0, previous(g, 0) + s)\nstop when g >= b\n"
    )
    assert order(program) == ["sum.1", "s", "g", "previous.1", "stop 1"]
    cell = program.cell("previous.1")
    assert cell.body == m.Local("g")
    assert cell.level is p.Level.PRIVATE


def test_lookback_waits_for_what_it_reads() -> None:
    program = made(HEAD + "statistic s = previous(t, 0)\nstatistic t = x\nstop when s >= b\n")
    assert order(program) == ["s", "t", "previous.1", "stop 1"]


def test_accumulator_inside_its_own_lookback_ticks_behind_the_definition() -> None:
    program = made(HEAD + "statistic h = x + previous(sum(h over steps), 0)\nstop when h >= b\n")
    assert order(program) == ["h", "sum.1", "previous.1", "stop 1"]
    assert program.cell("previous.1").level is p.Level.PRIVATE


def test_what_reads_itself_is_private_in_gates_too() -> None:
    program = made(HEAD + "statistic g = max(0, previous(g, 0) + x)\nstop when previous(g, 0) >= b\n")
    (gate,) = program.gates
    assert isinstance(gate, p.CompareGate)


def test_equal_accumulators_are_one_cell() -> None:
    program = made(HEAD + "let f(v) = v + v\nstatistic s = f(sum(x over steps))\nstop when sum(x over steps) >= s\n")
    assert len([s for s in program.body if isinstance(s, p.Cell)]) == 1


def test_accumulators_over_memory_before_and_after_its_update_differ() -> None:
    text = (
        "memory w = 0\nreport r = sum(w over steps)\nupdate w = w + 1\nreport q = sum(w over steps)\nstop when x >= b\n"
    )
    assert len([s for s in made(HEAD + text).body if isinstance(s, p.Cell)]) == 2


def test_cells_under_binders_hold_one_value_each() -> None:
    program = made(HEAD + "statistic s = max(sum(x where x >= c over steps) for c in {0.25, 0.5})\nstop when s >= b\n")
    ((variable, domain),) = program.cell("sum.1").binders
    assert variable.letter == "c"
    assert domain == m.Sequence("set", (m.Number(Fraction(1, 4)), m.Number(Fraction(1, 2))))


def test_binders_do_not_capture() -> None:
    """f's own `c` must not take the place of the caller's."""
    text = "let f(v) = sum(v * c for c in {1, 2})\nstatistic s = max(f(c) for c in {3, 4})\nstop when s >= x\n"
    outer = made(HEAD + text).define("s").expression
    assert isinstance(outer, m.Quantified)
    inner = outer.body
    assert isinstance(inner, m.Quantified)
    assert inner.variable != outer.variable
    assert inner.body == m.Apply("*", (m.Bound(outer.variable), m.Bound(inner.variable)))


def test_one_noise_an_attach_target_and_life() -> None:
    text = (
        "report r when x >= b\nstop when step > 9\n"
        "attach laplace(1) to a, b once\nattach laplace(2) to b\nattach laplace(3) to b each r\n"
        "attach laplace(4) to b\n"
        "report q = a\n"
    )
    program = made(HEAD + text)
    lives = {n.name: n.life for n in program.noises}
    assert lives == {
        "a.once": Once(),
        "b.once": Once(),
        "b.step": EachStep(),
        "b.r": EachReport("r"),
        "b.step.2": EachStep(),
    }
    gate = next(g for g in program.gates if g.name == "r")
    assert isinstance(gate, p.CompareGate)
    assert isinstance(gate.test, p.Margin)
    assert {t.noise for t in gate.test.terms} == {"b.once", "b.step", "b.r", "b.step.2"}
    assert {t.factor for t in gate.test.terms} == {m.Number(Fraction(-1))}


def test_shared_draws_keep_their_signs_and_factors() -> None:
    text = (
        "draw z ~ laplace(1) once\ndraw w ~ laplace(1)\nstop when x >= b\nattach -z + 2 * w to b\nattach z / 4 to x\n"
    )
    (gate,) = made(HEAD + text).gates
    assert isinstance(gate, p.CompareGate)
    assert isinstance(gate.test, p.Margin)
    factors = {t.noise: t.factor for t in gate.test.terms}
    assert factors == {"z": m.Number(Fraction(5, 4)), "w": m.Number(Fraction(-2))}


def test_a_choice_shown_somewhere_and_read_inside_is_counted_once_in_every_step() -> None:
    """Two draws of one law must not be taken for each other."""
    law = "bernoulli(0.25 + x / 2)"
    text = f"draw c ~ {law}\ndraw d ~ {law}\nreport r = d\n"
    text += "report hot when count(c == 1 over steps) >= 3\nstop when step > 9\n"
    gates = {g.name: g for g in made(HEAD + text).gates}
    assert isinstance(gates["r"], p.ChooseGate)
    assert isinstance(gates["c"], p.ChooseGate)
    assert gates["r"].visible
    assert not gates["c"].visible


def test_noise_that_is_a_factor_of_data_is_opaque() -> None:
    text = "draw z ~ laplace(1)\nstatistic s = x * z\nstop when s + z >= b\n"
    (gate,) = made(HEAD + text).gates
    assert isinstance(gate, p.OpaqueGate)


def test_how_many_records_were_sampled_is_private_where_records_come_and_go() -> None:
    text = "algorithm t\ndataset y in [0, 1] size 9\n{}draw batch ~ sample(records, 0.5)\nstop return length(batch)\n"
    kept = made(text.format("")).gates[-1]
    assert isinstance(kept, p.PublicGate)
    changing = made(text.format("adjacent add or remove one\n")).gates[-1]
    assert not isinstance(changing, p.PublicGate)


def test_l2_noise_gets_the_dimension_of_its_target() -> None:
    program = made(
        "algorithm t\nparam d in 1.. = 3\nstream v in ball(1, d)\nstop return v\nattach l2_laplace(2) to v\n"
    )
    (noise,) = program.noises
    assert noise.law == m.Law("l2_laplace", (m.Number(Fraction(2)), m.ParameterValue("d")))


def test_values_of_params() -> None:
    text = "algorithm t\nparam n in 1.. = 9\nparam c in 1..n = n / 3\nparam r = log2(8)\nstop when step >= c * r\n"
    values = {x.name: (x.value, x.default) for x in made(text, n=Fraction(6)).parameters}
    assert values == {"n": (6, 9), "c": (2, 3), "r": (3, 3)}


@pytest.mark.parametrize(
    ("name", "value", "code"),
    [
        ("n", Fraction(0), "E0314"),
        ("n", Fraction(1, 2), "E0314"),
        ("n", Fraction(2), "E0314"),
        ("n", Fraction(10) ** 301, "E0311"),
        ("n", Fraction(1, 10**400), "E0311"),
        ("m", Fraction(1), "E0206"),
        ("k", Fraction(1), "E0206"),
    ],
)
def test_values_that_do_not_fit(name: str, value: Fraction, code: str) -> None:
    text = "algorithm t\nparam n in 1.. = 9\nparam c in 1..n = 3\nlet k = 2 * c\nstop when step >= k\n"
    file, _ = parse(Source("test", text))
    assert file is not None
    program, diagnostics = elaborate(file, {name: value})
    assert program is None
    assert [d.code for d in diagnostics] == [code]


@pytest.mark.parametrize(
    "text",
    [
        "let a0 = 1\n" + "".join(f"let a{i + 1} = a{i} + a{i}\n" for i in range(60)) + "stop when x >= a60\n",
        "let f0(v) = v\n"
        + "".join(f"let f{i + 1}(v) = f{i}(f{i}(v))\n" for i in range(40))
        + "stop when x >= f40(1)\n",
        "let a0 = 1\n" + "".join(f"let a{i + 1} = a{i} + 1\n" for i in range(400)) + "stop when x >= a400\n",
        "stop when " + " + ".join(["abs(x)"] * 20) + " >= 2\nattach laplace(1) to x\n",
        "let z = sum(sum(sum(1 for i in 1..1000) for j in 1..1000) for k in 1..1000)\nstop when x >= z\n",
        "let z = exp(exp(exp(9)))\nstop when x >= z\n",
        "let z = 9 ^ 9 ^ 9 ^ 9\nstop when x >= z\n",
    ],
)
def test_hostile_texts_end_soon(text: str) -> None:
    file, _ = parse(Source("test", "algorithm t\nstream x in [0, 1]\n" + text))
    assert file is not None
    begun = time.process_time()
    elaborate(file)
    assert time.process_time() - begun < 60  # what is not bounded takes hours
