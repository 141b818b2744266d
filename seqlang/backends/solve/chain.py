"""What every chain offers to the recursion: one step after the other. No step changes a frontier in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from seqlang.backends.solve.solution import Array, Outcome, Tail
from seqlang.record import record


@record
class Stopped:
    """What stopped in one step: mass by outcome and node, (outcomes, theta), and one number a watched expression."""

    by_outcome: Array
    watched: Array


class Chain(Protocol):
    """The Markov chain of one program under one model, at one order of quadrature.

    A frontier holds the runs that have not stopped after `step` steps. `survivors` is their mass by node of the
    persistent noises (theta,): the nodes' weights before step 1; `lost` the mass of rare states dropped so far. `size`
    are the numbers that it keeps, theta * rows: the work of one step is about proportional to it; where it is not,
    there is also a `cost`, the work of the step that led here in numbers of about 5 ns. One that knows several steps at
    once has `leap(below)`: them all, or until at most `below` is left; the last frontier and (steps, outcomes, theta).
    """

    @property
    def outcomes(self) -> tuple[Outcome, ...]: ...

    def begin(self) -> Any:
        """The frontier before step 1."""
        ...

    def advance(self, frontier: Any, forced: Mapping[str, Any] | None = None) -> tuple[Any, Stopped]:
        """One step; `forced` (field -> value) is the entry instead of a draw from the model."""
        ...

    def close(self, frontier: Any) -> Tail | None:
        """The rest in closed form, where nothing depends on the step any more and the states are few; else None."""
        ...

    def stuck(self, frontier: Any) -> float:
        """The mass of runs in the frontier that are proved never to stop."""
        ...
