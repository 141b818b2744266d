"""Random programs that show statistics of some of the entries, in some of the steps: conditions on entries that exclude
each other or overlap, schedules by the step, by public memory and by events, windows that an entry leaves.

Their losses are known by arithmetic: every value has noise of its own.
"""

from __future__ import annotations

import random

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
    upto,
    var,
)

ARM, X, PUBLIC, MEMORY, COUNTER = name("arm"), name("x"), name("u"), name("w"), name("n")

DOMAINS = [
    ("{0, 1}", (0.0, 1.0)), ("{0, 1}", (0.0, 1.0)), ("{-1, 1}", (-1.0, 1.0)), ("[0, 1]", (0.0, 1.0)),
    ("[-1, 1]", (-1.0, 1.0)),
]  # fmt: skip
"""As written, and what the oracle tries: where it is an interval, the ends."""


def cells_program(seed: int) -> Program:
    rng = random.Random(seed)
    kind = "dataset" if rng.random() < 0.25 else "stream"
    fields = (
        Field("x", *rng.choice(DOMAINS)),
        *((Field("arm", "{1, 2}", (1.0, 2.0)),) if rng.random() < 0.6 else ()),
    )
    made = _of_records(rng, fields) if kind == "dataset" else _of_steps(rng, fields)
    statements, noises, steps = made
    adjacency = ("add or remove", 1) if kind == "dataset" and rng.random() < 0.5 else ("replace", 1)
    if kind == "stream" and rng.random() < 0.1:
        adjacency = ("replace", 2)
    if kind == "stream" and rng.random() < 0.1:
        adjacency = ("one", "x", 1.0, False)
    return Program(
        kind, fields, 3, steps, adjacency, statements, noises,
        memories=(("w", 1.0), ("n", 0.0)) if kind == "stream" else (),
        public=(Field("u", "{1, 2}", (1.0, 2.0)),) if kind == "stream" else (), letters=rng.randrange(10**6),
    )  # fmt: skip


def _noises(rng: random.Random, names: list[str]) -> tuple[Noise, ...]:
    family = rng.choice(["laplace", "laplace", "gaussian"])
    return tuple(Noise((family, rng.choice([1.0, 2.0, 0.5])), (n,)) for n in names)


def _test(rng: random.Random, arm: E, x: E, others: list[E]) -> E:
    """A condition on an entry, often one of a few that exclude each other."""
    roll = rng.random()
    if roll < 0.35 and others:
        return rng.choice(others)
    if roll < 0.7:
        return op(rng.choice(["==", "==", "==", "!=", ">="]), arm, num(rng.choice([1.0, 2.0])))
    test = op(rng.choice([">=", "<", "==", "!="]), x, num(rng.choice([0.0, 1.0])))
    return test if rng.random() < 0.7 else op("and", test, op("==", arm, num(1.0)))


# ---- streams


def _of_steps(rng: random.Random, fields: tuple[Field, ...]) -> tuple[tuple[Statement, ...], tuple[Noise, ...], int]:
    steps = 3 if len(fields) > 1 else rng.choice([4, 6])
    arm = ARM if len(fields) > 1 else rng.choice([PUBLIC, MEMORY, MEMORY])
    clocks = [
        op(rng.choice(["<=", ">"]), STEP, num(2.0)), op("==", op("%", STEP, num(2.0)), num(rng.choice([0.0, 1.0]))),
        op("==", MEMORY, num(rng.choice([1.0, 2.0]))), op("==", PUBLIC, num(rng.choice([1.0, 2.0]))),
    ]  # fmt: skip
    body: list[Statement] = []
    turn = _turn(rng)
    if rng.random() < 0.3:
        body.append(turn)
    count = rng.choice([1, 2, 2, 3])
    names = [f"r{i}" for i in range(1, count + 1)]
    ticks = rng.random() < 0.3
    if ticks:
        body.append(Statement("report", "tick", None, _schedule(rng)))
    shared = _schedule(rng)
    for i, shown in enumerate(names):
        value = _statistic(rng, arm, clocks)
        if rng.random() < 0.5:
            body.append(Statement("statistic", f"s{i}", value))
            value = name(f"s{i}")
        if turn not in body and rng.random() < 0.3:
            body.append(turn)
        when = name("tick") if ticks and rng.random() < 0.6 else rng.choice([None, shared, shared, _schedule(rng)])
        body.append(Statement("report", shown, value, when))
    if turn not in body:
        body.append(turn)
    body.append(_counts(rng))
    body.append(Statement("stop", when=op(">=", STEP, num(float(steps)))))
    return tuple(body), _noises(rng, names), steps


