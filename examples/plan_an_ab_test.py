"""A private A/B test with looks on a calendar: how often may one look, and what does a look cost?

Visitors see page A or page B in turn, 40 of them on each of 20 days. Does B make twice as many sign up? Every look
releases how many did, with noise of its own that hides each visitor. So looks are not free: a look a day drowns the
difference in noise, a look a week does not.

All numbers are exact, save where runs are said to be simulated (seed 1). It takes some twenty seconds.

    python -m seqlang.tours plan_an_ab_test [PICTURE.svg]
"""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import seqlang
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.tours import asked, drawing, progress

A_DAY, DAYS = 40, 20
PLAN: dict[str, Any] = {
    "null": "A ~ bernoulli(0.15), B ~ bernoulli(0.15)",
    "alternative": "A ~ bernoulli(0.1), B ~ bernoulli(0.2)",
    "alpha": 0.05,  # chance to change the page for nothing
    "beta": 0.1,  # chance to miss the better page
    "privacy": "pure(1/2)",
    "public_coin": False,
}


SHORT: dict[str, Any] = {
    **PLAN, "null": "A ~ bernoulli(0.1), B ~ bernoulli(0.1)", "alternative": "A ~ bernoulli(0.05), B ~ bernoulli(0.6)",
    "privacy": "pure(1)",
}  # fmt: skip
"""A page that is so much better is found after a few visitors."""
FEW = 2
"""Visitors of a day in the short form."""


def with_a_look_every(days: int, plan: dict[str, Any] = PLAN, a_day: int = A_DAY) -> Any:
    """The best design whose looks are so far apart; None, and why, where no design keeps both errors."""
    try:
        return seqlang.design(**plan, every=days * a_day, max_steps=DAYS * a_day)
    except Infeasible as why:
        print(f"No test looks every {days * a_day} visitors:\n  {why}\n")
        return None


def chances(found: Any, days: int, a_day: int = A_DAY) -> None:
    """The exact chance to have ended at every look."""
    looks = range(days, DAYS + 1, days)
    print("chance to have ended by day" + "".join(f"{day:8}" for day in looks))
    for side, name in (("null", "  if B is as good as A"), ("alternative", "  if B is better")):
        ended = list(accumulate(found.curves.lengths[side]))
        print(f"{name:27}" + "".join(f"{ended[min(day * a_day, len(ended) - 1)]:8.1%}" for day in looks))


def main(words: list[str] | None = None) -> None:
    parser = asked(__doc__, "", "plan.svg")
    parser.add_argument("picture", nargs="*", metavar="PICTURE", help=".png, .pdf, .svg or .jpg")
    options = parser.parse_args(words)
    pictures, plan, a_day = options.picture, PLAN, A_DAY
    if options.short:
        plan, a_day = SHORT, FEW
    if pictures:
        drawing()  # before the work, not after it
    progress("designs", 0, 2)
    with_a_look_every(1, plan, a_day)
    progress("designs", 1, 2)
    found = with_a_look_every(5, plan, a_day)
    progress("designs", 2, 2)
    print(found)
    print("\n50%, 95% and 99% are quantiles of the number of visitors; `times` says how many times a bound that is.\n")
    chances(found, 5, a_day)
    print(
        f"\nA single look would need {found.fixed} visitors, whatever they do. The best test on this calendar without "
        f"privacy expects {found.unprivate:.0f};\nthis one expects {found.average:.0f}, and {found.privacy} is "
        f"{found.verdict} of all that it shows."
    )
    for picture in pictures:
        found.plot(picture)


if __name__ == "__main__":
    main()
