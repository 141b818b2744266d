"""Sessions: one run whose inputs are chosen as it goes."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import seqlang
from seqlang.backends.interpret.data import run_data
from seqlang.backends.interpret.inputs.metrics import left_out, without

ALARM = """
algorithm alarm "How many in a row"
param bar > 0 = 3
stream x in {0, 1}
public weight in [0, 10]
model some: x ~ bernoulli(0.5), weight ~ point(1)
statistic level = sum(x * weight over steps)
report seen = level when weight > 1
stop when level >= bar return ring
"""


def refused(code, call, *words):
    with pytest.raises(seqlang.SpecError) as caught:
        call()
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert all(word in f"{found.message} {found.help}" for word in words), found


def test_parameters_are_set_where_the_spec_is_named():
    assert [seqlang.start(ALARM, bar=bar).step(x=1, weight=1).stopped for bar in (1, 2)] == [True, False]
    session = seqlang.start("@dwork2014/sparse_vector", eps=1e9, T=2)
    assert session.step(q=3).reports == {"above": True}
    refused("E0206", lambda: seqlang.start(ALARM, bars=1), "bars")
    refused("E0601", lambda: seqlang.start(seqlang.load(ALARM), bar=1), "bar", "seqlang.load")


def test_a_step_shows_reports_and_stop():
    session = seqlang.start(ALARM, seed=1)
    assert session.step(x=1, weight=1).reports == {}
    shown = session.step(x=1, weight=1.5)
    assert (shown.step, shown.reports, shown.stopped, shown.result) == (2, {"seen": 2.5}, False, None)
    assert not session.stopped
    last = session.step(x=np.int64(1), weight=Fraction(1, 2))
    assert (last.stopped, last.result, session.result, session.step_number) == (True, "ring", "ring", 3)
    assert session.transcript[1:] == (shown, last)
    assert session.statistics == {"level": 3.0}
    assert str(session) == "alarm\n  step 2: seen = 2.5\n  stopped at step 3 and returned ring"
    refused("E0624", lambda: session.step(x=1, weight=1), "stopped at step 3")


def test_what_is_refused_is_not_a_step():
    session = seqlang.start(ALARM, seed=1)
    refused("E0624", lambda: session.step(x=1), "no value for `weight`", "`x`, `weight`")
    refused("E0624", lambda: session.step(x=1, weigth=1), "no input `weigth`", "did you mean `weight`?")
    refused("E0624", lambda: session.step(x="one", weight=1), "not a number")
    refused("E0624", lambda: session.step(x=[1], weight=1), "shape")
    refused("E0614", lambda: session.step(x=2, weight=1), "x = 2 is not in {0, 1}")
    refused("E0614", lambda: session.step(x=1, weight=float("nan")), "weight")
    assert session.step_number == 0
    assert session.step(x=True, weight=Decimal("0.25")).step == 1


def test_an_expression_without_a_value_ends_the_session():
    text = "algorithm ratio\nstream x in [0, 1]\nstatistic r = 1 / x - 1 / x\nreport y = r\nstop when step >= 3"
    session = seqlang.start(text, seed=1)
    session.step(x=1)
    refused("E0620", lambda: session.step(x=0))
    refused("E0624", lambda: session.step(x=1), "failed at step 2")


def test_seeds():
    spec = seqlang.load("@dwork2014/above_noisy_threshold")

    def steps(seed):
        session = seqlang.start(spec, seed=seed)
        while not session.stopped:
            session.step(q=9)
        return session.step_number

    assert [steps(s) for s in range(8)] == [steps(s) for s in range(8)]
    assert len({steps(None) for _ in range(40)}) > 2  # all equal with a chance below 1e-9


def test_records_are_given_at_the_start():
    spec = seqlang.load("@dwork2014/report_noisy_max", k=3, eps=1000)
    session = seqlang.start(spec, records={"q": np.array([1.0, 5.0, 2.0])})
    assert session.step().result == 2
    refused("E0618", lambda: seqlang.start(spec, records={"q": [1, 2]}), "2 records", "size 3")
    refused("E0624", lambda: seqlang.start(spec), "needs the records of `q`", "got none")
    refused("E0624", lambda: seqlang.start(spec, records={"q": [1, 2, 3], "p": []}), "`q`, `p`")
    refused("E0624", lambda: seqlang.start(ALARM, records={"x": [1]}), "needs the records of none")


def test_vectors():
    text = "algorithm v\nstream x in [0, 1] ^ 2\nreport y = sum(x)\nstop when step >= 3"
    session = seqlang.start(text)
    assert session.step(x=np.array([0.25, 0.5])).reports == {"y": 0.75}
    refused("E0624", lambda: session.step(x=0.5), "shape")
    refused("E0624", lambda: session.step(x=[[0.5, 0.5], [0.5, 0.5]]), "shape")
    refused("E0614", lambda: session.step(x=[0.5]), "x = [0.5]")


# ---- fields that only metrics read

SCREEN = """
algorithm screen "Small p-values"
stream p in [0, 1]
public null in {0, 1}
model mixed: null ~ bernoulli(0.5), p ~ uniform(0, 1)
report reject when p < 0.1
statistic wrong = count(reject and null == 1 over steps)
statistic rate  = wrong / max(1, count(reject over steps))
statistic small = min(p over steps)
stop when step >= 4
"""


def test_metrics_may_be_left_out():
    session = seqlang.start(SCREEN, seed=1)
    assert session.step(p=0.01).reports == {"reject": True}
    assert session.statistics == {"small": 0.01}
    refused("E0624", lambda: session.step(p=0.01, null=1), "no input `null`")
    whole = seqlang.start(SCREEN, seed=1)
    whole.step(p=0.01, null=1)
    assert whole.statistics == {"wrong": 1, "rate": 1, "small": 0.01}
    refused("E0624", lambda: whole.step(p=0.01), "no value for `null`")  # it was there in the first step


def test_what_is_shown_keeps_its_fields():
    program = seqlang.load(SCREEN).loaded.program
    part = without(program, "null")
    assert left_out(program, part) == ("wrong", "rate")
    assert [i.name for i in part.inputs] == ["p"]
    assert without(program, "p") is None
    for use in ("stop when null == 1", "report odd when null == 1", "report odd = null",
                "statistic s = previous(null, 0)\nstop when s == 1"):  # fmt: skip
        assert without(seqlang.load(SCREEN.replace("stop when step >= 4", use)).loaded.program, "null") is None


def test_data_without_the_truth(tmp_path):
    program = seqlang.load(SCREEN).loaded.program
    file = tmp_path / "p.csv"
    file.write_text("id,p\n1,0.5\n2,0.01\n3,0.02\n4,0.5\n")
    found = run_data(program, file, seed=1)
    assert [(step, name) for step, name, _ in found.reports] == [(2, "reject"), (3, "reject")]
    assert found.left_out == ("wrong", "rate")
    assert found.to_dict()["left_out"] == ["wrong", "rate"]
    file.write_text("p,null\n0.5,1\n0.01,0\n0.02,1\n0.5,0\n")
    whole = run_data(program, file, seed=1)
    assert (whole.left_out, whole.statistics["rate"], "left_out" in whole.to_dict()) == ((), 0.5, False)
    file.write_text("q\n0.5\n")
    refused("E0612", lambda: run_data(program, file), "no column `p`")
    file.write_text("p\n0.5\n1.5\n")
    refused("E0614", lambda: run_data(program, file), "line 3", "column `p`")
    file.write_text("p\n0.5\n\n0.5x\n")
    refused("E0613", lambda: run_data(program, file), "line 4", "column `p`", "`0.5x` is not a number")
    file.write_text("p,null\n0.5,1\n0.5,2\n")
    refused("E0614", lambda: run_data(program, file), "line 3", "column `null`")
