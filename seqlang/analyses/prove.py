"""The search for proofs: which groups of gates, which rules, in which order. What it returns has been replayed."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf

from seqlang.analyses.bounds import Bounds
from seqlang.analyses.grouping import Group, groupings
from seqlang.analyses.several_entries import grown
from seqlang.model.program import CompareGate, OpaqueGate, Program
from seqlang.process.time_limit import OutOfTime, lack, over
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound, amount
from seqlang.proof.replay import Replay
from seqlang.rules import searches
from seqlang.rules.claims import longest_run
from seqlang.rules.composition import hypothetical_transcript, post_processing
from seqlang.rules.computed import bound_up
from seqlang.rules.search import Search

DEFAULT_DELTA = Fraction(1, 10**6)
ORDERS = tuple(map(Fraction, (2, 4, 8, 16, 32)))

ROUNDING = 1 - 1e-13
"""Bounds whose numbers differ by less are the same bound in two forms."""

Kind = tuple[type, Fraction]
"""The notion of a bound, and its order if it has one."""


def prove(
    program: Program,
    *,
    delta: Fraction = DEFAULT_DELTA,
    horizon: int | None = None,
    orders: tuple[Fraction, ...] = ORDERS,
) -> Bounds:
    """Proved upper bounds. `delta` is where the (epsilon, delta) bound is taken, `orders` are the Renyi orders,
    `horizon` (steps) serves bounds that need one; without it, the step limit that the file itself sets."""
    search = _Search(program, delta, horizon, orders)
    partitions = groupings(program)
    by_partition = {partition: search.for_partition(partition) for partition in partitions}
    found = tuple(dict.fromkeys(d for derivations in by_partition.values() for d in derivations))
    if not any(isinstance(d.conclusion, PureBound) for d in found):  # a pure bound is for several entries already
        found = search.with_groups(found)
    best = search.best_of_each(found)
    pure = best.get((PureBound, Fraction(0)))
    chosen = tuple(best.values())
    return Bounds(
        pure=pure,
        rdp=search.rising(best, orders),
        zcdp=best.get((ConcentratedBound, Fraction(0))),
        dp=best.get((ApproximateBound, Fraction(0))),
        delta=delta,
        horizon=horizon,
        open_goals=() if pure is not None else search.open_goals(partitions[0]),
        alternatives=tuple(d for d in found if d not in chosen),
        groups=next((p for p in partitions if pure in by_partition[p]), partitions[0]),
    )


def size_of(program: Program, derivation: Derivation) -> float:
    """The bound as a number, rounded up: what is compared when the best is chosen."""
    return inf if amount(derivation.conclusion).is_infinite else bound_up(program, derivation.conclusion)


def kind_of(derivation: Derivation) -> Kind:
    """The notion of a bound, and its order if it has one."""
    conclusion = derivation.conclusion
    return type(conclusion), conclusion.order if isinstance(conclusion, RenyiBound) else Fraction(0)


class _Search:
    """What has been found for groups of gates, so that partitions share it."""

    def __init__(self, program: Program, delta: Fraction, horizon: int | None, orders: tuple[Fraction, ...]) -> None:
        self.program, self.delta, self.horizon, self.orders = program, delta, horizon, orders
        self.asked_for_horizon = horizon is not None
        self.known: dict[str, object] = {
            "delta": delta, "orders": orders,
            "horizon": longest_run(program) if horizon is None else horizon,
        }  # fmt: skip
        self.replay = Replay(program)
        self.offered: dict[Group, tuple[Derivation, ...]] = {}
        self.reasons: dict[Group, tuple[str, ...]] = {}
        self.tests: tuple[Derivation, ...] | None = None
        self.sizes: dict[int, tuple[float, Derivation]] = {}  # with the derivation, so that its identity stays its own

    def for_partition(self, partition: tuple[Group, ...]) -> tuple[Derivation, ...]:
        """Bounds for all gates together: of the one group, or composed; and what follows from them."""
        if len(partition) == 1:
            found = self.bounds_of(partition[0])
        else:
            best = [
                self.best_of_each(self._with_conversions(self.bounds_of(group), whole=False)) for group in partition
            ]
            shared = set(best[0]).intersection(*best[1:]) if best else set[Kind]()
            found = tuple(
                d
                for kind in sorted(shared, key=str)
                for search in searches("composition")
                for d in self._asked(search, parts=tuple(of_group[kind] for of_group in best))[0]
            )
            if not partition:
                found = tuple(d for search in searches("composition") for d in self._asked(search, parts=())[0])
        return tuple(self._without_hidden(d) for d in self._with_conversions(found))

    def with_groups(self, found: tuple[Derivation, ...]) -> tuple[Derivation, ...]:
        """What was found, and what follows from bounds for one entry, where neighbours differ in several."""

        def proved(program: Program, delta: Fraction, orders: tuple[Fraction, ...]) -> Bounds:
            return prove(program, delta=delta, horizon=self.horizon, orders=orders)

        offered = (d for d in grown(self.program, self.delta, self.orders, proved) if not self.replay.problems(d))
        grew = tuple(d for d in offered if self.size(d) < inf)
        return self._with_conversions((*found, *grew)) if grew else found

    def rising(self, best: dict[Kind, Derivation], orders: tuple[Fraction, ...]) -> tuple[Derivation, ...]:
        """The bound at each order, that of a higher one where it is less: divergences do not fall with the order."""
        kept: dict[Fraction, Derivation] = {}
        least: Derivation | None = None
        for order in sorted(orders, reverse=True):
            own = best.get((RenyiBound, order))
            if least is not None and (own is None or self.size(least) < ROUNDING * self.size(own)):
                own = post_processing.at_lower_order(least, order)
                assert own is not None
                assert not self.replay.problems(own)
            elif own is not None:
                least = own
            if own is not None:
                kept[order] = own
        return tuple(kept[order] for order in orders if order in kept)

    def _without_hidden(self, whole: Derivation) -> Derivation:
        """The bound for what is really shown, if hidden choices were counted as shown."""
        less = hypothetical_transcript.suggest(self.program, whole)
        return whole if less is None or self.replay.problems(less) else less

    def bounds_of(self, group: Group) -> tuple[Derivation, ...]:
        """Every bound of the group that a rule offers."""
        if group not in self.offered:
            self.offered[group], self.reasons[group] = self._rules_about(group)
        return self.offered[group]

    def _rules_about(self, group: Group) -> tuple[tuple[Derivation, ...], tuple[str, ...]]:
        gates = tuple(gate for gate in self.program.gates if gate.name in group)
        if any(isinstance(gate, CompareGate) or (isinstance(gate, OpaqueGate) and gate.test) for gate in gates):
            answers = [self._asked(search, gates=group) for search in searches("alignment")]
            if not any(found for found, _ in answers):
                answers += [self._asked(search, gates=group) for search in searches("joint")]
            # What the rules about tests prove without a horizon is less than a pure bound implies.
            if self.asked_for_horizon or not any(found for found, _ in answers):
                answers.append((tuple(d for d in self._about_tests() if set(d.conclusion.gates) == set(group)), ""))
        else:
            alone = gates if len(gates) == 1 else ()
            answers = [self._asked(search, gate=gate) for gate in alone for search in searches("mechanism")]
        answers += [self._asked(search, gates=group) for search in searches("joint")]
        reasons = dict.fromkeys(reason for _, reason in answers if reason)
        if not reasons:
            reasons = dict.fromkeys(gate.reason for gate in gates if isinstance(gate, OpaqueGate))
        return tuple(d for found, _ in answers for d in found), tuple(reasons)

    def _about_tests(self) -> tuple[Derivation, ...]:
        """Bounds of noisy tests: these rules choose the gates that they are about."""
        if self.tests is None:
            self.tests = tuple(d for search in searches("stopping") for d in self._asked(search)[0])
        return self.tests

    def _with_conversions(self, found: tuple[Derivation, ...], *, whole: bool = True) -> tuple[Derivation, ...]:
        """What follows in other notions: pure to zCDP to RDP, each from the best so far; and, for the whole program
        only, (epsilon, delta): the parts of a composition would have to share the delta."""
        result = list(dict.fromkeys(found))
        used: set[int] = set()
        for _ in range(3):
            best = self.best_of_each(result)
            renyi = tuple(d for kind, d in best.items() if kind[0] is RenyiBound)
            fresh = [d for d in best.values() if id(d) not in used]
            used.update(map(id, fresh))
            for search in searches("conversion"):
                for part in fresh:
                    result.extend(self._asked(search, whole, part=part)[0])
            if whole and fresh and renyi:
                result.extend(d for search in searches("conversion") for d in self._asked(search, parts=renyi)[0])
        return tuple(dict.fromkeys(result))

    def _asked(self, search: Search, with_delta: bool = True, **more: object) -> tuple[tuple[Derivation, ...], str]:
        """What a rule file offers and what of it replays. If something that it needs is not at hand, or it does not
        need what it is to be asked about, it is not asked."""
        if over():
            return (), lack()
        known = self.known | more
        needs = set(search.needs)
        if not needs <= known.keys() or not more.keys() <= needs or ("delta" in needs and not with_delta):
            return (), ""
        try:
            answer = search.suggest(self.program, **{name: known[name] for name in search.needs})
            if isinstance(answer, str):
                return (), answer
            offered = (answer,) if isinstance(answer, Derivation) else tuple(answer or ())
            return tuple(d for d in offered if self.size(d) < inf and not self.replay.problems(d)), ""
        except OutOfTime as out:
            return (), str(out)

    def best_of_each(self, derivations: Iterable[Derivation]) -> dict[Kind, Derivation]:
        """The least bound of each notion; the first of equals, up to rounding, so that one rule serves many orders."""
        best: dict[Kind, Derivation] = {}
        for derivation in derivations:
            kind = kind_of(derivation)
            if kind not in best or self.size(derivation) < ROUNDING * self.size(best[kind]):
                best[kind] = derivation
        return best

    def size(self, derivation: Derivation) -> float:
        """`size_of`, each derivation asked once."""
        if id(derivation) not in self.sizes:
            self.sizes[id(derivation)] = size_of(self.program, derivation), derivation
        return self.sizes[id(derivation)][0]

    def open_goals(self, partition: tuple[Group, ...]) -> tuple[str, ...]:
        """Why this partition has no pure bound, group by group."""
        failing = self.replay.obstacle
        if failing is not None and not partition:
            return (f"a step may fail on one of two neighbours only: {failing}",)
        without = "no rule gives a pure bound for this gate" if failing is None else f"a step may fail: {failing}"
        return tuple(
            f"{', '.join(group)}: {'; '.join(self.reasons[group]) or without}"
            for group in partition
            if not any(isinstance(d.conclusion, PureBound) for d in self.bounds_of(group))
        )
