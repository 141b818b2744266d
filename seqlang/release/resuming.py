"""A run that begins where a crash left it: what was written is never drawn again.

Every report and stop of the steps up to the last written look shows what was written. A noise that is drawn anew in
each step dies with its step, so nothing more is needed, and a coin that was shown is known. Where a noise lasts (a
threshold's) it has died with the process: it is drawn anew from its law given everything that was shown since its life
began, by drawing until what would be shown is what was (rejection), so that the whole transcript keeps the law that
the proof is about. Noisy values with a noise of their own tell nothing of other noises: they are put in, and not waited
for. A running sum that is shown in every step with a tree's noise tells that noise: what was shown less the sum.

There is no limit to the attempts: that one was reached would say something of the data that nobody has paid for. How
long it takes does say something, as the page on attacks says. Where it would take for ever, because a noisy number was
shown whose noise lasts, the release ends with what was written: that is decided by the program and the looks alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from seqlang.model.expression import (
    COMPARISONS,
    Apply,
    CellValue,
    Drawn,
    Expression,
    Law,
    Local,
    Noised,
    Number,
    Term,
    children,
)
from seqlang.model.life import EachReport, EachStep
from seqlang.model.program import Cell, Define, Draw, Program, Report, Stop, expressions_in, expressions_read
from seqlang.operators.groups import COUNTS
from seqlang.record import record
from seqlang.release.exact.functions import subtracted
from seqlang.release.exact.plan import is_shown_at_once, keeps_noise, lasts
from seqlang.release.exact.reading import is_private
from seqlang.release.exact.run import ExactRun, Outcome, computed
from seqlang.release.exact.samplers import SYSTEM, Below
from seqlang.release.ledger.refusal import refused
from seqlang.release.live import Waiting
from seqlang.release.transcript import value_in

ENDLESS = frozenset({"geometric", "discrete_gaussian"})
"""Laws with infinitely many values."""
BEFORE_RECORDS = 256
"""Draws of each noise that are made before a data set is read."""
Entry = Mapping[str, Any]
Looks = Sequence[Mapping[str, Any]]


class Differs(Exception):
    """What would be shown is not what was."""


@record
class Begun:
    """A step that a process began and did not end: what is known of it (`part`, as a ledger has it). `make` makes it to
    its end, and lets Differs pass."""

    part: Mapping[str, Any]
    make: Callable[[ExactRun, Entry], None]


def resumed(
    program: Program, looks: Looks, entries: Iterator[Entry | Waiting], *, below: Below = SYSTEM,
    records: Callable[[], Mapping[str, Sequence[Any]]] | None = None, begun: Begun | None = None,
    before_long: Callable[[ExactRun], None] | None = None,
) -> ExactRun:  # fmt: skip
    """A run that has made the steps up to the last look, and the one that was `begun`. `records` reads the data set.
    Raises SpecError E0670 where the rows end before that, or where its lasting noise cannot be drawn again."""
    shown = _Shown(program, looks, None if begun is None else begun.part)
    if shown.is_hopeless():
        raise refused("a noisy number was shown whose noise lasts: it cannot be drawn again, and the release ends with "
                      "what was written", "--reference with another name begins a new one, at its price")  # fmt: skip
    rows: Iterable[Entry] = _first(entries, shown.last)
    if lasts(program) or begun is not None:
        rows = list(rows)
    half_made = () if begun is None else tuple(_first(entries, 1))
    run = ExactRun(program, below=below, decide=shown, records=dict.fromkeys(program.data_set, ()))
    shown.run, run.before_long = run, before_long
    if records is not None:
        run.prepare(BEFORE_RECORDS)
        run.give(records())
    while True:
        try:
            for entry in rows:
                run.advance(entry)
            if begun is not None:
                begun.make(run, *half_made)
            break
        except Differs:
            run.begin()
    run.decide = computed
    return run


def _first(entries: Iterator[Entry | Waiting], count: int) -> Iterator[Entry]:
    for _ in range(count):
        entry = next((e for e in entries if not isinstance(e, Waiting) or e.from_the_start), None)
        if entry is None or isinstance(entry, Waiting):
            raise refused("the rows end before the last look that was released", "the file that the release began with")
        yield entry


class _Shown:
    """What was written happens again; with noise that lasts, since its life began, only if it would happen."""

    run: ExactRun

    def __init__(self, program: Program, looks: Looks, part: Mapping[str, Any] | None = None) -> None:
        self._program, self._part = program, part
        self._written = {look["step"]: look for look in looks}
        self.last = looks[-1]["step"] if looks else 0
        if part is not None:
            self._written[part["step"]], self.last = part, part["step"] - 1
        self._free = begins_after(program, looks) if lasts(program) else self.last
        """Up to this step every noise has died since."""
        self._alone = _with_their_own_noise(program) if lasts(program) or part is not None else frozenset()
        self._sums = _sums_in_trees(program)
        self._coins = {
            s.name: s.value.name for s in program.body
            if isinstance(s, Report) and isinstance(s.value, Drawn) and is_shown_at_once(program, s.value.name)
        }  # fmt: skip

    def __call__(self, step: int, statement: Report | Stop, compute: Callable[[], Outcome]) -> Outcome:
        if self._part is not None and step > self.last and self.run.decided >= self._part["decided"]:
            return compute()
        wanted = outcome_in(self._written.get(step, {}), statement)
        if isinstance(statement, Report) and wanted[0]:
            coin = self._coins.get(statement.name)
            if coin is not None:
                self.run.keep(coin, wanted[1])
            read = self._sums.get(statement.name)
            if read is not None:
                plain = self.run.compiler.compile(read.base)(self.run)
                self.run.keep(read.terms[0].noise, subtracted(wanted[1], plain))
            if coin is not None or read is not None or statement.name in self._alone:
                return wanted
        if self._counts(step) and compute() != wanted:
            raise Differs
        return wanted

    def _counts(self, step: int) -> bool:
        """Whether what the step showed says something of noises that are alive: of a step that was not made to its end,
        those of the step are, too."""
        return step > self._free or step > self.last

    def is_hopeless(self) -> bool:
        """Whether a number with an endless noise would have to be drawn again."""
        waited = {
            s.name for s in self._program.body
            if isinstance(s, Report) and s.value is not None and s.name not in self._alone
            and s.name not in self._coins and s.name not in self._sums and _is_endless(self._program, s.value)
        }  # fmt: skip
        return any(self._counts(step) and waited & set(look.get("reports", {})) for step, look in self._written.items())


def begins_after(program: Program, looks: Looks) -> int:
    """The last step after which every life of a noise is a new one: what was shown up to it says nothing of noises that
    are alive now. 0 where a noise lives for ever."""
    if keeps_noise(program) or any(noise.family == "tree" for noise in program.noises):
        return 0
    lives = [n.life for n in program.noises if not is_shown_at_once(program, n.name)]
    lives += [s.life for s in program.body if isinstance(s, Draw)]
    lasting = {life for life in lives if not isinstance(life, EachStep)}
    reports = {life.report for life in lasting if isinstance(life, EachReport)}
    if any(not isinstance(life, EachReport) for life in lasting):
        return 0
    return max((look["step"] for look in looks if reports <= set(look.get("reports", {}))), default=0)


def _is_endless(program: Program, e: Expression, seen: frozenset[str] = frozenset()) -> bool:
    """Whether a value may be any of infinitely many noisy numbers; a comparison is one of two."""
    match e:
        case Apply(operator) if operator in COMPARISONS or operator in COUNTS:
            return False
        case Noised(_, base, terms):
            return any(_endless(program, t.noise) for t in terms) or _is_endless(program, base, seen)
        case Drawn(name):
            return _endless(program, name)
        case Local(name) | CellValue(name):
            read = program.define(name) if isinstance(e, Local) else program.cell(name)
            rest = seen | {name}
            return name not in seen and any(_is_endless(program, part, rest) for part in expressions_in(read))
    return any(_is_endless(program, part, seen) for part in children(e))


def _endless(program: Program, name: str) -> bool:
    law = next((noise.law for noise in program.noises if noise.name == name), None)
    while isinstance(law, Law) and law.family == "tree":
        law = law.arguments[0]
    return isinstance(law, Law) and law.family in ENDLESS


def outcome_in(look: Mapping[str, Any], statement: Report | Stop) -> Outcome:
    """What a look says of a report or stop."""
    if isinstance(statement, Report):
        reports = look.get("reports", {})
        return (True, value_in(reports[statement.name])) if statement.name in reports else (False, None)
    return (True, value_in(look["result"])) if look.get("by") == statement.index else (False, None)


def _with_their_own_noise(program: Program) -> frozenset[str]:
    """Value reports, under a public condition, whose noises are drawn in each step and are read by nothing else."""
    kept = [part for s in program.body if isinstance(s, Cell) for part in expressions_in(s)]
    if _noises(program, kept):
        return frozenset()
    drawn_anew = {noise.name for noise in program.noises if noise.ends_with_step}
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


def _sums_in_trees(program: Program) -> dict[str, Noised]:
    """What reports show that are made in every step, where it is a plain value and the noise of one tree, which nothing
    above the report reads: that would have been computed with another draw before it is known."""
    found: dict[str, Noised] = {}
    for place, report in enumerate(program.body):
        if not isinstance(report, Report) or report.when is not None:
            continue
        read = report.value
        while isinstance(read, Local):
            read = program.define(read.name).expression
        match read:
            case Noised(_, base, (Term(name, Number(Fraction(numerator=1, denominator=1))),)):
                above = [e for s in program.body[:place] if not isinstance(s, Define) for e in expressions_in(s)]
                known = {other.terms[0].noise for other in found.values()}
                if (
                    program.noise(name).family == "tree"
                    and not _noises(program, [base])
                    and (name in known or name not in _noises(program, above))
                ):
                    found[report.name] = read
    return found


def _noises(program: Program, starts: Iterable[Expression]) -> set[str]:
    """All that the expressions depend on, draws included."""
    read = list(expressions_read(program, starts))
    added = {term.noise for e in read if isinstance(e, Noised) for term in e.terms}
    return added | {e.name for e in read if isinstance(e, Drawn)}
