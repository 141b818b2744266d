"""Charts are well formed, stand where their numbers are, and show what is known so far."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from seqlang.studio.learning.charts import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, chart
from seqlang.studio.learning.numbers import NAMES, table_of

NOTHING = {"mean": None, "sd": None, "se": None, "ci95": None, "n": 0}


def point(mean: float, *ends: float) -> dict[str, Any]:
    return {"mean": mean, "sd": None, "se": None, "ci95": list(ends) or None, "n": 2}


def numbers(**more: Any) -> dict[str, Any]:
    known = [point(0.5, 0.25, 0.75), NOTHING]
    one = {
        "curves": {"validation": known, "next rows": known, "test": known}, "bought": [point(30.0), NOTHING],
        "predicted": [60.0, 40.0], "truth": [50.0, 50.0], "labels": [(51, True, False), (52, False, False)],
        "metrics": {"accuracy": point(0.5, 0.4, 0.6), "mcc": point(-0.5, -0.6, -0.4)}, **more,
    }  # fmt: skip
    return {"marks": [50, 100], "variants": {"<b>&": one, "other": one}}


@pytest.mark.parametrize("name", NAMES)
def test_charts_are_well_formed(name: str) -> None:
    drawn = ET.fromstring(chart(numbers(), name))
    assert "<b>&" in "".join(drawn.itertext()) and drawn.find(".//b") is None


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_drawn_of_what_is_not_known(name: str) -> None:
    nothing = {"curves": {set_: [NOTHING] * 2 for set_ in ("validation", "next rows", "test")}, "labels": [],
               "bought": [NOTHING] * 2, "metrics": {}, "predicted": [0.0, 0.0], "truth": [0.0, 0.0]}  # fmt: skip
    assert chart(numbers(**nothing), name) == "" and table_of(numbers(**nothing), name) == []


def test_a_point_stands_where_its_number_is() -> None:
    (dot, _) = ET.fromstring(chart(numbers(), "test")).iter("circle")
    across = LEFT + (WIDTH - LEFT - RIGHT) * 50 / 102  # the axis ends 2 % after the last row
    middle = (TOP + HEIGHT - BOTTOM) / 2
    assert (float(dot.get("cx", "")), float(dot.get("cy", ""))) == pytest.approx((across, middle), abs=0.06)


def test_a_bar_below_zero_hangs_from_it() -> None:
    bars = [bar for bar in ET.fromstring(chart(numbers(), "metrics")).iter("rect") if float(bar.get("y", "")) > TOP]
    zero = (TOP + HEIGHT - BOTTOM) / 2  # between -1 and 1
    accuracy, mcc = bars[0], bars[1]
    assert float(accuracy.get("y", "")) + float(accuracy.get("height", "")) == pytest.approx(zero, abs=0.11)
    assert float(mcc.get("y", "")) == pytest.approx(zero, abs=0.06)
    assert float(mcc.get("height", "")) == pytest.approx((HEIGHT - TOP - BOTTOM) / 4, abs=0.06)


def test_tables_hold_what_is_drawn() -> None:
    assert table_of(numbers(), "test")[0] == {
        "learner": "<b>&",
        "rows read": 50,
        "mean": 0.5,
        "low": 0.25,
        "high": 0.75,
    }
    assert [row["value"] for row in table_of(numbers(), "predicted")] == [60.0, 40.0, 60.0, 40.0, 50.0, 50.0]
    assert [row["positive"] for row in table_of(numbers(), "time")] == [1, 0, 1, 0, 0, 0]
