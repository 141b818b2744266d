"""RDP of one- and two-sided tests, each end with its own noises: up by the threshold noise, down by the looks."""

from __future__ import annotations

from functools import partial

from seqlang.accounting import curves
from seqlang.arithmetic.formula import INFINITY, Formula
from seqlang.model.program import Program
from seqlang.rules.stopping.directions import directions_of, worst
from seqlang.rules.stopping.ends import candidates, cost, ends_of
from seqlang.rules.stopping.orders import at_orders


def bound(program: Program, gates: tuple[str, ...], horizon: int | None) -> Formula | str:
    """The RDP epsilon over ORDER of the gates together within `horizon` steps (None: any number); or why there is
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
    # up only the threshold noise pays, against the value; down only the look that stops, along with it
    up = [cost(end.threshold, radius, -1, curves.threshold) for end, radius in pairs]
    down = [cost(end.look, radius, 1, partial(_looks, horizon)) for end, radius in pairs]
    found = worst(directions, up, down)
    if found.is_infinite:
        return "Gaussian looks have no bound without a horizon, or a noise has the wrong side"
    return found


def _looks(horizon: int | None, moved: Formula) -> Formula:
    return INFINITY if horizon is None else curves.looks(moved, horizon)


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
    "each end has noises of its own and its value moves by one constant: up costs the threshold noise, down the look "
    "that stops",
    candidates,
    bound,
)
