"""What one entry moves in all showings together: the expected numbers are sums over showings, written out here."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random

import pytest

from seqlang import driver
from seqlang.arithmetic.formula import Formula, enclose
from seqlang.model.program import Program, PublicGate
from seqlang.rules.joint.one_entry import _cost
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source


def loaded(body: str) -> Program:
    return driver.load(Source("<test>", f"algorithm example\n{body}\n")).program


def cost(body: str, power: int = 1) -> float:
    """Of all releases together; infinite where the rule says nothing."""
    program = loaded(body)
    found = _cost(program, tuple(g.name for g in program.gates if not isinstance(g, PublicGate)), power)
    return enclose(found, parameter_values(program)).high if isinstance(found, Formula) else math.inf


def shown(statistic: str, when: str, noise: str, fields: str = "x in [0, 1]", last: int = 9) -> str:
    return (
        f"stream {fields}\nstatistic s = {statistic}\nreport r = s when {when}\nstop when step >= {last}\n"
        f"attach {noise} to r"
    )


ALL = range(1, 10)
ARMS = "x in [-1, 1], arm in 1..3"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (shown("mean(x over steps)", "step > 0", "laplace(2)"), sum(Fraction(1, 2 * n) for n in ALL)),
        (shown("mean(x over last 4)", "step > 0", "laplace(1)"), max(  # the entry of step k, in four windows
            sum(Fraction(1, min(n, 4)) for n in ALL if k <= n < k + 4) for k in ALL)),
        (shown("sum(x over steps) / step", "step % 2 == 1", "laplace(1)"), sum(Fraction(1, n) for n in ALL if n % 2)),
        (shown("step * x", "step != 9", "laplace(1)"), 8),
        (shown("sum(x over last 3)", "step == 1 or step == 2 or step == 4 or step == 5", "laplace(1)"), 2),
        (shown("sum(x where step % 2 == 0 over steps)", "step <= 3", "laplace(1)"), 2),
        (shown("sum(x over steps) + x", "step <= 3", "laplace(1)"), 4),
        (shown("sum(x over steps)", "step <= 4", "geometric(0.5)", "x in {0, 1, 2}"), 8 * math.log(2)),
        (shown("[sum(x where arm == k over steps) for k in 1..3]", "step <= 2", "laplace(1)", ARMS), 4),
        (shown("sum(x over steps)", "step > 0", "tree(laplace(1))"), 4),
    ],
)  # fmt: skip
def test_one_release(body: str, expected: float) -> None:
    assert cost(body) == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (shown("mean(x over steps)", "step % 3 == 0", "gaussian(2)"), sum(Fraction(1, n * n) for n in (3, 6, 9)) / 8),
        (shown("sum(x over steps) / sqrt(step)", "step > 0", "gaussian(1)"), sum(Fraction(1, n) for n in ALL) / 2),
        # (1, 0) to (-1, 0), three times
        (shown("[sum(x where arm == k over steps) for k in 1..3]", "step <= 3", "gaussian(1)", ARMS), 6),
    ],
)  # fmt: skip
def test_squares(body: str, expected: float) -> None:
    assert cost(body, 2) == pytest.approx(float(expected), rel=1e-12)


GROWING = "stream x in [0, 1]\ndraw z ~ {law}\n{lines}\nstatistic s = sum(x over steps)\n{gate}\nstop when step >= 9"
LISTED = "let f = [1, 1, 2, 2, 4, 4, 8, 8, 16]"


@pytest.mark.parametrize(
    ("lines", "gate", "expected"),
    [
        ("", "report r = s + sqrt(step) * z", sum(1 / math.sqrt(n) for n in ALL) / 2),
        ("", "report r = s - 2 * z / step", sum(n for n in ALL) / 4),
        (LISTED, "report r = s + f[step] * z when step >= 4", (1 / 2 + 2 / 4 + 2 / 8 + 1 / 16) / 2),
        # the entry of step k is in s / step from k on, and each step shows it with 1 / (step * step) of a noise of 2
        ("", "report r = s / step + step * z", sum(Fraction(1, n * n) for n in ALL) / 2),
        # two numbers, each with its part of the noise: only what moves with the entry counts
        ("", "report r = x + step * z", 1 / 2),
        ("", "stop when s + sqrt(step) * z >= 3", sum(1 / math.sqrt(n) for n in ALL) / 2),
        ("draw w ~ laplace(1) once", "stop when s + step * z >= 3 + w", sum(Fraction(1, n) for n in ALL) / 2),
        ("", "report r when not (s + step * z >= 3) and step % 2 == 0", sum(Fraction(1, n) for n in (2, 4, 6, 8)) / 2),
    ],
)
def test_noise_with_a_factor_of_the_step(lines: str, gate: str, expected: float) -> None:
    assert cost(GROWING.format(law="laplace(2)", lines=lines, gate=gate)) == pytest.approx(float(expected), rel=1e-12)


def test_squares_of_factors_of_the_step() -> None:
    for gate in ("report r = s + sqrt(step) * z", "stop when s + sqrt(step) * z >= 3"):
        body = GROWING.format(law="gaussian(2)", lines="", gate=gate)
        assert cost(body, 2) == pytest.approx(sum(1 / n for n in ALL) / 8, rel=1e-12)


@pytest.mark.parametrize(
    ("law", "lines", "gate"),
    [
        ("laplace(2) once", "", "report r = s + step * z"),  # one draw: two showings tell the data
        ("laplace(2)", "", "report r = s + (step - 3) * z"),  # step 3 shows it plainly
        ("laplace(2)", "memory w = 1\nupdate w = w + 1", "report r = s + w * z"),  # not known to be above 0 here
        ("geometric(0.5)", "", "report r = s + step * z"),  # 3 moved by 1 is no multiple of 2
        ("laplace(2)", "", "stop when s + step * z >= 3 or x + step * z >= 2"),  # two numbers with one noise
        ("laplace(2)", "", "report r = s + step * z\nreport q when s + 2 * step * z >= 1"),
    ],
)
def test_factors_that_the_rule_is_not_about(law: str, lines: str, gate: str) -> None:
    assert cost(GROWING.format(law=law, lines=lines, gate=gate)) == math.inf


@pytest.mark.parametrize("seed", range(8))
def test_random_schedules_cost_what_their_densities_say(seed: int) -> None:
    """The loss of Laplace noise far out is the whole distance over the scale: the largest of all that can be shown is
    the sum over steps, here summed from the values that two streams give the numbers."""
    random = Random(seed)
    scales = [random.choice((1, 2, 3, -2, 5)) for _ in range(6)]
    weights = [random.choice((1, 2, -1, 0)) for _ in range(6)]
    window = random.choice((1, 2, 3, 6))
    asked = sorted(random.sample(range(1, 7), random.choice((2, 4, 6))))
    when = " or ".join(f"step == {t}" for t in asked)
    body = (
        f"stream x in [0, 1]\nlet f = {scales}\nlet c = {weights}\ndraw z ~ laplace(2)\n"
        f"statistic s = c[step] * sum(x over last {window})\nreport r = s + f[step] * z when {when}\n"
        "stop when step >= 6"
    )

    def value(stream: tuple[int, ...], t: int) -> int:
        return weights[t - 1] * sum(stream[max(0, t - window) : t])

    worst = max(
        sum(abs(value(one, t) - value((0,) * 6, t)) / abs(2 * scales[t - 1]) for t in asked)
        for one in (tuple(int(i == k) for i in range(6)) for k in range(6))
    )
    assert cost(body) == pytest.approx(worst, rel=1e-12)


TWO = "report a = {a} when step <= 2\nreport b = {b} when step == 2\nstop when step >= 2\nattach {noise} to a, b"


@pytest.mark.parametrize(
    ("fields", "a", "b", "expected"),
    [
        # a is shown twice: two from -1 to 1 twice, more than two and one by changing the arm
        ("x in [-1, 1], arm in {1, 2}", "sum(x where arm == 1 over steps)", "sum(x where arm == 2 over steps)", 4),
        ("x in [0, 1], arm in {1, 2}", "sum(x where arm == 1 over steps)", "sum(x where arm == 2 over steps)", 3),
        ("x in [0, 1]", "sum(x over steps)", "sum(1 - x over steps)", 3),
        ("x in {0, 1}", "count(x == 1 over steps)", "x", 2),  # the second entry: once each; the first: twice
    ],
)
def test_two_releases(fields: str, a: str, b: str, expected: float) -> None:
    assert cost(f"stream {fields}\n" + TWO.format(a=a, b=b, noise="laplace(1)")) == pytest.approx(expected, rel=1e-12)


def test_neighbours_in_two_entries() -> None:
    body = shown("sum(x over steps)", "step <= 3", "laplace(1)")
    assert cost(f"adjacent replace 2\n{body}") == pytest.approx(6)
    assert cost("adjacent replace 2\n" + shown("sum(x over steps)", "step <= 3", "gaussian(1)"), 2) == pytest.approx(6)


RECORDS = "dataset x in {0, 1} size 3\nmemory w = 1\n"


@pytest.mark.parametrize(
    "body",
    [
        # public factors of records that change from step to step, two steps of a sum, means that leave entries out
        RECORDS
        + "report r = sum(w * x[i] for i in records)\nupdate w = 2\nstop when step >= 2\nattach laplace(1) to r",
        "stream x in [0, 1]\nmemory w = 1\nstatistic s = w * sum(x over steps)\nreport r = s\nupdate w = 2\n"
        "stop when step >= 2\nattach laplace(1) to r",
        shown("mean(x where x > 0.5 over steps)", "step > 0", "laplace(1)"),
        shown("sum(previous(x, 0) + x over steps)", "step > 0", "laplace(1)"),
        shown("sum(previous(x, 0) where step % 2 == 0 over steps)", "step > 0", "laplace(1)"),
        shown("mean(if step > 2 then previous(x, 0) else 0 over steps)", "step > 0", "laplace(1)"),
        "stream x in [0, 1]\nadjacent every x within 1\nreport r = x\nstop when step >= 2\nattach laplace(1) to r",
        "stream x in [0, 1]\nreport r = sum(x over steps)\nattach laplace(1) to r",
        "stream x in [0, 1]\nreport a = x\nreport b = x\ndraw z ~ laplace(1)\nattach z to a, b\nstop when step >= 2",
    ],
)
def test_what_the_rule_is_not_about(body: str) -> None:
    assert cost(body) == math.inf
