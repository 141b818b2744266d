"""Grids and lists of cases; what is wrong with a list is shown at its place."""

from __future__ import annotations

from fractions import Fraction

import pytest
from sweep_command import SPEC

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.plain import render
from seqlang.driver import load
from seqlang.source import Source
from seqlang.sweeps.cases import cases
from seqlang.sweeps.cells import Cell, combined
from seqlang.sweeps.plan import plan

PROGRAM = load(Source("coin_walk.seq", SPEC)).program


def _cases(text: str) -> tuple[Cell, ...]:
    return cases(Source("list.csv", text), PROGRAM)


def test_a_list() -> None:
    text = '# settings\np, a,"model",seed,runs\n\n0.25, 3, fair, 7, 1e3\n1/3,,,,\r\n"0.5" , 2,loaded,,\n'
    assert _cases(text) == (
        Cell((("p", Fraction(1, 4)), ("a", Fraction(3))), "fair", 7, 1000, 4),
        Cell((("p", Fraction(1, 3)),), None, None, None, 5),
        Cell((("p", Fraction(1, 2)), ("a", Fraction(2))), "loaded", None, None, 6),
    )


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators(separator: str) -> None:
    text = "# p, then a\np,a,model\n1/4,3,fair\n\n1/3,,\n"
    assert _cases(text.replace(",", separator).replace("# p" + separator, "# p,")) == _cases(text)
    with pytest.raises(SpecError, match="`0,5` is not a number"):
        _cases(f"p{separator}a\n0,5{separator}2\n")


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("p,A\n1,2\n", "1:3", "did you mean `a`"),
        ("p,temperature\n1,2\n", "1:3", "its parameters: `p`, `a`"),
        ("p,modle\n1,x\n", "1:3", "did you mean `model`"),
        ("p,a,p\n1,2,3\n", "1:5", "names two columns"),
        ("p,a\n0.1,2\n0.1;2\n", "3:1", "line 3 has 1 fields, the header 2"),
        ("p,a\n0.1,2,\n", "2:7", "3 fields"),
        ("p,a\n0.1,two\n", "2:5", "`two` is not a number"),
        ("p,a\n0.1, nan\n", "2:6", "not a number"),
        ("p,a\n0.1,1e999\n", "2:5", "not a number"),
        ("p,a\n0.1,1/0\n", "2:5", "not a number"),
        ("p,model\n0.1,fiar\n", "2:5", "did you mean `fair`"),
        ("p,seed\n0.1,-1\n", "2:5", "at least 0"),
        ("p,runs\n0.1,1.5\n", "2:5", "whole number"),
        ('p,a\n0.1,"2\n', "2:5", "no end"),
        ("p,a\n", "1:1", "no rows"),
    ],
)
def test_mistakes_are_shown_at_their_place(text: str, place: str, said: str) -> None:
    with pytest.raises(SpecError) as raised:
        _cases(text)
    source = raised.value.source
    assert isinstance(source, Source)
    shown = render(raised.value.diagnostics, source)
    assert "error[E0640]" in shown
    assert f"--> list.csv:{place}\n" in shown
    assert said in shown


def test_an_empty_list() -> None:
    with pytest.raises(SpecError, match="no header"):
        _cases("# nothing\n\n")


def test_a_grid_is_every_combination_the_last_fastest() -> None:
    one, two, three = Fraction(1), Fraction(2), Fraction(3)
    cells = combined((), [("a", [one, two]), ("p", [two, three])])
    assert [tuple(v for _, v in c.values) for c in cells] == [(one, two), (one, three), (two, two), (two, three)]
    assert combined((), []) == (Cell(),)


def test_a_grid_over_a_list() -> None:
    cells = combined(_cases("a,seed\n1,5\n2,6\n"), [("p", [Fraction(1, 4), Fraction(1, 2)])])
    assert [(dict(c.values)["a"], dict(c.values)["p"], c.seed, c.line) for c in cells] == [
        (1, Fraction(1, 4), 5, 2), (1, Fraction(1, 2), 5, 2), (2, Fraction(1, 4), 6, 3), (2, Fraction(1, 2), 6, 3),
    ]  # fmt: skip


def test_nothing_is_varied_twice_and_nothing_is_endless() -> None:
    values = [Fraction(i) for i in range(1000)]
    with pytest.raises(SpecError, match="`p` is varied twice"):
        combined(_cases("p\n0.1\n"), [("p", values)])
    with pytest.raises(SpecError, match="1,000,000 cells"):
        combined((), [("p", values), ("a", values)])


def test_a_value_outside_its_domain_names_the_line_of_the_list() -> None:
    listed = Source("list.csv", "p\n0.5\n1.5\n")
    with pytest.raises(SpecError) as raised:
        plan(Source("coin_walk.seq", SPEC), {}, cases(listed, PROGRAM), (), run={"runs": 1}, listed=listed)
    assert "in line 3 of list.csv" in raised.value.diagnostics[0].notes


def test_own_columns_yield_to_parameters() -> None:
    text = SPEC.replace("param a > 0", "param seed > 0").replace("s >= a", "s >= seed").replace("s <= -a", "s <= -seed")
    program = load(Source("x", text)).program
    assert cases(Source("list.csv", "seed\n1/2\n"), program)[0].values == (("seed", Fraction(1, 2)),)


def test_units_of_a_plan() -> None:
    found = plan(Source("x", SPEC), {"a": Fraction(2)}, _cases("p,model,runs\n0.3,,\n0.4,fair,7\n"), (),
                 run={"runs": 5, "seed": 1, "cap": None}, solve={})  # fmt: skip
    assert found.names == ("p",)
    assert [(r.model, r.parameters["p"], r.parameters["a"]) for r in found.rows] == [
        ("fair", 0.3, 2.0), ("loaded", 0.3, 2.0), ("fair", 0.4, 2.0),
    ]  # fmt: skip
    assert [u.do for u in found.units] == ["run", "solve"] * 3
    assert [dict(u.options).get("runs") for u in found.units] == [5, None, 5, None, 7, None]
