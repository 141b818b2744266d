"""What a `for` runs over."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.backends.interpret.values import FOR_OTHERS
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.wholes import Guarded
from seqlang.record import record


@record
class Domain:
    """What a `for` runs over: `at(i)` for i below `length`, where `present(i)` holds (None: all)."""

    length: str
    at: Callable[[str], Value]
    present: Callable[[str], Scalar] | None = None


def domain_of(scope: Scope, e: ir.Expression) -> Domain:
    """The elements of a binder's domain."""
    if isinstance(e, ir.Records):
        size = scope.constants.whole(scope.size())
        return Domain(size, lambda i: Scalar(f"float({i} + 1)", whole=f"({i} + 1)"))
    if isinstance(e, ir.RealVectors):
        raise CannotCompile("a minimum over all vectors")
    if isinstance(e, ir.Drawn) and e.name in scope.noises.chosen:
        size, mask = scope.noises.chosen[e.name]
        return Domain(
            size, lambda i: Scalar(f"float({i} + 1)", whole=f"({i} + 1)"), lambda i: Scalar(f"{mask}[{i}]", "truth")
        )
    form = scope.exact.jumps.run(e)
    if isinstance(form, Decided | Guarded | Undecidable):
        raise CannotCompile(FOR_OTHERS)
    e = form
    if isinstance(e, ir.Apply) and e.operator == ".." and scope.reads(e):
        low, high = (scalar(scope.value_of(a), "an end of a range") for a in e.arguments)
        w = scope.writer
        first, last = (w.named(_whole(scope, end, e), "label") for end in (low, high))
        length = w.named(f"max({last} - {first} + 1, 0)", "label")
        return Domain(length, lambda i: Scalar(f"float({i} + {first})", whole=f"({i} + {first})"))
    whole = scope.value_of(e)
    if not isinstance(whole, List):
        raise CannotCompile("a `for` over something else than a finite set")
    return Domain(whole.length, whole.at)


def _whole(scope: Scope, end: Scalar, e: ir.Apply) -> str:
    """The end of a range as an int64; a fault where it is no whole number."""
    if end.whole is not None:
        return end.whole
    w = scope.writer
    name = w.named(end.number)
    known = w.named(f"{name} == np.floor({name}) and abs({name}) < math.inf", "truth")
    w.check(f"not {known}", scope.site("an end of this range", e.span))
    return f"(int({name}) if {known} else 0)"
