"""A test that is designed from hypotheses, errors and a privacy budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from seqlang.designs.find import find
from seqlang.designs.problem.criterion import Course
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.request import problem_of
from seqlang.designs.problem.request_limits import limits_of
from seqlang.diagnostics import SpecError
from seqlang.driver.given import number, whole
from seqlang.studio.jobs.pictures import with_pictures

COURSES: tuple[Course, ...] = ("both ends", "one-sided", "futility")
LONGEST = 200
"""Characters of a field."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`spec`: the text; `design`: the command's JSON; `report`: its text; `pictures`. Raises SpecError where nothing
    keeps the constraints."""
    asked = {name: str(value).strip()[:LONGEST] for name, value in argument.items()}
    most = whole(asked.get("max") or None, "max")
    limits = limits_of(most, (), None, None, None)
    course = asked.get("course") or COURSES[0]
    problem = problem_of(
        asked["null"], asked["alternative"], number(asked["alpha"], "alpha"), number(asked["beta"], "beta"),
        asked["privacy"], asked.get("minimise") or "average", True, limits,
        next((one for one in COURSES if one == course), COURSES[0]),
    )  # fmt: skip
    try:
        found = find(problem, draw=True)
    except Infeasible as why:
        raise SpecError.of("E0603", f"no design: {why}") from None
    answer = {"spec": found.spec, "design": found.to_dict(), "report": str(found), "rows": found.frame()}
    return with_pictures(answer, found.plot, tell)
