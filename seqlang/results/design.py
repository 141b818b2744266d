"""What `design` found: the schedule, its exact figures, and the program that carries it out."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from seqlang.record import record
from seqlang.results.json_number import json_number, json_value
from seqlang.shown import Drawn

SIDES = ("null", "alternative")


@record
class ScheduleLine:
    """From score `first` to score `last` (None: and beyond): the next block has `size` entries, or the test ends with
    `decision`. `plan` is the face of the public coin, from 1; `stage` the entries used so far that it holds for, None
    for all."""

    plan: int
    first: int | None
    last: int | None
    size: int | None
    decision: str | None
    stage: int | None = None

    def to_dict(self) -> dict[str, Any]:
        return {
            "plan": self.plan, "from": self.first, "to": self.last, "size": self.size, "decision": self.decision,
            "stage": self.stage,
        }  # fmt: skip


@record
class LowerBound:
    """No test, private or not as `by` says, needs fewer entries than `value` on the criterion."""

    by: str
    value: float


@record
class PlanFigures:
    """Errors and expected entries by hypothesis, given that the public coin shows this plan, which has `chance`."""

    chance: float
    errors: Mapping[str, float]
    expected_steps: Mapping[str, float]

    def to_dict(self, plan: int) -> dict[str, Any]:
        return {
            "plan": plan,
            "chance": self.chance,
            "errors": dict(self.errors),
            "expected_steps": json_value(self.expected_steps),
        }


@record
class WithoutCoin:
    """The best single schedule that was found: its value of the criterion, errors and expected entries."""

    cost: float
    errors: Mapping[str, float]
    expected_steps: Mapping[str, float]

    def to_dict(self, mixed: float) -> dict[str, Any]:
        """`mixed`: the cost with a coin."""
        return {
            "cost": self.cost,
            "dearer_by": self.cost / mixed - 1 if mixed > 0 else None,
            "errors": dict(self.errors),
            "expected_steps": json_value(self.expected_steps),
        }


@record
class Worst:
    """Where between the hypotheses the expected number of entries is largest."""

    at: float
    expected_steps: float
    quantiles: Mapping[str, int | None]


@record
class EqualRates:
    """Of a design of two arms: the chance to reject where both arms have one rate. `largest` was found at the rate
    `at`, among `places` rates. `bound`: no rate from 0 to 1 has a larger one; None where `largest` is an estimate."""

    at: float
    largest: float
    bound: float | None
    places: int

    def to_dict(self) -> dict[str, Any]:
        kind = "estimate" if self.bound is None else "bound"
        return {"kind": kind, "at": self.at, "largest": self.largest, "bound": self.bound, "places": self.places}


@record
class Curves:
    """At the chances `places` of a 1, for coins: the chance to reject and the expected entries. `lengths`: P(N = n) for
    n = 0, 1, .. by hypothesis, until less than one run in a thousand goes on."""

    places: tuple[float, ...]
    reject: tuple[float, ...]
    steps: tuple[float, ...]
    lengths: Mapping[str, tuple[float, ...]]


@record
class ComparedDesign:
    """Another design for the same hypotheses, with its exact errors, expected entries and quantiles by hypothesis; None
    for what was not found, or is infinite. `privacy` is what it is asked to keep, `verdict` what `check` says of that
    (None: nothing was asked, or found). `kept`: both errors are. `note`: what else is to be said. `spec`: its program,
    which claims the errors that it keeps."""

    name: str
    privacy: str
    errors: Mapping[str, float | None]
    expected_steps: Mapping[str, float | None]
    quantiles: Mapping[str, Mapping[str, int | None]]
    max_steps: int | None
    verdict: str | None
    kept: bool
    note: str
    spec: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name, "privacy": self.privacy, "verdict": self.verdict, "errors": dict(self.errors),
            "errors_kept": self.kept, "expected_steps": dict(self.expected_steps),
            "quantiles": {side: dict(found) for side, found in self.quantiles.items()}, "max_steps": self.max_steps,
            "note": self.note, "spec": self.spec,
        }  # fmt: skip


@record
class DesignResult(Drawn):
    """`errors`, `expected_steps`, `looks` and `quantiles` by hypothesis, `null` and `alternative`; `nominal` are the
    errors asked for. `cost` is the value of the criterion, `bound` what no policy of the same kind can beat. `coin`
    has the chances of the plans: with several of them all figures are means over the coin, and `plans` has those
    given each plan; `without_coin` is the best design of one plan, None where this is one, or none was found.
    `reading`: how an entry becomes the level that is added up, empty where it is added up itself. `checked`: what
    `check`, `solve` and `run` said of the written program. `reasons`: of `certified`, `optimality_gap`, `ratio` and
    `without_coin` where there is none, why. `course`: whether it stops at both ends, to reject only (`one-sided`), or
    also for `futility`; the null's error is then that where such ends are not heeded, and `heeded` the chance to
    reject under the null where they are. `warnings`: what is odd about the hypotheses. `cut_short` names what the
    time limit ended: what it would have found is unknown. `arms`: the names of two arms; odd entries are in the first
    and even ones in the second. `equal_rates`: what such a design does where both have one rate. Where some runs
    never end, what is expected is infinite, and quantiles that are not reached are None."""

    shown_by = "text.design:design_blocks"
    drawn_by = "pictures.design:plot_designs"
    null: str
    alternative: str
    privacy: str
    criterion: str
    verdict: str | None
    nominal: Mapping[str, float]
    errors: Mapping[str, float]
    expected_steps: Mapping[str, float]
    quantiles: Mapping[str, Mapping[str, int | None]]
    looks: Mapping[str, float]
    cost: float
    bound: float | None
    max_steps: int | None
    lattice: float
    coin: tuple[float, ...]
    schedule: tuple[ScheduleLine, ...]
    lower_bounds: tuple[LowerBound, ...]
    worst: Worst | None
    fixed: int
    unprivate: float | None
    checked: tuple[str, ...]
    spec: str
    seconds: float
    certified: Mapping[str, Any] | None = None
    reading: str = ""
    curves: Curves | None = None
    compared: tuple[ComparedDesign, ...] = ()
    reasons: Mapping[str, str] = {}
    course: str = "both ends"
    heeded: float | None = None
    warnings: tuple[str, ...] = ()
    cut_short: tuple[str, ...] = ()
    arms: tuple[str, ...] = ()
    equal_rates: EqualRates | None = None
    plans: tuple[PlanFigures, ...] = ()
    without_coin: WithoutCoin | None = None

    @property
    def summary(self) -> str:
        mean = f"{self.average:.5g} entries on average"
        if self.average == inf:
            mean = f"{self.expected_steps['alternative']:.5g} entries expected under the alternative"
        return f"{self.null} against {self.alternative}, {self.privacy}: {mean}"

    @property
    def average(self) -> float:
        """The mean of both expected numbers of entries."""
        return (self.expected_steps["null"] + self.expected_steps["alternative"]) / 2

    @property
    def ratio(self) -> float | None:
        """The cost over the largest lower bound."""
        best = max((b.value for b in self.lower_bounds), default=0.0)
        return self.cost / best if best > 0 else None

    @property
    def optimality_gap(self) -> float | None:
        """How much less a policy of the same kind could cost at most, as a part of the cost; None where no bound is
        known."""
        return None if self.bound is None else max(0.0, 1 - self.bound / self.cost)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of `seqlang design --json`, schema 1."""
        worst = None
        if self.worst is not None:
            worst = {
                "at": self.worst.at,
                "expected_steps": self.worst.expected_steps,
                "quantiles": dict(self.worst.quantiles),
            }
        return {
            "schema": 1,
            "null": self.null,
            "alternative": self.alternative,
            "privacy": self.privacy,
            "criterion": self.criterion,
            "course": self.course,
            "error_if_futility_is_heeded": self.heeded,
            "verdict": self.verdict,
            "nominal": dict(self.nominal),
            "errors": dict(self.errors),
            "certified": self.certified,
            "expected_steps": json_value(self.expected_steps),
            "average": json_number(self.average),
            "cost": self.cost,
            "quantiles": {side: dict(found) for side, found in self.quantiles.items()},
            "max_steps": self.max_steps,
            "looks": json_value(self.looks),
            "fixed_size": self.fixed,
            "without_privacy": self.unprivate,
            "lower_bounds": [{"by": b.by, "value": b.value} for b in self.lower_bounds],
            "ratio": self.ratio,
            "optimality_gap": self.optimality_gap,
            "reasons": dict(self.reasons),
            "warnings": list(self.warnings),
            "cut_short": list(self.cut_short),
            "arms": list(self.arms),
            "in_turn": bool(self.arms),
            "equal_rates": None if self.equal_rates is None else self.equal_rates.to_dict(),
            "reading": self.reading or None,
            "lattice": self.lattice,
            "coin": list(self.coin),
            "plans": [one.to_dict(plan) for plan, one in enumerate(self.plans, 1)],
            "without_coin": None if self.without_coin is None else self.without_coin.to_dict(self.cost),
            "schedule": [line.to_dict() for line in self.schedule],
            "worst": worst,
            "checked": list(self.checked),
            "compared": [other.to_dict() for other in self.compared],
            "spec": self.spec,
            "seconds": round(self.seconds, 6),
        }

    def frame(self) -> list[dict[str, Any]]:
        """One row a line of the schedule."""
        return [line.to_dict() for line in self.schedule]
