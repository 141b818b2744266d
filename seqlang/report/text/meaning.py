"""What the bounds mean to people: three lines, each a formula with its source."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from seqlang.accounting import meaning
from seqlang.arithmetic.rounding import fraction_up
from seqlang.model.expression import Number
from seqlang.model.program import Program, Replace
from seqlang.proof.derivation import Derivation, steps_of
from seqlang.report.document.document import Block, Heading, Paragraph, line
from seqlang.report.numbers import shown_up
from seqlang.results.json_number import json_number
from seqlang.rules.computed import bound_up

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def meaning_blocks(result: CheckResult) -> Iterator[Block]:
    """Nothing where no bound says anything."""
    found = meaning_dict(result)
    lines = []
    if found["odds"] is not None:
        lines.append(
            f"odds: seeing all outputs changes the odds between two neighbours at most {_number(found, 'odds')} times: "
            "e^eps (Dwork & Roth 2014, Definition 2.4)"
        )
    if found["advantage"] is not None:
        lines.append(
            "attack: true positive rate minus false positive rate of any test for one of two neighbours is at most "
            f"{_number(found, 'advantage')}: (e^eps - 1 + 2 delta)/(e^eps + 1) (Kairouz, Oh & Viswanath 2015, Theorem "
            "2.1; Humphries et al. 2020)"
        )
    if found["overfitting"] is not None:
        lines.append(
            "overfitting: for independent entries of one law, a mean of values in [0, 1] that is chosen by the outputs "
            f"is in expectation at most {_number(found, 'overfitting')} from its mean under that law: e^eps - 1 + "
            "delta (Dwork, Feldman, Hardt, Pitassi, Reingold & Roth 2015)"
        )
    if lines:
        yield Heading("What this means")
        yield from (Paragraph(line(text), 2, 4) for text in lines)


def meaning_dict(result: CheckResult) -> dict[str, Any]:
    """`odds` from the pure bound; of the others the least that the pure and the (epsilon, delta) bound give. None: no
    bound says anything. `advantage_within` and `overfitting_within` are the steps for which the bounds hold (None: any
    number). Overfitting is bounded where neighbours differ in one replaced entry."""
    program, delta = result.program, fraction_up(result.delta)
    pure, close = (_epsilon(program, d) for d in (result.bounds.pure, result.bounds.dp))
    steps = None if result.bounds.dp is None else steps_of(result.bounds.dp.conclusion)
    odds = meaning.odds(pure)
    advantage, advantage_within = _less(meaning.advantage(pure), meaning.advantage(close, delta), steps)
    overfitting, overfitting_within = _less(meaning.overfitting(pure), meaning.overfitting(close, delta), steps)
    return {
        "odds": json_number(odds) if odds < inf else None,
        "advantage": json_number(advantage) if advantage < 1 else None,
        "overfitting": json_number(overfitting) if overfitting < 1 and _one_replaced(program) else None,
        "advantage_within": advantage_within,
        "overfitting_within": overfitting_within,
    }


def _less(pure: float, close: float, steps: int | None) -> tuple[float, int | None]:
    """The less of two bounds, and for how many steps it holds; `close` holds for `steps`, `pure` for any number."""
    return (close, steps) if close < pure else (pure, None)


def _number(found: dict[str, Any], name: str) -> str:
    return shown_up(found[name])


def _epsilon(program: Program, derivation: Derivation | None) -> float:
    return inf if derivation is None else bound_up(program, derivation.conclusion)


def _one_replaced(program: Program) -> bool:
    return isinstance(program.adjacency, Replace) and program.adjacency.count == Number(Fraction(1))
