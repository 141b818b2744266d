"""Random expressions over the whole grammar, many of which are at a jump or next to it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from one_value import meaning as m
from one_value.meaning import Context, E

DECIMALS = ("0", "1", "2", "3", "5", "7", "10", "0.1", "0.2", "0.3", "0.6", "0.7", "0.06", "0.07", "0.29", "0.5",
            "0.25", "1.1", "0.15", "100", "1e-3", "12.5", "0.35", "1e4")  # fmt: skip
ODD = ("1e15", "9007199254740993", "1e-12", "0.1000000000000000055", "1e17", "123456789.123456789",
       "0.30000000000000004", "3e-17", "1e9")  # fmt: skip


def decimal(text: str) -> E:
    value = Fraction(text)
    return E("number", text, lambda c: value)


def name(text: str, kind: str = "number") -> E:
    return E(kind, text, lambda c: c.names[text], False)


class Expressions:
    """`leaves` are names that may be read beside decimals. `odd`: also numbers that doubles cannot tell apart."""

    def __init__(
        self, rng: random.Random, leaves: Sequence[E] = (), odd: bool = False, irrational: bool = True
    ) -> None:
        self.rng, self.leaves, self.odd, self.irrational = rng, leaves, odd, irrational
        self.fresh = 0

    # ---- numbers

    def number(self, depth: int) -> E:
        rng = self.rng
        if depth == 0 or rng.random() < 0.12:
            return self.leaf()
        kinds = [
            "sum", "sum", "product", "quotient", "remainder", "power", "function", "function", "jump", "jump",
            "extreme", "clip", "if", "fold", "index", "over set", "dot", "norm", "same", "best", "length", "chance",
            "position",
        ]  # fmt: skip
        kind = rng.choice(kinds)
        return getattr(self, "_" + kind.replace(" ", "_"))(depth - 1)

    def leaf(self) -> E:
        rng = self.rng
        if self.leaves and rng.random() < 0.6:
            return rng.choice([x for x in self.leaves if x.kind == "number"])
        if self.odd and rng.random() < 0.15:
            return decimal(rng.choice(ODD))
        return decimal(rng.choice(DECIMALS))

    def _two(self, op: str, depth: int) -> E:
        a, b = self.number(depth), self.number(depth)
        return binary(op, a, b)

    def _sum(self, depth: int) -> E:
        return self._two(self.rng.choice("+-"), depth)

    def _product(self, depth: int) -> E:
        return self._two("*", depth)

    def _quotient(self, depth: int) -> E:
        return self._two("/", depth)

    def _remainder(self, depth: int) -> E:
        if self.rng.random() < 0.5:  # of a multiple
            b = decimal(self.rng.choice(("0.1", "0.3", "0.07", "3", "0.25")))
            return binary("%", binary("*", b, self.number(depth)), b)
        return self._two("%", depth)

    def _power(self, depth: int) -> E:
        base = self.number(depth)
        exponent = decimal(self.rng.choice(("0", "1", "2", "3", "0.5"))) if self.rng.random() < 0.8 else self.number(0)
        if not self.irrational:
            exponent = decimal(self.rng.choice(("0", "1", "2", "3")))
        return binary("^", base, exponent)

    def _function(self, depth: int) -> E:
        names = ["abs", "floor", "ceil", "round"]
        if self.irrational:
            names += ["exp", "log", "log2", "log1p", "sqrt"]
        return unary(self.rng.choice(names), self.number(depth))

    def _jump(self, depth: int) -> E:
        """A whole part of a number that is likely to be whole."""
        scale = decimal(self.rng.choice(("10", "100", "20", "3", "1000")))
        return unary(self.rng.choice(("floor", "ceil", "round")), binary("*", self.number(depth), scale))

    def _extreme(self, depth: int) -> E:
        op = self.rng.choice(("max", "min"))
        parts = [self.number(depth) for _ in range(self.rng.choice((2, 2, 3)))]
        return called(op, parts, lambda c, values: m.fold(op, c, values))

    def _clip(self, depth: int) -> E:
        parts = [self.number(depth), self.leaf(), self.leaf()]

        def value(c: Context, values: tuple[Any, ...]) -> Any:
            x, low, high = values
            return m.fold("min", c, (m.fold("max", c, (x, low)), high))

        return called("clip", parts, value)

    def _if(self, depth: int) -> E:
        return choice(self.truth(depth), self.number(depth), self.number(depth))

    def _fold(self, depth: int) -> E:
        op = self.rng.choice(("sum", "mean", "max", "min", "argmax", "argmin"))
        v = self.vector(depth)
        return E("number", f"{op}({v})", lambda c: m.fold(op, c, v.value(c)), v.constant)

    def _best(self, depth: int) -> E:
        """Among equals, often."""
        one = self.number(depth)
        v = listed([one, self.same_as(one), self.number(0)])
        op = self.rng.choice(("argmax", "argmin"))
        return E("number", f"{op}({v})", lambda c: m.fold(op, c, v.value(c)), v.constant)

    def _index(self, depth: int) -> E:
        v, size = self.vector(depth), 3
        whole = self.rng.choice((decimal("1"), decimal("2"), binary("*", decimal("0.1"), decimal("20")),
                                 binary("/", decimal("0.3"), decimal("0.1")), self.number(0)))  # fmt: skip
        return element(v, whole, size)

    def _position(self, depth: int) -> E:
        v = self.vector(depth)
        at = unary("ceil", binary("%", unary("abs", self.number(depth)), decimal("3")))
        return element(v, called("max", [at, decimal("1")], lambda c, x: m.fold("max", c, x)), 3)

    def _over_set(self, depth: int) -> E:
        rng = self.rng
        self.fresh += 1
        letter = f"k{self.fresh}"
        body = self._with(letter).number(depth)
        low, high = (1, rng.choice((1, 2, 3)))
        op = rng.choice(("sum", "mean", "max", "min", "argmax", "argmin", "count"))
        where = self._with(letter).truth(0) if rng.random() < 0.3 else None
        if op == "count":
            body = self._with(letter).truth(depth)
        if rng.random() < 0.5:
            domain, text = tuple(Fraction(k) for k in range(low, high + 1)), f"{low}..{high}"
        else:
            chosen = [Fraction(t) for t in rng.sample(("0.1", "0.2", "0.3", "1", "2", "0.7"), 3)]
            domain, text = tuple(chosen), "[" + ", ".join(str(float(x)) for x in chosen) + "]"
        cut = "" if where is None else f" where {where}"

        def value(c: Context) -> Any:
            kept, values = [], []
            for k in domain:
                inner = Context({**c.names, letter: k})
                taken = where is None or where.value(inner) is True
                if taken:
                    kept.append(k)
                    values.append(body.value(inner))
                c.near = c.near or inner.near
            if op.startswith("arg"):
                return kept[int(m.fold(op, c, tuple(values))) - 1]
            return m.fold(op, c, tuple(values))

        return E("number", f"{op}({body} for {letter} in {text}{cut})", value, False)

    def _with(self, letter: str) -> Expressions:
        inner = Expressions(self.rng, [*self.leaves, name(letter)], self.odd, self.irrational)
        inner.fresh = self.fresh
        self.fresh += 3
        return inner

    def _dot(self, depth: int) -> E:
        a, b = self.vector(depth), self.vector(depth)

        def value(c: Context) -> Any:
            products = tuple(m.arithmetic("*", c, x, y) for x, y in zip(a.value(c), b.value(c), strict=True))
            return m.fold("sum", c, products)

        return E("number", f"dot({a}, {b})", value, a.constant and b.constant)

    def _norm(self, depth: int) -> E:
        one = self.number(depth)
        v = listed([binary("*", decimal("3"), one), binary("*", decimal("4"), one), decimal("0")])
        if self.irrational and self.rng.random() < 0.3:
            v = self.vector(depth)
        if self.rng.random() < 0.5:
            return E("number", f"norm({v})", lambda c: m.length(c, v.value(c)), v.constant)
        radius = self.rng.choice(("1", "2", "0.5"))
        form = self.rng.choice((f"project({v}, ball({radius}, 3))", f"clip_norm({v}, {radius})"))

        def value(c: Context) -> Any:
            values, bound = v.value(c), Fraction(radius)
            size = m.length(c, values)
            if m.order(c, size, bound) <= 0:
                return values[0]
            return m.arithmetic("/", c, m.arithmetic("*", c, values[0], bound), size)

        return E("number", f"{form}[1]", value, v.constant)

    def _length(self, depth: int) -> E:
        one = self.number(depth)
        items = [one, self.same_as(one), self.number(0)]
        text = "length({" + ", ".join(map(str, items)) + "})"

        def value(c: Context) -> Any:
            return Fraction(len(m.distinct(c, tuple(i.value(c) for i in items))))

        return E("number", text, value, all(i.constant for i in items))

    def _chance(self, depth: int) -> E:
        p = self.rng.choice(("0.1", "0.3", "0.5"))
        at = self.number(min(depth, 1))
        n = self.rng.choice((1, 2, 3))
        method = self.rng.choice(("pmf", "cdf"))
        law = f"bernoulli({p})" if n == 1 else f"binomial({n}, {p})"

        def value(c: Context) -> Any:
            from math import comb

            x, chance = at.value(c), Fraction(p)
            masses = [comb(n, k) * chance**k * (1 - chance) ** (n - k) for k in range(n + 1)]
            if method == "cdf":
                return sum((q for k, q in enumerate(masses) if m.order(c, x, Fraction(k)) >= 0), Fraction(0))
            return sum((q for k, q in enumerate(masses) if m.order(c, x, Fraction(k)) == 0), Fraction(0))

        return E("number", f"{law}.{method}({at})", value, at.constant)

    def _same(self, depth: int) -> E:
        return self.same_as(self.number(depth))

    def same_as(self, e: E) -> E:
        """Another expression with the same value."""
        rng = self.rng
        ways = [
            lambda: binary("/", binary("*", e, decimal("3")), decimal("3")),
            lambda: binary("-", binary("+", e, decimal("0.1")), decimal("0.1")),
            lambda: binary("+", binary("*", e, decimal("0.3")), binary("*", e, decimal("0.7"))),
            lambda: called("sum", [listed([binary("*", e, decimal("0.1"))] * 10)], lambda c, v: m.fold("sum", c, v[0])),
            lambda: called("mean", [listed([e, e, e])], lambda c, v: m.fold("mean", c, v[0])),
        ]
        if self.irrational:
            ways += [
                lambda: unary("log", unary("exp", e)),
                lambda: binary("-", binary("+", e, unary("sqrt", decimal("2"))), unary("sqrt", decimal("2"))),
            ]
        return rng.choice(ways)()

    def _nearly_whole(self) -> E:
        """A number next to a whole one."""
        rng = self.rng
        whole, little = rng.choice((1, 2, 3, 4)), decimal(rng.choice(("1e-20", "1e-12", "1e-9")))
        if not self.irrational or rng.random() < 0.5:
            return binary(rng.choice("+-"), decimal(str(whole)), little)
        return unary("sqrt", binary("+", decimal(str(whole * whole)), little))

    # ---- truths and vectors

    def truth(self, depth: int) -> E:
        rng = self.rng
        kind = rng.random()
        if depth > 0 and kind < 0.15:
            a = self.truth(depth - 1)
            return E("truth", f"(not {a})", lambda c: not a.value(c), a.constant)
        if depth > 0 and kind < 0.35:
            a, b = self.truth(depth - 1), self.truth(depth - 1)
            op = rng.choice(("and", "or"))

            def value(c: Context) -> bool:
                first = a.value(c)
                return bool(b.value(c)) if first is (op == "and") else first

            return E("truth", f"({a} {op} {b})", value, a.constant and b.constant)
        op = rng.choice(tuple(m.COMPARE))
        a = self.number(max(0, depth - 1))
        if rng.random() < 0.1:
            a, b = self.leaf(), self._nearly_whole()
        else:
            b = self.same_as(a) if rng.random() < 0.5 else self.number(max(0, depth - 1))
        if rng.random() < 0.5:
            a, b = b, a
        return E("truth", f"({a} {op} {b})", lambda c: m.COMPARE[op](m.order(c, a.value(c), b.value(c))),
                 a.constant and b.constant)  # fmt: skip

    def vector(self, depth: int) -> E:
        """Of three numbers."""
        rng = self.rng
        plain = listed([self.number(depth) for _ in range(3)])
        kind = rng.random()
        if kind < 0.15:
            values = plain
            return E("vector", f"sort({values})", lambda c: ordered(c, values.value(c)), values.constant)
        if kind < 0.3:
            self.fresh += 1
            letter = f"k{self.fresh}"
            body = self._with(letter).number(max(0, depth - 1))

            def value(c: Context) -> Any:
                found = []
                for k in (1, 2, 3):
                    inner = Context({**c.names, letter: Fraction(k)})
                    found.append(body.value(inner))
                    c.near = c.near or inner.near
                return tuple(found)

            return E("vector", f"[{body} for {letter} in 1..3]", value, False)
        if kind < 0.4:
            factor = self.number(0)

            def scaled(c: Context) -> Any:
                by = factor.value(c)
                return tuple(m.arithmetic("*", c, by, x) for x in plain.value(c))

            return E("vector", f"({factor} * {plain})", scaled, plain.constant and factor.constant)
        return plain


def ordered(c: Context, values: tuple[Any, ...]) -> tuple[Any, ...]:
    left, found = list(values), []
    while left:
        place = int(m.fold("argmin", c, tuple(left))) - 1
        found.append(left.pop(place))
    return tuple(found)


def binary(op: str, a: E, b: E) -> E:
    return E(
        "number", f"({a} {op} {b})", lambda c: m.arithmetic(op, c, a.value(c), b.value(c)), a.constant and b.constant
    )


def unary(op: str, a: E) -> E:
    return E("number", f"{op}({a})", lambda c: m.function(op, c, a.value(c)), a.constant)


def called(op: str, parts: list[E], value: Any) -> E:
    text = f"{op}({', '.join(map(str, parts))})"
    return E("number", text, lambda c: value(c, tuple(p.value(c) for p in parts)), all(p.constant for p in parts))


def choice(test: E, yes: E, no: E) -> E:
    return E("number", f"(if {test} then {yes} else {no})", lambda c: (yes if test.value(c) else no).value(c),
             test.constant and yes.constant and no.constant)  # fmt: skip


def listed(items: list[E]) -> E:
    return E("vector", "[" + ", ".join(map(str, items)) + "]", lambda c: tuple(i.value(c) for i in items),
             all(i.constant for i in items))  # fmt: skip


def element(v: E, at: E, size: int) -> E:
    def value(c: Context) -> Any:
        values, place = v.value(c), at.value(c)
        whole = m.floor(c, place)
        if m.order(c, place, whole) != 0 or not 1 <= whole <= len(values):
            raise m.NoValue
        return values[int(whole) - 1]

    return E("number", f"{v}[{at}]", value, v.constant and at.constant)


__all__ = ["Expressions", "decimal", "name", "replace"]
