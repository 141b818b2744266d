"""Looking at many rows at once is the same run as step by step, noise included."""

from __future__ import annotations

import numpy as np
import pytest

import seqlang
from seqlang.backends.train.lanes import Lanes, orders_of
from seqlang.backends.train.rows import rows_from_arrays
from seqlang.backends.train.stretches import Stretches, quiet_between_events

NOISY = """algorithm noisy_blocks
param size = 6
stream x in [0, 1], y in {0, 1}
memory level = 1 / 2
memory seen = 0
let far = level + seen / 100
statistic hit = x > level
draw coin ~ bernoulli(if x > far then 0.7 else 0.2)
report block when sum(coin where hit since block) + count(y == 1 since block) >= size
report total = sum(x * y since block) when block
update level = clip(level + (total - 2) / 40, 0.2, 0.8) when block
update seen = seen + 1 when block
statistic all = sum(x over steps)
stop when all >= 60 return high
stop when step >= 150 return low
attach randomized_response(0.9) to hit
attach laplace(0.5) to size each block
attach laplace(1) to all once
attach laplace(0.3) to total
"""
SPECS = {
    "flmb": ("@bittner2020/flmb", {"L": 5}),
    "flmb, large": ("@bittner2020/flmb", {"L": 40}),
    "flmb, shrinking": ("@bittner2020/flmb", {"L": 3, "shrinking": 1, "eps_s": 4}),
    "flsw": ("@bittner2020/flsw", {"N": 7}),
    "exponential": ("@bittner2020/flmb_exponential", {"L": 5}),
}


def both(spec: seqlang.Spec, data: dict[str, np.ndarray], steps: int, orders: int) -> tuple[Lanes, Stretches]:
    program = spec.loaded.program
    rows = rows_from_arrays(program, data)
    found = []
    tracked = [d.name for d in program.body if getattr(d, "kind", "") == "statistic"]
    for kind in (Lanes, Stretches):
        lanes = kind(
            program,
            rows,
            orders_of(rows.count, steps, orders, 2),
            seed=3,
            checkpoints=(1, 17, 50, steps),
            tracked=tracked,
        )
        lanes.go(steps, None)
        found.append(lanes)
    return found[0], found[1]


def same(plain: Lanes, fast: Stretches) -> None:
    assert fast.record.steps.tolist() == plain.record.steps.tolist()
    assert fast.record.codes.tolist() == plain.record.codes.tolist()
    for name, counts in plain.record.reports.items():
        assert fast.record.reports[name].tolist() == counts.tolist()
    for name, values in plain.memories.items():
        assert np.nan_to_num(fast.memories[name]) == pytest.approx(np.nan_to_num(values), abs=1e-9)
    for name, values in plain.tracked.items():
        assert np.nan_to_num(fast.tracked[name]) == pytest.approx(np.nan_to_num(values), abs=1e-9)
    assert fast.steps_done == plain.steps_done


@pytest.mark.parametrize("case", SPECS)
def test_the_same_run(case: str) -> None:
    name, more = SPECS[case]
    spec = seqlang.load(name, d=4, n=200, **more)
    assert quiet_between_events(spec.loaded.program)
    random = np.random.default_rng(1)
    x = random.normal(size=(300, 4))
    x /= np.linalg.norm(x, axis=1)[:, None] * (1 + random.random((300, 1)))
    same(*both(spec, {"x": x, "y": np.sign(x[:, 0] - 0.1)}, 200, 11))


@pytest.mark.parametrize("steps", [150, 97])  # 97: the rows end first
def test_all_lives_of_noise_and_random_ends(steps: int) -> None:
    spec = seqlang.load(NOISY)
    random = np.random.default_rng(1)
    plain, fast = both(spec, {"x": random.random(400), "y": random.integers(0, 2, 400)}, steps, 30)
    same(plain, fast)
    assert len(set(plain.record.steps.tolist())) > (3 if steps == 150 else 0)
    assert len(set(plain.record.reports["block"].tolist())) > 2


@pytest.mark.parametrize("name", ["bittner2020/private_sgd", "smith2013/ftal", "tight/cusum", "tight/window"])
def test_what_is_never_quiet_goes_step_by_step(name: str) -> None:
    assert not quiet_between_events(seqlang.load(f"@{name}").loaded.program)
