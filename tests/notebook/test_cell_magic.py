"""The cell magic `%%seq`, without a notebook: what it runs, binds, shows and refuses."""

from __future__ import annotations

from typing import Any

import pytest

import seqlang
from seqlang import SpecError
from seqlang.notebook.magic import parsed

SPEC = """\
algorithm coins
param n in 1.. = 3
stream x in {0, 1}
model fair: x ~ bernoulli(0.5)
model biased: x ~ bernoulli(0.75)
stop when x >= 1 return seen
stop when step >= n return unseen
claim probability(unseen) <= 0.13 under fair
"""


class Shell:
    """As much of IPython as the extension uses."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {}
        self.magics: dict[tuple[str, str | None], Any] = {}

    def register_magic_function(self, func: Any, magic_kind: str = "line", magic_name: str | None = None) -> None:
        self.magics[magic_kind, magic_name] = func


@pytest.fixture
def shell() -> Shell:
    made = Shell()
    seqlang.load_ipython_extension(made)
    return made


def _cell(shell: Shell, line: str, text: str = SPEC) -> Any:
    return shell.magics["cell", "seq"](line, text)


def test_it_checks_unless_told_otherwise(shell: Shell) -> None:
    found = _cell(shell, "")
    assert repr(found) == "<CheckResult coins: 1 proved>"
    assert shell.user_ns["_seq"] is found and shell.user_ns["_spec"].name == "coins"


def test_options_and_names(shell: Shell) -> None:
    """P(unseen) = (1/2)^2 with n = 2; of 7 runs there are 7."""
    law = _cell(shell, "solve --set n=2 --model fair --out law")
    assert shell.user_ns["law"] is law and law["fair"].returns["unseen"] == pytest.approx(0.25)
    assert law.names == ("fair",)
    runs = _cell(shell, "run --runs 7 --seed 3 --model biased,fair --engine interpreter")
    assert runs.names == ("biased", "fair") and [len(r.frame()) for r in runs] == [7, 7]
    (rare,) = _cell(shell, "rare unseen --model fair --runs 200")
    assert rare.rare[0].label == "unseen"


def test_data_is_a_variable_or_a_file(shell: Shell, tmp_path: Any) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="needs the extra `parquet`")
    shell.user_ns["trial"] = pyarrow.table({"y": [0, 0, 1], "arm": ["a", "b", "a"]})
    found = _cell(shell, "run_data --data trial --columns x=y --where arm=a --cap 5")
    assert (found.run.step, found.run.result) == (2, "seen")
    (tmp_path / "rows.csv").write_text("x\n0\n1\n", encoding="utf-8")
    assert _cell(shell, f"run_data --data {tmp_path / 'rows.csv'}").run.step == 2


def test_the_picture(shell: Shell) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra `plot`")
    from matplotlib import pyplot

    pyplot.switch_backend("svg")
    _cell(shell, "solve --model fair --plot")
    assert len(pyplot.get_fignums()) == 1
    pyplot.close("all")


def test_warnings_are_shown(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    _cell(shell, "", SPEC.replace("stream x", "param unused = 1\nstream x"))
    assert "`unused` is never used" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("chek", "did you mean `check`"), ("run --run 10", "did you mean `runs`"),
        ("solve --runs 3", "no option `--runs`"),
        ("--set n", "NAME=VALUE"), ("check --out 3x", "not a name"), ("run --runs many", "E0602"),
        ('run "', "No closing quotation"),
    ],
)  # fmt: skip
def test_what_is_refused(shell: Shell, line: str, said: str) -> None:
    with pytest.raises(SpecError) as raised:
        _cell(shell, line)
    assert said in f"{raised.value} {raised.value.diagnostics[0].help}"
    assert "_seq" not in shell.user_ns


def test_errors_show_the_line_of_the_cell(shell: Shell) -> None:
    """IPython prints these lines in place of forty of a traceback."""
    with pytest.raises(SpecError) as raised:
        _cell(shell, "", SPEC.replace("model fair: x", "model fair: y"))
    shown = "\n".join(raised.value._render_traceback_())
    assert "model fair: y ~ bernoulli(0.5)" in shown and "<text>:4:" in shown
    assert "Traceback" not in shown


def test_a_flag_stands_alone() -> None:
    line = parsed("train --twin --permutations 3 --data rows", {"rows": [1]})
    assert line.options == {"twin": True, "permutations": "3", "data": [1]}
