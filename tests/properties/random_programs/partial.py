"""Programs whose operations may have no value for some data, and the judge of what is proved of them.

An operand is public or private, and some of the operands that could have no value are kept away from it by `clip`,
`max` or a condition. The judge runs the interpreter on all pairs of neighbours among small inputs: where one of the two
has no value in a step in which the other has one, an observer tells them apart, and no finite bound may be proved.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable

from random_programs.inputs import inputs_of, publics
from random_programs.judge import Crashed, Judged, derivations, loaded, pair, proved, rules_of, size_of
from random_programs.syntax import (
    RECORDS,
    STEP,
    E,
    Field,
    Noise,
    Program,
    Statement,
    call,
    index,
    name,
    num,
    op,
    text,
    upto,
    var,
)  # fmt: skip
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program as Model

DOMAINS = ((0, 1), (1, 2), (1, 2, 3), (-1, 1), (0, 1, 2), (-1, 0, 2))
COMPARISONS = (">=", "<=", ">", "<", "==", "!=")
FOLDS = ("sum", "max", "min", "mean", "argmax", "argmin")
Variables = tuple[tuple[int, bool], ...]
"""Bound variables, and whether each is the number of a record."""


class Writer:
    """Draws the expressions of one program. `private`: numbers of the data; `lists`: lists that can be read by name."""

    def __init__(self, rng: random.Random, data: bool) -> None:
        self.rng, self.data = rng, data
        self.count = itertools.count(1)
        self.private = [] if data else [name("x")]
        self.lists = [name("x")] if data else []
        self.looks = not data

    def leaf(self, bound: Variables) -> E:
        rng = self.rng
        found = [num(rng.choice((0, 1, 2, 3, -1, 0.5))), rng.choice((name("u"), name("m"), STEP))]
        found += [index(name("x"), var(v)) if record else var(v) for v, record in bound] * 2
        found += self.private * 3 + [index(x, num(1)) for x in self.lists]
        return rng.choice(found)

    def number(self, depth: int, bound: Variables = ()) -> E:
        rng = self.rng
        if depth <= 0:
            return self.leaf(bound)
        n, items = (lambda: self.number(depth - 1, bound)), (lambda: self.items(depth - 1, bound))
        make: list[Callable[[], E]] = [
            lambda: op(rng.choice("+-*"), n(), n()),
            lambda: op("/", n(), self.guarded(n(), 1)),
            lambda: op("%", n(), self.guarded(n(), 1)),
            lambda: op("^", self.guarded(n(), 0), n()),
            lambda: op("^", n(), op("/", n(), num(2))),
            lambda: call(rng.choice(("log", "log2", "sqrt", "log1p")), self.guarded(n(), 0)),
            lambda: call(rng.choice(("log", "sqrt")), n()),
            lambda: call(rng.choice(("floor", "ceil", "abs", "exp")), n()),
            lambda: call("clip", n(), n(), n()),
            lambda: call(rng.choice(("max", "min")), n(), n()),
            lambda: index(items(), self.guarded(n(), 1)),
            lambda: index(items(), self.guarded(n(), 1)),
            lambda: call(rng.choice((*FOLDS, "length", "norm")), items()),
            lambda: call("dot", items(), items()),
            lambda: index(call("clip_norm", items(), n()), num(1)),
            lambda: E("if", (self.truth(depth - 1, bound), n(), n())),
            lambda: self.assumed(depth, bound),
            lambda: self.assumed(depth, bound),
            lambda: self.over_set("fold", depth, bound),
            lambda: self.over_set("fold", depth, bound),
            lambda: self.density(depth, bound),
        ]
        make += [lambda: self.over_time(depth, bound)] * 2 if self.looks else []
        make += [lambda: E("previous", (n(), n()))] if self.looks else []
        return rng.choice(make)()

    def guarded(self, e: E, least: int) -> E:
        """Sometimes kept at or above `least`, or between `least` and 2."""
        roll = self.rng.random()
        if roll < 0.25:
            return call("max", e, num(least))
        return call("clip", e, num(least), num(2)) if roll < 0.45 else e

    def partly(self, e: E, depth: int, bound: Variables) -> E:
        """An operation that has a value for some values of `e` only."""
        return self.rng.choice([
            lambda: op(self.rng.choice("/%"), self.number(depth, bound), e),
            lambda: call(self.rng.choice(("sqrt", "log", "log1p")), e),
            lambda: op("^", e, num(0.5)),
            lambda: index(self.items(depth, bound), e),
        ])()  # fmt: skip

    def assumed(self, depth: int, bound: Variables) -> E:
        """The same operand in a condition and below it."""
        e = self.number(min(1, depth - 1), bound)
        one, other = self.partly(e, depth - 1, bound), self.leaf(bound)
        return E("if", (self.compared(e), *self.rng.choice(((one, other), (other, one)))))

    def compared(self, e: E) -> E:
        return op(self.rng.choice(COMPARISONS), e, num(self.rng.choice((0, 0, 1, 2))))

    def items(self, depth: int, bound: Variables) -> E:
        rng = self.rng
        if depth <= 0:
            return rng.choice([*self.lists, *self.lists, E("list", tuple(map(num, (1, 2)))),
                               E("list", (self.leaf(bound), num(1))), E("list", (self.leaf(bound),))])  # fmt: skip
        n, items = (lambda: self.number(depth - 1, bound)), (lambda: self.items(depth - 1, bound))
        return rng.choice([
            lambda: E("list", tuple(n() for _ in range(rng.choice((1, 2, 2, 3))))),
            lambda: self.over_set("listfor", depth, bound),
            lambda: self.over_set("listfor", depth, bound),
            lambda: op(rng.choice("+-"), items(), items()),
            lambda: op("+", self.over_set("listfor", depth, bound), self.over_set("listfor", depth, bound)),
            lambda: op(rng.choice("*/"), items(), self.guarded(n(), 1)),
            lambda: E("if", (self.truth(depth - 1, bound), items(), items())),
            lambda: call("zeros", self.guarded(n(), 1)),
            lambda: index(E("list", (items(), items())), self.guarded(n(), 1)),
            lambda: call(rng.choice(("max", "min")), items(), items()),
        ])()  # fmt: skip

    def truth(self, depth: int, bound: Variables) -> E:
        rng = self.rng
        if depth > 0 and rng.random() < 0.2:
            e = self.number(min(1, depth - 1), bound)
            return op(rng.choice(("and", "or")), self.compared(e), self.compared(self.partly(e, depth - 1, bound)))
        if depth > 0 and rng.random() < 0.3:
            return op(rng.choice(("and", "or")), self.truth(depth - 1, bound), self.truth(depth - 1, bound))
        return op(rng.choice(COMPARISONS), self.number(depth - 1, bound), self.number(0, bound))

    def over_set(self, kind: str, depth: int, bound: Variables) -> E:
        """A fold, a list or weights over a set, perhaps with a condition that may leave nothing."""
        v, rng = next(self.count), self.rng
        record = self.data and rng.random() < 0.5
        domain = RECORDS if record else self.domain(depth - 1, bound)
        inside = (*bound, (v, record))
        body = self.number(depth - 1, inside)
        if kind == "weights" and rng.random() < 0.6:
            body = call("exp", call("clip", body, num(-1), num(1)))
        where = (self.truth(depth - 1, inside),) if rng.random() < 0.5 else ()
        return E(kind, (body, domain, *where), (rng.choice(FOLDS), v) if kind == "fold" else (v,))

    def domain(self, depth: int, bound: Variables) -> E:
        n = self.number(depth, bound)
        return self.rng.choice([upto(num(1), num(2)), upto(num(0), num(1)), upto(num(1), n), E("set", (n, num(1))),
                                upto(num(1), call("length", self.items(depth, bound)))])  # fmt: skip

    def over_time(self, depth: int, bound: Variables) -> E:
        rng = self.rng
        span = rng.choice((("steps", None), ("since", "A"), ("last", "2"), ("last", "(1 + u)"), ("history", "A")))
        where = (self.truth(depth - 1, bound),) if span[0] != "history" and rng.random() < 0.4 else ()
        return E("time", (self.number(depth - 1, bound), *where), (rng.choice(FOLDS), *span))

    def law(self, depth: int, bound: Variables) -> E:
        n = lambda: self.number(depth - 1, bound)  # noqa: E731
        return self.rng.choice([
            lambda: call("normal", n(), self.guarded(n(), 1)),
            lambda: call("bernoulli", self.rng.choice((n(), call("clip", n(), num(0), num(1))))),
            lambda: call("uniform", n(), n()),
            lambda: call("point", n()),
        ])()  # fmt: skip

    def density(self, depth: int, bound: Variables) -> E:
        law = self.law(depth, bound)
        method = "pmf" if law.data[0] in ("bernoulli", "point") else self.rng.choice(("pdf", "pdf", "cdf"))
        return E("density", (law, self.number(depth - 1, bound)), (method,))


def partial_program(seed: int) -> Program:
    rng = random.Random(f"partial {seed}")
    data, depth = rng.random() < 0.35, rng.choice((1, 1, 2, 2, 3))
    writer, statements = Writer(rng, data), []
    fields = [_field("x", rng.choice(DOMAINS))]
    if not data and rng.random() < 0.3:
        fields.append(_field("y", (0, 1)))
        writer.private.append(name("y"))
    if rng.random() < 0.5:
        items = rng.random() < 0.5
        statements.append(Statement("statistic", "p", writer.items(depth - 1, ()) if items
                                    else writer.number(depth - 1)))  # fmt: skip
        (writer.lists if items else writer.private).append(name("p"))
    if rng.random() < 0.8:
        statements.append(Statement("statistic", "s", writer.number(depth)))
        shown = rng.choice((name("s"), call("clip", name("s"), num(0), num(1)), None, None))
    else:
        law = rng.choice((writer.law(depth, ()), writer.over_set("weights", depth, ())))
        statements.append(Statement("draw", "d", law))
        shown = None
    statements.append(Statement("report", "A", None, op("==", op("%", STEP, num(2)), num(0))))
    update = rng.choice((op("+", name("m"), num(1)), name("u"), op("-", name("m"), name("u"))))
    statements.append(Statement("update", "m", update))
    shown = shown or (call("sum", name("x")) if data else name("x"))
    statements.append(Statement("report", "Z", shown))
    steps = rng.choice((2, 2, 3))
    statements.append(Statement("stop", "", None, op(">=", STEP, num(steps))))
    return Program("dataset" if data else "stream", tuple(fields), rng.choice((1, 2, 3)), steps,
                   ("add or remove" if data and rng.random() < 0.5 else "replace", 1), tuple(statements),
                   (Noise(("laplace", 1.0), ("Z",)),), memories=(("m", rng.choice((0, 1, 2))),),
                   public=(_field("u", (0, 1, 2)),), letters=seed)  # fmt: skip


def _field(called: str, values: tuple[int, ...]) -> Field:
    return Field(called, "{" + ", ".join(map(str, values)) + "}", values)


# ---- the judge


def failing_step(machine: Machine, entries: dict[str, list[int]], given: list[dict[str, float]], data: bool) -> int:
    """The first step without a value; 0: every step has one."""
    machine.restart(NoNoise())
    if data:
        machine.load(entries)
    for step, public in enumerate(given):
        try:
            machine.step(public if data else public | {f: column[step] for f, column in entries.items()})
        except EvaluationError:
            return step + 1
    return 0


def told_apart(program: Program, model: Model) -> str:
    """Two neighbours of which one has no value in a step in which the other has one; "" if there are none."""
    inputs, machine, data = inputs_of(program, 100, count=8), Machine(model, NoNoise()), program.kind == "dataset"
    entries = [{f: table[row, :count].tolist() for f, table in inputs.entries.items()}
               for row, count in enumerate(inputs.count)]  # fmt: skip
    for course in publics(program)[:3]:
        given = [{f.name: v for f, v in zip(program.public, values, strict=True)} for values in course]
        given = given or [{} for _ in range(program.steps)]
        steps = [failing_step(machine, entry, given, data) for entry in entries]
        for k, (one, other) in enumerate(zip(inputs.first, inputs.second, strict=True)):
            if steps[one] != steps[other]:
                return f"{pair(inputs, k)}, public {course}: no value in step {steps[one]} | {steps[other]}"
    return ""


class Partial:
    """A kind of random programs for `hunt`. A program is `open` where neighbours are told apart and nothing is proved,
    `trivial` where none of them is told apart."""

    name = "partial"
    program = staticmethod(partial_program)

    def judged(self, program: Program, letters: bool = True) -> Judged:
        try:
            model = loaded(text(program, distinct=not letters))
            witness = told_apart(program, model)
            if not witness:
                return Judged("trivial")
            found = [d for d in derivations(proved(model)) if size_of(model, d) < math.inf]
        except SpecError as error:
            return Judged("invalid", "; ".join(f"{d.code} {d.message}" for d in error.diagnostics))
        except Crashed as error:
            return Judged("crashed", str(error))
        except Exception as error:
            return Judged("crashed", f"the interpreter ended with {error!r}"[:200])
        fired = frozenset(rule for d in found for rule in rules_of(d))
        if found:
            return Judged("false", f"a bound of {size_of(model, found[0]):.6g} is proved", fired, witness)
        return Judged("open", witness=witness)


PARTIAL = Partial()
