"""Sensitivities and bounds as LaTeX, for papers: sympy does the setting. Imports sympy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from seqlang.arithmetic.formula import Formula, to_sympy
from seqlang.proof.derivation import ConcentratedBound, PureBound
from seqlang.report.document.document import Document, Heading, Paragraph, line

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def latex_document(result: CheckResult) -> Document:
    """One formula a line: the sensitivity of every statistic, the pure and the zCDP bound where there is one."""
    named = [(s.name.replace("_", r"\_"), s.shift.radius) for s in result.statistics]
    lines = [_formula(rf"\Delta(\mathrm{{{name}}})", "=", radius) for name, radius in named]
    if result.bounds.pure is not None and isinstance(result.bounds.pure.conclusion, PureBound):
        lines.append(_formula(r"\varepsilon", r"\le", result.bounds.pure.conclusion.epsilon))
    if result.bounds.zcdp is not None and isinstance(result.bounds.zcdp.conclusion, ConcentratedBound):
        lines.append(_formula(r"\rho", r"\le", result.bounds.zcdp.conclusion.rho))
    return Document((Heading("LaTeX"), *(Paragraph(line((text, "formula")), 2, 0) for text in lines)))


def _formula(left: str, relation: str, formula: Formula) -> str:
    from sympy import latex

    return f"{left} {relation} {latex(to_sympy(formula))}"
