"""From a program and the sums released so far to where the test stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction

from seqlang.backends.montecarlo.stopping import chosen_model
from seqlang.backends.solve import Unsolved, solve
from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded
from seqlang.model.expression import Number
from seqlang.model.program import Model, Program
from seqlang.monitoring.allocation import require_counted, with_counted
from seqlang.monitoring.estimates import after_stop, at_all_looks, in_each
from seqlang.monitoring.evidence import p_value
from seqlang.monitoring.family import NoFamily, family_of
from seqlang.monitoring.following import Counts, Ended, Following
from seqlang.monitoring.levels import levels_for
from seqlang.monitoring.paths import Paths
from seqlang.monitoring.released import Released, chances_of, geometric_sums
from seqlang.monitoring.settled import settled
from seqlang.process.doing import doing
from seqlang.process.time_limit import OutOfTime
from seqlang.record import replace
from seqlang.results.monitor import AfterStop, Block, Interval, InTurn, MonitorResult, Outlook
from seqlang.results.solve import SolveResult

HYPOTHESES = ("null", "alternative")
QUANTILES = (0.5, 0.95, 0.99)


def watch(
    loaded: Loaded,
    counts: Sequence[Counts],
    *,
    plan: int | None = None,
    places: Sequence[Fraction] = (),
    level: float | None = None,
    arms: Sequence[Sequence[int]] | None = None,
    rows_checked: bool = False,
) -> MonitorResult:
    """`counts`: what was released, block by block, a number for each sum. `plan`: the face of the public coin, where
    one was thrown. `places`: values of what the hypotheses leave open, such as the chance of a 1, at which the outlook
    is asked for besides. `level`: of the intervals; None: those that go with the error that the program claims
    (`levels.py`). `arms`: how many entries were counted in each sum of each block, if that is known.
    `rows_checked`: what released the counts refuses rows of other arms than the program's models say. Raises SpecError
    E0623 where the program does not look at its data in blocks, E0603 for counts that it cannot have released, and for
    `arms` that it does not count."""
    with _followed_from_block_to_block(loaded):
        found = _watched(loaded, counts, plan, places, level, arms)
    return replace(found, in_turn="released") if rows_checked and found.in_turn == "assumed" else found


def sums_of(loaded: Loaded) -> tuple[str, ...]:
    """The names of the sums that a block releases, in order. Raises SpecError E0623 as `watch` does."""
    with _followed_from_block_to_block(loaded):
        for name in HYPOTHESES:
            chosen_model(loaded.program, name)
        paths = Paths(settled(loaded.program, HYPOTHESES), HYPOTHESES)
        return tuple(one.shown for one in paths.sums)


@contextmanager
def _followed_from_block_to_block(loaded: Loaded) -> Iterator[None]:
    try:
        yield
    except Unsolved as why:
        message = f"`{loaded.program.name}` cannot be followed from block to block: {why}"
        raise SpecError.of("E0623", message, source=loaded.source) from None


def _watched(
    loaded: Loaded,
    counts: Sequence[Counts],
    plan: int | None,
    places: Sequence[Fraction],
    level: float | None,
    arms: Sequence[Sequence[int]] | None,
) -> MonitorResult:
    for name in HYPOTHESES:
        chosen_model(loaded.program, name)  # says which models there are
    levels = levels_for(loaded.program, HYPOTHESES[0], level)
    tests, unheeded = _followed(loaded.program, counts, plan)
    program, paths, test, blocks = tests[0]
    blocks = with_counted(paths, HYPOTHESES[0], blocks)
    if arms is not None:
        require_counted(blocks, [one.shown for one in paths.sums], arms)
    null, alternative = (_released(paths, name) for name in HYPOTHESES)
    looks = [chances_of(null, alternative, b.size, dict(zip(null.names, b.released, strict=True))) for b in blocks]
    outlooks = () if test.decision is not None else tuple(_in_time(_outlooks(program, test.state, places)))
    doing("estimating")
    ended = [_after_stop(p, t, null, blocks, levels.after_stop) for _, p, t, _ in tests if t.decision is not None]
    return MonitorResult(
        program.name, null.names, blocks, test.state, test.decision, test.size, p_value(looks),
        _at_all_looks(paths, null, blocks, levels.at_all_looks), levels, outlooks,
        in_each(ended) if ended else None, unheeded, _in_turn(blocks, arms), plan,
    )  # fmt: skip


def _in_time(outlooks: Iterator[Outlook]) -> Iterator[Outlook]:
    """Those that are known before the time is over."""
    with suppress(OutOfTime):
        yield from outlooks


def _after_stop(paths: Paths, test: Following, null: Released, blocks: Sequence[Block], level: float) -> AfterStop:
    try:
        return after_stop(paths, HYPOTHESES, test, null, blocks, level)
    except OutOfTime as out:
        return AfterStop(None, None, Interval(None, None, str(out)))


def _at_all_looks(paths: Paths, null: Released, blocks: Sequence[Block], level: float) -> Interval:
    try:
        return at_all_looks(paths, HYPOTHESES, null, blocks, level)
    except OutOfTime as out:
        return Interval(None, None, str(out))


def _in_turn(blocks: Sequence[Block], arms: Sequence[Sequence[int]] | None) -> InTurn:
    """What is known of the entries of each sum, where there are several sums and the program says how many each has."""
    if not any(block.counted for block in blocks):
        return ""
    return "assumed" if arms is None else "told"


Followed = tuple[Program, Paths, Following, tuple[Block, ...]]
"""The test, and where it stands."""


def _followed(program: Program, counts: Sequence[Counts], plan: int | None) -> tuple[list[Followed], int | None]:
    """As the hypotheses say what public fields are, and where it has ended, also as other models do, if it ends alike
    there; or, if another model lets it go on beyond its end, as that does, and the block after which its end was."""
    doing("following the released sums")
    heeding = settled(program, HYPOTHESES)
    listed = (settled(program, HYPOTHESES, m.name) for m in program.models if m.name not in HYPOTHESES)
    others = [other for other in dict.fromkeys(listed) if other != heeding]
    try:
        found = _through(heeding, counts, plan)
    except Ended as first:
        return [_beyond(others, counts, plan, first)], first.after
    tests = [_through(other, counts, plan) for other in others if found[2].decision is not None]
    return [found, *(one for one in tests if one[2].decision == found[2].decision)], None


def _beyond(others: Sequence[Program], counts: Sequence[Counts], plan: int | None, end: Ended) -> Followed:
    """The first of these programs that goes on beyond the end. Raises the latest end where none does."""
    for other in others:
        try:
            return _through(other, counts, plan)
        except Ended as later:
            end = later if later.after > end.after else end
    raise end from None


def _through(program: Program, counts: Sequence[Counts], plan: int | None) -> Followed:
    paths = Paths(program, HYPOTHESES)
    test = Following(paths, plan)
    return program, paths, test, tuple(test.follow(counts))


def _released(paths: Paths, model: str) -> Released:
    laws = paths.laws(paths.program, model)
    return Released(laws, tuple(one.shown for one in paths.sums), geometric_sums(paths.program, paths.sums))


def _outlooks(program: Program, state: Mapping[str, float], places: Sequence[Fraction]) -> Iterator[Outlook]:
    """What may come, under both hypotheses and at the given values of what they leave open."""
    memories = tuple(replace(m, initial=Number(Fraction(state[m.name]))) for m in program.memories)
    rest = replace(program, memories=memories)
    for name in HYPOTHESES:
        doing(f"the outlook under {name}")
        yield _outlook(rest, name)
    for place in places:
        model = _at(program, place)
        doing(f"the outlook at {model.name}")
        yield _outlook(replace(rest, models=(*rest.models, model)), model.name)


def _at(program: Program, place: Fraction) -> Model:
    """Where the number that the hypotheses leave open has this value."""
    try:
        family = family_of(program, HYPOTHESES)
    except NoFamily as why:
        raise SpecError.of("E0603", f"--at {float(place):g}: {why}") from None
    if not family.ends[0] <= place <= family.ends[1]:
        raise SpecError.of("E0603", f"--at {float(place):g}: {family.about} lies between {family.ends[0]:g} and "
                           f"{family.ends[1]:g}")  # fmt: skip
    return replace(family.model(float(place)), name=f"{family.name}={float(place):g}")


def _outlook(rest: Program, model: str) -> Outlook:
    found = SolveResult(rest.name, model, {}, solve(rest, model), 0.0)
    quantiles: Mapping[str, int | None] = {str(q): found.quantile(q) for q in QUANTILES}
    return Outlook(model, found.returns, found.expected_steps, quantiles)