def _turn(rng: random.Random) -> Statement:
    """Memory that says which arm is next."""
    other = op("-", num(3.0), MEMORY)
    when = rng.choice([None, None, op("==", op("%", STEP, num(2.0)), num(0.0)), op("==", PUBLIC, num(1.0))])
    return Statement("update", "w", rng.choice([other, other, PUBLIC, num(2.0)]), when)


def _counts(rng: random.Random) -> Statement:
    """Memory that counts, or goes round."""
    up = op("+", COUNTER, num(1.0))
    round_trip = E("if", (op(">=", COUNTER, num(rng.choice([1.0, 2.0]))), num(0.0), up))
    when = None if rng.random() < 0.7 else op("!=", op("%", STEP, num(3.0)), num(0.0))
    return Statement("update", "n", rng.choice([up, round_trip, round_trip]), when)


def _schedule(rng: random.Random) -> E:
    """A condition that the step and memory decide."""
    modulo = op("%", STEP, num(rng.choice([2.0, 2.0, 3.0])))
    found = rng.choice([
        op("==", modulo, num(rng.choice([0.0, 1.0]))), op("==", modulo, num(0.0)),
        op("or", op("==", STEP, num(rng.choice([1.0, 2.0]))), op("==", STEP, num(3.0))),
        op(rng.choice([">=", "<=", ">"]), STEP, num(2.0)), op(rng.choice(["==", ">=", "<"]), COUNTER, num(1.0)),
        op("==", op("%", op("+", STEP, num(1.0)), num(2.0)), num(0.0)), op("!=", MEMORY, num(1.0)),
    ])  # fmt: skip
    if rng.random() < 0.2:
        found = op(rng.choice(["and", "or"]), found, op("==", PUBLIC, num(1.0)))
    return found if rng.random() < 0.85 else call("not", found)


def _statistic(rng: random.Random, arm: E, clocks: list[E]) -> E:
    test = _test(rng, arm, X, clocks)
    part = rng.choice([X, X, num(1.0), op("*", num(2.0), X), op("+", X, num(1.0))])
    rest = rng.choice([num(0.0), num(0.0), num(0.0), num(1.0), X])
    chosen = E("if", (test, part, rest))
    keep = rng.choice([("steps", None), ("steps", None), ("last", 2), ("last", 3), ("since", "tick")])
    if keep[0] == "since":
        keep = ("last", 1)
    made = rng.choice([
        E("time", (part, test), ("sum", *keep)), E("time", (part, test), ("sum", *keep)),
        E("time", (chosen,), ("sum", *keep)), E("time", (test,), ("count", *keep)), chosen,
        E("time", (part,), ("sum", *keep)), E("time", (part,), ("mean", *keep)),
    ])  # fmt: skip
    roll = rng.random()
    if roll < 0.08:
        return op("+", made, X)
    if roll < 0.16:
        return op("/", made, op("+", STEP, num(1.0)))
    return made


# ---- datasets


def _of_records(rng: random.Random, fields: tuple[Field, ...]) -> tuple[tuple[Statement, ...], tuple[Noise, ...], int]:
    names = [f"r{i}" for i in range(1, rng.choice([2, 2, 3]) + 1)]
    body = [Statement("report", shown, _of_all(rng, len(fields) > 1, i)) for i, shown in enumerate(names, 1)]
    return (*body, Statement("stop")), _noises(rng, names), 1


def _of_all(rng: random.Random, arms: bool, v: int) -> E:
    i = var(v)
    x = index(X, i)
    test = _test(rng, index(ARM, i) if arms else x, x, [op(rng.choice(["<=", ">"]), i, num(1.0))])
    part = rng.choice([x, x, num(1.0), op("*", num(2.0), x)])
    domain = RECORDS if rng.random() < 0.9 else upto(num(1.0), num(3.0))
    chosen = E("if", (test, part, rng.choice([num(0.0), num(0.0), num(1.0), x])))
    return rng.choice([
        E("fold", (part, domain, test), ("sum", v)), E("fold", (part, domain, test), ("sum", v)),
        E("fold", (test, domain), ("count", v)), E("fold", (chosen, domain), ("sum", v)),
    ])  # fmt: skip
