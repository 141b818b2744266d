"""The joint law of the stopping step and the return, as numbers with an error bound."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from seqlang.record import field, record

Array = NDArray[np.float64]
Outcome = str | float | None
"""What a run returns: a label, a number, or None for a stop without `return`."""


@record
class Tail:
    """What happens after the last step of the table, in closed form: the chance of each outcome, and the sums of
    step * chance and step^2 * chance over all later stopping steps."""

    outcomes: Array
    steps: float
    squares: float
    by_node: Array
    """`steps` by node of the persistent noises (theta,)."""


def tail_after(step: int, mass: Array, visits: Array, twice: Array, outcomes: Array) -> Tail:
    """The tail of a Markov chain that is left with `mass` after `step` steps; all arrays but `outcomes` are by node.

    With A the transitions among states that go on and x the mass in them, V = x + A x + A^2 x + .. are the expected
    visits and W = x + 2 A x + 3 A^2 x + .. their running sums; `visits` and `twice` are V and W added up over the
    states. A run stops m steps later with the chance that it is there after m - 1 steps and not after m, so that the
    sum of m * chance is V, and that of m^2 * chance is 2 W - V (Abel summation). Kemeny and Snell (1960), Theorem
    3.3.3.
    """
    by_node = step * mass + visits
    squares = step * step * mass + 2 * step * visits + 2 * twice - visits
    return Tail(outcomes, float(by_node.sum()), float(squares.sum()), by_node)


@record
class Solution:
    """P(T = t, outcome) for t = 1 .. len(table).

    `table` has shape (steps, outcomes). `unresolved`: mass that had not stopped by the last step and is in no `tail`
    (`never` of it is proved never to stop: by an inequality where `bounded_never`, and else because no stop has a
    chance that floats tell from 0); `lost`: mass of states that were dropped because they are rare. `error` bounds
    the error of any probability of a set of (step, outcome) by quadrature, by comparison of two orders;
    `outcome_error` that of the chance of each outcome (all steps; what is unresolved comes on top), `steps_error` that
    of the expected step. `watched` has one row an expression: the sum over stops of chance * value at the stop; its
    error is at most `watched_error` if the values lie in [0, 1].
    `moments["expected steps squared"]` is an upper end of E_z[E[T | z]^2] over the draws z of the persistent noises
    (inf where it grows too fast to be finite, and then E[T^2] is infinite too).
    """

    outcomes: tuple[Outcome, ...]
    table: Array
    unresolved: float
    never: float = 0.0
    bounded_never: bool = False
    lost: float = 0.0
    error: float = 0.0
    outcome_error: float = 0.0
    steps_error: float = 0.0
    tail: Tail | None = None
    watched: Array | None = None
    watched_error: float = 0.0
    method: str = ""
    notes: tuple[str, ...] = ()
    moments: Mapping[str, float] = field(default_factory=dict)
