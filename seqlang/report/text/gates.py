"""The table of gates: everything by which private data can leave, and who shares a draw."""

from __future__ import annotations

from typing import assert_never

from seqlang.model.expression import Expression, Noised, Term, walk
from seqlang.model.margins import margins
from seqlang.model.print import show_expression
from seqlang.model.program import (
    And,
    ChooseGate,
    CompareGate,
    FlipLaw,
    Gate,
    Margin,
    Noise,
    NoisyMaxLaw,
    Not,
    OpaqueGate,
    Or,
    PrivateLaw,
    Program,
    PublicGate,
    PublicTest,
    ReleaseGate,
    Test,
)
from seqlang.record import record
from seqlang.rules.sensitivity.motion.shifts import shift_of


@record
class GateRow:
    """One gate as the report shows it. `noises` are all draws that it reads; a shared one appears in several rows."""

    name: str
    kind: str
    value: str
    shift: str
    noises: tuple[Noise, ...]


def gate_rows(program: Program) -> tuple[GateRow, ...]:
    """One row a gate, in file order."""
    return tuple(_row(program, gate) for gate in program.gates)


def _row(program: Program, gate: Gate) -> GateRow:
    match gate:
        case PublicGate(expression=expression):
            return GateRow(
                gate.name, "public", "" if expression is None else show_expression(expression, program), "none", ()
            )
        case CompareGate(test=test):
            return _compare_row(program, gate.name, test)
        case ReleaseGate(value=value, terms=terms, post=post):
            shown = show_expression(value, program) + (
                "" if post is None else f", then {show_expression(post, program)}"
            )
            return GateRow(gate.name, "release", shown, _moves(program, value), _noises(program, terms))
        case ChooseGate(law=law, visible=visible):
            return _choose_row(program, gate.name, law, "choose" if visible else "select")
        case OpaqueGate(test=test) if test is not None:
            return _compare_row(program, gate.name, test)
        case OpaqueGate(expression=expression, reason=reason):
            inner = tuple(t for e in walk(expression) if isinstance(e, Noised) for t in e.terms)
            return GateRow(
                gate.name, "opaque", f"{show_expression(expression, program)} ({reason})", "", _noises(program, inner)
            )
        case _:
            assert_never(gate)


def _compare_row(program: Program, name: str, test: Test) -> GateRow:
    found = tuple(margins(test))
    shifts = dict.fromkeys(_moves(program, m.value) for m in found)
    terms = tuple(t for m in found for t in m.terms)
    return GateRow(name, "compare", show_test(program, test), ", ".join(shifts), _noises(program, terms))


def _choose_row(program: Program, name: str, law: FlipLaw | NoisyMaxLaw | PrivateLaw, kind: str) -> GateRow:
    match law:
        case FlipLaw(of, truth, _):
            text = f"randomised response on {show_expression(of, program)}, truth {show_expression(truth, program)}"
            return GateRow(name, kind, text, _moves(program, of), ())
        case NoisyMaxLaw(of, terms, sign):
            text = f"arg{'max' if sign > 0 else 'min'}({show_expression(of, program)})"
            return GateRow(name, kind, text, _moves(program, of), _noises(program, terms))
        case PrivateLaw(expression):
            return GateRow(name, kind, show_expression(expression, program), "", ())
        case _:
            assert_never(law)


def show_test(program: Program, test: Test) -> str:
    """A test in source-like words; the noise is in the row's noises."""
    match test:
        case Margin(value, _, strict):
            return f"{show_expression(value, program)} {'>' if strict else '>='} 0"
        case PublicTest(expression):
            return show_expression(expression, program)
        case And(parts):
            return " and ".join(_inner(program, p) for p in parts)
        case Or(parts):
            return " or ".join(_inner(program, p) for p in parts)
        case Not(part):
            return f"not ({show_test(program, part)})"
        case _:
            assert_never(test)


def _moves(program: Program, value: Expression) -> str:
    """How a value moves; the elements of a vector move each as it likes, within a norm."""
    shift = shift_of(program, value)
    return f"elements, {shift.norm}" if shift.kind == "uniform" and shift.norm != "abs" else shift.kind


def _inner(program: Program, test: Test) -> str:
    return f"({show_test(program, test)})" if isinstance(test, And | Or) else show_test(program, test)


def _noises(program: Program, terms: tuple[Term, ...]) -> tuple[Noise, ...]:
    return tuple(program.noise(name) for name in dict.fromkeys(t.noise for t in terms))
