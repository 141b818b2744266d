"""One run on a CSV file: mapping, filters, domains, and what is said of bad files."""

from __future__ import annotations

import gzip

import pytest
from hand_programs import X, apply, cell, law, number, program, wald

from seqlang.backends.interpret import data
from seqlang.backends.interpret.data.reading import Reading
from seqlang.diagnostics import SpecError
from seqlang.model import expression as ir
from seqlang.model import program as pr
from seqlang.model.domain import Ball, Interval
from seqlang.model.life import Once

# Wald's test for 0.3 against 0.7 moves by log(7/3) each way and stops at 19: |ones - zeros| = 4 (4 * 0.847 > 2.944).
OUTCOMES = [1, 0, 1, 1, 0, 1, 1, 1, 0, 0]  # differences 1 0 1 2 1 2 3 4


def run_data(program, path, *, seed=1, cap=None, **options):
    return data.run_data(program, path, reading=Reading.of(**options), seed=seed, cap=cap)


@pytest.fixture
def trial(tmp_path):
    rows = ["id,arm,outcome,age"]
    for i, x in enumerate(OUTCOMES):
        rows += [f"{i},1,{x},{20 + i}", f"{i},0,0,NA"]
    path = tmp_path / "trial.csv"
    path.write_text("\n".join(rows) + "\n")
    return path


def test_a_filtered_stream_stops_where_it_should(trial):
    found = run_data(wald(), trial, columns={"x": "outcome"}, where=["arm=1"], seed=3).to_dict()
    assert found == {
        "stopped": True, "step": 8, "return": "reject", "reports": [], "rows": 10, "rows_used": 8, "seed": 3,
    }  # fmt: skip
    compressed = trial.with_suffix(".csv.gz")
    compressed.write_bytes(gzip.compress(trial.read_bytes()))
    assert run_data(wald(), compressed, columns={"x": "outcome"}, where=["arm = 1.0"], seed=3).to_dict() == found


def test_data_may_end_before_the_stop(trial):
    found = run_data(wald(), trial, columns={"x": "outcome"}, where=["arm=1", "age<=23"])
    assert (found.stopped, found.step, found.result, found.rows, found.rows_used) == (False, 4, None, 4, 4)
    other = run_data(wald(), trial, columns={"x": "outcome"}, where=["age!=NA"], cap=2)
    assert (other.stopped, other.rows, other.rows_used) == (False, 10, 2)


def codes(*arguments, **options):
    with pytest.raises(SpecError) as caught:
        run_data(*arguments, **options)
    return [(d.code, d.message, d.help) for d in caught.value.diagnostics]


def test_missing_columns_and_fields(trial):
    [(code, message, help)] = codes(wald(), trial, columns={"x": "outcom"})
    assert code == "E0612" and "`outcom`" in message and help == "did you mean `outcome`?"
    assert codes(wald(), trial)[0][0] == "E0612"
    assert codes(wald(), trial, columns={"y": "outcome"})[0][0] == "E0612"
    assert codes(wald(), trial, columns={"x": "outcome"}, where=["arms=1"])[0][2] == "did you mean `arm`?"


def test_bad_cells_name_the_line(trial):
    found = codes(wald(), trial, columns={"x": "age"}, where=["arm=0"])
    assert len(found) == 5 and {c for c, _, _ in found} == {"E0613"}
    assert "line 3" in found[0][1]
    found = codes(wald(), trial, columns={"x": "age"}, where=["arm=1"])
    assert found[0][0] == "E0614" and "line 2" in found[0][1] and "20" in found[0][1] and "{0, 1}" in found[0][1]
    assert run_data(wald(), trial, columns={"x": "age"}, where=["arm=1"], clip=True).result == "reject"


def test_bad_conditions(trial):
    for clause in ("arm", "age>old", "=1"):
        assert codes(wald(), trial, columns={"x": "outcome"}, where=[clause])[0][0] == "E0615"
    assert codes(wald(), trial, columns={"x": "outcome"}, where=["arm=7"])[0][0] == "E0616"
    assert codes(wald(), trial, columns={"x": "arm..age"})[0][0] == "E0617"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "E0611"),
        (b"\n\n", "E0611"),
        (b"x\n", "E0611"),
        (b"x,y\n1\n", "E0610"),
        (b"x,x\n1,2\n", "E0610"),
        (b"\xff\xfe", "E0610"),
        (b"x\n\0\n", "E0610"),
        (b"\x1f\x8bnot gzip", "E0610"),
        (b"x\n\n1\n,\n", "E0610"),
        (b'x,c\n1,"a\n0,b\n1,c\n', "E0610"),  # a quote that is not closed hid all rows after it
        (b'x,c\n1,"a"b\n', "E0610"),
        (b"x\nnan\n", "E0613"),
        (b"x\ninf\n", "E0614"),
        (b"x\n1_0\n", "E0613"),
    ],
)
def test_bad_files(tmp_path, content, code):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert codes(wald(), path)[0][0] == code


def test_missing_files(tmp_path):
    assert codes(wald(), tmp_path / "none.csv")[0][0] == "E0610"
    assert codes(wald(), tmp_path)[0][0] == "E0610"


def test_vectors_from_numbered_and_from_named_columns(tmp_path):
    p = program(
        cell("c", "sum", X),
        pr.Stop(1, apply("==", ir.StepNumber(), 2), ir.CellValue("c")),
        inputs=(("x", Ball(number(1), number(2)), "stream"),),
    )
    path = tmp_path / "v.csv"
    path.write_text("x1,V1,V2,x2\n0.5,0.1,0.2,0\n0.25,0,0.5,0.5\n")
    assert run_data(p, path).result == (0.75, 0.5)
    assert run_data(p, path, columns={"x": "V1..V2"}).result == pytest.approx((0.1, 0.7))
    assert run_data(p, path, columns={"x": "V2,x2"}).result == pytest.approx((0.7, 0.5))
    assert codes(p, path, columns={"x": "x1..x2"})[0][0] == "E0617"
    path.write_text("x1,x2\n3,4\n0,0\n")
    assert codes(p, path)[0][0] == "E0614"
    assert run_data(p, path, clip=True).result == pytest.approx((0.6, 0.8))


def test_datasets_are_read_whole_and_must_have_their_declared_size(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x\n0.5\n0.25\n0.125\n")
    noise = (pr.Noise("total.once", law("laplace", 1e-9), Once(), "total"),)

    def total(size):
        value = ir.Noised("total", apply("sum", X), (ir.Term("total.once", number(1)),))
        inputs = (("x", Interval(number(0), number(1)), "dataset"),)
        return program(pr.Stop(1, None, value), inputs=inputs, size=size, noises=noise)

    assert run_data(total(3), path).result == pytest.approx(0.875, abs=1e-6)
    assert codes(total(4), path)[0][0] == "E0618"


def test_real_trial_data(shared):
    """The trial of indomethacin (Elmunzer et al. 2012): 295 patients got the drug, 27 of them had pancreatitis, so
    Wald's test of 0.3 against 0.7 accepts 0.3."""
    path = shared / "data" / "stream_indo_rct.csv.gz"
    found = run_data(wald(), path, columns={"x": "pep"}, where=["arm=1"])
    assert (found.stopped, found.result, found.rows) == (True, "accept", 295)
    assert found.rows_used == found.step < 20
