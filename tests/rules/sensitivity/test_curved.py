"""Functions of one number of moving sums and recursions: what is derived from their slopes, on all neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import pytest
from neighbouring import ADJACENT, fits, pairs
from small_statistics import Prefix, program, text_of
from thorough import spread

from seqlang.arithmetic.formula import enclose
from seqlang.model.expression import Local
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.motion.shifts import shift_of

SUM = "sum(x + 1 over steps)"


def _sum(p: Prefix) -> float:
    return float(sum(v + 1 for v in p))


def _state(step: Callable[[float, float], float]) -> Callable[[Prefix], float]:
    def run(p: Prefix) -> float:
        state = 0.0
        for v in p:
            state = step(state, float(v))
        return state

    return run


CURVED: list[tuple[str, Callable[[Prefix], float], float]] = [
    (f"log1p({SUM})", lambda p: math.log1p(_sum(p)), 3.0),
    (f"log1p(1 + {SUM})", lambda p: math.log1p(1 + _sum(p)), 1.5),
    (f"-log1p(3 * {SUM})", lambda p: -math.log1p(3 * _sum(p)), 9.0),
    (f"log(2 + {SUM})", lambda p: math.log(2 + _sum(p)), 1.5),
    (f"log2(1 + {SUM})", lambda p: math.log2(1 + _sum(p)), 3 / math.log(2)),
    (f"sqrt(1 + {SUM})", lambda p: math.sqrt(1 + _sum(p)), 1.5),
    (f"exp(-{SUM})", lambda p: math.exp(-_sum(p)), 1.0),
    (f"exp(0.5 - {SUM} / 4)", lambda p: math.exp(0.5 - _sum(p) / 4), 0.75 * math.exp(0.5)),
    (f"log1p(sqrt(4 + {SUM}))", lambda p: math.log1p(math.sqrt(4 + _sum(p))), 0.25),
    (f"log1p({SUM} / step)", lambda p: math.log1p(_sum(p) / len(p)), 3.0),
    ("sum(log1p(x + 1) over steps)", lambda p: sum(math.log1p(v + 1) for v in p), math.log(4)),
    ("max(log1p(x + 1) over steps)", lambda p: max(math.log1p(v + 1) for v in p), math.log(4)),
    ("log1p(max(previous(s, 0), 0) + x + 1)", _state(lambda s, v: math.log1p(max(s, 0) + v + 1)), math.inf),
    ("log(2 + max(previous(s, 0), 0) + x)", _state(lambda s, v: math.log(2 + max(s, 0) + v)), math.inf),
    ("exp(-max(previous(s, 0), 0)) + x", _state(lambda s, v: math.exp(-max(s, 0)) + v), math.inf),
    ("sqrt(1 + max(previous(s, 0), 0)) + x", _state(lambda s, v: math.sqrt(1 + max(s, 0)) + v), math.inf),
]
"""Text, meaning, and the radius where one entry is replaced; infinite: any that holds."""


def _differences(first: Sequence[float], second: Sequence[float]) -> list[float]:
    return [round(b - a, 12) for a, b in zip(first, second, strict=True)]


@pytest.mark.parametrize("adjacency", ADJACENT)
@pytest.mark.parametrize(("body", "meaning", "radius"), spread(CURVED, len(CURVED) // 2))
def test_on_all_neighbours(body: str, meaning: Callable[[Prefix], float], radius: float, adjacency: str) -> None:
    made = program(text_of(adjacency, f"statistic s = {body}"))
    found = shift_of(made, Local("s"))
    bound = enclose(found.radius, parameter_values(made)).high
    if adjacency == "replace one":
        assert bound <= radius * (1 + 1e-12)
        assert found.kind not in ("none", "unbounded")
    for x, y in pairs(adjacency, 3):
        both = [[meaning(stream[: i + 1]) for i in range(3)] for stream in (x, y)]
        moved = _differences(*both)
        assert all(abs(d) <= bound * (1 + 1e-9) for d in moved), (body, x, y)
        assert fits(found.kind, tuple(moved)), (body, found, x, y)


def test_a_pole_within_reach_gives_no_bound() -> None:
    for body in ("log1p(sum(x over steps))", "log(sum(x + 1 over steps))", "sqrt(sum(x + 1 over steps))"):
        assert shift_of(program(text_of("replace one", f"statistic s = {body}")), Local("s")).kind == "unbounded"
