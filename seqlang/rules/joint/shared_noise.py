"""Noisy numbers that share noises, shown together: the noises must hide every combination of the numbers."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.formula import ONE, ZERO, Formula, number, product
from seqlang.laws.facts import TranslationCost, facts
from seqlang.model.expression import Apply, Expression, Law, Number
from seqlang.model.program import Program, ReleaseGate
from seqlang.proof.derivation import PureBound
from seqlang.record import replace
from seqlang.rules.gates.exposure import showings, touched
from seqlang.rules.gates.gate_rule import group_rule
from seqlang.rules.gates.noise import is_fresh
from seqlang.rules.joint.noisy_value import source_of
from seqlang.rules.reading.limits import least
from seqlang.rules.reading.read_sets import noises_read, shared_noise
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.single_entry import single_entry
from seqlang.rules.sensitivity.facts.formulas import formula_of, parameter_values
from seqlang.rules.sensitivity.motion.shifts import shift_of

MOST_GATES = 4
K = TypeVar("K", bound=Hashable)

Row = dict[str, Fraction]
"""Noise -> its factor in one released number."""


def cost_of(program: Program, names: tuple[str, ...]) -> Formula | str:
    """Entries times showings touched times the cost of moving the noises, for the noises that cost least."""
    found = tuple(g for g in program.gates if g.name in names and isinstance(g, ReleaseGate) and g.terms)
    if not 1 < len(found) == len(names) <= MOST_GATES:
        return ""
    guards = {gate.guard for gate in found}
    common = guards.pop() if len(guards) == 1 else None  # all count as shown wherever one of them may be
    source = source_of(found)
    gates = tuple(replace(gate, guard=common, source=source) for gate in found)
    signs = Signs(parameter_values(program))
    entries, single = single_entry(program)
    rows = [_row(program, gate) for gate in gates]
    factors = [row for row in rows if row is not None]
    if len(factors) < len(rows):
        return "a noise has a factor that is no constant rational number"
    noises = sorted({noise for row in factors for noise in row})
    entangled = _entangled(program, names, gates, noises, signs)
    if entangled is not None:
        return entangled
    kept = _independent(single, found, factors)
    if isinstance(kept, str):
        return kept
    shifts = [shift_of(single, gates[i].value) for i in kept]
    if any(shift.norm != "abs" and shift.kind != "none" for shift in shifts):
        return "vectors with shared noise"
    if any(shift.radius.is_infinite for shift in shifts):
        return "one of the numbers can move without bound"
    costs = [
        _cost(program, [factors[i] for i in kept], chosen, [shift.radius for shift in shifts], signs)
        for chosen in combinations(noises, len(kept))
    ]
    known = [cost for cost in costs if cost is not None]
    if not known:
        return "no Laplace noises hide all of these numbers at once"
    one = least(known, signs)
    if one == ZERO:
        return ZERO
    pairs = zip((gates[i] for i in kept), shifts, strict=True)
    touches = sum((touched(single, gate, (gate.value,), shift, signs) for gate, shift in pairs), ZERO)
    times = least([touches, showings(single, gates[0], signs)], signs)
    if times.is_infinite:
        return "nothing limits how often a changed entry is shown"
    return product((entries, times, one))


def _entangled(
    program: Program, names: tuple[str, ...], gates: tuple[ReleaseGate, ...], noises: list[str], signs: Signs
) -> str | None:
    """None if the noises hide nothing but these values, and each draw one showing of them; else why not."""
    shared = shared_noise(program, names, frozenset(noises))
    if shared is not None:
        return shared
    inside = noises_read(program, (gate.value for gate in gates)) & set(noises)
    if inside:
        return f"{', '.join(sorted(inside))}: the noise is also part of a value"
    if not all(is_fresh(program, gate, program.noise(n).life, signs) for gate in gates for n in noises):
        return "one draw hides several values"
    return None


def _row(program: Program, gate: ReleaseGate) -> Row | None:
    row: Row = {}
    for term in gate.terms:
        formula = formula_of(program, term.factor)
        factor = None if formula is None else exact_value(formula, parameter_values(program))
        if factor is None:
            return None
        row[term.noise] = row.get(term.noise, Fraction(0)) + factor
    return {noise: factor for noise, factor in row.items() if factor}


def _independent(program: Program, gates: tuple[ReleaseGate, ...], rows: list[Row]) -> list[int] | str:
    """Gates whose noises are linearly independent. The others are then sums of them and of numbers that do not move;
    text: one of these sums moves, and it is shown without noise."""
    kept: list[int] = []
    basis: list[tuple[Row, dict[int, Fraction]]] = []  # reduced rows, and what they are made of
    for i, row in enumerate(rows):
        left, made = dict(row), {i: Fraction(1)}
        for reduced, parts in basis:
            pivot = min(reduced)
            if left.get(pivot):
                scale = left[pivot] / reduced[pivot]
                left = _minus(left, reduced, scale)
                made = _minus(made, parts, scale)
        if left:
            kept.append(i)
            basis.append((left, made))
            continue
        bare = _sum([(gates[j].value, factor) for j, factor in sorted(made.items())])
        if shift_of(program, bare).kind != "none":
            text = " ".join(f"{'+' if f > 0 else '-'} {_times(abs(f))}{gates[j].name}" for j, f in sorted(made.items()))
            return f"{text.removeprefix('+ ')} is shown without noise: the noise cancels"
    return kept


def _times(factor: Fraction) -> str:
    return "" if factor == 1 else f"{factor} "


def _minus(a: dict[K, Fraction], b: dict[K, Fraction], scale: Fraction) -> dict[K, Fraction]:
    keys = dict.fromkeys([*a, *b])
    found = {key: a.get(key, Fraction(0)) - scale * b.get(key, Fraction(0)) for key in keys}
    return {key: value for key, value in found.items() if value}


def _sum(parts: list[tuple[Expression, Fraction]]) -> Expression:
    whole: Expression = Number(Fraction(0))
    for value, factor in parts:
        whole = Apply("+", (whole, Apply("*", (Number(factor), value))))
    return whole


def _cost(
    program: Program, rows: list[Row], chosen: tuple[str, ...], radii: list[Formula], signs: Signs
) -> Formula | None:
    """What it costs to move just these noises, if they can make up for any moves of the numbers: the i-th noise moves
    by sum_g (F^-1)_ig times the move of the g-th number."""
    inverse = _inverse([[row.get(noise, Fraction(0)) for noise in chosen] for row in rows])
    if inverse is None:
        return None
    total: Formula = ZERO
    for noise, row in zip(chosen, inverse, strict=True):
        law = program.noise(noise).law
        if not isinstance(law, Law) or facts(law.family).translation != TranslationCost("linear"):
            return None
        scale = formula_of(program, law.arguments[0])
        if scale is None or signs.of(scale) != 1:
            return None
        for factor, radius in zip(row, radii, strict=True):
            total = total + number(abs(factor)) * radius / scale
    return total * ONE


def _inverse(matrix: list[list[Fraction]]) -> list[list[Fraction]] | None:
    """Gauss and Jordan, exactly; None if there is none."""
    n = len(matrix)
    rows = [[*row, *(Fraction(i == j) for j in range(n))] for i, row in enumerate(matrix)]
    for column in range(n):
        pivot = next((r for r in range(column, n) if rows[r][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        rows[column] = [value / rows[column][column] for value in rows[column]]
        for r in range(n):
            if r != column and rows[r][column]:
                rows[r] = [a - rows[r][column] * b for a, b in zip(rows[r], rows[column], strict=True)]
    return [row[n:] for row in rows]


STATEMENT = """
    shown together: v_g + sum_j F_gj z_j for several g;   z_j independent Laplace noises of scales b_j, new each time
    |v_g' - v_g| <= s_g between neighbours;   J noises such that the columns F_J have an inverse G
    ---------------------------------------------------------------------------------------------------------------------
          all of it together is (T sum_(j in J) sum_g |G_jg| s_g / b_j)-DP, T = the showings a changed entry touches

Fix the other noises; moving z_J by -G (v' - v) shows the same numbers on the neighbour. A number whose noise is made up
of the others' tells nothing new if the same combination of the numbers does not move; if it moves, it is shown bare.
Epsilon in nats.
"""

RULE, SEARCH = group_rule(
    "joint/shared_noise",
    "Releases that share noises",
    STATEMENT,
    "Dwork, McSherry, Nissim & Smith 2006, for noise that is a linear image of independent Laplace noises",
    "moving the noises as the numbers move hides all of them at once",
    {PureBound: cost_of},
)
