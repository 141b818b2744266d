"""Draws from laws."""

from __future__ import annotations

from typing import cast

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
    lengths_of,
)
from seqlang.backends.kernels.lowering.scope import Scope, array_in, array_of
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.backends.kernels.lowering.writer import STREAMS
from seqlang.backends.kernels.operations import Sampler
from seqlang.backends.kernels.runtime import collect
from seqlang.backends.kernels.runtime.families import inlined
from seqlang.laws.law import law as law_of_family
from seqlang.laws.numbers import LEAST_INSIDE
from seqlang.laws.weights import TOO_RARE, TOO_SMALL
from seqlang.record import replace
from seqlang.source import NOWHERE


def draw(scope: Scope, law: LawForm, shape: tuple[str, ...]) -> Value:
    """A draw, for a value of this shape: () or the lengths of a vector."""
    own = lengths_of(law)
    shape = own or shape
    if isinstance(law, OfVectors):
        return _vector(scope, law, shape)
    if isinstance(law, PointAt):
        return law.value
    if not shape:
        return _one(scope, law)
    if len(shape) > 1:
        raise CannotCompile("noise on a list of vectors")
    name = scope.buffer(shape)
    with scope.writer.loop(shape[0]) as i:
        scope.put(name, i, _one(scope, coordinate(law, i)))
    return array_of(name, shape, "number", False)


def _one(scope: Scope, law: LawForm) -> Scalar:
    match law:
        case Family():
            return _of_family(scope, law)
        case Table():
            return _of_table(scope, law)
        case Either(test, first, second):
            w = scope.writer
            one, a = w.capture(lambda: _one(scope, first))
            other, b = w.capture(lambda: _one(scope, second))
            return Scalar(w.choice(test, a.kind, (one, a.text), (other, b.text)), a.kind, a.finite and b.finite)
        case Conditioned():
            return _conditioned(scope, law)
        case Convolved(first, second):
            a, b = _one(scope, first), _one(scope, second)
            return Scalar(scope.writer.named(f"{a.number} + {b.number}"), "number", a.finite and b.finite)
        case PointAt(value):
            return scalar(value, "a point")
        case Flip(truth, size):
            return _places(scope, truth, size)
        case OfVectors():
            found = _vector(scope, law, ("1",))
            return scalar(found.at("0"), "a coordinate")


def _of_family(scope: Scope, law: Family) -> Scalar:
    w, purpose = scope.writer, scope.purpose
    given = [scalar(a, "an argument of a law") for a in law.arguments]
    finite = all(a.finite for a in given)
    texts = [a.number for a in given]
    if law.name == "bernoulli":
        return Scalar(w.coin(texts[0], purpose), "number", True)
    sampler = law_of_family(law.name).variate
    if sampler is not None:
        z = w.sample(cast(Sampler, sampler), purpose)
        return Scalar(w.named(inlined(f"from_variate_{law.name}", [z, *texts])), "number", finite)
    found = w.fresh("f")
    w.kinds[found] = "number"
    w.text(f"{found} = sample_{law.name}({', '.join([STREAMS[purpose], *texts])})")
    return Scalar(found, "number", finite)


def _places(scope: Scope, truth: Scalar, size: int) -> Scalar:
    w = scope.writer
    lies = f"{w.sample('uniform', scope.purpose)} >= {truth.number}"
    if size == 2:
        return Scalar(w.named(f"(1.0 if {lies} else 0.0)"))
    lie = w.named(lies, "truth")
    other = w.sample("uniform", scope.purpose)
    return Scalar(w.named(f"(1.0 + np.floor({other} * {size - 1}.0) if {lie} else 0.0)"))


def _of_table(scope: Scope, law: Table) -> Scalar:
    w = scope.writer
    rows = law.rows() if law.constant else None
    if rows is not None:
        rows = [row for row in rows if scope.constants.number(row[1]) != 0.0]
        values = [value for value, _ in rows]
        ends, total = [], "0.0"
        for _, weight in rows:
            total = w.named(f"{total} + {weight.number}") if total != "0.0" else weight.number
            ends.append(total)
        u = w.named(f"{w.sample('uniform', scope.purpose)} * {total}")
        text = values[-1].text
        for value, end in zip(values[-2::-1], ends[-2::-1], strict=True):
            text = f"({value.text} if {u} < {end} else {text})"
        kind = values[0].kind
        return Scalar(w.named(text, kind), kind, all(v.finite for v in values))
    array = law.weights.array or array_in(scope.stored(law.weights, "a weight"))
    place = w.fresh("f")
    w.kinds[place] = "label"
    w.text(f"{place} = sample_weights({STREAMS[scope.purpose]}, {array})")
    w.check(f"{place} == -1", scope.site("the sum of these weights", NOWHERE))
    w.check(f"{place} == -2", scope.site(TOO_SMALL, NOWHERE))
    chosen = law.values.at(w.named(f"max({place}, 0)", "label"))
    return replace(scope.named(scalar(chosen, "a value of a law")), whole=None)


def _conditioned(scope: Scope, law: Conditioned) -> Scalar:
    w = scope.writer
    low, high = w.named(law.low.number), w.named(law.high.number)
    inner = law.law
    if isinstance(inner, Family) and f"quantile_{inner.name}" in collect.names():
        texts = [scalar(a, "an argument of a law").number for a in inner.arguments]
        below = w.named(f"cdf_{inner.name}({', '.join([low, *texts])})")
        above = w.named(f"cdf_{inner.name}({', '.join([high, *texts])})")
        mass = w.named(f"{above} - {below}")
        w.check(f"not ({mass} >= {LEAST_INSIDE})", scope.site(TOO_RARE, law.span))
        u = w.sample("uniform", scope.purpose)
        at = w.named(f"quantile_{inner.name}({', '.join([f'{below} + {u} * {mass}', *texts])})")
        return Scalar(w.named(f"min(max({at}, {low}), {high})"), "number", law.low.finite and law.high.finite)
    found, tries = w.assign(w.fresh("f"), "math.nan"), w.fresh("f")
    w.kinds[tries] = "label"
    with w.block(f"for {tries} in range(10_000):"):
        w.assign(found, _one(scope, inner).number)
        w.text(f"if {low} <= {found} <= {high}:", "    break")
    w.check(f"not ({low} <= {found} <= {high})", scope.site("a draw between the bounds of a conditioned law", law.span))
    return Scalar(found, "number", False)


def _vector(scope: Scope, law: OfVectors, shape: tuple[str, ...]) -> List:
    dimensions = shape or ("1",)
    if len(dimensions) != 1:
        raise CannotCompile("noise on a list of vectors")
    name = scope.buffer(dimensions)
    if not law.scale.finite:
        scope.writer.check(f"not valid_{law.name}({law.scale.number})", scope.site(f"the law {law.name}", law.span))
    scope.writer.text(f"sample_{law.name}({STREAMS[scope.purpose]}, {name}, {law.scale.number})")
    return array_of(name, dimensions, "number", False)
