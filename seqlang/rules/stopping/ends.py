"""One end of a noisy test, as the stopping rules read it from a gate: value + (persistent noise) + (fresh noise) >=
0."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from seqlang.arithmetic.formula import INFINITY, ONE, ZERO, Formula, enclose
from seqlang.model.expression import Apply, CellValue, Expression, Law, Reported, Term
from seqlang.model.gate_source import report_of, stop_of
from seqlang.model.life import EachStep, Once
from seqlang.model.program import AllSteps, Cell, CompareGate, Margin, Program, Stop
from seqlang.record import record
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

SCALED = ("gaussian", "laplace", "exponential")
WITH_DISCRETE = (*SCALED, "discrete_gaussian")
"""Only for rules that ask that values move by whole numbers where a noise lives on them."""


@record
class Source:
    """A noise in a margin: `scale` is |factor| times the law's scale, positive and finite; `sign` that of the
    factor, which is 1 or -1 for a law on the whole numbers."""

    name: str
    family: str
    scale: Formula
    sign: int


@record
class End:
    """`threshold` is drawn once, `look` in every step. The run ends at the latest in the step in which the gate has
    fired `most` times (1 for a stop)."""

    gate: str
    value: Expression
    threshold: Source
    look: Source
    most: int


@remembered_of_program
def end_of(program: Program, name: str, families: tuple[str, ...] = SCALED) -> End | str:
    """The gate of that name as an end with noises of these families, or what does not fit."""
    gate = next((g for g in program.gates if g.name == name), None)
    if not isinstance(gate, CompareGate) or not isinstance(gate.test, Margin):
        return f"{name} is not one noisy comparison"
    margin = gate.test
    if len(margin.terms) != 2 or len({term.noise for term in margin.terms}) != 2:
        return f"{name} has not two noises"
    if facts_of(program).noises_inside(margin.value):
        return f"the quantity compared in {name} reads noise itself"
    lives = [type(program.noise(term.noise).life) for term in margin.terms]
    if lives not in ([Once, EachStep], [EachStep, Once]):
        return f"{name} has not one noise drawn once and one drawn in each step"
    sources = [_source(program, term, families) for term in margin.terms]
    most = most_firings(program, gate)
    if None in sources:
        return f"a noise of {name} is of another law"
    if most is None:
        return f"the run need not end when {name} fires"
    once = lives.index(Once)
    threshold, look = sources[once], sources[1 - once]
    assert threshold is not None
    assert look is not None
    return End(name, margin.value, threshold, look, most)


def cost(source: Source, radius: Formula, sign: int, of_gaussian: Callable[[Formula], Formula]) -> Formula:
    """What a noise pays for a translation by at most `radius`: the radius over the scale, in nats; for a Gaussian what
    `of_gaussian` says of the radius over the deviation. Exponential noise can only be moved up, which raises the margin
    by its factor: only where that has the sign that is asked for (-1: the value rises, 1: it falls)."""
    if radius == ZERO:
        return ZERO
    ratio = radius / source.scale
    if source.family == "gaussian":
        return of_gaussian(ratio)
    return ratio if source.family == "laplace" or source.sign == sign else INFINITY


def ends_of(program: Program, names: Iterable[str], families: tuple[str, ...] = SCALED) -> tuple[End, ...] | str:
    """All gates of these names as ends with independent noises, or why not."""
    return _ends(program, tuple(names), families)


@remembered_of_program
def _ends(program: Program, names: tuple[str, ...], families: tuple[str, ...]) -> tuple[End, ...] | str:
    found: list[End] = []
    used: set[str] = set()
    for name in names:
        end = end_of(program, name, families)
        if isinstance(end, str):
            return end
        own = {end.threshold.name, end.look.name}
        if own & used:
            return f"{name} shares noise with another comparison"
        used |= own
        found.append(end)
    if len({end.gate for end in found}) != len(found):
        return "a gate is named twice"
    return tuple(found) if found else "no gate is named"


def candidates(program: Program, families: tuple[str, ...] = SCALED) -> tuple[str, ...]:
    """Names of the gates that are ends and share no noise with each other (for the search)."""
    ends = [end for gate in program.gates if isinstance(end := end_of(program, gate.name, families), End)]
    noises = [noise for end in ends for noise in (end.threshold.name, end.look.name)]
    return tuple(e.gate for e in ends if noises.count(e.threshold.name) == 1 and noises.count(e.look.name) == 1)


def _source(program: Program, term: Term, families: tuple[str, ...]) -> Source | None:
    law = program.noise(term.noise).law
    if not isinstance(law, Law) or law.family not in families or len(law.arguments) != 1:
        return None
    scale, factor = formula_of(program, law.arguments[0]), formula_of(program, term.factor)
    if scale is None or factor is None:
        return None
    values = parameter_values(program)
    product, turn = enclose(scale * factor, values), enclose(factor, values)
    least, most = sorted((abs(product.low), abs(product.high)))
    if not 0 < least <= most < float("inf") or product.low < 0 < product.high or not (turn.low > 0 or turn.high < 0):
        return None
    sign = 1 if turn.low > 0 else -1
    if (product.low > 0) != (sign > 0):
        return None  # a negative scale is no law
    if law.family == "discrete_gaussian" and factor * sign != ONE:
        return None  # its multiples are not on the whole numbers
    return Source(term.noise, law.family, scale * factor * sign, sign)


def most_firings(program: Program, gate: CompareGate) -> int | None:
    """How often the gate can fire in a run; None if nothing in the file bounds it.

    A stop: once. A report R: by a `stop when R` or `stop when count(R over steps) >= c` below it, which ends the run in
    the step of the first, or c-th, report.
    """
    if stop_of(gate.source) is not None:
        return 1
    place = program.place_of(gate.source)
    if place is None or report_of(gate.source) != gate.name:
        return None
    limits = [_limit(program, place, gate.name, s) for s in program.body[place + 1 :] if isinstance(s, Stop)]
    return min((limit for limit in limits if limit is not None), default=None)


def _limit(program: Program, place: int, report: str, stop: Stop) -> int | None:
    match stop.when:
        case Reported(name) if name == report:
            return 1
        case Apply(">=", (CellValue(cell), bound)):
            below = [s for s in program.body[place + 1 :] if isinstance(s, Cell) and s.name == cell]
            if not below or not _counts(below[0], report) or program.body.index(below[0]) > program.body.index(stop):
                return None
            formula = formula_of(program, bound)
            if formula is None:
                return None
            high = enclose(formula, parameter_values(program)).high
            return max(1, -int(-high // 1)) if high < 1e9 else None
    return None


def _counts(cell: Cell, report: str) -> bool:
    return (
        cell.operator == "count"
        and cell.body == Reported(report)
        and cell.where is None
        and isinstance(cell.keep, AllSteps)
        and not cell.binders
    )
