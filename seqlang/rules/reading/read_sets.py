"""What an expression reads, through statistics and cells, down to inputs, memory and reports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from seqlang.model.expression import CellValue, Drawn, Expression, Noised
from seqlang.model.gate_source import OfNoise
from seqlang.model.margins import margins
from seqlang.model.program import (
    Cell,
    ChooseGate,
    CompareGate,
    Gate,
    NoisyMaxLaw,
    OpaqueGate,
    Program,
    PublicGate,
    ReleaseGate,
    SinceReport,
    expressions_in,
    expressions_read,
)


def cells_read(program: Program, starts: Iterable[Expression]) -> tuple[Cell, ...]:
    names = {e.name: None for e in expressions_read(program, starts) if isinstance(e, CellValue)}
    return tuple(program.cell(name) for name in names)


def resets_read(program: Program, starts: Iterable[Expression]) -> frozenset[str]:
    """The reports at which a cell on the way starts anew."""
    cells = cells_read(program, starts)
    return frozenset(cell.keep.report for cell in cells if isinstance(cell.keep, SinceReport))


def noises_read(program: Program, starts: Iterable[Expression]) -> frozenset[str]:
    """The names of the noises and draws that the plain values depend on."""
    names: set[str] = set()
    for expression in expressions_read(program, starts):
        match expression:
            case Drawn(name):
                names.add(name)
            case Noised(_, _, terms):
                names.update(term.noise for term in terms)
            case _:
                pass
    return frozenset(names)


def gate_noises(gate: Gate) -> frozenset[str]:
    """The noises that the gate reads as terms: what a proof about it may translate."""
    match gate:
        case CompareGate(test=test) | OpaqueGate(test=test) if test is not None:
            return frozenset(term.noise for margin in margins(test) for term in margin.terms)
        case ReleaseGate(terms=terms) | ChooseGate(law=NoisyMaxLaw(terms=terms)):
            return frozenset(term.noise for term in terms)
        case _:
            return frozenset()


def shared_noise(program: Program, names: tuple[str, ...], noises: frozenset[str]) -> str | None:
    """Which of these noises, translated in a proof about the gates `names`, another gate reads too; None: none of them.

    A noisy value that is counted as shown may be read by public parts: they tell nothing new.
    """
    shown = frozenset(z for gate in program.gates if isinstance(gate.source, OfNoise) for z in gate_noises(gate))
    for gate in program.gates:
        if gate.name in names:
            continue
        plain, public = gate_parts(gate)
        read = gate_noises(gate) | noises_read(program, plain) | (noises_read(program, public) - shown)
        if noises & read:
            return f"{', '.join(sorted(noises & read))}: {gate.name} reads the noise too"
    return None


def gate_parts(gate: Gate) -> tuple[tuple[Expression, ...], tuple[Expression, ...]]:
    """The plain values of a gate, and all that it reads otherwise, which is public, or is known once hidden choices and
    coins are: its guard, public tests, what is done to what it shows, and by what its noises are multiplied."""
    plain = _plain_values(gate)
    return plain, tuple(e for e in expressions_in(gate) if e not in plain)


def _plain_values(gate: Gate) -> tuple[Expression, ...]:
    match gate:
        case PublicGate():
            return ()
        case CompareGate(test=test):
            return tuple(margin.value for margin in margins(test))
        case ReleaseGate(value=value):
            return (value,)
        case ChooseGate(law=law):
            return (law.of,) if isinstance(law, NoisyMaxLaw) else tuple(expressions_in(law))
        case OpaqueGate(expression=expression, test=test):
            return (expression, *(() if test is None else (margin.value for margin in margins(test))))
        case _:
            assert_never(gate)


def revealed_choices(program: Program) -> frozenset[str]:
    """The hidden randomised choices. They are gates, with a bound of their own: a bound for all gates pays for them,
    and may then treat them as shown (whoever sees them sees more)."""
    return frozenset(gate.name for gate in program.gates if isinstance(gate, ChooseGate) and not gate.visible)
