"""From a problem to a design and its report: `find(problem) -> DesignResult`."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from seqlang.designs.blocks.blocks import LATTICE, Blocks, fine_lattice, fixed_size, safe_lattice, walk_lattice
from seqlang.designs.blocks.evaluation import longest
from seqlang.designs.blocks.mechanism import mechanism_for
from seqlang.designs.blocks.policy import Policy
from seqlang.designs.bounds.certificate import Enclosed, certificate, work_of
from seqlang.designs.bounds.ended_early import ended_early_bound
from seqlang.designs.bounds.equal_rates import largest_at_equal_rates
from seqlang.designs.bounds.lower_bounds import lower_bounds
from seqlang.designs.bounds.universal import universal_bound, why_none
from seqlang.designs.bounds.whole_hypotheses import said_of
from seqlang.designs.compare.rows import compared
from seqlang.designs.curves import curves
from seqlang.designs.data.choose import with_reading
from seqlang.designs.design import Design, mixed, mixed_law, quantiles, single
from seqlang.designs.given_plan import plans_of, without_coin
from seqlang.designs.in_time import in_time
from seqlang.designs.problem.criterion import Limits
from seqlang.designs.problem.entry import Array
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.search.calendar import Calendar, calendar_for
from seqlang.designs.search.endless import Endless
from seqlang.designs.search.feasible import require_feasible
from seqlang.designs.search.free import Free
from seqlang.designs.search.quantile import best_quantile
from seqlang.designs.search.search import Search
from seqlang.designs.search.single import best_single
from seqlang.designs.search.staged import Staged
from seqlang.designs.two_arms import warnings
from seqlang.designs.verification import verified
from seqlang.designs.worst import worst_between
from seqlang.designs.written.spec_text import spec_text
from seqlang.process.doing import doing
from seqlang.process.time_limit import lack, over
from seqlang.record import replace
from seqlang.results.design import SIDES, DesignResult, LowerBound, ScheduleLine, WithoutCoin

QUICK = {"pure": 40, "dp": 30, "zcdp": 20, "rdp": 20}
"""Entries of a universal program that takes about a second, by notion of privacy."""
FOLDED = 3 / 2
"""Times as many take no longer where the hypotheses are mirror images of each other."""
ENOUGH = 3
"""So many times the size of the best single block: a longer program bounds hardly more."""
CHEAP = 3e5
"""Products of long numbers that are made without being asked for: half a second."""
COARSE = 2 * LATTICE
"""What a score is where a test goes on below a floor, so that fewer scores are followed."""
SCORES = 800
"""Scores at most, but for those beyond the errors: with more of them, tables and chains are longer and tell no more."""
LARGEST = 200_000
"""Entries of the largest block that is considered."""
Beside = Literal["nothing", "quick", "all"]
"""Other designs beside the one that was found: those that take seconds, or also those whose parameters are searched."""


def find(
    problem: Problem, *, verify: bool = True, horizon: int | None = None, certify: bool = False, draw: bool = False,
    compare: Beside = "nothing",
) -> DesignResult:  # fmt: skip
    """The best design. `horizon`: of the universal program for lower bounds, in entries; None: a short one where it
    tells something. `certify`: encloses errors and expectations also where that takes long; `draw`: with curves;
    `compare`: beside other designs for the same hypotheses. With `verify` the written program is checked, solved and
    run, and its figures compared. Once there is a design, the time limit only cuts short what else is said of it: the
    result names these parts. Raises Infeasible where no design keeps the constraints, Contradicted where the program
    says otherwise than the design."""
    began = time.perf_counter()
    design, blocks, fixed = best_design(problem)
    cut_short = ["the search for a better design"] if over() else []
    plain = None
    if problem.privacy.notion != "none" and not (design.problem.endless and design.problem.has_levels):
        within = replace(problem, limits=design.problem.limits, privacy=Privacy("none"), public_coin=True)
        plain = in_time("the best test without privacy", cut_short, lambda: best_design(within)[0].bound)
    text = spec_text(design)
    lengths = in_time("the distribution of the number of entries", cut_short, lambda: _lengths(design, blocks))
    bounds: list[LowerBound] = []
    in_time("lower bounds", cut_short, lambda: bounds.extend(_bounds(design.problem, fixed, plain, horizon)))
    found = _result(design, fixed, plain, text, bounds, lengths or {})
    if len(design.columns) > 1:
        same = replace(problem, limits=design.problem.limits)
        alone = in_time("the best design without a coin", cut_short,
                        lambda: without_coin(same, lambda asked: best_design(asked)[0]))  # fmt: skip
        found = _with_single(found, alone)
    if _has_peak(design.problem):
        worst = in_time("where most entries are expected", cut_short, lambda: worst_between(design, blocks))
        found = replace(found, worst=worst)
    if design.problem.arms:
        equal = in_time("the largest error at equal rates", cut_short, lambda: largest_at_equal_rates(design, blocks))
        found = replace(found, equal_rates=equal, warnings=tuple(warnings(design.problem, equal)))
    certified = in_time("enclosures", cut_short, lambda: _enclosed(design, blocks, certify))
    found = _with_certificate(found, lack() if certified is None else certified)
    if draw and lengths is not None:
        drawn = in_time("operating characteristics", cut_short, lambda: curves(design, blocks, lengths))
        found = replace(found, curves=drawn)
    if compare != "nothing":
        usual = replace(design, problem=replace(design.problem, course="both ends"))
        rows = in_time("other designs", cut_short,
                       lambda: compared(usual, blocks, fixed, best_design, tuned=compare == "all"))  # fmt: skip
        found = replace(found, compared=rows or ())
    if verify:
        told = verified(text, found, _longest(design, blocks))
        found = replace(found, verdict=told.verdict, checked=told.said)
        cut_short += told.cut_short
    if problem.composite:
        beyond = in_time("chances beyond the ends", cut_short, lambda: said_of(design, blocks))
        found = replace(found, checked=(*found.checked, *(beyond or ())))
    return replace(found, cut_short=tuple(cut_short), seconds=time.perf_counter() - began)


def _lengths(design: Design, blocks: Blocks) -> dict[str, Array]:
    """P(N = n) for n = 0, 1, .. by hypothesis."""
    return {side: mixed_law(design, blocks, blocks.laws(i)) for i, side in enumerate(SIDES)}


def _longest(design: Design, blocks: Blocks) -> dict[str, float]:
    """By hypothesis, an upper end of the further entries that a run expects, wherever it stands."""
    return {
        side: max(longest(c.policy, blocks.laws(i), blocks.scores(c.policy.lattice)) for c in design.columns)
        for i, side in enumerate(SIDES)
    }


def best_design(problem: Problem) -> tuple[Design, Blocks, int]:
    """The design, its blocks, and the size of the best single block. The design's problem says how entries are read."""
    problem = with_reading(problem)
    blocks = Blocks(problem, mechanism_for(problem.privacy, problem.null.range))
    doing("the best single block")
    fixed = fixed_size(blocks, LARGEST)
    if fixed is None:
        raise Infeasible(f"no test of one block of up to {LARGEST:,} entries keeps both errors: the hypotheses are too "
                         "near to each other for this budget")  # fmt: skip
    calendar = calendar_for(problem, fixed)
    if calendar is not None and problem.course != "both ends" and not (problem.limits.looks or problem.limits.most):
        return best_design(replace(problem, limits=replace(problem.limits, most=calendar.most)))
    if calendar is not None:
        require_feasible(blocks, calendar, fixed)
        if problem.criterion.level is not None and problem.criterion.beyond is None:
            return best_quantile(problem, calendar.most, best_design)
    return *_best(blocks, calendar, fixed), fixed


