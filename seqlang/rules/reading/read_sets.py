"""What an expression reads, through statistics and cells, down to inputs, memory and reports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from seqlang.model.expression import CellValue, Drawn, Expression, Local, Noised, walk
from seqlang.model.gate_source import OfNoise
from seqlang.model.margins import leaves, margins
from seqlang.model.program import (
    Cell,
    ChooseGate,
    CompareGate,
    Define,
    Draw,
    FlipLaw,
    Gate,
    NoisyMaxLaw,
    OpaqueGate,
    PrivateLaw,
    Program,
    PublicGate,
    PublicTest,
    ReleaseGate,
    Report,
    SinceReport,
    Statement,
    Stop,
    Update,
)
from seqlang.rules.sensitivity.facts.facts import parts_of


def expressions_read(program: Program, starts: Iterable[Expression]) -> Iterator[Expression]:
    """Every expression met on the way, once a name. Memory and reports are public and are not followed."""
    seen: set[tuple[str, str]] = set()
    waiting = list(starts)
    while waiting:
        for expression in walk(waiting.pop()):
            yield expression
            match expression:
                case Local(name) if ("local", name) not in seen:
                    seen.add(("local", name))
                    # the noisy value in a release's `post` is no statement: nothing is found for it
                    waiting.extend(s.expression for s in program.body if isinstance(s, Define) and s.name == name)
                case CellValue(name) if ("cell", name) not in seen:
                    seen.add(("cell", name))
                    waiting.extend(_parts(program.cell(name)))
                case _:
                    pass


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
        case CompareGate(test=test):
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
    """The plain values of a gate, and the expressions that it reads which are public, or are known once hidden choices
    and coins are: its guard, public tests, and by what its noises are multiplied."""
    guard = () if isinstance(gate, PublicGate) or gate.guard is None else (gate.guard,)
    match gate:
        case PublicGate(expression=expression):
            return (), () if expression is None else (expression,)
        case CompareGate(test=test):
            tests = (leaf.expression for leaf in leaves(test) if isinstance(leaf, PublicTest))
            factors = (term.factor for margin in margins(test) for term in margin.terms)
            return tuple(margin.value for margin in margins(test)), (*guard, *tests, *factors)
        case ReleaseGate(value=value, terms=terms, post=post):
            shown = () if post is None else (post,)
            return (value,), (*guard, *(term.factor for term in terms), *shown)
        case ChooseGate(law=law):
            terms = law.terms if isinstance(law, NoisyMaxLaw) else ()
            return _law_parts(law), (*guard, *(term.factor for term in terms))
        case OpaqueGate(expression=expression):
            return (expression,), guard
        case _:
            assert_never(gate)


def _law_parts(law: FlipLaw | NoisyMaxLaw | PrivateLaw) -> tuple[Expression, ...]:
    match law:
        case FlipLaw(of, truth, alphabet):
            return (of, truth, *alphabet)
        case NoisyMaxLaw(of=of):
            return (of,)
        case PrivateLaw(expression):
            return (expression,)
        case _:
            assert_never(law)


def revealed_choices(program: Program) -> frozenset[str]:
    """The hidden randomised choices. They are gates, with a bound of their own: a bound for all gates pays for them,
    and may then treat them as shown (whoever sees them sees more)."""
    return frozenset(gate.name for gate in program.gates if isinstance(gate, ChooseGate) and not gate.visible)


def expressions_of(statement: Statement) -> Iterator[Expression]:
    """What a statement of the body reads directly."""
    match statement:
        case Define(expression=expression):
            yield expression
        case Cell():
            yield from _parts(statement)
        case Draw(law=law):
            yield law
        case Report(when=when, value=value) | Stop(when=when, result=value) | Update(when=when, value=value):
            yield from (part for part in (when, value) if part is not None)
        case _:
            assert_never(statement)


def _parts(cell: Cell) -> Iterator[Expression]:
    yield from parts_of(cell)
    for _, domain in cell.binders:
        yield domain
