"""A run that begins where a crash left it: what was written is never drawn again.

Every report and stop of the steps up to the last written look shows what was written. A noise that is drawn anew in
each step dies with its step, so nothing more is needed. Where a noise lasts (a threshold's) it has died with the
process: it is drawn anew from its law given everything that was shown, by drawing until what would be shown is what was
(rejection), so that the whole transcript keeps the law that the proof is about. Noisy values with a noise of their own
tell nothing of other noises: they are put in, and not waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from seqlang.model.expression import Drawn, Expression, Noised
from seqlang.model.life import EachStep
from seqlang.model.program import Cell, Define, Program, Report, Stop, expressions_in, expressions_read
from seqlang.release.exact.plan import is_private, lasts
from seqlang.release.exact.run import Decide, ExactRun, Outcome
from seqlang.release.exact.samplers import SYSTEM, Below
from seqlang.release.ledger.store import refused
from seqlang.release.transcript import value_in

ATTEMPTS = 20_000
"""Draws of all noises, before a release is given up that cannot be resumed."""
Entry = Mapping[str, Any]
Looks = Sequence[Mapping[str, Any]]


class _Differs(Exception):
    """What would be shown is not what was."""


def resumed(
    program: Program, looks: Looks, entries: Iterator[Entry], *, below: Below = SYSTEM,
    records: Mapping[str, Sequence[Any]] | None = None,
) -> ExactRun:  # fmt: skip
    """A run that has made the steps up to the last look. Raises SpecError E0670 where the rows end before it, or where
    its lasting noise cannot be drawn again."""

    def begun() -> ExactRun:
        return ExactRun(program, below=below, decide=_shown_again(program, looks), records=records)

    run = begun()
    if not looks:
        return run
    rows = []
    for _ in range(looks[-1]["step"]):
        entry = next(entries, None)
        if entry is None:
            raise refused("the rows end before the last look that was released", "the file that the release began with")
        rows.append(entry)
    for _ in range(ATTEMPTS if lasts(program) else 1):
        try:
            for entry in rows:
                run.advance(entry)
            run.decide = computed
            return run
        except _Differs:
            run = begun()
    raise refused(f"the noise that lasts could not be drawn again in {ATTEMPTS:,} attempts: the release ends with what "
                  "was written", "--reference with another name begins a new one, at its price")  # fmt: skip


def computed(step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
    """What happens is what is computed."""
    return compute()


def _shown_again(program: Program, looks: Looks) -> Decide:
    """What was written happens again; with noise that lasts, only if it would happen."""
    written = {look["step"]: look for look in looks}
    last = looks[-1]["step"] if looks else 0
    waits = lasts(program)
    alone = _with_their_own_noise(program) if waits else frozenset()

    def decide(step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
        if step > last:
            return compute()
        wanted = outcome_in(written.get(step, {}), statement)
        if not waits or (isinstance(statement, Report) and statement.name in alone and wanted[0]):
            return wanted
        if compute() != wanted:
            raise _Differs
        return wanted

    return decide


def outcome_in(look: Mapping[str, Any], statement: Report | Stop) -> Outcome:
    """What a look says of a report or stop."""
    if isinstance(statement, Report):
        reports = look.get("reports", {})
        return (True, value_in(reports[statement.name])) if statement.name in reports else (False, None)
    return (True, value_in(look["result"])) if look.get("stopped") else (False, None)


def _with_their_own_noise(program: Program) -> frozenset[str]:
    """Value reports, under a public condition, whose noises are drawn in each step and are read by nothing else."""
    kept = [part for s in program.body if isinstance(s, Cell) for part in expressions_in(s)]
    if _noises(program, kept):
        return frozenset()
    drawn_anew = {noise.name for noise in program.noises if isinstance(noise.life, EachStep)}
    found = set()
    for report in program.body:
        if not isinstance(report, Report) or report.value is None:
            continue
        others = [s for s in program.body if s is not report and not isinstance(s, Define)]
        rest = [part for s in others for part in expressions_in(s)]
        if report.when is not None:
            if is_private(program, report.when):
                continue
            rest.append(report.when)
        own = _noises(program, [report.value])
        if own and own <= drawn_anew and not own & _noises(program, rest):
            found.add(report.name)
    return frozenset(found)


def _noises(program: Program, starts: Iterable[Expression]) -> set[str]:
    """All that the expressions depend on, draws included."""
    read = list(expressions_read(program, starts))
    added = {term.noise for e in read if isinstance(e, Noised) for term in e.terms}
    return added | {e.name for e in read if isinstance(e, Drawn)}
