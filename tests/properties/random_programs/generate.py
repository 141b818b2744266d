"""Random programs, drawn from the grammar by types: a number with the range of its values, a truth value, a list.

`release_program` makes programs whose every showing is a value plus noise of its own, a private choice, or a flip.
Their loss is known by arithmetic: see `losses`.
"""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import dataclass, field
from typing import Any

from random_programs.syntax import (
    RECORDS,
    STEP,
    E,
    Field,
    Function,
    Noise,
    Program,
    Statement,
    call,
    free,
    index,
    name,
    num,
    op,
    upto,
    var,
)

WIDEST = 60.0
BUILT_IN = frozenset(
    {"sum", "count", "mean", "max", "min", "argmax", "argmin", "clip", "abs", "floor", "ceil", "-", "not", "records"}
)


@dataclass(frozen=True)
class Num:
    """An expression of number type with bounds of its value; `whole`: always a whole number."""

    e: E
    low: float
    high: float
    whole: bool = True


@dataclass(frozen=True)
class Items:
    """A list of `length` numbers."""

    e: E
    length: int
    low: float
    high: float
    whole: bool = True


@dataclass
class Scope:
    """What can be read where an expression stands."""

    numbers: dict[str, Num] = field(default_factory=dict)
    lists: dict[str, Items] = field(default_factory=dict)
    bound: dict[int, Num] = field(default_factory=dict)
    records: tuple[int, ...] = ()
    looks: bool = True
    private: bool = True

    def under(self, v: int, low: float, high: float, *, records: bool = False, looks: bool | None = None) -> Scope:
        bound = self.bound if records else self.bound | {v: Num(var(v), low, high)}
        more = (*self.records, v) if records else self.records
        return Scope(self.numbers, self.lists, bound, more, self.looks if looks is None else looks, self.private)


