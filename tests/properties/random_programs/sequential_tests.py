"""Random tests that stop: a statistic against one or two noisy thresholds, with every way to share and renew noise, and
mostly without a last step. Their laws up to the first few steps are listed by `enumeration`."""

from __future__ import annotations

import random
from typing import Any

from random_programs.generate_transcripts import label
from random_programs.syntax import STEP, E, Field, Noise, Program, Statement, call, name, num, op

FAMILIES = ("laplace", "laplace", "gaussian", "gaussian", "exponential", "staircase", "geometric", "geometric")
X = name("x")


def over(operator: str, body: E, keep: str = "steps", more: Any = None) -> E:
    return E("time", (body,), (operator, keep, more))


def quantities(n: str) -> dict[str, E]:
    last = E("recall", (num(0.0),), (n,))
    signed = op("-", op("*", num(2.0), X), num(1.0))
    return {
        "sum": over("sum", X),
        "signed sum": over("sum", signed),
        "window": over("sum", X, "last", 2),
        "cusum": call("max", num(0.0), op("+", last, signed)),
        "single": X,
        "running max": over("max", op("*", num(2.0), X)),
        "weighted": op("*", op("+", num(1.0), op("%", STEP, num(2.0))), X),
        "gap": op("-", X, E("previous", (X, num(0.0)))),
    }


class _Test:
    """One program in the making."""

    def __init__(self, seed: int) -> None:
        r = self.rng = random.Random(seed)
        self.look = r.choice(FAMILIES)
        self.discrete = self.look == "geometric"
        continuous = [f for f in FAMILIES if f != "geometric"]
        self.kept = "geometric" if self.discrete else self.look if r.random() < 0.6 else r.choice(continuous)
        self.reports = r.random() < 0.25
        self.two = not self.reports and r.random() < 0.6
        self.noises: list[Noise] = []

    def law(self, family: str) -> tuple[Any, ...]:
        r = self.rng
        if family == "geometric":
            return (family, r.choice([0.125, 0.0625]))
        if family == "staircase":
            return (family, r.choice([0.5, 1.0]), 1.0, 0.5)
        return (family, r.choice([1.0, 2.0]))

    def program(self) -> Program:
        r = self.rng
        field, adjacency, steps = Field("x", "{0, 1}", (0.0, 1.0)), ("replace", 1), r.choice([3, 4, 5])
        roll = r.random()
        if roll < 0.2:
            field, steps = Field("x", "real", (0.0, 1.0)), 3
            adjacency = (r.choice(["every", "every", "one"]), "x", 1.0, r.random() < 0.2)
        elif roll < 0.3:
            field, steps = Field("x", "0..2", (0.0, 1.0, 2.0)), 3
        elif roll < 0.4:
            adjacency, steps = ("replace", 2), 3
        known = quantities("s0")
        some = ("single", "gap", "weighted") if adjacency[0] == "every" and r.random() < 0.8 else tuple(known)
        chosen = r.choice([*some, *(["restarted"] * 3 if self.reports else [])])
        value = over("sum", X, "since", "high") if chosen == "restarted" else known[chosen]
        separate = self.two and r.random() < 0.5
        statements = [Statement("statistic", "s0", value)]
        if separate:
            statements.append(Statement("statistic", "s1", name("s0")))
        bars = [("T0", float(r.choice([0, 1, 2])))]
        first = op(r.choice([">=", ">=", ">"]), name("s0"), name("T0"))
        if self.reports:
            statements.append(Statement("report", "high", None, first))
            made = over("count", name("high"))
            statements.append(Statement("stop", when=op(">=", made, num(float(r.choice([1, 2, 2]))))))
        else:
            statements.append(Statement("stop", "", label("r0"), first))
        if self.two:
            bars.append(("T1", float(r.choice([-2, -1, 0]))))
            second = op(r.choice(["<=", "<=", "<"]), name("s1" if separate else "s0"), name("T1"))
            statements.append(Statement("stop", "", label("r1"), second))
        if r.random() < 0.3:
            statements.append(Statement("stop", when=op(">=", STEP, num(float(steps)))))
        self._noise(separate)
        return Program(
            "stream", (field,), 1, steps, adjacency, tuple(statements), tuple(self.noises), parameters=tuple(bars),
            letters=r.randrange(10**6), horizon=steps if r.random() < 0.4 else None,
        )  # fmt: skip

    def _noise(self, separate: bool) -> None:
        r = self.rng
        life = r.choice(["once", "each high"]) if self.reports else "once"
        roll = r.random()
        if roll > 0.07:
            self.noises.append(Noise(self.law(self.look), ("s0", "s1")[: 1 + separate]))
        if roll > 0.93:
            return
        shape = r.choice(["independent", "opposite", "opposite", "parallel"]) if self.two else "one"
        if shape == "one" and r.random() < 0.15:
            self.noises.append(Noise(self.law(self.kept), ("T0",), life, "z", (-1,)))
        elif shape in ("opposite", "parallel"):
            sign = r.choice([1, 1, 1, -1])
            factors = (sign, -sign if shape == "opposite" else sign)
            self.noises.append(Noise(self.law(self.kept), ("T0", "T1"), life, "z", factors))
        else:
            for bar in ("T0", "T1")[: 1 + self.two]:
                kept = self.kept if self.discrete or r.random() < 0.8 else r.choice(["laplace", "gaussian"])
                self.noises.append(Noise(self.law(kept), (bar,), life))


def stopping_program(seed: int) -> Program:
    return _Test(seed).program()
