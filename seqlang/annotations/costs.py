"""What one draw of a noise costs when it alone hides how the values move that it is added to.

That is a figure for orientation: how often a noise is drawn in a run, and which noise pays for which step, the proof of
a claim says.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from seqlang.arithmetic.formula import Formula, absolute, maximum, number
from seqlang.arithmetic.simplify import simplify
from seqlang.laws.facts import facts
from seqlang.model.expression import Expression, Law, Term
from seqlang.model.life import Once
from seqlang.model.margins import margins
from seqlang.model.print import show_expression
from seqlang.model.program import ChooseGate, CompareGate, Gate, Noise, NoisyMaxLaw, OpaqueGate, Program, ReleaseGate
from seqlang.record import record
from seqlang.report.numbers import shown_up, upper
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.translation import translation_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_bounds, parameter_values
from seqlang.rules.sensitivity.motion.shifts import shift_of


@record
class Cost:
    """`text` is short, `words` a sentence or two."""

    text: str
    words: str


def costs_of(program: Program, noise: Noise) -> Cost | None:
    """None where the law is not one whose cost is a formula, or where what it hides has no bound."""
    if not isinstance(noise.law, Law):
        return None
    gaussian = facts(noise.law.family).curve == "gaussian"
    hidden = [(value, term) for gate in program.gates for value, term in _added(gate) if term.noise == noise.name]
    sizes = [_one(program, noise, value, term, "l2" if gaussian else "l1") for value, term in hidden]
    known = [size for size in sizes if size is not None]
    if not known or len(known) < len(sizes) or any(size.is_infinite for size in known):
        return None
    cost = simplify(known[0] if len(known) == 1 else maximum(*known), parameter_bounds(program))
    formula, high = str(cost), shown_up(upper(cost, parameter_values(program)))
    unit = "zcdp" if gaussian else "eps"
    size = high if formula == high else f"{formula} = {high}"
    each = "" if isinstance(noise.life, Once) else " a draw"
    values = " and ".join(dict.fromkeys(f"`{show_expression(value, program)}`" for value, _ in hidden))
    words = (
        f"One draw of {show_expression(noise.law)} that alone hides how {values} moves costs at most {size} ({unit}). "
        "How often it is drawn, and what is paid by other noise, the proof of the claim counts."
    )
    return Cost(f"costs {size}{' (zcdp)' if gaussian else ''}{each}", words)


def _added(gate: Gate) -> Iterator[tuple[Expression, Term]]:
    match gate:
        case CompareGate(test=test):
            yield from ((margin.value, term) for margin in margins(test) for term in margin.terms)
        case OpaqueGate(test=test) if test is not None:
            yield from ((margin.value, term) for margin in margins(test) for term in margin.terms)
        case ReleaseGate(value=value, terms=terms):
            yield from ((value, term) for term in terms)
        case ChooseGate(law=NoisyMaxLaw(of=of, terms=terms)):
            yield from ((of, term) for term in terms)
        case _:
            return


def _one(program: Program, noise: Noise, value: Expression, term: Term, norm: Literal["l1", "l2"]) -> Formula | None:
    """What it costs to hide how one value moves; None where that is not known."""
    shift = shift_of(program, value)
    if shift.norm not in ("abs", norm):
        shift = shift_of(program, value, norm=norm)
    factor = formula_of(program, term.factor)
    signs = Signs(parameter_values(program))
    if shift.kind == "none" or factor is None or signs.of(factor) not in (-1, 1):
        return None
    moved = shift.radius / absolute(factor)
    assert isinstance(noise.law, Law)
    if norm == "l2":
        place = [p.kind for p in facts(noise.law.family).parameters].index("scale")
        sd = formula_of(program, noise.law.arguments[place])
        return None if sd is None or signs.of(sd) != 1 else moved * moved / (number(2) * sd * sd)
    cost = translation_of(program, noise, signs).cost(moved, signs)
    return None if cost.is_infinite else cost