class Maker:
    """One random program."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = itertools.count(1)
        self.kind = rng.choice(["dataset", "stream"])
        self.size = rng.choice([2, 2, 3])
        self.steps = 1 if self.kind == "dataset" else rng.choice([2, 3, 3])
        self.fields: tuple[Field, ...] = ()
        self.functions: list[Function] = []
        self.ranges: dict[str, tuple[float, float, bool]] = {}
        self.adjacency: tuple[Any, ...] = ("replace", 1)
        self.events: list[str] = []
        self.tags: set[str] = set()
        self.whole_only = False
        self.vectors: dict[str, int] = {}
        self.defined: dict[str, E] = {}
        self.made: list[tuple[Num, bool]] = []

    # ---- numbers

    def number(self, depth: int, scope: Scope) -> Num:
        for _ in range(20):
            found = self._number(depth, scope)
            if max(abs(found.low), abs(found.high)) <= WIDEST:
                if found.e.parts:
                    self.made.append((found, scope.looks))
                return found
        return self.leaf(scope)

    def again(self, scope: Scope) -> Num | None:
        """Something made before, whose free variables are bound here too."""
        known = {*scope.bound, *scope.records}
        fitting = [
            a
            for a, looks in self.made
            if free(a.e)[0] <= known and (scope.looks or not looks) and free(a.e)[1] <= self.readable(scope)
        ]
        return self.rng.choice(fitting) if fitting else None

    def difference(self, scope: Scope) -> Num | None:
        """A statistic less its own expression: nothing, unless something moved in between."""
        fitting = [
            n
            for n, e in self.defined.items()
            if n in scope.numbers and free(e)[1] <= self.readable(scope) and scope.looks
        ]
        if not fitting:
            return None
        n = self.rng.choice(fitting)
        a = scope.numbers[n]
        return Num(op("-", name(n), self.defined[n]), a.low - a.high, a.high - a.low, a.whole)

    def readable(self, scope: Scope) -> frozenset[str]:
        names = {*scope.numbers, *scope.lists, *BUILT_IN, *(f.name for f in self.functions), *self.events}
        return frozenset(names | ({f.name for f in self.fields} if scope.private else set()))

    def _number(self, depth: int, scope: Scope) -> Num:
        if depth <= 0:
            return self.leaf(scope)
        r = self.rng
        kinds: dict[str, float] = {
            "leaf": 2,
            "sum": 3,
            "product": 1.5,
            "max": 1.2,
            "clip": 1,
            "abs": 0.7,
            "if": 1.5,
            "fold range": 3,
            "element": 2,
            "fold list": 1,
            "floor": 0.4,
            "half": 0.5,
            "mod": 0.3,
            "again": 1.5,
            "smooth": 0.4,
            "norm": 0.4,
        }
        if scope.private and self.kind == "dataset":
            kinds["fold records"] = 6 if not scope.records else 3
            if self.adjacency[0] != "add or remove":
                kinds["fold field"] = 0.7
        if scope.looks and self.kind == "stream" and scope.private:
            kinds["time"] = 5
            kinds["previous"] = 1
        if self.functions:
            kinds["apply"] = 1.5
        match r.choices(list(kinds), list(kinds.values()))[0]:
            case "leaf":
                return self.leaf(scope)
            case "again":
                return (self.difference(scope) if r.random() < 0.4 else self.again(scope)) or self.leaf(scope)
            case "sum":
                a, b = self.number(depth - 1, scope), self.number(depth - 1, scope)
                if r.random() < 0.5:
                    return Num(op("+", a.e, b.e), a.low + b.low, a.high + b.high, a.whole and b.whole)
                return Num(op("-", a.e, b.e), a.low - b.high, a.high - b.low, a.whole and b.whole)
            case "product":
                a, b = self.number(depth - 1, scope), self.number(depth - 2, scope)
                ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
                return Num(op("*", a.e, b.e), min(ends), max(ends), a.whole and b.whole)
            case "max":
                a, b = self.number(depth - 1, scope), self.number(depth - 1, scope)
                which = r.choice(["max", "min"])
                f = max if which == "max" else min
                return Num(call(which, a.e, b.e), f(a.low, b.low), f(a.high, b.high), a.whole and b.whole)
            case "clip":
                a = self.number(depth - 1, scope)
                low = r.choice([-1.0, 0.0, 0.0])
                high = low + r.choice([1.0, 2.0])
                e = call("clip", a.e, num(low), num(high))
                return Num(e, min(max(a.low, low), high), max(min(a.high, high), low), a.whole)
            case "abs":
                a = self.number(depth - 1, scope)
                low = 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
                return Num(call("abs", a.e), low, max(abs(a.low), abs(a.high)), a.whole)
            case "if":
                c = self.truth(depth - 1, scope)
                a, b = self.number(depth - 1, scope), self.number(depth - 2, scope)
                e = E("if", (c, a.e, b.e))
                return Num(e, min(a.low, b.low), max(a.high, b.high), a.whole and b.whole)
            case "floor":
                a = self.number(depth - 1, scope)
                return Num(call(r.choice(["floor", "ceil"]), a.e), a.low - 1, a.high + 1, True)
            case "smooth":
                a = self.number(depth - 1, scope)
                if self.whole_only:
                    return a
                which = r.choice(["sqrt", "log", "exp"])
                if which == "exp":
                    a = Num(
                        call("clip", a.e, num(-1.0), num(1.0)), max(-1, min(1, a.low)), min(1, max(-1, a.high)), False
                    )
                    return Num(call("exp", a.e), math.exp(a.low), math.exp(a.high), False)
                high = max(abs(a.low), abs(a.high))
                if which == "sqrt":
                    return Num(call("sqrt", call("abs", a.e)), 0, math.sqrt(high), False)
                return Num(call("log", op("+", num(1.0), call("abs", a.e))), 0, math.log(1 + high), False)
            case "norm":
                items = self.items(depth - 1, scope)
                if self.whole_only:
                    return Num(call("max", items.e), items.low, items.high, items.whole)
                return Num(
                    call("norm", items.e), 0, math.sqrt(items.length) * max(abs(items.low), abs(items.high)), False
                )
            case "half":
                a = self.number(depth - 1, scope)
                if self.whole_only:
                    return a
                return Num(op("/", a.e, num(2.0)), a.low / 2, a.high / 2, False)
            case "mod":
                a = self.whole(depth - 1, scope)
                return Num(op("%", a.e, num(2.0)), 0, 1)
            case "fold records":
                return self.fold_records(depth, scope)
            case "fold range":
                return self.fold_range(depth, scope)
            case "fold field":
                f = r.choice(self.fields)
                if f.name in self.vectors:
                    return self.leaf(scope)
                which = r.choice(["sum", "max", "min"])
                low, high, whole = self.ranges[f.name]
                n = self.size if which == "sum" else 1
                return Num(call(which, name(f.name)), min(low * n, low), max(high * n, high), whole)
            case "fold list":
                items = self.items(depth - 1, scope)
                which = r.choice(["sum", "max", "min", "argmax", "argmin"])
                return self._folded(
                    which, call(which, items.e), items.low, items.high, items.whole, items.length, 1, items.length
                )
            case "element":
                items = self.items(depth - 1, scope)
                return Num(
                    index(items.e, self.place(depth - 1, scope, items.length)), items.low, items.high, items.whole
                )
            case "time":
                return self.time(depth, scope)
            case "previous":
                a = self.number(depth - 1, scope)
                init = float(r.choice([0, 0, 1]))
                return Num(E("previous", (a.e, num(init))), min(a.low, init), max(a.high, init), a.whole)
            case "apply":
                return self.applied(depth, scope)
        raise AssertionError

    def _folded(self, which: str, e: E, low: float, high: float, whole: bool, n: int, first: float, last: float) -> Num:
        match which:
            case "count":
                return Num(e, 0, n)
            case "sum":
                return Num(e, min(low * n, low, 0), max(high * n, high, 0), whole)
            case "argmax" | "argmin":
                return Num(e, first, last)
            case "mean":
                return Num(e, low, high, False)
        return Num(e, low, high, whole)

    def fold_records(self, depth: int, scope: Scope) -> Num:
        r = self.rng
        v = next(self.count)
        inside = scope.under(v, 1, self.size, records=True)
        # a binder of the outer kind may be met again in the body: that is the point
        which = r.choices(["sum", "count", "max", "min", "mean", "argmax"], [5, 3, 2, 1, 0.5, 0.4])[0]
        if which == "mean" and (self.size == 3 or self.adjacency[0] == "add or remove" or self.whole_only):
            which = "sum"
        return self._fold(which, depth, inside, v, RECORDS, self.size, 1, self.size)

    def fold_range(self, depth: int, scope: Scope) -> Num:
        r = self.rng
        v = next(self.count)
        low = r.choice([1, 1, 1, 0])
        n = r.choice([1, 2, 2, 3, 3])
        if r.random() < 0.15:
            members = r.sample([-1, 0, 1, 2, 3], n)
            domain = E("set", tuple(num(float(m)) for m in members))
            first, last = min(members), max(members)
        else:
            domain, first, last = upto(num(float(low)), num(float(low + n - 1))), low, low + n - 1
        which = r.choices(["sum", "count", "max", "min", "argmax", "argmin"], [5, 3, 2, 1, 1, 0.5])[0]
        return self._fold(which, depth, scope.under(v, first, last), v, domain, n, first, last)

    def _fold(self, which: str, depth: int, inside: Scope, v: int, domain: E, n: int, first: float, last: float) -> Num:
        where: tuple[E, ...] = ()
        if which in ("sum", "count") and self.rng.random() < 0.25:
            where = (self.truth(depth - 2, inside),)
        if which == "count":
            body = self.truth(depth - 1, inside)
            return Num(E("fold", (body, domain, *where), (which, v)), 0, n)
        a = self.number(depth - 1, inside)
        e = E("fold", (a.e, domain, *where), (which, v))
        return self._folded(which, e, a.low, a.high, a.whole, n, first, last)

    def time(self, depth: int, scope: Scope) -> Num:
        r = self.rng
        keep = r.choices(["steps", "last", "since"], [5, 2, 1])[0]
        data: tuple[Any, ...] = (keep, None)
        n = self.steps
        if keep == "last":
            m = r.choice([1, 2, 2])
            data, n = (keep, m), min(m, n)
        elif keep == "since":
            data = ("steps", None)
            if self.events:
                data = (
                    r.choice(["since", "history"] if not (scope.bound or scope.records) else ["since"]),
                    r.choice(self.events),
                )
        which = r.choices(["sum", "count", "max", "min", "argmax"], [6, 3, 2, 1, 0.4])[0]
        if data[0] == "history":
            which = r.choice(["sum", "sum", "count"])
            a = self.number(depth - 1, scope)
            return self._folded(which, E("time", (a.e,), (which, *data)), a.low, a.high, a.whole, n - 1, 0, 0)
        where: tuple[E, ...] = ()
        if which in ("sum", "count") and r.random() < 0.15:
            where = (self.truth(depth - 2, scope),)
        if which == "count":
            return Num(E("time", (self.truth(depth - 1, scope), *where), (which, *data)), 0, n)
        a = self.number(depth - 1, scope)
        return self._folded(which, E("time", (a.e, *where), (which, *data)), a.low, a.high, a.whole, n, 1, self.steps)

    def recursion(self, n: str, depth: int, scope: Scope) -> Num:
        """The statistic `n` by its value in the step before: a cumulative sum, a clipped or a decaying one, a count."""
        r, a = self.rng, self.number(depth, scope)
        init = float(r.choice([0, 0, 1]))
        last = E("recall", (num(init),), (n,))
        drift = float(r.choice([0, 1]))
        size = max(abs(a.low), abs(a.high)) + drift
        top = init + size * self.steps
        moved = op("-", op("+", last, a.e), num(drift))
        match r.choice(["positive", "clip", "halved", "count", "sum", "largest"]):
            case "positive":
                return Num(call("max", num(0.0), moved), 0, top, a.whole)
            case "clip":
                return Num(call("clip", moved, num(-1.0), num(2.0)), -1, 2, a.whole)
            case "halved":
                return Num(op("+", call("floor", op("/", last, num(2.0))), a.e), -top, top, a.whole)
            case "count":
                return Num(E("if", (self.truth(1, scope), op("+", last, num(1.0)), last)), init, init + self.steps)
            case "largest":
                return Num(call("max", last, a.e), min(init, a.low), max(init, a.high), a.whole)
        return Num(moved, -top, top, a.whole)

    def applied(self, depth: int, scope: Scope) -> Num:
        f = self.rng.choice(self.functions)
        given = [
            self.number(depth - 2, Scope(scope.numbers, scope.lists, scope.bound, scope.records, False, scope.private))
            for _ in f.parameters
        ]
        given = [
            a if a.low >= -3 and a.high <= 3 else Num(call("clip", a.e, num(-3.0), num(3.0)), -3, 3, a.whole)
            for a in given
        ]
        low, high = self.ranges[f.name][:2]
        return Num(E("apply", tuple(a.e for a in given), (f.name,)), low, high, all(a.whole for a in given))

    def whole(self, depth: int, scope: Scope) -> Num:
        a = self.number(depth, scope)
        return a if a.whole else Num(call("floor", a.e), a.low - 1, a.high)

    def place(self, depth: int, scope: Scope, length: int) -> E:
        """A whole number from 1 to length."""
        fitting = [b for b in scope.bound.values() if b.whole and b.low >= 1 and b.high <= length]
        if fitting and self.rng.random() < 0.5:
            return self.rng.choice(fitting).e
        a = self.whole(depth, scope)
        if a.low >= 1 and a.high <= length:
            return a.e
        if a.high - a.low < length:
            shift = 1 - a.low
            return op("+", num(shift), a.e) if shift > 0 else op("-", a.e, num(-shift))
        return call("clip", a.e, num(1.0), num(float(length)))

    def leaf(self, scope: Scope) -> Num:
        r = self.rng
        options: list[tuple[float, Num]] = []
        for v in scope.records:
            for f in self.fields:
                low, high, whole = self.ranges[f.name]
                options.append(
                    (
                        5 / len(scope.records) / len(self.fields) + 1,
                        Num(self.entry(f.name, index(name(f.name), var(v)), scope), low, high, whole),
                    )
                )
        if scope.private and self.kind == "stream":
            options += [
                (4 / len(self.fields), Num(self.entry(f.name, name(f.name), scope), *self.ranges[f.name]))
                for f in self.fields
            ]
        options += [(1.5, b) for b in scope.bound.values()]
        options += [(3.0, n) for n in scope.numbers.values()]
        options += [(0.3, Num(num(float(c)), c, c)) for c in (0, 1, 2)]
        if not self.whole_only:
            options.append((0.3, Num(num(0.5), 0.5, 0.5, False)))
        if self.kind == "stream":
            options.append((0.7, Num(STEP, 1, self.steps)))
        return r.choices([o for _, o in options], [w for w, _ in options])[0]

    def entry(self, n: str, e: E, scope: Scope) -> E:
        """A coordinate where the field is a vector."""
        return (
            index(e, self.place(0, Scope(bound=scope.bound, looks=False, private=False), 2)) if n in self.vectors else e
        )

    # ---- truth values and lists

    def truth(self, depth: int, scope: Scope) -> E:
        r = self.rng
        roll = r.random()
        if depth > 0 and roll < 0.15:
            return op(r.choice(["and", "or"]), self.truth(depth - 1, scope), self.truth(depth - 1, scope))
        if depth > 0 and roll < 0.22:
            return call("not", self.truth(depth - 1, scope))
        a, b = self.number(depth, scope), self.number(depth - 1, scope)
        if a.low == a.high and b.low == b.high:
            a = self.number(depth, scope)
        return op(r.choice([">=", "<=", ">", "<", "==", "!="]), a.e, b.e)

    def items(self, depth: int, scope: Scope, length: int | None = None) -> Items:
        r = self.rng
        known = [i for i in scope.lists.values() if length in (None, i.length)]
        for n in self.vectors if scope.private and length in (None, 2) else ():
            read = [name(n)] if self.kind == "stream" else [index(name(n), var(v)) for v in scope.records]
            known += [Items(e, 2, *self.ranges[n]) for e in read]
        if known and r.random() < 0.5:
            return r.choice(known)
        n = length or r.choice([2, 2, 3, 3, 1])
        if self.vectors and scope.private and n == 2 and self.kind == "dataset" and depth > 0 and r.random() < 0.4:
            v = next(self.count)
            inside = scope.under(v, 1, self.size, records=True)
            a = self.items(depth - 1, inside, 2)
            e = E("fold", (a.e, RECORDS), ("sum", v))
            return Items(e, 2, min(0, a.low) * self.size, max(0, a.high) * self.size, a.whole)
        roll = r.random()
        if roll < 0.3 or depth <= 0:
            parts = [self.number(depth - 1, scope) for _ in range(n)]
            e = E("list", tuple(p.e for p in parts))
            return Items(e, n, min(p.low for p in parts), max(p.high for p in parts), all(p.whole for p in parts))
        if roll < 0.38 and not self.whole_only and depth > 0:
            a = self.items(depth - 1, scope, n)
            radius = r.choice([0.5, 1.0, 2.0])
            return Items(
                call("clip_norm", a.e, num(radius)),
                n,
                -radius if a.low < 0 else 0.0,
                radius if a.high > 0 else 0.0,
                False,
            )
        if roll < 0.44 and depth > 0:
            a = self.items(depth - 1, scope, n)
            return Items(call("sort", a.e), n, a.low, a.high, a.whole)
        v = next(self.count)
        first = r.choice([1, 1, 0])
        inside = scope.under(v, first, first + n - 1)
        lasting = scope.looks and scope.private and self.kind == "stream" and r.random() < 0.4
        a = self.time(depth, inside) if lasting else self.number(depth, inside)
        e = E("listfor", (a.e, upto(num(float(first)), num(float(first + n - 1)))), (v,))
        return Items(e, n, a.low, a.high, a.whole)

    # ---- the program

    def field(self, n: str) -> Field:
        r = self.rng
        if n == "x" and r.random() < 0.15:
            low, domain = (
                r.choice([(0.0, "{0, 1}"), (0.0, "[0, 1]"), (-1.0, "[-1, 1]")])
                if not self.whole_only
                else (0.0, "{0, 1}")
            )
            self.ranges[n] = (low, 1.0, domain == "{0, 1}")
            self.vectors[n] = 2
            return Field(n, f"{domain} ^ 2", tuple(itertools.product((low, 1.0), repeat=2)))
        values, domain, whole = r.choice(
            [
                ((0.0, 1.0), "{0, 1}", True),
                ((0.0, 1.0), "{0, 1}", True),
                ((0.0, 0.5, 1.0), "[0, 1]", False),
                ((-1.0, 0.0, 1.0), "[-1, 1]", False),
                ((-1.0, 1.0), "{-1, 1}", True),
                ((0.0, 1.0, 2.0), "0..2", True),
            ]
        )
        if self.whole_only and not whole:
            values, domain, whole = (0.0, 1.0), "{0, 1}", True
        self.ranges[n] = (values[0], values[-1], whole)
        return Field(n, domain, values)

    def function(self, n: str) -> Function:
        """Its arguments are clipped to [-3, 3] where it is called."""
        r = self.rng
        parameters = tuple(next(self.count) for _ in range(r.choice([1, 1, 2])))
        scope = Scope(bound={p: Num(var(p), -3, 3, self.whole_only) for p in parameters}, looks=False, private=False)
        kind, self.kind = self.kind, "none"
        body = self.number(r.choice([1, 2]), scope)
        self.kind = kind
        self.ranges[n] = (body.low, body.high, body.whole)
        return Function(n, parameters, body.e)


FAMILIES = (
    *("laplace",) * 5,
    *("geometric",) * 2,
    *("gaussian",) * 3,
    "exponential",
    "staircase",
    "discrete_gaussian",
    "tree",
    "flip",
    "gumbel",
)


def release_program(seed: int) -> Program:
    """A program whose loss is known by arithmetic."""
    rng = random.Random(seed)
    m = Maker(rng)
    family = rng.choice(FAMILIES)
    m.whole_only = family in ("geometric", "discrete_gaussian")
    if rng.random() < 0.1 and not m.whole_only:
        m.fields = (Field("x", "real", (0.0, 0.5, 1.0, 2.0)),)
        m.ranges["x"] = (0.0, 2.0, False)
        m.adjacency = (rng.choice(["one", "every"]), "x", rng.choice([0.5, 1.0]), rng.random() < 0.2)
    else:
        m.fields = tuple(m.field(n) for n in ("x", "y")[: rng.choice([1, 1, 2])])
        options: list[tuple[Any, ...]] = [("replace", 1)] * 6 + [("replace", 2)]
        if m.kind == "dataset":
            options += [("add or remove", 1)] * 3 + [("add or remove", 2)]
        m.adjacency = rng.choice(options)
    public = ()
    if m.kind == "stream" and rng.random() < 0.2:
        public = (
            Field("u", *rng.choice([("{0, 1}", (0.0, 1.0)), ("{1, 2, 3}", (1.0, 2.0, 3.0)), ("{-1, 2}", (-1.0, 2.0))])),
        )
    scope = Scope()
    for f in public:
        scope.numbers[f.name] = Num(name(f.name), f.values[0], f.values[-1])
    memories, updates = _memory(m, scope)
    if rng.random() < 0.2:
        m.functions.append(m.function("f"))
    if m.kind == "stream" and rng.random() < 0.3:
        m.events.append("R")
    statements: list[Statement] = []
    depth = rng.choice([1, 2, 2, 3, 3])
    for i in range(rng.choice([0, 1, 2, 2, 3, 4])):
        if i and updates and rng.random() < 0.5:
            statements.append(updates.pop())
        n = f"s{i}" if rng.random() < 0.5 else ("a", "b", "c", "h", "l")[i]
        if rng.random() < 0.3:
            items = m.items(depth, scope)
            scope.lists[n] = Items(name(n), items.length, items.low, items.high, items.whole)
            statements.append(Statement("statistic", n, items.e))
        else:
            again = m.kind == "stream" and rng.random() < 0.15
            a = m.recursion(n, 1, scope) if again else m.number(depth, scope)
            scope.numbers[n] = Num(name(n), a.low, a.high, a.whole)
            statements.append(Statement("statistic", n, a.e))
            if not again:
                m.defined[n] = a.e
    if updates and rng.random() < 0.5:
        statements += updates
        updates = []
    noises: list[Noise] = []
    out = _outputs(m, scope, depth, family, noises)
    ending = rng.random() < 0.5
    last = [] if m.kind == "dataset" else [Statement("stop", when=op(">=", STEP, num(float(m.steps))))]
    event = [Statement("report", "R", None, op("==", op("%", STEP, num(2.0)), num(1.0)))] if m.events else []
    statements += [*out, *updates, *event, *last] if ending else [*event, *out, *updates, *last]
    return Program(
        m.kind,
        m.fields,
        m.size,
        m.steps,
        m.adjacency,
        tuple(statements),
        tuple(noises),
        tuple(m.functions),
        memories=tuple(memories),
        public=public,
        letters=rng.randrange(10**6),
        horizon=rng.randrange(1, m.steps + 1) if m.kind == "stream" and rng.random() < 0.15 else None,
        tags=frozenset(m.tags),
    )


def _memory(m: Maker, scope: Scope) -> tuple[list[tuple[str, float]], list[Statement]]:
    if m.kind == "dataset" or m.rng.random() < 0.5:
        return [], []
    start = float(m.rng.choice([0, 1]))
    public = Scope(numbers=scope.numbers | {"w": Num(name("w"), -1, 2)}, looks=False, private=False)
    value: E
    if m.rng.random() < 0.4:
        value, low, high = op("-", num(1.0), name("w")), 0.0, 1.0
    else:
        a = m.number(m.rng.choice([1, 2, 2]), public)
        value, low, high = a.e, a.low, a.high
        if low < -1 or high > 2 or free(value)[1] & {"w"}:
            value, low, high = call("clip", value, num(-1.0), num(2.0)), -1.0, 2.0
        if not a.whole:
            value = call("floor", value)
    scope.numbers["w"] = Num(name("w"), min(low, start), max(high, start))
    return [("w", start)], [Statement("update", "w", value)]


WINNERS = ("gumbel", "laplace", "gaussian", "exponential", "geometric")
"""Families of noise for report noisy max, whose oracle integrates or sums."""

LAWS: dict[str, tuple[Any, ...]] = {
    "laplace": ("laplace", 1.0),
    "gaussian": ("gaussian", 2.0),
    "geometric": ("geometric", 0.5),
    "staircase": ("staircase", 0.5, 1.0),
    "discrete_gaussian": ("discrete_gaussian", 1.5),
    "flip": ("randomized_response", 0.75),
    "gumbel": ("gumbel", 2.0),
    "exponential": ("exponential", 2.0),
}


def _outputs(m: Maker, scope: Scope, depth: int, family: str, noises: list[Noise]) -> list[Statement]:
    """What is shown: a private choice, a noisy winner, a flip, a prefix sum through a tree, or values plus noise."""
    rng = m.rng
    if rng.random() < 0.12:
        return _choice(m, scope, depth)
    if family in WINNERS and rng.random() < 0.8 * (family == "gumbel") + 0.3 * (family == "gaussian") + 0.12:
        return _winner(m, scope, depth, LAWS[family], noises)
    if family == "flip":
        e = E("if", (m.truth(depth, scope), num(1.0), num(0.0)))
        return _shown(m, e, LAWS["flip"], noises)
    if family == "tree":
        if m.kind == "stream":
            a = m.number(depth, scope)
            noises.append(Noise(("tree", ("laplace", 1.0)), ("r",)))
            return [Statement("report", "r", E("time", (a.e,), ("sum", "steps", None)))]
        family = "laplace"
    law = LAWS[family]
    if rng.random() < 0.3:
        law = (family, 0.25) if len(law) == 2 and family != "discrete_gaussian" else law
    if rng.random() < 0.2:
        items = m.items(depth, scope)
        if family == "laplace" and rng.random() < 0.3:
            law = ("l2_laplace", law[1])
        return _shown(m, items.e, law, noises)
    out = _shown(m, _value(m, scope, depth), law, noises)
    if out[0].kind == "report" and not m.rng.random() < 0.85:
        more = m.number(depth, scope)
        if rng.random() < 0.3 and noises[-1].life == "":
            noises[-1] = Noise(law, ("r", "r2"), "", "z", rng.choice([(1, -1), (1, 1)]))
        else:
            noises.append(Noise(law, ("r2",)))
        out.insert(1, Statement("report", "r2", more.e))
    return out


def _winner(m: Maker, scope: Scope, depth: int, law: tuple[Any, ...], noises: list[Noise]) -> list[Statement]:
    """Report noisy max: the place of the largest or smallest of a list with noise on each number."""
    items = m.items(depth, scope, m.rng.choice([2, 3]))
    noises.append(Noise(law, ("q",)))
    best = call(m.rng.choice(["argmax", "argmax", "argmin"]), name("q"))
    shown = Statement("stop", value=best) if m.kind == "dataset" else Statement("report", "winner", best)
    return [Statement("statistic", "q", items.e), shown]


def _value(m: Maker, scope: Scope, depth: int) -> E:
    rng, roll = m.rng, m.rng.random()
    value = m.number(depth, scope).e
    if roll < 0.4 and scope.numbers:
        return list(scope.numbers.values())[-1].e
    if roll < 0.55 and scope.numbers:
        a, b = rng.choice(list(scope.numbers.values())), m.number(1, scope)
        return op(rng.choice(["+", "-"]), a.e, b.e)
    found = m.difference(scope) if roll < 0.65 else None
    return value if found is None else found.e


def _shown(m: Maker, value: E, law: tuple[Any, ...], noises: list[Noise]) -> list[Statement]:
    rng = m.rng
    if m.kind == "dataset" and rng.random() < 0.5:
        noises.append(Noise(law, ("out",)))
        return [Statement("statistic", "out", value), Statement("stop", value=name("out"))]
    when = op(">=", STEP, num(2.0)) if m.kind == "stream" and rng.random() < 0.1 else None
    flips = law[0] == "randomized_response"
    life = "once" if m.kind == "stream" and rng.random() < 0.05 and not flips else ""
    noises.append(Noise(law, ("r",), life))
    return [Statement("report", "r", value, when), *([Statement("stop")] if m.kind == "dataset" else [])]


def _choice(m: Maker, scope: Scope, depth: int) -> list[Statement]:
    """The exponential mechanism, of a random score, or other weights."""
    v = next(m.count)
    score = m.number(depth, scope.under(v, 1, 3))
    weight = call("exp", op("/", score.e, num(2.0)))
    roll = m.rng.random()
    if roll < 0.2:
        weight = op("+", num(1.0), call("abs", score.e))
    elif roll < 0.3:
        weight = op("+", num(1.0), weight)
    elif roll < 0.45:
        weight = call("exp", op("-", score.e, m.number(1, m.rng.choice([scope, scope.under(v, 1, 3)])).e))
    elif roll < 0.55:
        weight = op("/", weight, op("+", num(1.0), call("abs", m.number(1, scope).e)))
    draw = E("weights", (weight, upto(num(1.0), num(3.0))), (v,))
    shown = Statement("stop", value=name("r")) if m.kind == "dataset" else Statement("report", "chosen", name("r"))
    return [Statement("draw", "r", draw), shown]
