"""All claims of a spec, decided at given values of its parameters, and the objective there.

A proof found at other values is tried first: derivations bound by formulas over the parameters, and what replays at the
new values, and is at most what is claimed there, is a proof there. A new search is made where none is at hand, at most
once for values of about the same size (or once for each choice of the parameters that privacy depends on, where bounds
are numbers rather than formulas). Nothing else is reused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import inf, log, log2

from seqlang.analyses.claims import proofs_of
from seqlang.analyses.empty_claims import allows_everything, decided_by_its_bound
from seqlang.analyses.operating.claims import decide_operating
from seqlang.analyses.operating.laws import Laws
from seqlang.analyses.operating.quantities import Interval, Open
from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.weak.verdict import decide as decide_weak
from seqlang.arithmetic.formula import enclose
from seqlang.backends.solve import Unsolved
from seqlang.designs.tuning.point import UNKNOWN, Point
from seqlang.elaborate import elaborate
from seqlang.model import expression as e
from seqlang.model.program import Claim, Program
from seqlang.operators.groups import LESS
from seqlang.process.doing import doing
from seqlang.process.time_limit import poll
from seqlang.proof.derivation import ConcentratedBound, Derivation, settled
from seqlang.proof.replay import Replay
from seqlang.rules.claims import UndecidedAmount, claimed_amounts, falls_short
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.syntax import tree

NEARLY, MISSED, UNTOLD = 1e-9, 0.1, 1.0
"""Excess of a claim that is not proved though the numbers at hand say nothing against it, of one that is not proved for
another reason than its size, and of one of which there is no number."""
Key = tuple[int, tuple[object, ...]]


class Oracle:
    """Asks for one point after another. `why` is the last reason for which the objective had no value. `tolerance`:
    asked of exact laws instead of what claims ask for; intervals are as wide as that makes them."""

    def __init__(
        self, file: tree.File, settings: Mapping[str, Fraction], free: tuple[str, ...], tolerance: float | None = None
    ) -> None:
        self._file, self._settings, self._free, self._tolerance = file, dict(settings), free, tolerance
        self._found: dict[Key, tuple[Derivation, ...]] = {}
        self._matter: dict[int, tuple[str, ...]] = {}
        self.asked = 0
        self.why = ""

    def __call__(self, values: Mapping[str, Fraction]) -> Point:
        poll()
        self.asked += 1
        doing(f"point {self.asked}: " + ", ".join(f"{n} = {float(v):.6g}" for n, v in values.items()))
        program = self._program(values)
        if program is None:
            return Point(values, UNKNOWN, (), possible=False)
        *claims, objective = program.claims
        laws = Laws(program) if self._tolerance is None else Laws(program, self._tolerance)
        excess = tuple(self._excess(program, i, c, laws) for i, c in enumerate(claims) if c.expect is None)
        found = self._objective(program, objective, laws)
        poll()  # what was not found for lack of time says nothing of these values
        return Point(values, found, excess)

    def _program(self, values: Mapping[str, Fraction]) -> Program | None:
        return elaborate(self._file, {**self._settings, **values})[0]

    def _objective(self, program: Program, claim: Claim, laws: Laws) -> Interval:
        """The largest over the models that it speaks of."""
        assert isinstance(claim.condition, e.Apply)
        try:
            both = [laws.estimated_sides(claim.condition, m, supposing=True) for m in models_of(program, claim)]
            found = [left for left, _ in both]
        except (Unsolved, Open) as why:
            self.why = str(why)
            return UNKNOWN
        if any(high == inf for _, high in found):
            self.why = "it has no upper bound"
        return max(low for low, _ in found), max(high for _, high in found)

    def _excess(self, program: Program, index: int, claim: Claim, laws: Laws) -> float:
        if claim.kind == "operating":
            return operating_excess(program, claim, laws)
        if allows_everything(program, claim):
            return 0.0
        replay = Replay(program)
        formulas = [d for (i, _), found in self._found.items() if i == index for d in found if self._of_free(d)]
        least = self._least(program, claim, formulas, replay)
        if least > 0:
            least = min(least, self._newly(program, index, claim, self._place(program, index, claim), replay))
        if least == inf:  # what was found at values of about this size is none at these
            values = parameter_values(program)
            least = self._newly(program, index, claim, tuple(values[name] for name in self._free), replay)
        if least > 0 and claim.kind == "weak":
            decided = decide_weak(program, claim, prove(program)).verdict
            return 0.0 if decided == "proved" else min(least, UNTOLD)
        return least

    def _newly(self, program: Program, index: int, claim: Claim, place: tuple[object, ...], replay: Replay) -> float:
        """The least excess of what a new search finds; it is made once a place."""
        if (index, place) not in self._found:
            self._found[index, place] = proofs_of(program, claim)
        return self._least(program, claim, self._found[index, place], replay)

    def _of_free(self, derivation: Derivation) -> bool:
        """Whether the bound is a formula over free parameters."""
        return any(name in self._free for name in settled(derivation.conclusion).symbols())

    def _least(self, program: Program, claim: Claim, found: Iterable[Derivation], replay: Replay) -> float:
        return min((excess_of(program, claim, d) for d in found if not replay.problems(d)), default=inf)

    def _place(self, program: Program, index: int, claim: Claim) -> tuple[object, ...]:
        """What a new search depends on."""
        assert claim.privacy is not None
        values = parameter_values(program)
        if claim.privacy.notion in ("pure", "zcdp"):
            return tuple(_size(values[name]) for name in self._free)
        if index not in self._matter:
            self._matter[index] = self._mattering(program, claim)
        return tuple(values[name] for name in self._matter[index])

    def _mattering(self, program: Program, claim: Claim) -> tuple[str, ...]:
        """The free parameters of which the bounds are another when they alone are."""
        here, values = _sizes(program, claim), parameter_values(program)

        def same(name: str) -> bool:
            other = self._program({n: values[n] * 2 if n == name else values[n] for n in self._free})
            return other is not None and _sizes(other, claim) == here

        return tuple(name for name in self._free if not same(name))


def models_of(program: Program, claim: Claim) -> tuple[str, ...]:
    """The models that a claim on the law of a run speaks of."""
    return (claim.model,) if claim.model is not None else tuple(m.name for m in program.models)


def operating_excess(program: Program, claim: Claim, laws: Laws) -> float:
    """By how much the claim is missed: the logarithm of one side over the other, else their difference."""
    proved = _decided(program, claim, laws)
    if decided_by_its_bound(program, claim) is not None:
        return 0.0 if proved else UNTOLD
    condition = claim.condition
    assert isinstance(condition, e.Apply)
    found = []
    for model in models_of(program, claim):
        try:
            left, right = laws.estimated_sides(condition, model, supposing=True)
        except (Unsolved, Open):
            return 0.0 if proved else UNTOLD
        found.append(_over(left[1], right[0]) if condition.operator in LESS else _over(right[1], left[0]))
    return min(max(found), 0.0) if proved else max(*found, NEARLY)


def _decided(program: Program, claim: Claim, laws: Laws) -> bool:
    empty = decided_by_its_bound(program, claim)
    return empty[0] if empty is not None else decide_operating(program, claim, laws).verdict == "proved"


def _over(small: float, large: float) -> float:
    """How far `small` is above `large`."""
    if small == inf or large == -inf:
        return inf
    return log(small / large) if small > 0 and 0 < large < inf else small - large


def excess_of(program: Program, claim: Claim, derivation: Derivation) -> float:
    """The logarithm of the derivation's bound over the claimed one; 0 or less if and only if it proves the claim."""
    assert claim.privacy is not None
    try:
        goal = [enclose(f, parameter_values(program)).low for f in claimed_amounts(program, claim.privacy)]
    except UndecidedAmount:
        return MISSED
    size = size_of(program, derivation)
    if claim.privacy.notion == "rdp":
        order, wanted = goal
        size *= order if isinstance(derivation.conclusion, ConcentratedBound) else 1.0
    else:
        wanted = goal[0]
    over = _over(size, wanted)
    if falls_short(program, claim, derivation) is None:
        return min(over, 0.0)
    return over if over > NEARLY else NEARLY if over > -NEARLY else MISSED


def _size(value: Fraction) -> object:
    """The same for values of about one size."""
    return 0 if not value else (value > 0, round(log2(abs(value))))


def _sizes(program: Program, claim: Claim) -> tuple[float, ...]:
    values = parameter_values(program)
    return tuple(enclose(settled(d.conclusion), values).high for d in proofs_of(program, claim))
