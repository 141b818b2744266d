"""Formulas as text, in the notation of the language: what is printed can be read back."""

from __future__ import annotations

from fractions import Fraction

from seqlang.arithmetic.nodes import (
    Call,
    Formula,
    Infinite,
    Named,
    Number,
    Power,
    Product,
    Sum,
    Symbol,
    Undefined,
    split_coefficient,
)

SUM, PRODUCT, POWER, ATOM = range(4)  # how tightly a text holds together


def text(formula: Formula) -> str:
    """The formula as it would be written in a spec; brackets stand only where they are needed."""
    return _written(formula)[0]


def number_text(value: Fraction) -> str:
    """Whole numbers and short fractions as such, decimals where they are shorter: 3/4, 0.0929, 1e-5."""
    if value.denominator < 100:
        return str(value)
    places = 0
    while places < 16 and (value * 10**places).denominator != 1:
        places += 1
    if places == 16:
        return str(value)
    digits = (value * 10**places).numerator
    decimal = f"{'-' if digits < 0 else ''}{str(abs(digits)).zfill(places + 1)}"
    decimal = f"{decimal[:-places]}.{decimal[-places:]}"
    return min((decimal, f"{digits}e-{places}", str(value)), key=len)


def _written(formula: Formula) -> tuple[str, int]:
    try:
        return formula._text
    except AttributeError:
        written = _write(formula)
        object.__setattr__(formula, "_text", written)
        return written


def _write(formula: Formula) -> tuple[str, int]:
    match formula:
        case Number(value):
            shown = number_text(value)
            return shown, SUM if value < 0 else PRODUCT if "/" in shown else ATOM
        case Symbol(name):
            return name, ATOM
        case Infinite(positive):
            return ("inf", ATOM) if positive else ("-inf", SUM)
        case Undefined():
            return "undefined", ATOM
        case Call(name, arguments) | Named(name, arguments):
            return f"{name}({', '.join(map(text, arguments))})", ATOM
        case Sum(terms):
            return _sum(terms), SUM
        case Product() | Power():
            return _product(formula)
        case _:
            raise AssertionError(formula)


def _held(formula: Formula, tightness: int) -> str:
    shown, own = _written(formula)
    return shown if own >= tightness else f"({shown})"


def _sum(terms: tuple[Formula, ...]) -> str:
    """A positive term leads, if there is one: "c - 1", "1 - p0"."""
    parts = [_term(term) for term in terms]
    lead = next((i for i, (positive, _) in enumerate(parts) if positive), 0)
    ordered = [parts[lead], *parts[:lead], *parts[lead + 1 :]]
    first = ordered[0][1] if ordered[0][0] else f"-{ordered[0][1]}"
    return first + "".join(f" {'+' if positive else '-'} {shown}" for positive, shown in ordered[1:])


def _term(term: Formula) -> tuple[bool, str]:
    coefficient, rest = split_coefficient(term)
    if isinstance(term, Infinite):
        return term.positive, "inf"
    if coefficient >= 0:
        return True, _held(term, PRODUCT)
    if isinstance(term, Number):
        return False, number_text(-coefficient)
    return False, _ratio(-coefficient, rest)[0]


def _product(formula: Formula) -> tuple[str, int]:
    coefficient, rest = split_coefficient(formula)
    if coefficient < 0:
        return f"-{_ratio(-coefficient, rest)[0]}", SUM
    return _ratio(coefficient, rest)


def _ratio(coefficient: Fraction, rest: Formula) -> tuple[str, int]:
    """coefficient * rest, the negative powers below a fraction bar."""
    above: list[Formula] = []
    below: list[Formula] = []
    for factor in rest.factors if isinstance(rest, Product) else (rest,):
        match factor:
            case Power(base, Number(exponent)) if exponent < 0:
                below.append(base if exponent == -1 else Power(base, Number(-exponent)))
            case _:
                above.append(factor)
    shown_coefficient = number_text(coefficient)
    top: list[str] = []
    bottom: list[str] = []
    if coefficient != 1:
        if "/" in shown_coefficient and (coefficient.numerator == 1 or below):
            top += [str(coefficient.numerator)] if coefficient.numerator != 1 else []
            bottom.append(str(coefficient.denominator))
        else:
            top.append(shown_coefficient)
    if len(above) == 1 and not top and not bottom and not below:
        return _factor(above[0])
    top += [_factor_text(factor) for factor in above]
    bottom += [_factor_text(factor) for factor in below]
    numerator = "*".join(top) or "1"
    if not bottom:
        return numerator, PRODUCT
    if len(bottom) == 1:
        return f"{numerator}/{bottom[0]}", PRODUCT
    return f"{numerator}/({'*'.join(bottom)})", PRODUCT


def _factor_text(factor: Formula) -> str:
    shown, tightness = _factor(factor)
    return shown if tightness >= POWER else f"({shown})"


def _factor(factor: Formula) -> tuple[str, int]:
    match factor:
        case Power(base, Number(exponent)) if exponent == Fraction(1, 2):
            return f"sqrt({text(base)})", ATOM
        case Power(base, exponent_):
            return f"{_held(base, ATOM)}^{_held(exponent_, ATOM)}", POWER
        case _:
            return _written(factor)
