"""Hypotheses about all chances up to, or from, an end: `x ~ bernoulli(p), p <= 0.3`.

The design is made for the ends. Its errors hold for the whole hypotheses if the chance to reject is monotone in p. This
is looked at, exactly, at many points; between them nothing is proved, and the program claims errors at the ends."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.blocks.evaluation import evaluate
from seqlang.designs.blocks.places import between
from seqlang.designs.design import Design
from seqlang.designs.problem.problem import Problem
from seqlang.diagnostics import SpecError

Side = Literal["", "<=", ">="]
_COMPOSITE = re.compile(
    r"(.*\bbernoulli\s*\()\s*([A-Za-z_]\w*)\s*\)\s*,\s*([A-Za-z_]\w*)\s*(<=|>=)\s*(\S+)\s*", re.DOTALL
)
POINTS = 99
"""Chances at which it is looked at, evenly spaced in (0, 1), besides the ends."""
ROUNDING = 1e-12


def end_of(text: str, option: str) -> tuple[str, Side]:
    """The hypothesis at its end, and on which side of it the others lie; "" for one that is no set. Raises SpecError
    E0602."""
    found = _COMPOSITE.fullmatch(text)
    if found is None:
        return text, ""
    head, name, other, sign, end = found.groups()
    if name != other:
        message = f"{option}: the chance is called `{name}`, and the inequality is about `{other}`"
        raise SpecError.of("E0602", message, help=f"write {head.strip()}{name}), {name} {sign} {end}")
    return f"{head}{end})", "<=" if sign == "<=" else ">="


def require_apart(problem: Problem, sides: tuple[Side, Side]) -> None:
    """Raises SpecError E0603 if one hypothesis holds chances beyond the other."""
    ends = [entry.chances[1] for entry in (problem.null, problem.alternative)]
    outwards = ("<=", ">=") if ends[0] < ends[1] else (">=", "<=")
    for side, outward, name in zip(sides, outwards, ("null", "alternative"), strict=True):
        if side not in ("", outward):
            raise SpecError.of("E0603", f"the {name} is p {side} its end, towards the other hypothesis: they overlap",
                               help=f"write p {outward}")  # fmt: skip


def said_of(design: Design, blocks: Blocks) -> str:
    """Whether the chance to reject is monotone at the points, in words, with the largest errors if it is not."""
    problem = design.problem
    ends = [entry.chances[1] for entry in (problem.null, problem.alternative)]
    places = sorted({*ends, *(Fraction(i, POINTS + 1) for i in range(1, POINTS + 1))}, reverse=ends[0] > ends[1])
    rejects = [_rejects(design, blocks, p) for p in places]
    if all(after >= before - ROUNDING for before, after in pairwise(rejects)):
        return f"the chance to reject is monotone at {len(places)} chances: errors there are largest at the ends"
    null = max(rejects[: places.index(ends[0]) + 1])
    alternative = 1 - min(rejects[places.index(ends[1]) :])
    return (f"the chance to reject is not monotone: the largest errors at {len(places)} chances are {null:.6g} and "
            f"{alternative:.6g}")  # fmt: skip


def _rejects(design: Design, blocks: Blocks, place: Fraction) -> float:
    laws = blocks.laws_at(between(place))
    parts = zip(design.chances, design.columns, strict=True)
    return sum(float(c) * evaluate(k.policy, laws, blocks.scores(k.policy.lattice)).reject for c, k in parts)
