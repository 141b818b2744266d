"""The report of `design` as people read it: the schedule, what it does, how far it is from the best."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from seqlang.record import replace
from seqlang.report.document.document import Block, Heading, Table, first_line, line, remark, row, table_of
from seqlang.report.numbers import shown, shown_up
from seqlang.results.design import SIDES

if TYPE_CHECKING:
    from seqlang.results.design import ComparedDesign, DesignResult, ScheduleLine

MISSING = {"certified": "enclosures", "optimality_gap": "bound on the optimum within its class", "ratio": "lower bound",
           "without_coin": "design without a coin"}  # fmt: skip
"""What a report calls what there may be none of."""


def design_blocks(result: DesignResult) -> Iterator[Block]:
    """The whole report."""
    about = f"  {result.null} against {result.alternative}, {result.privacy}"
    yield first_line("design", about, f"{result.seconds:.1f} s")
    yield from (remark(text) for text in of_two_arms(result))
    yield from (remark(f"warning: {text}") for text in result.warnings)
    by = "score" if result.max_steps is None else "entries used and score"
    yield Heading(f"Schedule: the size of the next block, by {by}")
    if len(result.coin) > 1:
        faces = ", ".join(f"plan {i} with chance {shown(c, 6)}" for i, c in enumerate(result.coin, 1))
        yield remark(f"before the first entry a public coin chooses: {faces}")
    yield schedule_table(result)
    yield remark(
        f"the score is the log-likelihood ratio of all released counts, alternative against null, in steps of "
        f"{shown(result.lattice, 6)}; it begins at 0"
    )
    if result.reading:
        yield remark(f"{result.reading}; a block adds up levels")
    yield Heading("What it does")
    yield figures_table(result)
    yield from of_the_coin(result)
    yield from remarks(result)
    yield Heading("How good it is")
    yield bounds_table(result)
    yield from about_bounds(result)
    if result.optimality_gap is not None:
        yield remark(f"within its class the optimum is at most {100 * result.optimality_gap:.2g} % lower")
    if result.certified is not None:
        yield remark(f"enclosed by rounding outwards: {_enclosed(result.certified)}")
    for name, why in result.reasons.items():
        yield remark(f"no {MISSING[name]}: {why}")
    for text in result.checked:
        yield remark(text)
    if result.cut_short:
        yield remark(f"the time limit cut short {', '.join(result.cut_short)}: what is missing is unknown")
    if result.compared:
        yield Heading("Beside other designs")
        yield from beside(result)


def of_two_arms(result: DesignResult) -> Iterator[str]:
    """How entries are assigned to two arms, and at which rates the error holds where the arms do not differ."""
    if not result.arms:
        return
    odd, even = result.arms
    yield (
        f"half of the entries are in each arm, in turn: odd entries are {odd}, even ones {even}. No figure here holds "
        "for another allocation, such as a coin for each entry; `release` and `monitor` refuse it"
    )
    equal = result.equal_rates
    if equal is None:
        yield "how often the test rejects where both arms have one rate was not computed, for lack of time"
        return
    found = f"{shown(equal.largest, 4)}, where that rate is {shown(equal.at, 4)}"
    if equal.bound is None:
        yield (
            "if both arms have the same rate, whatever it is, the largest chance to reject is estimated as "
            f"{found}: the largest at {equal.places} rates that were tried"
        )
    else:
        yield (
            "if both arms have the same rate, whatever it is, the test rejects with chance at most "
            f"{shown_up(equal.bound, 4)}; the largest chance that was found is {found}"
        )


def schedule_table(result: DesignResult) -> Table:
    """The size of the next block, or the decision, by score."""
    several, ends = len(result.coin) > 1, any(entry.stage is not None for entry in result.schedule)
    head = ("plan",) * several + ("entries used",) * ends + ("score", "next block")
    rows = []
    for times, lines in _stages(result.schedule):
        for entry in lines:
            cells = [str(entry.plan)] * several + [times] * ends
            cells += [_range(entry), entry.decision or "" if entry.size is None else str(entry.size)]
            rows.append(tuple(line(cell) for cell in cells))
    return Table(head, tuple(rows), "r" * len(head))


def _stages(schedule: Iterable[ScheduleLine]) -> Iterator[tuple[str, tuple[ScheduleLine, ...]]]:
    """The entries used, and what is done then: a line for all times in a row at which the same is done."""
    found = [(key, tuple(lines)) for key, lines in groupby(schedule, lambda entry: (entry.plan, entry.stage))]
    alike = groupby(found, lambda pair: [replace(entry, stage=None) for entry in pair[1]])
    for _, pairs in alike:
        listed = list(pairs)
        first, last = (str(listed[i][0][1] or 0) for i in (0, -1))
        yield first if first == last else f"{first} to {last}", listed[0][1]


def _range(entry: ScheduleLine) -> str:
    if entry.first is None and entry.last is None:
        return "any"
    if entry.first is None:
        return f"{entry.last} and below"
    if entry.last is None:
        return f"{entry.first} and above"
    return str(entry.first) if entry.first == entry.last else f"{entry.first} to {entry.last}"


def figures_table(result: DesignResult) -> Table:
    """Errors, expectations and quantiles under both hypotheses."""
    names = list(result.quantiles["null"])
    error = "error" if len(result.coin) == 1 else "error on average"
    head = ("under", error, "allowed", "expected entries", "looks", *(f"{float(q):.0%}" for q in names))
    rows = [
        row(
            side, shown(result.errors[side], 6), shown(result.nominal[side], 4), shown(result.expected_steps[side], 6),
            shown(result.looks[side], 3), *("-" if n is None else str(n) for n in result.quantiles[side].values()),
        )
        for side in ("null", "alternative")
    ]  # fmt: skip
    return table_of(head, rows)


def of_the_coin(result: DesignResult) -> Iterator[Block]:
    """What its figures are given the plan that a public coin shows, and what a design without a coin costs."""
    if len(result.coin) == 1:
        return
    yield remark(
        "errors, expected entries and quantiles are on average over the public coin, which everybody sees before the "
        "first entry; given the plan that it shows the errors may be larger than allowed:"
    )
    head = ("given", "chance", "error under the null", "under the alternative", "expected entries", "alternative")
    rows = [
        row(
            f"plan {number}", shown(plan.chance, 6), *(shown(plan.errors[side], 6) for side in SIDES),
            *(shown(plan.expected_steps[side], 6) for side in SIDES),
        )
        for number, plan in enumerate(result.plans, 1)
    ]  # fmt: skip
    yield table_of(head, rows)
    single = result.without_coin
    if single is not None:
        errors = " and ".join(shown(single.errors[side], 6) for side in SIDES)
        dearer = f", {100 * (single.cost / result.cost - 1):+.2g} %" if result.cost > 0 else ""
        yield remark(
            f"without a coin (--no-coin): {shown(single.cost, 6)} entries instead of {shown(result.cost, 6)}{dearer}, "
            f"with errors {errors}: the best single schedule that was found"
        )


def beside(result: DesignResult) -> Iterator[Block]:
    """Other designs for the same problem, a row each, and below them what is to be said of some."""
    levels = "/".join(f"{100 * float(q):g}" for q in result.quantiles["null"])
    head = ("design", "privacy", "errors", "", "expected entries", "", f"{levels} %", "", "at most")
    rows = []
    for other in result.compared:
        errors, steps = ([_known(found[s], digits) for s in SIDES]
                         for found, digits in ((other.errors, 4), (other.expected_steps, 5)))  # fmt: skip
        tails = ["/".join(str(n or "-") for n in other.quantiles[s].values()) for s in SIDES]
        tails = ["-" if set(tail) <= set("-/") else tail for tail in tails]
        rows.append(row(other.name, _kept(other), *errors, *steps, *tails, str(other.max_steps or "-")))
    yield table_of(head, rows)
    coin = "; where a public coin chooses a plan, on average over it"
    yield remark(
        f"two numbers: under the null and under the alternative{coin}; privacy as it is proved of each one's program"
    )
    yield from (remark(f"{other.name}: {other.note}") for other in result.compared if other.note)


def _known(value: float | None, digits: int) -> str:
    return "-" if value is None else shown(value, digits)


def _kept(other: ComparedDesign) -> str:
    """The privacy that is proved."""
    return other.privacy if other.verdict == "proved" or other.privacy == "none" else "-"


def remarks(result: DesignResult) -> Iterator[Block]:
    """What the table of figures does not hold."""
    if result.worst is not None:
        worst = f"between the hypotheses at most {shown(result.worst.expected_steps, 5)} entries are expected"
        yield remark(f"{worst}, at {shown(result.worst.at, 4)}: found by a search that takes it that there is one peak")
    if result.course == "one-sided" and result.max_steps is None:
        yield remark("it stops to reject only, and else goes on for ever: the test of power one")
    elif result.course == "one-sided":
        yield remark("it stops to reject only, and accepts at its last look: the test of power one, with an end")
    if result.heeded is not None:
        binding = f"where they are heeded, it is {shown(result.heeded, 6)}"
        yield remark(f"ends for futility are not binding: the null's error is that of a test that goes on; {binding}")
    if result.max_steps is None:
        yield remark("there is no largest number of entries: the quantiles say how many are needed how often")
    else:
        yield remark(f"never more than {result.max_steps} entries")
    yield remark(f"a single block would need {result.fixed} entries")
    if result.unprivate is not None:
        times = shown(result.cost / result.unprivate, 3)
        yield remark(f"the best test without privacy expects {shown(result.unprivate, 5)}: privacy costs {times} times")


def _enclosed(found: Mapping[str, Mapping[str, tuple[float, float]]]) -> str:
    from seqlang.report.text.kinds import digits

    names = (("errors", "errors"), ("expected_steps", "expected entries"))
    parts = [f"{name} {' and '.join(digits(*ends) for ends in found[key].values())}" for key, name in names]
    return ", ".join(parts)


def bounds_table(result: DesignResult) -> Table:
    """Lower bounds, and the design in terms of them."""
    rows = [row(b.by, shown(b.value, 5), shown(result.cost / b.value, 4)) for b in result.lower_bounds]
    return table_of(("no test needs fewer, by", "entries", "this design, times"), rows)


def about_bounds(result: DesignResult) -> Iterator[Block]:
    """What the bounds are on, and on which tests."""
    if not result.lower_bounds:
        return
    mean = "the mean of the expected entries under both hypotheses"
    what = mean if result.criterion == "average" else f"the criterion, {result.criterion}"
    private = f", and whose output is {result.privacy} where one entry is replaced" if result.privacy != "none" else ""
    yield remark(f"these are lower bounds on {what}, for every test that keeps these errors{private}")
    if result.max_steps is None and any("universal program" in bound.by for bound in result.lower_bounds):
        yield remark(
            "what happens after the entries of the universal program is free: a longer one (--horizon N) takes longer, "
            "and its bound is as large or larger"
        )
