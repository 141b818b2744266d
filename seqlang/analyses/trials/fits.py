"""Whether observed differences belong to the class that was claimed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import hypot, inf, isinf
from typing import Any, assert_never

from seqlang.analyses.trials.claimed import Claimed, Norm
from seqlang.record import record

SLACK = 1e-9
"""Of the largest number at hand: what rounding in the interpreter may do. With exact values only of the radius."""


@record
class Seen:
    """The two values of a quantity in one step. `after`: entries may differ since so many steps (below 0: not yet);
    `renewed`: the reports that were made since then, before this step."""

    step: int
    first: Any
    second: Any
    after: int
    renewed: frozenset[str]


def misfit(
    claim: Claimed, series: Sequence[Seen], single: bool, exact: bool = False, slack: float = SLACK
) -> tuple[int, str] | None:
    """The first step in which the claim fails, and how; None if it holds. `single`: one entry differs."""
    found: list[tuple[Seen, tuple[Any, ...]]] = []
    for seen in series:
        pairs = _differences(seen.first, seen.second)
        if pairs is None:
            return seen.step, "one side has another shape"
        if any(norm == "abs" for norm, _ in claim.radii) and isinstance(seen.first, (tuple, range)):
            return seen.step, "it is a list, and the bound is one for a number"
        found.append((seen, pairs))
    slack *= _scale(claim, () if exact else series)
    for seen, moved in found:
        why = _too_far(claim, moved, slack) or (_too_early(claim, seen, moved, slack) if single else None)
        if why is not None:
            return seen.step, why
    return _of_class(claim, found, slack) if single or claim.onset < 0 else _of_direction(claim, found, slack)


def direction(series: Sequence[Seen], slack: float = SLACK) -> int:
    """1 if all differences are at least 0 and some are above, -1 the other way round, 0 if there are none."""
    slack *= max((_size(s.first) + _size(s.second) for s in series), default=0)
    for seen in series:
        for d in _differences(seen.first, seen.second) or ():
            if abs(d) > slack:
                return 1 if d > 0 else -1
    return 0


def _differences(first: Any, second: Any) -> tuple[Any, ...] | None:
    if isinstance(first, (tuple, range)) and isinstance(second, (tuple, range)):
        parts = [_differences(a, b) for a, b in zip(first, second, strict=False)]
        if len(first) != len(second) or any(part is None for part in parts):
            return None
        return tuple(d for part in parts if part is not None for d in part)
    if isinstance(first, str) or isinstance(second, str):
        return (0 if first == second else inf,)
    if isinstance(first, (tuple, range)) or isinstance(second, (tuple, range)):
        return None
    return (0 if first == second else second - first,)


def _size(value: Any) -> Any:
    if isinstance(value, (tuple, range)):
        return max((_size(v) for v in value), default=0)
    return 0 if isinstance(value, str) or isinf(value) else abs(value)


def _is_infinite(value: Any) -> bool:
    if isinstance(value, (tuple, range)):
        return any(map(_is_infinite, value))
    return not isinstance(value, str) and isinf(value)


def _scale(claim: Claimed, series: Sequence[Seen]) -> Any:
    sizes = [_size(value) for seen in series for value in (seen.first, seen.second)]
    return max([*sizes, *(radius for _, radius in claim.radii if not isinf(radius))], default=0)


def _measure(moved: Sequence[Any], norm: Norm) -> Any:
    match norm:
        case "abs" | "linf":
            return max((abs(d) for d in moved), default=0)
        case "l1":
            return sum(abs(d) for d in moved)
        case "l2":
            return hypot(*moved)
        case "apart":
            return max(moved, default=0) - min(moved, default=0)
        case _:
            assert_never(norm)


def _too_far(claim: Claimed, moved: Sequence[Any], slack: float) -> str | None:
    if claim.kind == "none":
        return "it moves" if any(abs(d) > slack for d in moved) else None
    for norm, radius in claim.radii:
        measured = _measure(moved, norm)
        if isinf(radius):
            continue
        if isinf(measured) or measured > radius + slack:
            return f"it moves by {float(measured):.10g}" + ("" if norm == "abs" else f" in {norm}")
    return None


def _too_early(claim: Claimed, seen: Seen, moved: Sequence[Any], slack: float) -> str | None:
    """Nothing moves before the changed entry; and nothing after the report at which the quantity starts anew."""
    still = claim.onset >= 0 and seen.after < claim.onset
    renewed = claim.report is not None and claim.onset == 0 and claim.report in seen.renewed
    if (still or renewed) and any(abs(d) > slack for d in moved):
        return "it moves before the changed entry" if still else f"it still moves after {claim.report}"
    return None


Found = list[tuple[Seen, tuple[Any, ...]]]


def _of_class(claim: Claimed, found: Found, slack: float) -> tuple[int, str] | None:
    """The course of each coordinate's difference, from the step in which it begins."""
    began = ((s, moved) for s, moved in found if s.after >= max(claim.onset, 0) or claim.onset < 0)
    begun = [(s.step, moved) for s, moved in began if not _is_infinite(s.first)]  # how far those are apart is not known
    if not begun:
        return None
    for i in range(max(len(moved) for _, moved in begun)):
        course = [(step, moved[i]) for step, moved in begun if i < len(moved)]
        why = _course(claim, course, slack)
        if why is not None:
            return why
    return _of_direction(claim, found, slack)


def _course(claim: Claimed, course: list[tuple[int, Any]], slack: float) -> tuple[int, str] | None:
    match claim.kind:
        case "none" | "arbitrary" | "unbounded" | "same direction":
            return None
        case "uniform":
            start = course[0][1]
            return next(((n, "it does not stay the same") for n, d in course if abs(d - start) > slack), None)
        case "single step":
            moving = [n for n, d in course if abs(d) > slack]
            return (moving[1], "it moves in more than one step") if len(moving) > 1 else None
        case "window":
            return _window(course, slack)
        case "same sign, not growing" | "same sign, not shrinking":
            grows = 1 if claim.kind == "same sign, not growing" else -1
            for (_, before), (n, d) in pairwise(course):
                if grows * (abs(d) - abs(before)) > slack:
                    return n, "its difference grows" if grows == 1 else "its difference shrinks"
            return None
        case _:
            assert_never(claim.kind)


def _window(course: list[tuple[int, Any]], slack: float) -> tuple[int, str] | None:
    start, over = course[0][1], False
    for n, d in course[1:]:
        over = over or abs(d) <= slack
        if (over and abs(d) > slack) or (not over and abs(d - start) > slack):
            return n, "it does not stay the same for a while, and then end"
    return None


ONE_SIGN = ("single step", "uniform", "window", "same sign, not growing", "same sign, not shrinking", "same direction")


def _of_direction(claim: Claimed, found: Found, slack: float) -> tuple[int, str] | None:
    """One sign over all steps, of each coordinate; of all coordinates where a sign is known."""
    if claim.kind not in ONE_SIGN:
        return None
    signs: dict[int, int] = {}
    for seen, moved in found:
        for i, d in enumerate(moved):
            if abs(d) > slack:
                sign = 1 if d > 0 else -1
                if signs.setdefault(0 if claim.sign is not None else i, sign) != sign:
                    return seen.step, "it moves both ways"
    return None