def _best(blocks: Blocks, calendar: Calendar | None, fixed: int) -> tuple[Design, Blocks]:
    """On a lattice on which entries add up without rounding, if they are seen one by one, or on one on which no score
    is rounded in doubt."""

    def searched(lattice: float) -> tuple[Design, Blocks]:
        at = blocks.at(lattice)
        if calendar is not None:
            return _searched(Search(at, Staged(at, calendar, lattice))), at
        kind = Endless if problem.endless else Free
        pricer = kind(at, turns, lattice, knots=lattice) if one_by_one else kind(at, fixed, lattice)
        return _searched(Search(at, pricer)), at

    problem, turns = blocks.problem, blocks.problem.turns
    whole = problem.limits == Limits(unit=turns) if calendar is None else calendar.all_sizes == (turns,)
    one_by_one = problem.privacy.notion == "none" and whole
    if one_by_one:
        return searched(fine_lattice(blocks) if problem.reading or problem.arms else walk_lattice(blocks[1]))
    start = _lattice(problem)
    design, at = searched(start)
    lattice = safe_lattice(at, {m for c in design.columns for m in c.policy.sizes}, start)
    return (design, at) if lattice == start else searched(lattice)


def _lattice(problem: Problem) -> float:
    """About what a score is to be: between the logarithms of the errors there are at most SCORES of them."""
    start = LATTICE if problem.course == "both ends" else COARSE
    return start * math.ceil(2 * math.log(1 / min(problem.errors)) / start / SCORES)


def _searched(search: Search) -> Design:
    problem, found = search.blocks.problem, search.run()
    if problem.public_coin:
        design = mixed(problem, found)
        if design is None:
            raise Infeasible("errors of less than 1e-7 leave no room for the decimals of a coin")
        return design
    column = best_single(search, found)
    if column is None:
        raise Infeasible("no single schedule keeps both errors; a public coin between two would: leave --no-coin out")
    return single(problem, column, found.bound)


