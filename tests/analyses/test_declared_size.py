"""Which bounds rely on the declared number of records, and that they say so."""

from __future__ import annotations

import pytest

from seqlang import driver
from seqlang.report.document.plain_text import render_plain
from seqlang.source import Source

TEXT = """algorithm a
dataset x in [0, 1] size 10
adjacent {adjacency}
statistic shown = {statistic}
report r = shown
stop when step >= 1
attach laplace({scale}) to r
claim strong pure(1)
"""


def _checked(adjacency: str, statistic: str, scale: str) -> tuple[dict, str]:  # type: ignore[type-arg]
    result = driver.check(
        driver.load(Source("<test>", TEXT.format(adjacency=adjacency, statistic=statistic, scale=scale)))
    )
    return result.to_dict(), " ".join(render_plain(result.document(), 200).split())


@pytest.mark.parametrize(
    ("adjacency", "sizes"),
    [
        ("add or remove one", "data sets of 10 records and their neighbours of 9 to 11"),
        ("replace one", "data sets of 10 records"),
    ],
)
def test_the_mean_relies_on_it(adjacency: str, sizes: str) -> None:
    """Of 3 records one moves the mean by up to 1/3, and the loss is 10/3 where the noise is for 10."""
    found, text = _checked(adjacency, "mean(x[i] for i in records)", "1/10")
    assert found["claims"][0]["verdict"] == "proved"
    assert f"is about {sizes} only" in found["claims"][0]["because"]
    assert found["strong"]["declared_size"] == {"records": 10, "relied_on_by": ["pure", "dp", "zcdp", "rdp"]}
    assert f"rely on the declared size: they are about {sizes}, and no others" in text


@pytest.mark.parametrize("adjacency", ["add or remove one", "replace one"])
def test_a_sum_does_not(adjacency: str) -> None:
    found, text = _checked(adjacency, "sum(x[i] for i in records)", "1")
    assert found["claims"][0]["verdict"] == "proved"
    assert "size" not in found["claims"][0]["because"]
    assert found["strong"]["declared_size"] == {"records": 10, "relied_on_by": []}
    assert "declared size" not in text


def test_streams_declare_none() -> None:
    text = "algorithm a\nstream x in {0, 1}\nreport r = x\nstop when step >= 1\nattach laplace(1) to r\n"
    assert driver.check(driver.load(Source("<test>", text))).to_dict()["strong"]["declared_size"] is None
