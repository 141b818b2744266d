"""Conditions as SMT-LIB 2, for solvers that know nothing of the kernel. Each script holds what is assumed and the
negation of what is to be shown, before the kernel rounds signs of whole numbers: `unsat` means that the condition
holds."""

from __future__ import annotations

from fractions import Fraction

from seqlang.kernel.conditions import Condition
from seqlang.kernel.terms import Both, Formula, Linear, Sign, denied


def script(condition: Condition) -> str:
    """The condition as one script; variable k is `vk`."""
    lines = [f"; {condition.about}", "(set-logic QF_LIRA)"]
    for index, name in enumerate(condition.names):
        lines.append(
            f"(declare-const v{index} {'Int' if index in condition.whole else 'Real'}) ; {' '.join(name.split())}"
        )
    lines += [f"(assert {_formula(part, condition)})" for part in (*condition.assumed, denied(condition.shown))]
    return "\n".join([*lines, "(check-sat)", ""])


def _formula(formula: Formula, condition: Condition) -> str:
    match formula:
        case Sign(term, strict):
            return f"({'>' if strict else '>='} {_term(term, condition)} 0.0)"
        case Both(()):
            return "true"
        case Both(parts):
            return f"(and {' '.join(_formula(part, condition) for part in parts)})"
    parts = formula.parts
    return f"(or {' '.join(_formula(part, condition) for part in parts)})" if parts else "false"


def _term(term: Linear, condition: Condition) -> str:
    products = [
        f"(* {_number(factor)} {f'(to_real v{index})' if index in condition.whole else f'v{index}'})"
        for index, factor in term.parts
    ]
    return f"(+ {' '.join([*products, _number(term.constant)])} 0.0)"


def _number(value: Fraction) -> str:
    size = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return f"(- {size})" if value < 0 else size
