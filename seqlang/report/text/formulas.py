"""Bounds as formulas: over delta and the order alpha where they hold at every one of these, else with their own."""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.analyses.bounds import Bounds
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.report.document.document import Block, Paragraph, line
from seqlang.report.words import bound_formula, is_curve

WIDEST = 40
"""Characters of a formula that is shown in the table of bounds."""


def remark(name: str, text: str) -> Paragraph:
    """A line of the report that begins with its name."""
    return Paragraph(line((f"{name:<10}  ", "quiet"), text), indent=2, hanging=12)


def formulas(program: Program, bounds: Bounds, asked: bool) -> Iterator[Block]:
    """What stands in the table as numbers, or does not fit there; `asked`: for RDP as a formula."""
    for name, derivation in (("pure", bounds.pure), ("dp", bounds.dp), ("zcdp", bounds.zcdp)):
        formula = None if derivation is None else bound_formula(program, derivation)
        if derivation is None or formula is None:
            continue
        where = _delta(program, derivation)
        if where == EVERY_DELTA or len(str(formula)) > WIDEST:
            yield remark(name + where, str(formula))
    yield from _renyi(program, bounds, asked)


EVERY_DELTA = "(delta)"


def _delta(program: Program, derivation: Derivation) -> str:
    """At which delta the formula is a bound; nothing where there is none in the notion."""
    claim = derivation.conclusion
    if not isinstance(claim, ApproximateBound):
        return ""
    return EVERY_DELTA if is_curve(program, derivation) else f" at delta {float(claim.delta):g}"


def _renyi(program: Program, bounds: Bounds, asked: bool) -> Iterator[Block]:
    curves: dict[str, list[str]] = {}
    single: dict[str, list[str]] = {}
    for derivation in bounds.rdp:
        formula = bound_formula(program, derivation)
        if formula is not None:
            found = curves if is_curve(program, derivation) else single
            found.setdefault(str(formula), []).append(order_of(derivation))
    if asked and not curves:
        yield remark(
            "rdp(alpha)", "no formula is known; `--order 2,8` gives numbers" if bounds.rdp else "nothing is proved"
        )
    for text, orders in curves.items():
        alone = len(curves) == 1 and not single
        yield remark("rdp(alpha)", text if alone else f"{text}  at {', '.join(orders)}")
    for text, orders in single.items():
        yield remark(f"rdp at {', '.join(orders)}", text)


def order_of(derivation: Derivation) -> str:
    """The order of an RDP bound, as a text."""
    assert isinstance(derivation.conclusion, RenyiBound)
    return f"{float(derivation.conclusion.order):g}"
