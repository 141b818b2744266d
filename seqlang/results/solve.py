"""The exact law of one spec under one model, with what one asks of it: error rates, expected and quantile steps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from seqlang.model.print import names_of
from seqlang.record import field, record
from seqlang.results.json_number import json_number
from seqlang.results.results import OneOfSeveral
from seqlang.shown import Drawn, by_report

if TYPE_CHECKING:
    from seqlang.analyses.operating.certain_law import CertainLaw
    from seqlang.arithmetic.enclosure import Enclosure
    from seqlang.backends.solve import Solution
    from seqlang.results.origin import Origin

QUANTILES = (0.05, 0.5, 0.95)
RESOLVED = 1e-6
"""More mass than this without a known stopping step: the moments are not those of the whole law."""


@record
class SolveResult(Drawn, OneOfSeveral):
    """The numbers of `solution` are estimates: they come with an error that nothing proves. `parameters` are the values
    of this cell of a sweep; `seconds` is what the solution took."""

    shown_by = "text.solve:solve_blocks"
    drawn_by = "pictures.exact_laws:plot_laws"
    command = "solve"
    algorithm: str
    model: str
    parameters: Mapping[str, float]
    solution: Solution
    seconds: float
    origin: Origin | None = field(default=None, compare=False)
    certain: CertainLaw | None = None
    """What is certain beside what is estimated; None where nothing is."""

    @property
    def summary(self) -> str:
        return f"{self.algorithm} under {self.model}: {by_report('text.kinds:summary_of', self)}"

    @property
    def resolved(self) -> bool:
        """Whether (nearly) all mass has a known stopping step or is known never to stop."""
        return self.solution.unresolved - self.solution.never + self.solution.lost <= RESOLVED

    @property
    def returns(self) -> dict[str, float]:
        """The share of the runs that have stopped with each return by the last step computed, by its name; a stop
        without `return` is "stop". Where mass is not resolved P(return) is larger: see `interval`."""
        found: dict[str, float] = {}
        names = outcome_names(self.solution.outcomes)
        sums = self.solution.table.sum(axis=0)
        if self.solution.tail is not None:
            sums = sums + self.solution.tail.outcomes
        for outcome, chance in zip(self.solution.outcomes, sums, strict=True):
            found[names[outcome]] = found.get(names[outcome], 0.0) + float(chance)
        return found

    @property
    def expected_steps(self) -> float | None:
        """E[T]; infinite if some runs never stop, None if too much mass is unresolved, or the noise that persists too
        heavy, to tell."""
        if self.solution.never > 0:
            return math.inf
        known = self.resolved and math.isfinite(self.solution.steps_error)
        return self._moment(1) if known else None

    @property
    def sd_steps(self) -> float | None:
        """The standard deviation of T, where E[T] is known and finite; infinite where E[T^2] is."""
        mean = self.expected_steps
        if mean is None or math.isinf(mean):
            return None
        if self.solution.moments.get("expected steps squared") == math.inf:
            return math.inf
        return math.sqrt(max(0.0, self._moment(2) - mean * mean))

    @property
    def steps_so_far(self) -> float:
        """E[min(T, last step)] from what is resolved: a lower bound on E[T]."""
        table = self.solution.table
        return self._moment(1) + self.solution.unresolved * len(table)

    def interval(self, name: str) -> tuple[float, float]:
        """Where the chance of a return seems to lie, by its name: the estimated error of the computation, and what has
        not stopped yet. Never outside of what is certain."""
        solution, chance = self.solution, self.returns[name]
        left = max(0.0, solution.unresolved - solution.never) + solution.lost
        low, high = max(0.0, chance - solution.outcome_error), min(1.0, chance + solution.outcome_error + left)
        return _within(low, high, self.enclosures.get(name))

    @property
    def steps_interval(self) -> tuple[float, float] | None:
        """Where the expected stopping step seems to lie, never outside of what is certain; None where nothing is known
        above."""
        mean = self.expected_steps
        if mean is None or math.isinf(mean):
            return None
        error = self.solution.steps_error
        return _within(max(1.0, mean - error), mean + error, None if self.certain is None else self.certain.steps)

    @property
    def enclosures(self) -> dict[str, Enclosure]:
        """Where the chance of each return certainly lies, by its name; without those of which nothing is certain."""
        if self.certain is None:
            return {}
        named: dict[str, list[Enclosure]] = {}
        names = outcome_names(self.certain.returns)
        for outcome, found in self.certain.returns.items():
            named.setdefault(names[outcome], []).append(found)
        return {name: found[0] for name, found in named.items() if len(found) == 1}

    @property
    def excluded(self) -> tuple[str, ...]:
        """The returns whose estimate, with its estimated error, lies outside of what is certain: it is wrong."""
        error = self.solution.outcome_error + self.solution.lost + self.solution.unresolved
        return tuple(
            name
            for name, sure in self.enclosures.items()
            if name in self.returns and not sure.low - error <= self.returns[name] <= sure.high + error
        )

    def _moment(self, power: int) -> float:
        by_step = self.solution.table.sum(axis=1)
        total = float(sum(float(t) ** power * float(p) for t, p in enumerate(by_step, 1)))
        tail = self.solution.tail
        if tail is None:
            return total
        return total + (tail.steps if power == 1 else tail.squares)

    def quantile(self, level: float) -> int | None:
        """The least t with P(T <= t) >= level; None where the table ends before it."""
        below = 0.0
        for t, row in enumerate(self.solution.table, 1):
            below += float(row.sum())
            if below >= level - 1e-15:
                return t
        return None

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang solve --json`, schema 1."""
        solution = self.solution
        return {
            "schema": 1,
            "algorithm": self.algorithm,
            "model": self.model,
            "parameters": {name: json_number(value) for name, value in self.parameters.items()},
            "expected_steps": json_number(self.expected_steps),
            "expected_steps_error": None if self.expected_steps is None else json_number(solution.steps_error),
            "sd_steps": json_number(self.sd_steps),
            "steps_so_far": float(self.steps_so_far),
            "returns": self.returns,
            "returns_interval": {name: list(self.interval(name)) for name in self.returns},
            "expected_steps_interval": None if self.steps_interval is None else list(self.steps_interval),
            "never_stops": float(solution.never),
            "mass_unresolved": float(max(0.0, solution.unresolved - solution.never) + solution.lost),
            "error_bound": float(solution.error),
            "returns_error": float(solution.outcome_error),
            "quantiles": {str(q): self.quantile(q) for q in QUANTILES},
            "moments": {name: json_number(value) for name, value in solution.moments.items()},
            "steps_computed": len(solution.table),
            "method": solution.method,
            "notes": list(solution.notes),
            "kind": "estimate",
            "certain": self._certain_dict(),
            "seconds": round(self.seconds, 6),
        }

    def _certain_dict(self) -> dict[str, Any] | None:
        if self.certain is None:
            return None
        return {
            "returns": {name: [found.low, found.high] for name, found in self.enclosures.items()},
            "expected_steps": [json_number(self.certain.steps.low), json_number(self.certain.steps.high)],
            "expected_steps_by": self.certain.steps_by or None,
            "undecided": self.certain.undecided,
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row a stopping step and outcome: step, return, probability."""
        names = outcome_names(self.solution.outcomes)
        return [
            {"step": t, "return": names[o], "probability": float(p)}
            for t, row in enumerate(self.solution.table, 1)
            for o, p in zip(self.solution.outcomes, row, strict=True)
        ]


def _within(low: float, high: float, sure: Enclosure | None) -> tuple[float, float]:
    """The part of the interval that is possible; all that is possible where there is none."""
    if sure is None:
        return low, high
    if high < sure.low or low > sure.high:
        return sure.low, sure.high
    return max(low, sure.low), min(high, sure.high)


def chance_interval(exact: Mapping[str, Any], name: str) -> tuple[float, float]:
    """Where the probability of a return seems to lie, from the JSON object of `seqlang solve`. A return that is not in
    it has at most the mass that is not resolved."""
    if name not in exact["returns"]:
        return 0.0, exact["mass_unresolved"]
    chance = exact["returns"][name]
    error = exact["returns_error"]
    ends = max(0.0, chance - error), min(1.0, chance + error + exact["mass_unresolved"])
    low, high = exact.get("returns_interval", {}).get(name, ends)  # absent in what older editions stored
    return low, high


def outcome_names(outcomes: Iterable[str | float | None]) -> dict[str | float | None, str]:
    """What the reports call returned values."""
    values = list(outcomes)
    numbers = names_of(v for v in values if isinstance(v, float))
    return {v: "stop" if v is None else v if isinstance(v, str) else numbers[v] for v in values}
