"""Hypotheses about all chances up to, or from, an end: `x ~ bernoulli(p), p <= 0.3`.

The design is made for the ends, at which the program claims its errors; `bounds/whole_hypotheses.py` says what is known
beyond them."""

from __future__ import annotations

import re
from typing import Literal

from seqlang.designs.problem.problem import Problem
from seqlang.diagnostics import SpecError
from seqlang.operators.groups import TURNED

Side = Literal["", "<=", ">="]
_COMPOSITE = re.compile(
    r"(.*\bbernoulli\s*\()\s*([A-Za-z_]\w*)\s*\)\s*,\s*([A-Za-z_]\w*)\s*(<=|>=)\s*(\S+)\s*", re.DOTALL
)


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
    outward = "<=" if ends[0] < ends[1] else ">="
    outwards = (outward, TURNED[outward])
    for side, outward, name in zip(sides, outwards, ("null", "alternative"), strict=True):
        if side not in ("", outward):
            raise SpecError.of("E0603", f"the {name} is p {side} its end, towards the other hypothesis: they overlap",
                               help=f"write p {outward}")  # fmt: skip
