"""How far minimisers move: conditions of the rule, and the bound against minimisers found by a solver."""

from __future__ import annotations

from itertools import product
from math import inf

import numpy as np
import pytest
from elaborated import elaborated
from scipy import optimize
from thorough import several

from seqlang.arithmetic.formula import enclose
from seqlang.rules.sensitivity.motion.shifts import shift_of

HEAD = """algorithm t
param d in 1.. = 2
param n in 1.. = 3
param m > 0 = 0.5
dataset x in ball(1, d), y in {-1, 1} size n
"""
LOGISTIC = "log(1 + exp(-(y[i] * dot(v, x[i]))))"
HINGE = "max(0, 1 - y[i] * dot(v, x[i]))"
RIDGE = "m / 2 * dot(v, v)"


def moved(objective: str, *lines: str, head: str = HEAD, domain: str = "real ^ d", operator: str = "argmin") -> float:
    """The l2 sensitivity of the minimiser; inf where none is known."""
    text = "\n".join((head, *lines, f"statistic w = {operator}({objective} for v in {domain})", "stop return w"))
    program = elaborated(text)
    shift = shift_of(program, program.define("w").expression, norm="l2")
    values = {p.name: p.value for p in program.parameters}
    return inf if shift.radius.is_infinite else enclose(shift.radius, values).high


