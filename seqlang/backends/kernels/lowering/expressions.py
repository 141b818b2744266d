"""Expressions to values of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import assert_never

from seqlang.backends.interpret.values import FOR_OTHERS, UNDECIDED
from seqlang.backends.kernels.lowering.binders import domain_of
from seqlang.backends.kernels.lowering.laws.densities import density
from seqlang.backends.kernels.lowering.laws.expressions import law_of
from seqlang.backends.kernels.lowering.operators import Terms, apply, folded
from seqlang.backends.kernels.lowering.precomputed import first_steps, tabulated
from seqlang.backends.kernels.lowering.scope import Scope
from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar
from seqlang.model import expression as ir
from seqlang.model.at_the_moment import Decided, Undecidable
from seqlang.model.log_ratio import in_logs
from seqlang.model.wholes import Guarded
from seqlang.source import NOWHERE, Span

FEWEST_EARLY = 1 << 12


def value_of(scope: Scope, e: ir.Expression) -> Value:
    """The value, here and now; what has to be computed before is written."""
    if isinstance(scope.exact.jumps.run(e), Undecidable):
        raise CannotCompile(_undecided(scope, e))
    if scope.exact.lacks_value(e):
        scope.writer.check("True", scope.site("this", getattr(e, "span", NOWHERE)))
        is_truth = isinstance(e, ir.Apply) and e.operator in ir.COMPARISONS
        return Scalar("False", "truth") if is_truth else Scalar("np.nan", finite=False)
    constant = scope.constant(e)
    if constant is not None:
        return constant
    listed = tabulated(scope, e)
    if listed is not None:
        return listed
    early = None if scope.looking_up else first_steps(scope, e)
    return _computed(scope, e) if early is None else _looked_up(scope, e, early)


def _looked_up(scope: Scope, e: ir.Expression, early: List) -> Scalar:
    """From a table in the first steps, computed in later ones."""
    scope.looking_up = True
    try:
        items, later = scope.writer.capture(lambda: _computed(scope, e))
    finally:
        scope.looking_up = False
    found = scalar(early.at(f"min(step, {early.length}) - 1"), "a value")
    slow = scalar(later, "a value")
    text = scope.writer.choice(f"step <= {early.length}", "number", ((), found.text), (items, slow.number))
    return Scalar(scope.writer.named(text), "number", found.finite and slow.finite)


def _computed(scope: Scope, e: ir.Expression) -> Value:
    form = scope.exact.jumps.run(e)
    if isinstance(form, Decided):
        return _decided(scope, form)
    if isinstance(form, Guarded):
        return _guarded(scope, form, _undecided(scope, e))
    assert not isinstance(form, Undecidable)
    if form is not e:
        early = scope.exact.jumps.early(form)
        if early is None or early.last < FEWEST_EARLY:
            return value_of(scope, form)
        scope.ends(early.last, FOR_OTHERS)
        return value_of(scope, early.expression)
    match e:
        case ir.StepNumber():
            return Scalar("float(step)", whole="step")
        case ir.Field(name):
            return scope.fields[name]
        case ir.Local(name):
            return scope.locals[name]
        case ir.CellValue(name, at):
            return scope.cells[name].read(tuple(value_of(scope, position) for position in at))
        case ir.MemoryValue(name):
            return _as_it_is_now(scope, scope.memory[name])
        case ir.Reported(name):
            return scope.released[name]
        case ir.Drawn(name):
            return scope.noises.drawn(name) if name not in scope.draws else scope.draws[name]
        case ir.Noised():
            return scope.noises.noised(e)
        case ir.Bound(ir.Variable(number)):
            return scope.bound[number]
        case ir.Apply("and" | "or" as operator, arguments):
            return _logic(scope, operator, arguments)
        case ir.Apply("length", (ir.Records(),)):
            return scope.constants.value(scope.size())
        case ir.Apply("log") if (logs := in_logs(scope.program, e)) is not None:
            return value_of(scope, logs)
        case ir.Apply(operator, arguments, span):
            values = [value_of(scope, a) for a in arguments]
            if operator in ir.COMPARISONS and not scope.guarding:
                values = [scope.checked(v, "a side of this comparison", span) for v in values]
            return apply(scope, operator, values)
        case ir.Choice(test, yes, no):
            return _choice(scope, scalar(value_of(scope, test), "a test"), yes, no)
        case ir.Index(base, at, span):
            return _at(scope, value_of(scope, base), scalar(value_of(scope, at), "a position"), span)
        case ir.Sequence("list", items):
            return _sequence(scope, [value_of(scope, x) for x in items])
        case ir.Quantified():
            return _quantified(scope, e)
        case ir.Density(method, law, at):
            return density(scope, law_of(scope, law), method, value_of(scope, at))
        case ir.Law() | ir.Weights() | ir.WeightsOf():
            raise CannotCompile("a law as the value of a name that changes")
        case ir.Sequence() | ir.Records() | ir.RealVectors():
            raise CannotCompile("a set as a value")
        case ir.Number() | ir.Truth() | ir.Label() | ir.ParameterValue():
            raise CannotCompile("a constant that is neither number, label nor list")
        case ir.ReleasedValue():
            raise AssertionError("a step releases values, and reads none that is released")
        case _:
            assert_never(e)


def _undecided(scope: Scope, e: ir.Expression) -> str:
    """Why this engine does not compute a jump: another one computes it exactly if its numbers are rational."""
    return FOR_OTHERS if scope.exact.jumps.rationals.of(e) else UNDECIDED


def _as_it_is_now(scope: Scope, memory: Value) -> Value:
    """A number under a name of its own: what was read above an `update` keeps its value below it."""
    if isinstance(memory, List):
        return memory
    name = scope.writer.assign(scope.writer.fresh(), memory.text, memory.kind)
    return Scalar(name, memory.kind, memory.finite)


def _decided(scope: Scope, form: Decided) -> Value:
    """With doubles; a fault where these may err."""
    if form.guarded is None:
        raise CannotCompile("what is computed exactly from step to step")
    return _guarded(scope, form.guarded, FOR_OTHERS)


def _guarded(scope: Scope, form: Guarded, what: str) -> Value:
    """A bound that is no number is refused by the form itself."""
    scope.guarding, outer = True, scope.guarding
    try:
        near = scalar(value_of(scope, form.refused), "a truth value")
    finally:
        scope.guarding = outer
    scope.writer.check(near.truth, scope.site(what, form.span))
    return value_of(scope, form.expression)


def _logic(scope: Scope, operator: str, arguments: tuple[ir.Expression, ...]) -> Value:
    found = scalar(value_of(scope, arguments[0]), "a truth value")
    for argument in arguments[1:]:
        if found.text in ("True", "False"):
            if (found.text == "True") == (operator == "or"):
                return found
            found = scalar(value_of(scope, argument), "a truth value")
            continue
        items, other = scope.writer.capture(partial(value_of, scope, argument))
        right = scalar(other, "a truth value").truth
        if not items:
            found = Scalar(f"({found.truth} {'&' if operator == 'and' else '|'} {right})", "truth")
            continue
        yes, no = ((items, right), ((), "False")) if operator == "and" else (((), "True"), (items, right))
        found = Scalar(scope.writer.choice(found.truth, "truth", yes, no), "truth")
    return Scalar(found.truth, "truth")


def _choice(scope: Scope, test: Scalar, yes: ir.Expression, no: ir.Expression) -> Value:
    if test.text == "True":
        return value_of(scope, yes)
    if test.text == "False":
        return value_of(scope, no)
    which = scope.writer.named(test.truth, "truth")
    return _either(scope, which, lambda: value_of(scope, yes), lambda: value_of(scope, no))


def _either(scope: Scope, which: str, yes: Callable[[], Value], no: Callable[[], Value]) -> Value:
    first, a = scope.writer.capture(yes)
    second, b = scope.writer.capture(no)
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        kind = a.kind if a.kind == b.kind else "number"
        one, other = (a.text, b.text) if a.kind == b.kind else (a.number, b.number)
        return Scalar(scope.writer.choice(which, kind, (first, one), (second, other)), kind, a.finite and b.finite)
    if isinstance(a, List) and isinstance(b, List):
        if a.grows or b.grows:
            raise CannotCompile("a choice between lists that grow")
        scope.writer.only_where(which, first)
        scope.writer.only_where(scope.writer.named(f"not {which}", "truth"), second)
        left, right = a, b
        return List(left.length, lambda i: _either(scope, which, lambda: left.at(i), lambda: right.at(i)))
    raise CannotCompile("a choice between a number and a list")


def _at(scope: Scope, base: Value, at: Scalar, span: Span) -> Value:
    """base[at] from 1; not a number outside, and a fault where it were a truth value or a label."""
    if not isinstance(base, List):
        raise CannotCompile("a position in a number")
    if base.length in ("0",):
        raise CannotCompile("a position in an empty list")
    w = scope.writer
    position = w.named(f"{at.whole} - 1" if at.whole else f"int({at.number}) - 1", "label")
    safe = w.named(f"min(max({position}, 0), {base.length} - 1)", "label")
    inside = f"(0 <= {position} < {base.length})"
    if at.whole is None:
        inside = f"({inside} and {at.number} == {position} + 1.0)"
    element = base.at(safe)
    if isinstance(element, List):
        ok, many = w.named(inside, "truth"), element
        return List(many.length, lambda i: _or_nan(ok, scalar(many.at(i), "an element")))
    if element.kind != "number":
        w.check(f"not {inside}", scope.site("the element at this position", span))
        return element
    return _or_nan(inside, element)


def _or_nan(inside: str, found: Scalar) -> Scalar:
    return Scalar(f"({found.text} if {inside} else math.nan)", "number", False)


def _sequence(scope: Scope, values: list[Value]) -> List:
    if not values:
        raise CannotCompile("an empty list")
    first = values[0]
    if isinstance(first, List):
        dimensions, kind, _ = scope.outline(first)
        if len(dimensions) != 1:
            raise CannotCompile("lists of lists of lists")
        name = scope.buffer((str(len(values)), dimensions[0]), kind)
        for i, value in enumerate(values):
            assert isinstance(value, List)
            with scope.writer.loop(dimensions[0]) as j:
                scope.writer.text(f"{name}[{i}, {j}] = {scalar(value.at(j), 'a coordinate').text}")
        return List(str(len(values)), lambda q: List(dimensions[0], lambda r: Scalar(f"{name}[{q}, {r}]", kind, False)))
    items = [scalar(v, "an item") for v in values]
    kind = items[0].kind if all(v.kind == items[0].kind for v in items) else "number"
    name = scope.buffer((str(len(items)),), kind)
    for i, item in enumerate(items):
        scope.writer.text(f"{name}[{i}] = {item.text if kind == item.kind else item.number}")
    finite = all(v.finite for v in items)
    return List(str(len(items)), lambda q: Scalar(f"{name}[{q}]", kind, finite))


def _quantified(scope: Scope, e: ir.Quantified) -> Value:
    domain = domain_of(scope, e.domain)
    variable = e.variable.number
    outer = dict(scope.bound)

    def inside(i: str, read: ir.Expression) -> Value:
        with scope.within({**outer, variable: domain.at(i)}):
            return value_of(scope, read)

    def body(i: str) -> Value:
        return inside(i, e.body)

    def where(i: str) -> Scalar | None:
        found = None if domain.present is None else domain.present(i)
        if e.where is not None:
            test = e.where
            if found is not None:
                items, value = scope.writer.capture(lambda: inside(i, test))
                holds = scalar(value, "a condition").truth
                return Scalar(scope.writer.choice(found.truth, "truth", (items, holds), ((), "False")), "truth")
            found = scalar(inside(i, test), "a condition")
        return found

    masked = e.where is not None or domain.present is not None
    if e.operator == "list":
        if masked:
            raise CannotCompile("a list with different elements in different runs")
        return List(domain.length, body)
    if e.operator == "set":
        raise CannotCompile("a set as a value")
    return folded(scope, e.operator, Terms(domain.length, body, where if masked else None, domain.at))