def _result(
    design: Design,
    fixed: int,
    plain: float | None,
    text: str,
    bounds: Sequence[LowerBound],
    lengths: Mapping[str, Array],
) -> DesignResult:
    problem = design.problem
    return DesignResult(
        null=problem.hypothesis(problem.null), alternative=problem.hypothesis(problem.alternative),
        privacy=problem.privacy.text, criterion=problem.criterion.text, verdict=None,
        nominal=dict(zip(SIDES, problem.errors, strict=True)),
        errors={"null": design.mean("null", "reject"), "alternative": design.mean("alternative", "accept")},
        expected_steps={side: design.mean(side, "steps") for side in SIDES},
        quantiles={side: quantiles(lengths.get(side, np.zeros(0))) for side in SIDES},
        looks={side: design.mean(side, "looks") for side in SIDES},
        cost=design.cost, bound=design.bound, max_steps=design.most, lattice=design.columns[0].policy.lattice,
        coin=tuple(float(c) for c in design.chances), plans=tuple(plans_of(design)),
        schedule=tuple(_schedule(design)), lower_bounds=tuple(bounds),
        worst=None, fixed=fixed, unprivate=plain, checked=(), spec=text, seconds=0.0,
        reading="" if problem.reading is None else problem.reading.about, reasons=_reasons(design, bool(bounds)),
        arms=problem.arms,
        course=problem.course, heeded=1 - design.mean("null", "accept") if problem.course == "futility" else None,
    )  # fmt: skip


def _with_single(result: DesignResult, found: WithoutCoin | str | None) -> DesignResult:
    """With the best design without a coin, or the reason why there is none; None: the time limit cut it short."""
    if isinstance(found, str):
        return replace(result, reasons={**result.reasons, "without_coin": found})
    return replace(result, without_coin=found)


def _has_peak(problem: Problem) -> bool:
    """Whether some law between the hypotheses expects the most entries."""
    return problem.reading is None and not problem.arms and problem.course != "one-sided"


def _reasons(design: Design, bounded: bool) -> dict[str, str]:
    """Why there is no optimality gap, or no ratio to a lower bound, where there is none."""
    found = {}
    if not bounded:
        found["ratio"] = "with these errors no entry is needed: all bounds are 0"
    return found


def _enclosed(design: Design, blocks: Blocks, certify: bool) -> Mapping[str, Enclosed] | str:
    if design.problem.endless:
        return "of a test that may go on for ever only the null's error is bounded, by `check`"
    if not certify and work_of(design, blocks) >= CHEAP:
        return "they would take a while: ask with --certify"
    return certificate(design, blocks)


def _with_certificate(result: DesignResult, found: Mapping[str, Enclosed] | str) -> DesignResult:
    """With enclosures, or the reason why there are none."""
    if isinstance(found, str):
        return replace(result, reasons={**result.reasons, "certified": found})
    parts = {
        "errors": {side: list(one.error) for side, one in found.items()},
        "expected_steps": {side: list(one.steps) for side, one in found.items()},
    }
    return replace(result, certified=parts)


def _bounds(problem: Problem, fixed: int, plain: float | None, horizon: int | None) -> Iterator[LowerBound]:
    """What no test can beat. The best test without privacy sees all of an entry where entries are points, one by
    one."""
    wald, *private = lower_bounds(problem) or [None]
    sees_all = not problem.arms and (problem.null.law is None or problem.null.law.values is not None)
    if plain is not None and sees_all:
        yield LowerBound("the best test without privacy", plain)
    elif wald is not None:
        yield wald
    yield from (bound for bound in private if bound is not None)
    early = ended_early_bound(problem)
    if early is not None:
        yield LowerBound("the best tests of n entries, for each n", early)
    yield from _universal(problem, fixed, horizon)


def _universal(problem: Problem, fixed: int, horizon: int | None) -> Iterator[LowerBound]:
    """Where the hypotheses are so near that a test takes far more entries than the horizon, it would tell nothing."""
    if why_none(problem):
        return
    quick = QUICK[problem.privacy.notion] * (FOLDED if problem.symmetric else 1)
    last = max(problem.limits.looks, default=problem.limits.most)
    entries = min(horizon or min(round(quick), ENOUGH * fixed), last or LARGEST)
    if horizon or fixed <= 2 * quick:
        doing(f"the universal program of {entries} entries")
        found = universal_bound(problem, entries)
        if found is not None:
            yield LowerBound(f"universal program of {entries} entries", found)


def _schedule(design: Design) -> Iterator[ScheduleLine]:
    for plan, column in enumerate(design.columns, 1):
        policy: Policy = column.policy
        if policy.at_once is not None:
            yield ScheduleLine(plan, None, None, None, policy.at_once)
            continue
        for row in policy.rows:
            stage = row.used if policy.ends else None
            if not policy.endless and (not row.sizes or policy.floor != row.low):  # no score is below the floor
                yield ScheduleLine(plan, None, row.low - 1, None, "accept", stage)
            for first, last, size in row.ranges():
                below = policy.endless and first == row.low
                yield ScheduleLine(plan, None if below else first, last, size, None, stage)
            yield ScheduleLine(plan, row.high + 1, None, None, "reject", stage)
