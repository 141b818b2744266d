"""Whole parts, remainders and positions of decimals: exact in every engine, as in fractions."""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from test_exact_constants import number
from thorough import several

from seqlang import driver
from seqlang.cli.__main__ import main
from seqlang.diagnostics import SpecError
from seqlang.source import Source

F = Fraction
OF_STEP = {
    "ceil((0.1 * min(step, 1) + 0.2) * 10)": lambda n: F(3),
    "ceil(0.07 * step)": lambda n: F(math.ceil(F(7, 100) * n)),
    "floor(step * 0.29)": lambda n: F(math.floor(F(29, 100) * n)),
    "(step * 0.1) % 0.3": lambda n: F(n, 10) - F(3, 10) * math.floor(F(n, 3)),
    "if (step * 0.1) % 0.3 == 0 then 1 else 0": lambda n: F(n % 3 == 0),
    "argmax([0.3, 0.1 * min(step, 3), 0.2])": lambda n: F(1),
    "floor(step / 10 - 0.1 * step)": lambda n: F(0),
    "floor(spent * 10)": lambda n: F(n - 1),
    "floor(0.3 / (0.1 * min(step, 1)))": lambda n: F(3),
    "ceil(0.7 * step / (0.1 * step))": lambda n: F(7),
    "ceil(sum(0.1 over steps) * 10)": lambda n: F(n),
}
"""Beside each text its value in step n, by fractions. `spent` is what 0.1 added to it in each earlier step makes."""


@pytest.mark.parametrize("text", OF_STEP)
@pytest.mark.parametrize("engine", ["interpreter", "numpy"])
def test_of_the_step(text: str, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(text, engine, (1, 3, 6, 7, 29, 100), tmp_path, capsys) == ""


@pytest.mark.long
@pytest.mark.parametrize("text", OF_STEP)
def test_of_the_step_when_it_is_compiled(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran(text, "compiled", (3, 100), tmp_path, capsys) == ""


def test_one_that_is_compiled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ran("ceil(0.07 * step)", "compiled", (100,), tmp_path, capsys) == ""


def ran(text: str, engine: str, steps: tuple[int, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """What differs."""
    path = folder / "a.seq"
    for n in steps:
        path.write_text(f"""algorithm a
stream x in {{0, 1}}
model m: x ~ bernoulli(1/2)
memory spent = 0
let value = {text}
update spent = spent + 0.1
stop when step >= {n} return value
""")
        assert main(["run", str(path), "--engine", engine, "--runs", "3", "--seed", "1", "--json"]) == 0
        found = {float(v) for v in json.loads(capsys.readouterr().out)["returns"]}
        if found != {float(OF_STEP[text](n))}:
            return f"step {n}: {found}"
    return ""


@pytest.mark.parametrize("engine", ["interpreter", "numpy"])
def test_random_ones_of_the_step_and_a_memory(engine: str) -> None:
    """Of all operators, with decimals: the value that is returned, against fractions. A few have no value in an earlier
    step, and end there."""
    rng, compared = random.Random(4), 0
    for _ in range(several(15, 300)):
        n = rng.choice((3, 7, 29))
        leaves = [("step", F(n)), ("spent", F(n, 10)), ("0.1", F(1, 10)), ("0.07", F(7, 100)), ("3", F(3))]
        text, exact = number(rng, 2, lambda rng, leaves=leaves: rng.choice(leaves))
        spec = f"""algorithm a
stream x in {{0, 1}}
model m: x ~ bernoulli(1/2)
memory spent = 0.1
let value = {text}
update spent = spent + 0.1
stop when step >= {n} return value
"""
        try:
            (found,) = driver.run(driver.load(Source("a", spec)), runs=2, seed=1, engine=engine)
        except SpecError as error:
            assert error.diagnostics[0].code == "E0620", text
            continue
        assert [float(v) for v in found.to_dict()["returns"]] == [pytest.approx(float(exact), rel=1e-9, abs=1e-9)], text
        compared += 1
    assert compared >= 10


def test_a_share_of_the_step_decides_a_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The thresholds are 7, 14 and 21; doubles made 8, 15 and 22, with a chance of 0.1738 instead of 0.2883."""
    noise, ratio = np.arange(-60, 61), math.exp(-3)
    chances = (1 - ratio) / (1 + ratio) * ratio ** np.abs(noise)
    law, halt = np.array([1.0]), 0.0
    for look in (1, 2, 3):
        law = np.convolve(law, stats.binom.pmf(np.arange(101), 100, 0.05))
        above = np.array([chances[noise + total >= 7 * look].sum() for total in range(len(law))])
        halt, law = halt + float(law @ above), law * (1 - above)
    assert halt == pytest.approx(0.288294, abs=1e-6)
    path = tmp_path / "seven.seq"
    path.write_text("""algorithm seven
stream harmed in {0, 1}
model usual: harmed ~ bernoulli(0.05)
statistic total = sum(harmed over steps)
stop when step % 100 == 0 and total >= ceil(0.07 * step) return halt
stop when step >= 300 return go
attach geometric(exp(-3)) to total
claim probability(halt) <= 0.2 under usual
claim probability(halt) <= 0.2883 under usual
""")
    assert main(["check", str(path), "--json"]) == 1
    assert [c["verdict"] for c in json.loads(capsys.readouterr().out)["claims"]] == ["refuted", "proved"]
    assert main(["solve", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["returns"]["halt"] == pytest.approx(halt, abs=1e-9)


def test_listed_decimals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cents.seq"
    path.write_text("""algorithm cents
stream x in {0.06, 0.07}
model m: x ~ uniform({0.06, 0.07})
stop when ceil(x * 100) >= 8 return a
stop when step >= 1 return b
claim probability(a) <= 0.001 under m
""")
    assert main(["check", str(path)]) == 0, capsys.readouterr().out


def test_a_constant_that_doubles_miss(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """exp(log(3)) is 3, and a little more in doubles."""
    path = tmp_path / "logs.seq"
    path.write_text("""algorithm logs
stream x in {0, 1}
let k = ceil(exp(log(3)))
report r = k * x
attach geometric(exp(-1)) to r
stop when step >= 1
claim strong pure(3)
claim strong pure(2.999)
""")
    assert main(["check", str(path), "--json"]) == 1
    assert [c["verdict"] for c in json.loads(capsys.readouterr().out)["claims"]] == ["proved", "refuted"]