@pytest.mark.parametrize(
    ("objective", "expected"),
    [
        (f"mean({LOGISTIC} for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        (f"mean({HINGE} for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        (f"sum({LOGISTIC} for i in records) + {RIDGE}", 2 / 0.5),
        # Huber's hinge, written as an `if` of the margin
        ("mean(if dot(v, x[i]) > 1.5 then 0 else if dot(v, x[i]) < 0.5 then 1 - dot(v, x[i]) "
         f"else (1.5 - dot(v, x[i])) ^ 2 / 2 for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        (f"mean(abs(dot(v, x[i]) - y[i]) for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        (f"mean(3 * {HINGE} for i in records) + m * norm(v) ^ 2", 6 / (3 * 1)),
        # the part that is the same for all adds nothing
        (f"mean({HINGE} for i in records) + {RIDGE} + log(1 + exp(v[1])) + norm(v)", 2 / (3 * 0.5)),
        # a linear loss: |x - x'| <= 2
        (f"mean(dot(v, x[i]) for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        # records may be passed over
        (f"sum({HINGE} for i in records where y[i] == 1) + {RIDGE}", 2 / 0.5),
        # a factor of the record's own
        (f"mean(norm(x[i]) * {HINGE} for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        # log of a sum of two exponentials of margins
        (f"mean(log(exp(dot(v, x[i])) + exp(-dot(v, x[i]))) for i in records) + {RIDGE}", 2 / (3 * 0.5)),
        # half of the ridge from the data: at least 1 each
        (f"mean({HINGE} + (3 + y[i]) / 4 * dot(v, v) for i in records)", inf),
    ],
)  # fmt: skip
def test_sensitivities_by_hand(objective: str, expected: float) -> None:
    assert moved(objective) == pytest.approx(expected, rel=1e-9)


def test_a_ball_and_the_largest() -> None:
    assert moved(f"mean({HINGE} for i in records) + {RIDGE}", domain="ball(2, d)") == pytest.approx(4 / 3)
    assert moved(f"-mean({HINGE} for i in records) - {RIDGE}", operator="argmax") == pytest.approx(4 / 3)


@pytest.mark.parametrize(
    "objective",
    [
        f"mean({HINGE} for i in records)",                                       # not strongly convex
        f"mean({HINGE} for i in records) + {RIDGE} - dot(v, v)",                  # not convex any more
        f"mean(-{HINGE} for i in records) + 9 * {RIDGE}",                         # concave losses
        f"mean(y[i] * {HINGE} for i in records) + 9 * {RIDGE}",                   # of either sign
        f"mean((dot(v, x[i]) - y[i]) ^ 2 for i in records) + {RIDGE}",            # as steep as v is long
        f"mean(exp(dot(v, x[i])) for i in records) + {RIDGE}",
        f"mean(min(1, {HINGE}) for i in records) + {RIDGE}",                      # a minimum is not convex
        f"mean(if dot(v, x[i]) > 0 then 0 else 1 for i in records) + {RIDGE}",    # a jump
        f"mean(if dot(v, x[i]) > 0 then 0 else dot(v, x[i]) for i in records) + {RIDGE}",  # the slope falls
        f"mean({LOGISTIC} for i in records) + y[1] * {RIDGE}",                    # the ridge itself may turn
        f"mean(log(1 - exp(-dot(v, x[i]))) for i in records) + {RIDGE}",          # no sum of exponentials
        f"mean(sqrt(abs(dot(v, x[i]))) for i in records) + {RIDGE}",
        f"max({HINGE} for i in records) + {RIDGE}",
    ],
)  # fmt: skip
def test_refused(objective: str) -> None:
    assert moved(objective) == inf


@pytest.mark.parametrize("dip", ["-50", "50"])
def test_a_loss_with_a_value_of_its_own_at_one_point_is_refused(dip: str) -> None:
    """With -50 the minimiser lies where most records have their dip, wherever these are; with 50 there may be none."""
    loss = f"(if v[1] - y[i] > 0.5 then 0 else if v[1] - y[i] >= 0.5 then {dip} else 0)"
    assert moved(f"mean({loss} for i in records) + {RIDGE}") == inf
    assert moved(f"mean({loss.replace(dip, '0')} for i in records) + {RIDGE}") == 0


def test_added_records_are_refused() -> None:
    assert moved(f"mean({HINGE} for i in records) + {RIDGE}", "adjacent add or remove one") == inf


STREAM = """algorithm t
param d in 1.. = 2
param m > 0 = 0.5
stream x in ball(1, d)
"""


def test_streams() -> None:
    """One entry's own minimiser; one that reads a running sum, moved by at most 2."""
    assert moved(f"log(1 + exp(dot(v, x))) + {RIDGE}", head=STREAM) == pytest.approx(2 / 0.5)
    total = "statistic total = sum(x over steps)"
    assert moved(f"{RIDGE} - dot(total, v)", total, head=STREAM) == pytest.approx(2 / 0.5)
    assert moved(f"dot(x, v) * 3 + {RIDGE}", head=STREAM) == pytest.approx(6 / 0.5)
    assert moved(f"exp(dot(v, x)) + {RIDGE}", head=STREAM) == inf


def test_two_entries_move_twice_as_far() -> None:
    assert moved(f"mean({HINGE} for i in records) + {RIDGE}", "adjacent replace 2") == pytest.approx(8 / 3)


def test_an_unbounded_field_is_refused() -> None:
    head = HEAD.replace("x in ball(1, d)", "x in real ^ d")
    assert moved(f"mean({HINGE} for i in records) + {RIDGE}", head=head) == inf


def minimiser(xs: np.ndarray, ys: np.ndarray, ridge: float, hinge: bool) -> np.ndarray:
    """The logistic loss numerically; the hinge loss exactly, among the finitely many points that fulfil its conditions
    of optimality for some choice of the records below, at and above the kink."""
    n, d = xs.shape
    if not hinge:

        def smooth(v: np.ndarray) -> float:
            return float(np.mean(np.logaddexp(0, -ys * (xs @ v))) + ridge / 2 * v @ v)

        return np.asarray(optimize.minimize(smooth, np.zeros(d), tol=1e-12).x)

    rows = ys[:, None] * xs

    def objective(v: np.ndarray) -> float:
        return float(np.mean(np.maximum(0, 1 - rows @ v)) + ridge / 2 * v @ v)

    points = []
    for sides in product(("below", "at", "above"), repeat=n):
        weights = np.array([float(side == "below") for side in sides])
        at = np.array([side == "at" for side in sides])
        if at.any():  # weights of these that put their margins at 1
            wanted = ridge * n - rows[at] @ (rows[~at].T @ weights[~at])
            weights[at] = np.linalg.lstsq(rows[at] @ rows[at].T, wanted, rcond=None)[0]
        points.append(rows.T @ weights / (ridge * n))
    return min(points, key=objective)


@pytest.mark.parametrize("hinge", [False, True])
def test_no_pair_moves_further(hinge: bool) -> None:
    rng = np.random.default_rng(7)
    loss = HINGE if hinge else LOGISTIC
    bound = moved(f"mean({loss} for i in records) + {RIDGE}")
    largest = 0.0
    for _ in range(60):
        xs = rng.normal(size=(3, 2))
        xs /= np.maximum(1, np.linalg.norm(xs, axis=1, keepdims=True))
        ys = rng.choice([-1.0, 1.0], size=3)
        other = xs.copy()
        other[0] = -xs[0] / max(np.linalg.norm(xs[0]), 1e-9)
        xs[0] = -other[0]
        apart = np.linalg.norm(minimiser(xs, ys, 0.5, hinge) - minimiser(other, ys, 0.5, hinge))
        largest = max(largest, float(apart))
    assert 0.3 * bound < largest <= bound + 1e-6


def test_one_record_attains_the_hinge_bound() -> None:
    """n = d = 1, m = 1: the minimiser is +1 for x y = 1 and -1 for x y = -1, and the bound is 2."""
    head = HEAD.replace("d in 1.. = 2", "d in 1.. = 1").replace("n in 1.. = 3", "n in 1.. = 1").replace("0.5", "1")
    found = [minimiser(np.array([[x]]), np.array([y]), 1.0, True)[0] for x, y in product((-1.0, 1.0), (1.0,))]
    assert max(found) - min(found) == pytest.approx(2, abs=1e-6)
    assert moved(f"mean({HINGE} for i in records) + {RIDGE}", head=head) == pytest.approx(2)


MARGINS = ("y[i] * dot(v, x[i])", "dot(v, x[i]) - y[i]", "2 * dot(x[i], v) + 0.3", "v[1] * y[i] - 0.2 * norm(x[i])")
SHAPES = (
    "max(0, 1 - ({m}))", "abs({m})", "log(1 + exp(-({m})))", "log(exp({m}) + exp(-({m}) / 2) + 0.5)", "({m}) / 3",
    "(if ({m}) > 1 then 2 * ({m}) - 1 else if ({m}) < 0 then 0 else ({m}) ^ 2)", "max({m}, 0.5 * ({m}), -1)",
    "(if y[i] == 1 then abs({m}) else max(0, {m}))", "norm(x[i]) * max(0, {m})", "(2 + y[i]) * log(1 + exp({m})) / 2",
    "norm(v - x[i])", "norm(v + 2 * x[i]) / 2",
)  # fmt: skip
PUBLIC = ("0", "norm(v)", "log(1 + exp(v[1]))", "abs(v[1] - 0.3)", "dot(v - [0.2], v - [0.2])", "max(v[1], -v[1] - 1)")


def closed(rng: np.random.Generator) -> tuple[str, str]:
    shape, margin = SHAPES[rng.integers(len(SHAPES))], MARGINS[rng.integers(len(MARGINS))]
    return shape.format(m=margin), PUBLIC[rng.integers(len(PUBLIC))]


@pytest.mark.parametrize("seed", range(several(15, 40)))
def test_random_objectives_never_move_further(seed: int) -> None:
    """d = 1, two records: minimisers on a fine grid, for all pairs of neighbouring data."""
    rng = np.random.default_rng(seed)
    loss, public = closed(rng)
    ridge = float(rng.choice([0.2, 1.0, 5.0]))
    head = HEAD.replace("d in 1.. = 2", "d in 1.. = 1").replace("n in 1.. = 3", "n in 1.. = 2")
    bound = moved(f"mean({loss} for i in records) + {public} + {ridge} / 2 * dot(v, v)", head=head)
    assert bound < inf
    grid = np.linspace(-8, 8, 16001)
    parts = {(x, y): on_grid(loss, grid, x, y) for x in (-1.0, -0.4, 0.0, 0.7, 1.0) for y in (-1.0, 1.0)}
    same = on_grid(public, grid, 0.0, 1.0) + ridge / 2 * grid**2
    for other in parts.values():
        found = [float(grid[np.argmin((mine + other) / 2 + same)]) for mine in parts.values()]
        assert max(found) - min(found) <= bound + 2e-3


def on_grid(text: str, grid: np.ndarray, x: float, y: float) -> np.ndarray:
    """The expression as a function of v (one coordinate), by rewriting it for numpy."""
    rewritten = text.replace("x[i]", "x").replace("y[i]", "y").replace("v[1]", "v").replace("[0.2]", "0.2")
    while "(if " in rewritten:
        start = rewritten.rindex("(if ")
        depth, end = 0, start
        for end in range(start, len(rewritten)):
            depth += {"(": 1, ")": -1}.get(rewritten[end], 0)
            if depth == 0:
                break
        test, rest = rewritten[start + 4 : end].split(" then ", 1)
        yes, no = rest.split(" else ", 1)
        no = f"({no})" if no.startswith("if ") else no
        rewritten = f"{rewritten[:start]}np.where({test}, {yes}, {no}){rewritten[end + 1 :]}"
    scope = {
        "np": np, "v": grid, "x": x, "y": y, "dot": lambda a, b: a * b, "norm": abs, "abs": abs,
        "log": np.log, "exp": np.exp,
        "max": lambda *parts: np.maximum.reduce([np.broadcast_to(p, grid.shape) for p in parts]),
    }  # fmt: skip
    return np.broadcast_to(np.asarray(eval(rewritten.replace("^", "**"), scope), dtype=float), grid.shape)
