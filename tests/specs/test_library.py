"""Every shipped spec: formatted, green, and beside it its rendered report."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from checked import checked

from seqlang import driver
from seqlang.results.check import CheckResult
from seqlang.syntax import format_text

SPECS = sorted((Path(__file__).resolve().parents[2] / "specs").rglob("*.seq"))
TABLE = Path(__file__).resolve().parents[2] / "specs" / "README.md"
SLOW = {"wang2020/weak_serm", "zhang2022/privsprt_weak"}
"""By default `wang2020/weak_sprt` stands for them: exact laws of hundreds of positions. `--update` makes all."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")


def _id(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def test_formatted() -> None:
    sources = [driver.read(str(path)) for path in SPECS]
    assert [source.name for source in sources if format_text(source) != (source.text, ())] == []


@pytest.mark.parametrize(
    "path", [pytest.param(p, id=_id(p), marks=pytest.mark.long if _id(p) in SLOW else ()) for p in SPECS]
)
def test_report_is_the_golden_one(path: Path, request: pytest.FixtureRequest) -> None:
    """Every claim is as expected; the table of the library says what is proved; in the report words must agree, numbers
    within one in a thousand: witness searches may find a slightly deeper pair."""
    result = checked(_id(path))
    assert result.ok, [(v.claim.text, v.verdict, v.because) for v in result.verdicts if not v.ok]
    if not any(v.claim.expect == "refuted" for v in result.verdicts):  # a published mistake may well be warned of
        assert not result.warnings, result.warnings
    report, row, golden = str(result), _row(path, result), path.with_suffix(".report.txt")
    if request.config.getoption("--update"):
        golden.write_text(report, encoding="utf-8")
        _update(row)
    assert row in TABLE.read_text(encoding="utf-8").splitlines()
    wanted = golden.read_text(encoding="utf-8")
    assert _NUMBER.sub("#", " ".join(report.split())) == _NUMBER.sub("#", " ".join(wanted.split()))
    for got, want in zip(_NUMBER.findall(report), _NUMBER.findall(wanted), strict=True):
        assert float(got) == pytest.approx(float(want), rel=1e-3, abs=1e-12)


def _row(path: Path, result: CheckResult) -> str:
    """The line of specs/README.md about a spec."""
    strong = result.to_dict()["strong"]["pure"]
    pure = strong["symbolic"]
    claims = [v for v in result.verdicts if v.claim.kind != "operating"]
    claim = next((v for v in claims if v.claim.kind == "strong"), next(iter(claims), None))
    text = "" if claim is None else claim.claim.text.removeprefix("claim ").removeprefix("strong ")
    shown = f"`{pure}`" if pure != "inf" else ("" if claim is None else f"{claim.verdict} `{text}`")
    ratio = f"{math.floor(strong['ratio'] * 1e4) / 1e4:.4f}" if "ratio" in strong else ""
    return f"| [{_id(path)}]({_id(path)}.seq) | {result.program.title} | {shown} | {ratio} |"


def _update(row: str) -> None:
    """Puts the line in the place of the one about the same spec, or in order (tests run in one process then)."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    name = row.split("]", 1)[0]
    by_name = {line.split("]", 1)[0]: line for line in [*lines, row] if line.startswith("| [")}
    rows = [by_name[each] for each in sorted(by_name)]
    begin = next(i for i, line in enumerate(lines) if line.startswith("|---")) + 1
    end = next(i for i, line in enumerate(lines[begin:], begin) if not line.startswith("|"))
    assert any(line.startswith(name) for line in rows)
    TABLE.write_text("\n".join([*lines[:begin], *rows, *lines[end:]]) + "\n", encoding="utf-8")


def test_the_table_has_no_other_specs() -> None:
    named = re.findall(r"^\| \[(.*?)\]", TABLE.read_text(encoding="utf-8"), re.M)
    assert named == [_id(p) for p in SPECS]


def test_the_library_is_complete() -> None:
    names = {_id(p) for p in SPECS}
    wanted = """wald1945/sprt wang2020/weak_sprt zhang2022/above_threshold zhang2022/gen_above_threshold
        zhang2022/privsprt_bernoulli zhang2022/privsprt_gaussian zhang2022/sprt_laplace michel2025/outside_interval
        michel2025/dp_sprt dwork2014/above_noisy_threshold dwork2014/laplace dwork2014/exponential
        dwork2014/randomized_response tight/one_sided tight/two_sided tight/cusum tight/window tight/repeated_kept
        tight/repeated_refreshed tight/repeated_restarted tight/blocks refuted/threshold_noise_only
        refuted/query_noise_only refuted/parallel_threshold_noise refuted/no_noise lyu2017/svt1 lyu2017/svt2
        lyu2017/svt3 lyu2017/svt4 lyu2017/svt4_monotone lyu2017/svt5 lyu2017/svt6 lyu2017/svt7 lyu2017/svt7_monotone
        dwork2014/sparse_vector dwork2014/numeric_sparse_vector dwork2014/report_noisy_max dwork2015/thresholdout
        dwork2015/thresholdout_once ramdas2018/saffron ramdas2018/lord zhang2021/paprika zhang2021/paprika_lord
        cummings2018/changepoint_offline cummings2018/changepoint_online cummings2018/changepoint_clamped
        cummings2018/changepoint_gaussian cummings2022/local_randomized_response chan2011/tree_sums
        chan2011/tree_sums_gaussian chan2011/tree_sums_printed smith2013/ftal abadi2016/dp_sgd abadi2016/dp_sgd_printed
        bittner2020/batch_erm_output bittner2020/batch_erm_objective bittner2020/private_sgd bittner2020/flsw
        bittner2020/flmb bittner2020/flmb_exponential bittner2020/selection_bernoulli bittner2020/selection_exponential
        wang2020/serm wang2020/weak_serm wang_poster/private_serm wang_poster/private_serm_repaired
        rogers2016/filter""".split()
    assert set(wanted) <= names
