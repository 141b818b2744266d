"""The finite domain of a value that randomised response may change."""

from __future__ import annotations

from fractions import Fraction

from seqlang.backends.interpret.code import Expressions
from seqlang.backends.interpret.values import Value, as_index
from seqlang.model import alphabet
from seqlang.model import expression as ir
from seqlang.model.domain import Domain, Finite, Integers, Power
from seqlang.model.program import ChooseGate, Define, FlipLaw

MOST_LETTERS = 1 << 20
"""Of a domain that is gone through."""


def alphabet_of(compiler: Expressions, read: ir.Noised) -> tuple[Value, ...] | None:
    """All values that `read.base` may have: from its domain, from the gate that flips it, or as it is written;
    None if not finite."""
    program = compiler.program
    base = read.base
    while isinstance(base, ir.Local):
        base = program.define(base.name).expression
        if isinstance(base, ir.Noised):
            base = base.base
    if isinstance(base, ir.Field):
        return letters_of(compiler, program.input(base.name).domain)
    if isinstance(base, ir.ParameterValue):
        return letters_of(compiler, next(p.domain for p in program.parameters if p.name == base.name))
    for gate in program.gates:
        if isinstance(gate, ChooseGate) and isinstance(gate.law, FlipLaw) and gate.law.of in (read.base, base):
            return tuple(compiler.constant(letter) for letter in gate.law.alphabet)
    # no gate flips a value that nothing shown depends on
    defines = {s.name: s for s in program.body if isinstance(s, Define)}
    listed = alphabet.alphabet_of(
        read.base, defines, {i.name: i for i in program.inputs}, lambda e: _number(compiler, e)
    )
    return None if listed is None else tuple(compiler.constant(letter) for letter in listed)


def _number(compiler: Expressions, expression: ir.Expression) -> Fraction | None:
    code = compiler.compile(expression)
    value = None if code.reads else compiler.constant(expression)
    return Fraction(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def letters_of(compiler: Expressions, domain: Domain) -> tuple[Value, ...] | None:
    """The values of a finite domain in order (of one coordinate for `D ^ d`); None for others, and for very many."""
    match domain:
        case Finite(values):
            different = alphabet.different(values, lambda e: _number(compiler, e))
            return tuple(compiler.constant(v) for v in different)
        case Integers(low, high) if low is not None and high is not None:
            numbers = range(as_index(compiler.constant(low)), as_index(compiler.constant(high)) + 1)
            return tuple(numbers) if len(numbers) <= MOST_LETTERS else None
        case Power(of, _):
            return letters_of(compiler, of)
        case _:
            return None
