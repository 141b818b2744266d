"""Sensitivities and bounds as LaTeX, for papers: sympy does the setting. Imports sympy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from seqlang.accounting.curves import shown
from seqlang.arithmetic.formula import Call, Formula, rebuilt, to_sympy
from seqlang.report.document.document import Document, Heading, Paragraph, line
from seqlang.report.words import bound_formula, is_curve

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def latex_document(result: CheckResult) -> Document:
    """One formula a line."""
    return Document((Heading("LaTeX"), *(Paragraph(line((text, "formula")), 2, 0) for text in _formulas(result))))


def latex_formulas(result: CheckResult) -> str:
    """The same as an `align*`, aligned at the relations; "" where there is none."""
    lines = [re.sub(r" (=|\\le) ", r" &\1 ", text, count=1) for text in _formulas(result)]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n" if lines else ""


def _formulas(result: CheckResult) -> tuple[str, ...]:
    """The sensitivity of every statistic, and the bound of every notion where there is one; over delta and the order
    alpha where it is a bound at each of them, and once."""
    named = [(s.name.replace("_", r"\_"), s.shift.radius) for s in result.statistics]
    lines = [_formula(rf"\Delta(\mathrm{{{name}}})", "=", radius) for name, radius in named]
    bounds = result.bounds
    of = {r"\varepsilon_{\mathrm{pure}}": bounds.pure, r"\varepsilon(\delta)": bounds.dp, r"\rho": bounds.zcdp}
    proved = [(left, bound) for left, bound in of.items() if bound is not None]
    for left, bound in (*proved, *((r"\varepsilon(\alpha)", bound) for bound in bounds.rdp)):
        formula = bound_formula(result.program, bound) if is_curve(result.program, bound) else None
        if formula is not None:
            lines.append(_formula(left, r"\le", formula))
    return tuple(dict.fromkeys(lines))


def _formula(left: str, relation: str, formula: Formula) -> str:
    names = {symbol: _symbol(symbol.name) for symbol in to_sympy(formula).free_symbols}
    return f"{left} {relation} {_printed(to_sympy(_with_binary_logarithms(formula)), names)}"


def _with_binary_logarithms(formula: Formula) -> Formula:
    """sympy has none, and would show a quotient of two natural ones."""
    if isinstance(formula, Call) and formula.function == "log2":
        return shown("log2", *map(_with_binary_logarithms, formula.arguments))
    return rebuilt(formula, _with_binary_logarithms)


_GREEK = frozenset(
    "alpha beta gamma delta zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi psi omega".split()
)


def _symbol(name: str) -> str:
    r"""`eps_s` is \varepsilon_{s}, `sigma2` \sigma_{2}, `copies` \mathrm{copies}; alpha_ with a mark is \alpha'."""
    marked = name.endswith("_")
    parts = [part for part in re.split(r"_|(?<=[A-Za-z])(?=\d+$)", name) if part]
    first, *rest = [_word(part) for part in parts] or [name]
    mark = "'" if marked else ""
    return f"{first}{mark}_{{{','.join(rest)}}}" if rest else f"{first}{mark}"


def _word(part: str) -> str:
    if part in ("eps", "epsilon"):
        return r"\varepsilon"
    if part in _GREEK:
        return f"\\{part}"
    return part if len(part) == 1 or part.isdecimal() else rf"\mathrm{{{part}}}"


_OPERATORS = {
    "min-over-alpha": r"\min_{\alpha > 1}",
    "max-over-alpha": r"\max_{\alpha > 1}",
    "log2": r"\log_{2}",
    "log-subsets": r"\log\operatorname{subsets}",
    "gaussian-epsilon": r"\varepsilon_{\mathrm{Gauss}}",
    "optimal-composition": r"\varepsilon_{\mathrm{optimal}}",
    "advanced-composition": r"\varepsilon_{\mathrm{advanced}}",
}
_SPELLED = {"rdp": "RDP", "gaussian": "Gaussian"}


def _printed(expression: Any, names: dict[Any, str]) -> str:
    from sympy.core.function import AppliedUndef
    from sympy.printing.latex import LatexPrinter

    class Printer(LatexPrinter):  # type: ignore[misc] # sympy has no types
        def _print_Function(self, expr: Any, exp: str | None = None) -> str:  # sympy's name for it
            if not isinstance(expr, AppliedUndef):
                return str(super()._print_Function(expr, exp))
            inside = ", ".join(self._print(argument) for argument in expr.args)
            text = rf"{_operator(expr.func.__name__)}\left({inside}\right)"
            return text if exp is None else rf"\left({text}\right)^{{{exp}}}"

    # words beside each other would run together
    between = r"\," if any(r"\mathrm" in name for name in names.values()) else None
    return str(Printer({"symbol_names": names, "mul_symbol": between}).doprint(expression))


def _operator(name: str) -> str:
    if name in _OPERATORS:
        return _OPERATORS[name]
    words = r"\ ".join(_SPELLED.get(word, word) for word in name.split("-"))
    return rf"\operatorname{{{words}}}"
