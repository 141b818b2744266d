"""Densities, mass functions and distribution functions of laws."""

from __future__ import annotations

from seqlang.backends.kernels.lowering.laws.forms import (
    Conditioned,
    Convolved,
    Either,
    Family,
    Flip,
    LawForm,
    OfVectors,
    PointAt,
    Table,
    coordinate,
)
from seqlang.backends.kernels.lowering.operators import apply
from seqlang.backends.kernels.lowering.scope import Scope, array_in
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.runtime import collect
from seqlang.laws.numbers import LEAST_INSIDE, LEAST_TOTAL
from seqlang.laws.weights import TOO_RARE, TOO_SMALL
from seqlang.source import NOWHERE


def density(scope: Scope, law: LawForm, method: str, x: Value) -> Scalar:
    """law.method(x). For a vector of independent coordinates the product over these."""
    w = scope.writer
    if isinstance(x, List):
        return _of_vector(scope, law, method, x)
    at = scope.named(x)
    match law:
        case Family():
            return _of_family(scope, law, method, at)
        case Table():
            if method != "pmf":
                raise CannotCompile(f"the {method} of a table")
            return _of_table(scope, law, at)
        case PointAt(value):
            if method != "pmf":
                raise CannotCompile(f"the {method} of a point")
            where = scalar(value, "a point")
            return Scalar(f"(1.0 if {at.text} == {where.text} else 0.0)")
        case Either(test, first, second):
            items, one = w.capture(lambda: density(scope, first, method, at))
            others, other = w.capture(lambda: density(scope, second, method, at))
            text = w.choice(test, "number", (items, one.text), (others, other.text))
            return Scalar(text, "number", one.finite and other.finite)
        case Conditioned(inner, low, high):
            below = low.number if method == "pdf" else f"np.ceil({low.number}) - 1.0"
            if method == "cdf":
                raise CannotCompile("the cdf of a conditioned law")
            here = density(scope, inner, method, at).text
            top = density(scope, inner, "cdf", high).text
            bottom = density(scope, inner, "cdf", Scalar(below, "number", low.finite)).text
            inside = f"({low.number} <= {at.number} <= {high.number})"
            mass = w.named(f"{top} - {bottom}")
            w.check(f"not ({mass} >= {LEAST_INSIDE})", scope.site(TOO_RARE, NOWHERE))
            return Scalar(f"(({here} if {inside} else 0.0) / {mass})", "number", False)
        case Convolved(first, second):
            return _mixed(scope, first, second, method, at)
        case OfVectors(name):
            raise CannotCompile(f"the {method} of {name}")
        case Flip():
            raise CannotCompile(f"the {method} of randomised response")


def _of_family(scope: Scope, law: Family, method: str, at: Scalar) -> Scalar:
    name = law.name
    if f"{method}_{name}" not in collect.names():
        raise CannotCompile(f"the {method} of {name}")
    given = [scalar(a, "an argument of a law") for a in law.arguments]
    finite = at.finite and all(a.finite for a in given)
    if method == "pdf" and name in ("normal", "gaussian") and not scope.constants.number(given[-1]):
        finite = False  # a deviation of 0 has no density
    return Scalar(f"{method}_{name}({', '.join([at.number, *(a.number for a in given)])})", "number", finite)


def _of_vector(scope: Scope, law: LawForm, method: str, x: List) -> Scalar:
    w = scope.writer
    if isinstance(law, OfVectors):
        if f"{method}_{law.name}" not in collect.names():
            raise CannotCompile(f"the {method} of {law.name}")
        array = x.array or array_in(scope.stored(x, "a coordinate"))
        return Scalar(w.named(f"{method}_{law.name}({array}, {law.scale.number})"), "number", False)
    if isinstance(law, PointAt):
        return Scalar(f"(1.0 if {scalar(apply(scope, '==', (x, law.value)), 'a truth').truth} else 0.0)")
    product = w.assign(w.fresh("f"), "1.0")
    with w.loop(x.length) as i:
        one = density(scope, coordinate(law, i), method, x.at(i))
        w.assign(product, f"{product} * {one.text}")
    return Scalar(product, "number", False)


def _of_table(scope: Scope, law: Table, at: Scalar) -> Scalar:
    w = scope.writer
    site = 0 if law.constant else scope.site("the sum of these weights", NOWHERE)
    rows = law.rows()
    if rows is not None:
        masses = [f"({weight.number} if {value.text} == {at.text} else 0.0)" for value, weight in rows]
        total = [weight.number for _, weight in rows]
        if site:
            negative = " or ".join(f"not ({weight} >= 0.0)" for weight in total)
            w.check(f"{negative} or not (0.0 < {' + '.join(total)} < math.inf)", site)
            w.check(f"{' + '.join(total)} < {LEAST_TOTAL}", scope.site(TOO_SMALL, NOWHERE))
        return Scalar(f"(({' + '.join(masses)}) / ({' + '.join(total)}))", "number", law.constant)
    mass, whole = w.assign(w.fresh("f"), "0.0"), w.assign(w.fresh("f"), "0.0")
    with w.loop(law.values.length) as place:
        weight = scalar(law.weights.at(place), "a weight")
        name = w.named(weight.number)
        if site:
            w.check(f"not ({name} >= 0.0)", site)
        w.assign(whole, f"{whole} + {name}")
        value = scalar(law.values.at(place), "a value")
        w.assign(mass, f"{mass} + ({name} if {value.text} == {at.text} else 0.0)")
    if site:
        w.check(f"not (0.0 < {whole} < math.inf)", site)
        w.check(f"{whole} < {LEAST_TOTAL}", scope.site(TOO_SMALL, NOWHERE))
    return Scalar(f"({mass} / {whole})", "number", False)


def _mixed(scope: Scope, first: LawForm, second: LawForm, method: str, at: Scalar) -> Scalar:
    """A convolution with a law of few values: the sum over these."""
    for listed, other in ((first, second), (second, first)):
        values: list[Scalar] = []
        if isinstance(listed, Table):
            values = [value for value, _ in listed.rows() or ()]
        elif isinstance(listed, Family) and listed.name == "bernoulli":
            values = [Scalar("0.0"), Scalar("1.0")]
        elif isinstance(listed, PointAt):
            values = [scalar(listed.value, "a point")]
        elif isinstance(listed, Family) and listed.name == "binomial":
            return _over_binomial(scope, listed, other, method, at)
        if values:
            parts, finite = [], True
            for value in values:
                mass = density(scope, listed, "pmf", value)
                rest = Scalar(scope.writer.named(f"{at.number} - {value.number}"), "number", at.finite)
                moved = density(scope, other, method, rest)
                finite = finite and mass.finite and moved.finite
                parts.append(f"{mass.text} * {moved.text}")
            return Scalar(f"({' + '.join(parts)})", "number", finite)
    raise CannotCompile(f"the {method} of a convolution of two infinite laws")


def _over_binomial(scope: Scope, listed: Family, other: LawForm, method: str, at: Scalar) -> Scalar:
    """Over 0..n."""
    w = scope.writer
    total = w.assign(w.fresh("f"), "0.0")
    with w.loop(f"int({scalar(listed.arguments[0], 'a number of trials').number}) + 1") as i:
        mass = density(scope, listed, "pmf", Scalar(f"float({i})"))
        moved = density(scope, other, method, Scalar(w.named(f"{at.number} - {i}"), "number", at.finite))
        w.assign(total, f"{total} + {mass.text} * {moved.text}")
    return Scalar(total, "number", False)
