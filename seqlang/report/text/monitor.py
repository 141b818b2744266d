"""The report of `monitor` as people read it: what was released, what it says, what may come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.report.document.document import Block, Heading, first_line, remark, row, table_of
from seqlang.report.numbers import shown
from seqlang.results.monitor import EVEN

if TYPE_CHECKING:
    from seqlang.results.monitor import AfterStop, Interval, Levels, MonitorResult


def monitor_blocks(result: MonitorResult) -> Iterator[Block]:
    """The whole report."""
    ended = f"ended: {result.decision}" if result.decision is not None else f"next block: {result.next_block} entries"
    yield first_line("monitor", f"  {result.algorithm}, {ended}", f"after {len(result.blocks)} blocks")
    yield from _allocation(result)
    if result.blocks:
        yield Heading("Released so far")
        names, released = list(result.state), result.sums if len(result.sums) > 1 else ("released",)
        counted = [f"in {name}" for name in result.sums] if result.blocks[0].counted else []
        rows = [
            row(
                *map(str, (b.number, b.size, *b.counted, *b.released)), *(shown(b.state[n], 8) for n in names),
                b.decision or "",
            )
            for b in result.blocks
        ]  # fmt: skip
        yield table_of(("block", "entries", *counted, *released, *names, "decision"), rows)
    if result.unheeded is not None:
        yield remark(
            f"the end after block {result.unheeded} was not heeded, which it need not be: all of this is of the test "
            "that heeds none of these ends"
        )
    yield Heading("At every look, however often one looks")
    yield remark(f"p-value of the null: {shown(result.p_value, 4)}")
    level = result.levels.at_all_looks
    yield remark(
        _told(result.interval_at_all_looks, f"at all looks together with probability {shown(level, 4)} at least")
    )
    if result.interval_at_all_looks.ends is not None:
        yield from _level_at_all_looks(result.levels)
    if result.plan is not None:
        yield remark("both hold given the plan that the coin showed, too")
    if result.after_stop is not None:
        yield Heading("Now that the test has ended, by the stage at which it did")
        yield from _after(result, result.after_stop)
    yield remark("all of this is a function of what was released: looking at it costs no privacy")
    if result.outlooks:
        yield Heading("What may come")
        labels = sorted({label for o in result.outlooks for label in o.returns})
        levels = list(result.outlooks[0].quantiles)
        rows = [
            row(
                o.under, *(shown(o.returns.get(label, 0.0), 4) for label in labels),
                "-" if o.expected is None else shown(o.expected, 4),
                *("-" if n is None else str(n) for n in o.quantiles.values()),
            )
            for o in result.outlooks
        ]  # fmt: skip
        yield table_of(("under", *labels, "further entries", *(f"{float(q):.0%}" for q in levels)), rows)


def _allocation(result: MonitorResult) -> Iterator[Block]:
    """Whether the entries in each arm are known to be as designed."""
    if result.in_turn == "told":
        yield remark("each arm has as many entries as the test is designed for: the numbers given are those")
    elif result.in_turn == "released":
        yield remark("each arm has as many entries as the test is designed for: the release read the arm of each entry")
    elif result.in_turn == "assumed":
        yield remark(
            f"nobody has said how many entries are in {' and in '.join(result.sums)}: it is taken for granted that "
            "there are as many as the test is designed for. If a coin assigned them, no figure here holds. To say how "
            "many there are, block by block: --arms N:N,N:N"
        )


def _told(interval: Interval, how: str) -> str:
    if interval.ends is None:
        return f"no interval: {interval.why_not}"
    low, high = (shown(end, 4) for end in interval.ends)
    return f"{interval.about} lies between {low} and {high}, {how}"


def _level_at_all_looks(levels: Levels) -> Iterator[Block]:
    if levels.by == "alpha" and levels.alpha is not None:
        alpha = shown(levels.alpha, 4)
        yield remark(
            f"its level is 1 - alpha, with the alpha = {alpha} that the program claims: under the null it ever "
            f"excludes the null with chance {alpha} at most, and the p-value is ever {alpha} or less with chance "
            f"{alpha} at most. They rest on two ratios: one may exclude the null where the other does not"
        )
    elif levels.by == "usual":
        yield remark(f"the program claims no error under the null: the level is {shown(levels.at_all_looks, 4)}")


def _after(result: MonitorResult, found: AfterStop) -> Iterator[Block]:
    """Where it differs from what holds at every look: it is for the one end that the plan has."""
    if found.p_value is None:
        yield remark(f"no p-value: {found.interval.why_not}")
        return
    given = found.given_plan
    mean = "" if given is None else ", on average over the public coin"
    yield remark(
        f"p-value of the null{mean}: {shown(found.p_value, 4)}; earlier rejections and larger scores speak more "
        "against it; it is at most the chance to reject under the null exactly where the test rejects"
    )
    yield from _estimated(found, mean, result.levels.after_stop)
    if found.interval.ends is not None:
        yield from _level_after(result, found)
    yield from _not_as_decided(result, found)
    if given is not None and given.p_value is None:
        yield remark(f"no p-value given the plan: {given.interval.why_not}")
    if given is not None and given.p_value is not None:
        plan = f"given plan {result.plan}, which the coin showed"
        yield remark(f"p-value of the null, {plan}: {shown(given.p_value, 4)}")
        yield from _estimated(given, f", {plan}", result.levels.after_stop)
        yield remark(
            "alpha is kept on average over the coin: given a plan, the chance to reject under the null may be larger, "
            "and the p-value of that plan above alpha although the test rejects"
        )
    if found.heeding:
        yield remark("p-value and interval hold whether ends for futility are heeded or not, the estimate if they are")
    yield remark("use these for a test that ran to its end by the plan, and what holds at every look for any other")


def _estimated(found: AfterStop, whose: str, level: float) -> Iterator[Block]:
    """`whose`: on average, or given a plan; from a comma on, or empty."""
    if found.estimate is not None:
        about = found.interval.about
        at = "" if found.mean is None else f", if the mean of both is the most likely, {shown(found.mean, 4)}"
        yield remark(f"estimate of {about}{whose}: {shown(found.estimate, 4)}, too high as often as too low{at}")
    yield remark(_told(found.interval, f"with probability {shown(level, 4)} at least{whose}"))


def _level_after(result: MonitorResult, found: AfterStop) -> Iterator[Block]:
    """Of the interval: each end, why this level, and how it agrees with the test."""
    levels = result.levels
    each = f"each end alone holds with probability {shown((1 + levels.after_stop) / 2, 4)} at least"
    if levels.by == "alpha" and levels.alpha is not None:
        each += f": the level is 1 - 2 alpha, with the alpha = {shown(levels.alpha, 4)} that the program claims"
    elif levels.by == "usual":
        each += "; the program claims no error under the null that the level could follow"
    else:
        each += "; the level was asked for"
    yield remark(each)
    side = "all of the interval lies beyond the null, on the side of the alternative,"
    error = shown((1 - levels.after_stop) / 2, 4)
    if found.mean is not None:  # of two arms, whose mean is not known
        yield remark(
            f"the interval holds whatever the mean of both arms is, and the p-value is that of the null as it was "
            f"stated: the interval may contain the null's difference where the p-value is {error} or less"
        )
        return
    yield remark(f"{side} exactly where the p-value is {error} or less")


def _not_as_decided(result: MonitorResult, found: AfterStop) -> Iterator[Block]:
    """Where p-value, interval and decision do not say the same, at the level that follows from alpha."""
    alpha = result.levels.alpha
    if alpha is None or found.p_value is None or result.levels.by == "asked":
        return
    small, rejected = found.p_value <= alpha + EVEN, result.decision == "reject"
    if small and not rejected:
        yield remark(
            "the test accepts, and the p-value is at most alpha: the test rejects with a chance of less than alpha "
            "under the null, and this end comes next to its rejections. The decision stands. Under the null the chance "
            "of this is at most what is left of alpha"
        )
    if rejected and not small:
        yield remark(
            "the test rejects, and the p-value is above alpha: the chance to reject under the null is not always at "
            "most alpha"
        )
    if found.mean is None and small and found.interval.excludes_null is False:
        yield remark(
            "the null is excluded, and the interval contains it all the same: values beyond the null are not excluded"
        )
