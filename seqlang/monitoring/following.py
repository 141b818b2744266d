"""Through a test block by block, from what it released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from seqlang.backends.solve.unsolved import Unsolved
from seqlang.diagnostics import SpecError
from seqlang.model.expression import Expression, Label
from seqlang.monitoring.paths import AT_ONCE, PLAN, Group, Paths, Places, held
from seqlang.results.monitor import Block

Counts = tuple[Fraction, ...]
"""What one block released: one number a sum, in the order of the reports."""


class Ended(SpecError):
    """There are more blocks than the test has; `after` so many it ended."""

    after = 0


class Following:
    """A test that stands in the state `at` after the blocks `done`. `plan`: the face of a coin that is thrown before
    the first block. Raises SpecError E0603 for what the test cannot have released, and Ended for what comes after its
    end."""

    def __init__(self, paths: Paths, plan: int | None) -> None:
        self.paths, self.plan = paths, plan
        self.at, self.done = 0, 0
        self.decision: str | None = None
        group, rows = self._next()
        by, how = paths.ended()
        if (how[group.targets[rows]] == AT_ONCE).all():
            self._end(int(by[group.targets[rows[0]]]))

    @property
    def state(self) -> dict[str, float]:
        """The memories now."""
        found = self.paths.state(self.at)
        return {**found, PLAN: float(self.plan)} if self.plan is not None and PLAN in found else found

    @property
    def size(self) -> int | None:
        """Of the next block; None once the test has ended."""
        return None if self.decision is not None else self._next()[0].size

    def follow(self, counts: Sequence[Counts]) -> Iterator[Block]:
        """The blocks."""
        for released in counts:
            if self.decision is not None:
                after = f"after block {self.done}" if self.done else "before its first block"
                message = f"the test ended {after} with `{self.decision}`: there is no block {self.done + 1}"
                error = Ended.of("E0603", message)
                assert isinstance(error, Ended)
                error.after = self.done
                raise error
            yield self._one(released)

    def _one(self, released: Counts) -> Block:
        number, names = self.done + 1, [one.shown for one in self.paths.sums]
        if len(released) != len(names):
            message = f"block {number} released {len(names)} sums ({', '.join(names)}), and {len(released)} are given"
            raise SpecError.of("E0603", message, help="with several sums a block, --counts 7:9,4:6")
        for value in released:
            if value.denominator != 1:
                message = f"block {number} released {float(value):g}: released sums are whole numbers"
                raise SpecError.of("E0603", message)
        group, rows = self._next()
        for name, value in zip(names, released, strict=True):
            place = held(np.array([float(value)]), group.values[name])[0]
            rows = rows[group.shown[name][rows] == place]
        if len(rows) != 1:
            raise Unsolved("which way a public coin fell is not known")
        self.at, self.done = int(group.targets[rows[0]]), number
        by = int(self.paths.ended()[0][self.at])
        if by >= 0:
            self._end(by)
        return Block(number, group.size, tuple(map(int, released)), self.decision, self.state)

    def _end(self, by: int) -> None:
        stop = self.paths.stops[by]
        self.decision = _label(stop.result) or f"stop {stop.index}"

    def _next(self) -> tuple[Group, Places]:
        """The moves of the next block. Raises SpecError where a coin chooses it, and its face is not told."""
        self.paths.learn(np.array([self.at]))
        plans = self.paths.column(PLAN) if self.at == 0 else None
        if plans is None and self.plan is not None and self.at == 0:
            raise SpecError.of("E0603", f"--plan {self.plan}: this test has one schedule only, and no coin")
        found = [(g, np.flatnonzero(g.origins == self.at)) for g in self.paths.groups]
        if plans is not None and self.plan is not None:
            found = [(g, rows[plans[g.targets[rows]] == self.plan]) for g, rows in found]
            if not any(len(rows) for _, rows in found):
                raise SpecError.of("E0603", f"--plan {self.plan}: the public coin has no such face")
        found = [(g, rows) for g, rows in found if len(rows)]
        faces = {float(face) for g, rows in found for face in plans[g.targets[rows]]} if plans is not None else {0.0}
        if len(faces) > 1:
            message = "a public coin chose the plan before the first entry: which?"
            raise SpecError.of("E0603", message, help="--plan 1, --plan 2, ..: what `report chosen` showed")
        if len(found) != 1:
            raise Unsolved("which way a public coin fell is not known")
        return found[0]


def _label(result: Expression | None) -> str | None:
    return result.name if isinstance(result, Label) else None
