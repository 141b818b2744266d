"""Short tests with Gaussian noise on finitely many inputs: the laws of what is shown, for every input."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from seqlang.accounting.normal_cells import Chances, chances, least_epsilon
from seqlang.arithmetic.enclosure import exact_value
from seqlang.arithmetic.rounding import fraction_down
from seqlang.model.expression import Field
from seqlang.model.program import Program, PublicGate, Replace, Within
from seqlang.rules.gates.gate_rule import rule_at_delta
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.joint.short_runs import Inputs, NotShort, inputs_of, test, winner
from seqlang.rules.sensitivity.facts.evaluate import evaluate_number
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

Laws = tuple[tuple[Chances, ...], tuple[tuple[int, int], ...]]
"""What each input gives, and the numbers of neighbouring inputs."""


@remembered_of_program
def _laws(program: Program) -> Laws | None:
    try:
        inputs = inputs_of(program)
        pairs = tuple(_neighbours(program, inputs))
        read = winner if program.inputs[0].kind == "dataset" else test
        axes, events = read(program, inputs)
    except NotShort:
        return None
    found = chances(axes, events)
    return None if found is None else (tuple(found), pairs)


def _neighbours(program: Program, inputs: Inputs) -> Iterator[tuple[int, int]]:
    """Both ways round. Raises `NotShort`."""
    facts, adjacency = facts_of(program), program.adjacency
    match adjacency:
        case Within(Field(), radius, extent, same_direction, "linf"):
            most, one_only = evaluate_number(facts, radius), extent == "one"
        case Replace(count):
            most, one_only, same_direction = evaluate_number(facts, count), False, False
        case _:
            raise NotShort
    exact = None if most is None else exact_value(most, facts.values)
    if exact is None:
        raise NotShort

    def near(one: Sequence[Fraction], other: Sequence[Fraction]) -> bool:
        moves = [b - a for a, b in zip(one, other, strict=True) if a != b]
        if isinstance(adjacency, Replace):
            return len(moves) <= exact
        if one_only and len(moves) > 1:
            return False
        one_way = all(m > 0 for m in moves) or all(m < 0 for m in moves)
        return all(abs(m) <= exact for m in moves) and (one_way or not same_direction)

    for i, one in enumerate(inputs):
        for j, other in enumerate(inputs):
            if i != j and near(one, other):
                yield i, j


def _epsilon(program: Program, names: tuple[str, ...], delta: Fraction) -> float | str:
    if set(names) != {gate.name for gate in program.gates if not isinstance(gate, PublicGate)}:
        return NOT_MINE
    found = _laws(program)
    return NOT_MINE if found is None else least_epsilon(*found, fraction_down(delta))


RULE, SEARCH = rule_at_delta(
    "joint/every_input",
    "Every input of a short test",
    """
    each of finitely many inputs x gives the outcome o with chance P_x(o), within e
    for neighbours x, y   sum over o of (P_x(o) + e - exp(eps) (P_y(o) - e))+ <= delta
    ----------------------------------------------------------------------------------
                    all gates together are (eps, delta)-DP, eps in nats

For a dataset or stream of one field with finitely many values, and at most 64 inputs. Either the winner of its noisy
entries is returned; or stops compare, in a known number of steps, a linear function of the entry and fresh Gaussian
noise with thresholds, at most two of which have lasting Gaussian noise, or are the latest, largest or smallest of at
most two earlier noisy entries. The chances are integrals over one or two normal variables, with bounds on their errors.
""",
    "Dwork & Roth 2014, Definition 2.4; integrals: proof in seqlang/accounting/normal_cells.py; programs: Bhusal, "
    "Chadha, Sistla & Viswanathan 2025",
    "the law of what is shown was computed for every input, and all neighbours were compared",
    _epsilon,
)
