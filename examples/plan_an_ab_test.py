"""A private A/B test with looks on a calendar: how often may one look, and what does a look cost?

Visitors see page A or page B in turn, 40 of them on each of 20 days. Does B make twice as many sign up? Every look
releases how many did, with noise of its own that hides each visitor. So looks are not free: a look a day drowns the
difference in noise, a look a week does not.

    python examples/plan_an_ab_test.py [PICTURE.svg]
"""

from __future__ import annotations

import sys
from itertools import accumulate
from typing import Any

import seqlang
from seqlang.designs.problem.infeasible import Infeasible

A_DAY, DAYS = 40, 20
PLAN: dict[str, Any] = {
    "null": "A ~ bernoulli(0.15), B ~ bernoulli(0.15)",
    "alternative": "A ~ bernoulli(0.1), B ~ bernoulli(0.2)",
    "alpha": 0.05,  # chance to change the page for nothing
    "beta": 0.1,  # chance to miss the better page
    "privacy": "pure(1/2)",
    "public_coin": False,
}


def with_a_look_every(days: int) -> Any:
    """The best design whose looks are so far apart; None, and why, where no design keeps both errors."""
    try:
        return seqlang.design(**PLAN, every=days * A_DAY, max_steps=DAYS * A_DAY)
    except Infeasible as why:
        print(f"No test looks every {days * A_DAY} visitors:\n  {why}\n")
        return None


def progress(found: Any, days: int) -> None:
    """The exact chance to have ended at every look."""
    looks = range(days, DAYS + 1, days)
    print("chance to have ended by day" + "".join(f"{day:8}" for day in looks))
    for side, name in (("null", "  if B is as good as A"), ("alternative", "  if B is better")):
        ended = list(accumulate(found.curves.lengths[side]))
        print(f"{name:27}" + "".join(f"{ended[min(day * A_DAY, len(ended) - 1)]:8.1%}" for day in looks))


def main(arguments: list[str]) -> None:
    with_a_look_every(1)
    found = with_a_look_every(5)
    print(found)
    progress(found, 5)
    print(
        f"\nA single look would need {found.fixed} visitors, whatever they do. The best test on this calendar without "
        f"privacy expects {found.unprivate:.0f};\nthis one expects {found.average:.0f}, and {found.privacy} is "
        f"{found.verdict} of all that it shows."
    )
    for picture in arguments:
        found.plot(picture)


if __name__ == "__main__":
    main(sys.argv[1:])
