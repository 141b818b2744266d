"""The law of the transcript given one entry, position by position.

For position n the chain runs freely to step n - 1, once for all values; step n is forced to each value; then the chain
goes on to the end. The scan over n ends by this

Lemma. Let P, Q be the laws of the transcript given X_n = a and X_n = b, and let m_n = P(T >= n), which is the same
under both and does not grow with n. What happens before step n does not read X_n, so P = Q on {T < n}. Hence for every
set S and eps >= 0, P(S) - e^eps Q(S) <= P(S, T >= n) <= m_n: delta at position n is at most m_n, at every position
after it at most m_n too, and so is the per-step delta. For Renyi, sum P^o Q^(1-o) <= 1 - m_n + R where R is the sum
over {T >= n}; if log(P/Q) <= e everywhere, R <= e^((o-1)e) m_n; if a divergence of order o' > o is at most B at all
positions, then with r = (o'-1)/(o-1) > 1, by Hoelder under P, R <= m_n^(1-1/r) e^((o-1)B).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from seqlang.analyses.faint import draws_are_clear, values_are_clear
from seqlang.analyses.operating.possible import zeros_are_exact
from seqlang.analyses.weak.course import Course, Walk, mixed, survival
from seqlang.analyses.weak.entries import Entry, entries_of
from seqlang.analyses.weak.mixture import mixture_of
from seqlang.analyses.weak.profile import Law
from seqlang.analyses.weak.public_fields import Beside, public_fields
from seqlang.analyses.weak.tabulated import tabulated
from seqlang.analyses.weak.together import together_of
from seqlang.analyses.weak.transcribed import ELSE, sizes, transcribed
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.one_thread import one_thread
from seqlang.backends.solve.chain import Chain
from seqlang.backends.solve.noises.scalar_law import FAINT
from seqlang.backends.solve.step.cases import watching
from seqlang.backends.solve.step.entries import entries
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model.program import Program
from seqlang.process.time_limit import poll
from seqlang.record import record
from seqlang.rules.claims import longest_run
from seqlang.rules.sensitivity.totality.values import obstacle

if TYPE_CHECKING:
    from seqlang.backends.solve.spaces import Space

AGREED = 1e-6
AGREED_FOR_RATIOS = 1e-9
"""Orders whose free laws differ by less are good enough; what they differ by is counted in every bound."""
RARE = 1e-60
"""Chance of a state below which a chain drops it: losses are about ratios of chances, in the tails too."""
VERY_RARE = 1e-30
"""Entries that are likelier are followed by chains for some steps."""
UNDERFLOW = 1e-300
"""A computed 0 may stand for any chance up to this, where a law is too thin for floats."""
LEFT_IN_TABLES = 1e-15
"""Mass that may be left beyond the tables where all laws come from one table, which costs little to fill."""
DIRECT = 2
"""At the first positions, where exact zeros are likeliest, all laws are computed."""
NOT_TOLD = "a report may show numbers that are not whole, or too many of them"
ONE_BY_ONE = 4
"""So many positions are followed one by one: many scans end with them."""
GROWTH = 3
"""Times as many further positions as there are known ones are followed together next."""


@record
class Position:
    """One position n: the laws given each entry, in the order of `entries`; `reach` is at least P(T >= n)."""

    number: int
    reach: float
    entries: tuple[Entry, ...]
    laws: tuple[Law, ...]


class Scan:
    """The positions of one program under one model, computed when they are asked for and kept.

    `work` bounds the numbers touched (nodes x states x steps); past it there are no further positions and `exhausted`
    is set. `tolerance` is the mass that may be left beyond the tables of a law. `ratios`: small probabilities matter
    too; else the law given the likeliest entry is what the free law leaves, P = sum over a of P(X_n = a) P_a.
    `complete`: `entries` are all values of an entry; else some, and what is found are lower bounds. `enclosed`: laws
    are finite sums, and their bounds hold; else they are estimates, from how far two orders of quadrature differ.
    """

    def __init__(
        self, program: Program, model: str, *, tolerance: float, ratios: bool = True, work: float = 2e10
    ) -> None:
        if program.model(model).memories:
            raise Unsolved("the model reads memory: one entry and the others are not independent")
        if (why := obstacle(program)) is not None:
            raise Unsolved(f"a step may fail for one value of an entry only, and no law tells: {why}")
        self.model = model
        self.entries, self.complete = entries_of(program)
        if not (draws_are_clear(program) and values_are_clear(program, model)):
            raise Unsolved("a chance is so small, or so near 1, that floats do not tell it from 0 or 1")
        self._beside = Beside(program, model)
        self._numbers: dict[tuple[tuple[str, float], ...], int] = {}
        self.tolerance = tolerance
        self.work = work
        self.exhausted = False
        self.reports = bool(program.report_names)
        program, self.chains = _told_apart(program, model, AGREED_FOR_RATIOS if ratios else AGREED)
        self.enclosed = len(self.chains) == 1
        self.blind = _blind(program, model, self.chains)
        self._faint: list[float] = [FAINT] if _has_faint_entries(program, model) else []
        self.reached = [1.0]
        self.last = longest_run(program)
        self._known: list[Position] = []
        full = tuple(whole for entry in self.entries for _, whole in self._beside.completed(entry, 1))
        mixture = mixture_of(program, model, full)
        with watching(self._faint):
            table = tabulated(program, self.chains[0], full, mixture) if self.enclosed else None
        if table is not None:
            self.chains, mixture, self.tolerance = (table,), None, min(tolerance, LEFT_IN_TABLES)
        self._mixture = None if ratios or public_fields(program) else mixture
        self._fronts: list[Any] = [chain.begin() for chain in self.chains]
        self._free = Walk(self.chains, self._fronts, None)
        rarest = 0.0 if mixture is None else min(mixture.chances)
        self._together = together_of(self.chains, rarest, self.tolerance)
        self._followed: dict[int, dict[int, Course]] = {}

    def reach(self, number: int) -> float:
        """At least P(T >= n) for the position n = `number`; there is one more of them than of known positions."""
        return self.reached[number - 1]

    def position(self, number: int) -> Position | None:
        """None past the work allowed, or where no run gets to. Asked for in order 1, 2, .."""
        while len(self._known) < number and not self.exhausted and self.reached[-1] > 0.0:
            with one_thread(), watching(self._faint):
                found = self._next()
            if found is not None:
                self._known.append(found)
        return self._known[number - 1] if number <= len(self._known) else None

    def _next(self) -> Position | None:
        number = len(self._known) + 1
        laws = self._laws(number)
        if self.reports and _has_else(self.chains):
            raise Unsolved(NOT_TOLD)
        if self.work < 0:
            self.exhausted = True
            return None
        self._fronts = [c.advance(front)[0] for c, front in zip(self.chains, self._fronts, strict=True)]
        over = self.last is not None and number >= self.last  # mass of unknown place is no mass of a later position
        self.reached.append(0.0 if over else min(self.reached[-1], survival(self._fronts)[1]))
        return Position(number, self.reached[number - 1], self.entries, laws)

    def _laws(self, number: int) -> tuple[Law, ...]:
        """The laws given that the entry of step `number` is each of the values; all end at the same step. None of them
        where the work allowed is used up."""
        head = survival(self._fronts)
        last = None if self._mixture is None or number <= DIRECT or self._faint else self._mixture.likeliest
        wanted = {k: entry for k, entry in enumerate(self.entries) if k != last}
        courses = self._courses(number, wanted)
        if self.work < 0:
            return ()
        faint = max(self._faint, default=0.0) if self.enclosed else 0.0
        laws = {k: course.law(number, head, self.blind, faint) for k, course in courses.items()}
        if last is not None:
            assert self._mixture is not None
            steps = number - 1 + max((course.steps for course in courses.values()), default=0)
            while self._free.steps < steps and self.work >= 0:
                self.work -= self._free.advance()
            if any(course.never > 0 for course in courses.values()) or self._free.steps < steps:
                self._mixture = None  # what never stops is not told apart in the free law
                return self._laws(number)
            laws[last] = self._mixture.rest(number, head, self._free, courses)
        return tuple(laws[k] for k in range(len(self.entries)))

    def _courses(self, number: int, wanted: Mapping[int, Entry]) -> Mapping[int, Course]:
        """The ways on from position `number` with each of the entries forced, all of them equally long."""
        parts = {k: self._beside.completed(entry, number) for k, entry in wanted.items()}
        full = {self._number(whole): whole for part in parts.values() for _, whole in part}
        found = self._walked(number, full)
        if self.work < 0:
            return {}
        return {k: mixed([(p, found[self._number(whole)]) for p, whole in part]) for k, part in parts.items()}

    def _number(self, entry: Entry) -> int:
        return self._numbers.setdefault(tuple(entry.items()), len(self._numbers))

    def _walked(self, number: int, wanted: Mapping[int, Entry]) -> Mapping[int, Course]:
        """The same for entries of all fields, public ones too."""
        if number > ONE_BY_ONE and number not in self._followed and self._together is not None:
            self._follow(number, wanted)
        known = self._followed.pop(number, {})
        if known.keys() == wanted.keys():
            return known
        walks = {k: Walk(self.chains, self._fronts, entry) for k, entry in wanted.items()}
        while not all(walk.ended(self.tolerance) for walk in walks.values()) and self.work >= 0:
            poll()
            self.work -= sum(walk.advance() for walk in walks.values())
        return walks

    def _follow(self, number: int, wanted: Mapping[int, Entry]) -> None:
        """Follows the entries from many positions on, of which `number` is the first; more where more were needed."""
        assert self._together is not None
        most = GROWTH * number if self.last is None else min(GROWTH * number, self.last + 1 - number)
        found, work = self._together.courses(self._fronts, wanted, most, self.work)
        self.work -= work
        self._followed = {number + k: courses for k, courses in enumerate(found)}
        if not found:
            self._together = None


def _told_apart(program: Program, model: str, agreed: float) -> tuple[Program, tuple[Chain, ...]]:
    """The program that is followed: itself, or where it has reports the one that returns them, with the fewest digits
    that hold what its runs show."""
    if not program.report_names:
        return program, _chains(program, model, agreed)
    for size in sizes(program):
        poll()
        longer = transcribed(program, size)
        chains = _chains(longer, model, agreed)
        front = chains[0].begin()
        for _ in range(longest_run(program) or 0):
            front, _stopped = chains[0].advance(front)
        if not _has_else(chains):
            return longer, chains
    raise Unsolved(NOT_TOLD)


def _has_else(chains: tuple[Chain, ...]) -> bool:
    return any(float(ELSE) in chain.outcomes for chain in chains)


def _chains(program: Program, model: str, agreed: float) -> tuple[Chain, ...]:
    """The chain at the first two orders that agree on the free law; one chain where every order gives the same."""
    from seqlang.backends.solve.spaces import space_of

    space = space_of(program, model, by_double=True)
    coarse = _made(space, 0)
    if space.exact:
        return (coarse,)
    for level in range(1, space.last + 1):
        fine = _made(space, level)
        if level == space.last or _apart(coarse, fine) < agreed:
            return coarse, fine
        coarse = fine
    raise Unsolved("one order of quadrature only: its error is not known")


def _made(space: Space, level: int) -> Chain:
    """The chain, told to drop next to nothing: losses are about ratios, in the tails too."""
    try:
        chain = space.make(level)
    except CannotVectorise as why:
        raise Unsolved(str(why)) from None
    if hasattr(chain, "rare"):
        chain.rare = RARE
    return chain


def _apart(coarse: Chain, fine: Chain, steps: int = 10_000) -> float:
    """The sum over steps and outcomes of how far the free laws of two chains differ."""
    fronts = [coarse.begin(), fine.begin()]
    total = 0.0
    for _ in range(steps):
        poll()
        (fronts[0], a), (fronts[1], b) = coarse.advance(fronts[0]), fine.advance(fronts[1])
        new, old = (stopped.by_outcome.sum(axis=-1) for stopped in (b, a))
        new[: len(old)] -= old  # the second chain may have met further outcomes by then
        total += float(np.abs(new).sum())
        if float(fronts[1].survivors.sum()) < 1e-10:
            break
    return total


def _has_faint_entries(program: Program, model: str) -> bool:
    """Whether a few entries in a row may have no chance as doubles, before a chain drops what is rarer than `RARE`."""
    try:
        least = min(entry.chance for entry in entries(program, model)[0])
    except Unsolved:  # a density
        return False
    last = longest_run(program)
    return least < VERY_RARE and (last is None or least**last < FAINT)


def _blind(program: Program, model: str, chains: tuple[Chain, ...]) -> float:
    """What a table entry of exactly 0 may be after all."""
    weights = np.asarray(chains[-1].begin().survivors)
    if weights.size > 1:
        return float(weights.max())
    return 0.0 if zeros_are_exact(program, model) else UNDERFLOW
