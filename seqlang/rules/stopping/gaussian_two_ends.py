"""RDP of one- and two-sided tests, each end with its own noises: up by the threshold noise, down by the looks."""

from __future__ import annotations

import math

from seqlang.accounting.noisy_test import looks, threshold
from seqlang.arithmetic.rounding import divide_up
from seqlang.model.program import Program
from seqlang.proof.derivation import RenyiBound
from seqlang.rules.stopping.directions import directions_of, worst
from seqlang.rules.stopping.ends import End, candidates, ends_of
from seqlang.rules.stopping.orders import at_orders


def bound(program: Program, gates: tuple[str, ...], order: float, horizon: int | None) -> float | str:
    """The RDP epsilon of the gates together within `horizon` steps (None: any number), rounded up; or why there is
    none."""
    ends = ends_of(program, gates)
    if isinstance(ends, str):
        return ends
    if any(end.most != 1 for end in ends):
        return "the test goes on after its first report"
    directions = directions_of(program, ends)
    if isinstance(directions, str):
        return directions
    pairs = list(zip(ends, directions.radii, strict=True))
    up = [up_cost(end, radius, order) for end, radius in pairs]
    down = [down_cost(end, radius, order, horizon) for end, radius in pairs]
    total = worst(directions, up, down)
    return (
        total if total < math.inf else "Gaussian looks have no bound without a horizon, or a noise has the wrong side"
    )


def up_cost(end: End, radius: float, order: float) -> float:
    """A rise of the value by at most `radius`: only the threshold noise pays, in the direction against the value."""
    if radius == 0:
        return 0.0
    source = end.threshold
    if source.family == "gaussian":
        return threshold.renyi(order, divide_up(radius, source.scale))
    if source.family == "laplace" or source.sign < 0:
        return divide_up(radius, source.scale)
    return math.inf


def down_cost(end: End, radius: float, order: float, horizon: int | None) -> float:
    """A fall of the value: only the look that stops pays, in the direction of the value."""
    if radius == 0:
        return 0.0
    source = end.look
    if source.family == "gaussian":
        return math.inf if horizon is None else looks.renyi(order, divide_up(radius, source.scale), horizon)
    if source.family == "laplace" or source.sign > 0:
        return divide_up(radius, source.scale)
    return math.inf


def _because(bound: RenyiBound) -> str:
    within = "" if bound.horizon is None else f" within {bound.horizon} steps"
    return (
        "each end has noises of its own and its value moves by one constant: up costs the threshold noise, down the "
        f"look that stops; the worse direction over the ends has epsilon {bound.epsilon:.6g} at order "
        f"{bound.order:g}{within}"
    )


RULE, SEARCH = at_orders(
    "stopping/gaussian_two_ends",
    "Noisy tests, direction by direction",
    """Gates j = 1..J, each: stop iff value_j + a_j Z_j + b_j W_j(t) >= 0, all Z_j (drawn once) and W_j(t) (each step)
independent; neighbours move value_j by one constant c_j from the changed entry on, |c_j| <= D_j.

    up_j   = log[ Phi(-m/2) + e^(a(a-1) m^2/2) Phi((a-1/2) m) ] / (a-1),  m = D_j / (|a_j| sd(Z_j))    Z_j Gaussian
           = D_j / scale                                          Z_j Laplace, or exponential lowering the value
    down_j = log V_N / (a-1), V_m = sup_x [F(x)^a F(x+d)^(1-a) V_(m-1) + (1-F(x))^a (1-F(x+d))^(1-a)], V_0 = 1,
             d = D_j / (|b_j| sd(W_j)), N the horizon in steps                                          W_j Gaussian
           = D_j / scale (no horizon)                             W_j Laplace, or exponential raising the value
    ------------------------------------------------------------------------------------------------
    the gates together are (a, max over the joint directions of sum_j up_j or down_j)-RDP, in nats""",
    "Theorems G2 and G3 (seqlang, accounting/noisy_test); composition: Mironov 2017, Proposition 1",
    _because,
    candidates,
    bound,
)
