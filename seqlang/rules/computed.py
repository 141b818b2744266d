"""Rules that compute what they prove: both halves of such a rule, made from what it declares.

It declares the notions that it concludes, what its premises must be, and `least(program, asked, step)`: the least
epsilon (of zCDP: the least rho) that it proves for the gates and the steps of `asked`, at its order or delta, from the
premises and the evidence of `step`; text says why it proves none. `asked` is the conclusion of `step`. Its own epsilon
or rho `least` does not read: that it claims no less is checked here, for all of these rules alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from seqlang.arithmetic.compare import at_most
from seqlang.arithmetic.formula import Formula
from seqlang.arithmetic.simplify import simplify
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, Judgement, PureBound, RenyiBound
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
    """What a rule declares, see above, and the rule that it makes. `evidence` as in `Rule`."""

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
    ) -> None:
        self.concludes, self.premises, self.least = concludes, premises, least
        self.rule = Rule(name, title, statement, cite, self.holds, evidence)

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
    if implies(program, bound, asked):
        return True
    return isinstance(bound, PureBound | ConcentratedBound) and with_amount(bound, _shortest(program, bound)) == asked


def with_amount(asked: C, amount: Amount) -> C:
    """The bound with this epsilon or rho."""
    return replace(asked, **{"rho" if isinstance(asked, ConcentratedBound) else "epsilon": amount})


def simplified(program: Program, step: Derivation) -> Derivation:
    """The step with its bound in the shortest form found; the same number for all values of the parameters."""
    bound = step.conclusion
    assert isinstance(bound, PureBound | ConcentratedBound)
    return replace(step, conclusion=with_amount(bound, _shortest(program, bound)))


def _shortest(program: Program, bound: PureBound | ConcentratedBound) -> Formula:
    return simplify(bound.epsilon if isinstance(bound, PureBound) else bound.rho, parameter_bounds(program))


def implies(program: Program, bound: Judgement, other: Judgement) -> bool:
    """Whether the other bound, of the same gates and steps, certainly follows at the parameter values: it is of the
    same notion, and no smaller; a Renyi divergence does not fall with the order."""
    values = parameter_values(program)
    match bound, other:
        case PureBound(epsilon=old), PureBound(epsilon=new):
            return at_most(old, new, values)
        case ConcentratedBound(rho=old), ConcentratedBound(rho=new):
            return at_most(old, new, values)
        case RenyiBound(order=a, epsilon=below), RenyiBound(order=b, epsilon=above):
            return 1 < b <= a and below <= above
        case ApproximateBound(epsilon=e, delta=d), ApproximateBound(epsilon=larger, delta=wider):
            return e <= larger and d <= wider
    return False
