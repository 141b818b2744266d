"""Results as values at a prompt and in a notebook: short reprs, HTML that escapes, tables, LaTeX, sequences."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from typing import Any

import pytest
from well_formed import text_of

import seqlang
from seqlang import SpecError

MARKUP = "<script>alert(1)</script> & <b>$x_1$</b> [bold]50 %[/bold]"
TEXT = f"""\
algorithm coins "{MARKUP}"
param n in 1.. = 3
stream x in {{0, 1}}
model fair: x ~ bernoulli(0.5)
model biased: x ~ bernoulli(0.75)
statistic total = sum(x over steps)
stop when x >= 1 return seen
stop when step >= n return unseen
attach laplace(1) to total
claim probability(unseen) <= 0.13 under fair
claim probability(unseen) <= 0.1 under fair expect refuted
"""
TRIAL = ("x ~ bernoulli(0.1)", "x ~ bernoulli(0.9)")
LEARNER = """\
algorithm last
stream x in [0, 1]
memory w = 0
report m = x
update w = m
attach laplace(1) to m
"""


def _designed() -> Any:
    return seqlang.design(*TRIAL, privacy="none")


MAKERS: dict[str, Callable[[], Any]] = {
    "CheckResult": lambda: seqlang.check(TEXT),
    "RunResult": lambda: seqlang.run(TEXT, runs=20)[0],
    "SolveResult": lambda: seqlang.solve(TEXT)["fair"],
    "RareResult": lambda: seqlang.rare(TEXT, "unseen", runs=200, model="fair")[0],
    "SweepResult": lambda: seqlang.sweep(TEXT, grid={"n": [1, 2]}, simulate=False, workers=1),
    "Results": lambda: seqlang.solve(TEXT),
    "Calibration": lambda: seqlang.calibrate(seqlang.load("@tight/one_sided", lz=2), "lw", "pure(1/2)"),
    "TuneResult": lambda: seqlang.tune(TEXT, ["n"], "expected(step) under fair"),
    "DesignResult": _designed,
    "MonitorResult": lambda: seqlang.monitor(_designed().spec, [1], plan=1),
    "DataResult": lambda: seqlang.run_data(TEXT, seqlang_rows()),
    "TrainResult": lambda: seqlang.train(LEARNER, {"x": [0, 1, 0.5]}, track={"now": "w"})[0],
}


def seqlang_rows() -> Any:
    return pytest.importorskip("pyarrow", reason="needs the extra `parquet`").table({"x": [0, 0, 1]})


@pytest.mark.parametrize("kind", MAKERS)
def test_every_result(kind: str) -> None:
    result = MAKERS[kind]()
    short = repr(result)
    assert re.fullmatch(rf"<{kind} [^\n]+>", short) and len(short) < 200
    assert type(result).__name__ == kind
    shown = text_of(result._repr_html_())
    words = [word for word in re.findall(r"\w+", str(result)) if len(word) > 3 and not word[0].isdigit()][:30]
    assert words and all(word in shown for word in words)
    rows = result.frame()
    assert all(isinstance(row, dict) for row in rows)
    latex = result.to_latex()
    assert latex.count(r"\begin{tabular}") == latex.count(r"\end{tabular}")
    tables = re.findall(r"\\begin\{tabular\}.*?\\end\{tabular\}", latex, re.S)
    assert not [t for t in tables if re.search(r"(?<!\\)[%#_~^](?!\{)", t.replace(r"\textasciitilde{}", ""))]


@pytest.mark.parametrize("kind", ["CheckResult", "SolveResult", "DesignResult"])
def test_pandas(kind: str) -> None:
    pandas = pytest.importorskip("pandas", reason="not installed")
    result = MAKERS[kind]()
    frame = result.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == len(result.frame()) and list(frame.columns) == list(result.frame()[0])


def test_what_they_say_in_short() -> None:
    """(1/2)^3 = 1/8: the first claim holds, the second one does not; the mean of the first 1 within 3 is 7/4."""
    assert repr(seqlang.check(TEXT)) == "<CheckResult coins: 1 proved, 1 refuted>"
    assert repr(seqlang.solve(TEXT)[0]) == (
        "<SolveResult coins under fair: seen 0.875, unseen 0.125, 1.75 steps expected (estimates)>"
    )
    assert repr(seqlang.solve(TEXT)) == "<Results of solve, coins: fair, biased>"
    assert repr(seqlang.sweep(TEXT, grid={"n": [1, 2]}, simulate=False, workers=1)) == (
        "<SweepResult coins: 4 rows over n>"
    )
    assert [row["verdict"] for row in seqlang.check(TEXT).frame()] == ["proved", "refuted"]
    assert [row["line"] for row in seqlang.check(TEXT).frame()] == [10, 11]


def test_markup_of_a_title_is_text() -> None:
    html = seqlang.check(TEXT)._repr_html_()
    assert "<script" not in html and "<b>" not in html
    assert MARKUP in text_of(html)
    assert r"\$x\_1\$" not in seqlang.check(TEXT).to_latex()  # titles are comments there
    assert f"% coins  {MARKUP}" in seqlang.check(TEXT).to_latex()


def test_a_sequence_of_results() -> None:
    found = seqlang.run(TEXT, runs=10)
    assert found.names == ("fair", "biased") and len(found) == 2
    assert found["biased"] is found[1] is list(found)[1]
    assert found[1:].names == ("biased",) and isinstance(found[1:], type(found))
    first, second = found
    assert (first.model, second.model) == ("fair", "biased")
    with pytest.raises(KeyError, match="there are fair, biased"):
        found["unfair"]
    assert [row["model"] for row in seqlang.solve(TEXT).frame()] == ["fair"] * 6 + ["biased"] * 6
    assert str(found) == f"{first}\n{second}"
    assert repr(type(found)()) == "<Results: none>"
    both = seqlang.train(LEARNER, {"x": [0, 1]}, track={"now": "w"}, twin=True)
    assert both.names == ("as written", "without noise")
    assert {row["variant"] for row in both.frame()} == set(both.names)
    assert str(both).count("last on rows") == 1  # side by side in one report


def test_results_have_no_picture_where_there_is_none() -> None:
    found = seqlang.rare(TEXT, "unseen", runs=100, model="fair")
    assert not hasattr(found[0], "plot")
    with pytest.raises(SpecError, match="E0605: there is no picture"):
        found.plot()


def test_a_solution_can_be_stored() -> None:
    found = seqlang.solve(TEXT)
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)


def test_formulas_for_papers() -> None:
    latex = seqlang.check(seqlang.load("@tight/one_sided", lz=2)).to_latex()
    assert r"\varepsilon_{\mathrm{pure}} &\le " in latex and latex.rstrip().endswith(r"\end{align*}")
