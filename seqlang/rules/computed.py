"""Rules that compute what they prove: both halves of such a rule, made from what it declares.

It declares the notions that it concludes, what its premises must be, and `least(program, asked, step)`: the least
epsilon (of zCDP: the least rho) that it proves for the gates and the steps of `asked`, at its order or delta, from the
premises and the evidence of `step`; text says why it proves none. `asked` is the conclusion of `step`. Its own epsilon
or rho `least` does not read: that it claims no less is checked here, for all of these rules alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Generic, TypeVar

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import DELTA, ORDER, Bounds, Formula, enclose, of_float
from seqlang.arithmetic.simplify import simplify
from seqlang.model.program import Program
from seqlang.proof.derivation import (
    ApproximateBound,
    ConcentratedBound,
    Derivation,
    Judgement,
    PureBound,
    RenyiBound,
    amount,
    settled,
)
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.sensitivity.facts.formulas import parameter_bounds, parameter_values

C = TypeVar("C", bound=Judgement)
Amount = Formula | float
Least = Callable[[Program, C, Derivation], Amount | str]
Premises = Callable[[Program, Derivation], str | None]
"""What is wrong with the premises of a step; None if they are such as the rule speaks of."""


def from_the_program(_: Program, step: Derivation) -> str | None:
    """The premises of rules that read the program alone."""
    return "it follows from the program alone, without premises" if step.premises else None


class Computed(Generic[C]):
    """What a rule declares, see above, and the rule that it makes. `evidence` and `symbolic` as in `Rule`."""

    def __init__(
        self,
        name: str,
        title: str,
        statement: str,
        cite: str,
        concludes: type[C] | tuple[type[C], ...],
        premises: Premises,
        least: Least[C],
        evidence: object = None,
        symbolic: Callable[[Program, Derivation], Formula | None] | None = None,
    ) -> None:
        self.concludes, self.premises, self.least = concludes, premises, least
        self.rule = Rule(name, title, statement, cite, self.holds, evidence, symbolic)

    def holds(self, program: Program, step: Derivation) -> str | None:
        """The trusted half."""
        asked = step.conclusion
        if not isinstance(asked, self.concludes):
            return f"it does not conclude a {type(asked).__name__}"
        found = self._found(program, asked, step)
        if isinstance(found, str):
            return found or f"the rule is not about {', '.join(asked.gates)}"
        bound = with_amount(asked, found)
        if certainly(program, bound, asked):
            return None
        return f"only {found if isinstance(found, Formula) else f'{found:.6g}'} follows, and less is claimed"

    def offer(
        self,
        program: Program,
        asked: C,
        because: str | Callable[[C], str],
        premises: tuple[Derivation, ...] = (),
        evidence: object = None,
    ) -> Derivation | str:
        """The untrusted half: the least bound of the notion that is asked for, or why there is none. `because` may read
        that bound."""
        step = Derivation(asked, self.rule.name, premises, evidence, cite=self.rule.cite)
        found = self._found(program, asked, step)
        if isinstance(found, str):
            return found
        bound = with_amount(asked, found)
        return replace(step, conclusion=bound, because=because if isinstance(because, str) else because(bound))

    def _found(self, program: Program, asked: C, step: Derivation) -> Amount | str:
        wrong = self.premises(program, step)
        return self.least(program, asked, step) if wrong is None else wrong


def certainly(program: Program, bound: Judgement, asked: Judgement) -> bool:
    """Whether what is asked follows from the bound, or is the bound in another form."""
    if isinstance(asked, RenyiBound) and not asked.order > 1:
        return False
    return implies(program, bound, asked) or with_amount(bound, _shortest(program, bound)) == asked


def with_amount(asked: C, least: Amount) -> C:
    """The bound with this epsilon or rho; a float stands for its exact value."""
    formula = least if isinstance(least, Formula) else of_float(least)
    return replace(asked, **{"rho" if isinstance(asked, ConcentratedBound) else "epsilon": formula})


def simplified(program: Program, step: Derivation) -> Derivation:
    """The step with its bound in the shortest form found; the same number for all values of the parameters."""
    bound = step.conclusion
    return replace(step, conclusion=with_amount(bound, _shortest(program, bound)))


def _shortest(program: Program, bound: Judgement) -> Formula:
    return simplify(amount(bound), {**parameter_bounds(program), **_ALWAYS})


_ALWAYS = {ORDER.name: Bounds(low=Fraction(1), low_open=True), DELTA.name: Bounds(Fraction(0), Fraction(1))}
"""What is known of every order and of every delta."""


def bound_up(program: Program, bound: Judgement) -> float:
    """The epsilon or rho at the parameter values, rounded up."""
    return enclose(amount(bound), _values(program, bound)).high


def _values(program: Program, bound: Judgement) -> Mapping[str, Fraction]:
    """The values of the parameters, and of the order or the delta of the bound."""
    values = parameter_values(program)
    match bound:
        case RenyiBound(order=order):
            return {**values, ORDER.name: order}
        case ApproximateBound(delta=delta):
            return {**values, DELTA.name: delta}
    return values


def implies(program: Program, bound: Judgement, other: Judgement) -> bool:
    """Whether the other bound, of the same gates and steps, certainly follows at the parameter values: it is of the
    same notion, and no smaller; a Renyi divergence does not fall with the order."""
    match bound, other:
        case (PureBound(), PureBound()) | (ConcentratedBound(), ConcentratedBound()):
            weaker = same = True
        case RenyiBound(order=a), RenyiBound(order=b):
            weaker, same = 1 < b <= a, a == b
        case ApproximateBound(delta=d), ApproximateBound(delta=wider):
            weaker, same = d <= wider, d == wider
        case _:
            return False
    if not same:
        return weaker and at_most(settled(bound), settled(other), parameter_values(program))
    return weaker and at_most(amount(bound), amount(other), _values(program, bound))
