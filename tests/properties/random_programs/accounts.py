"""Random programs that keep a public account of what each step spends: values times a public factor plus noise,
shown as long as the account leaves room."""

from __future__ import annotations

import random
from typing import Any

from random_programs.generate import Maker, Scope
from random_programs.syntax import STEP, E, Field, Noise, Program, Statement, free, name, num, op


def account_program(seed: int) -> Program:
    """Its loss is known by arithmetic. Some accounts are wrong: another amount, or no look before a showing."""
    rng = random.Random(seed)
    m = Maker(rng)
    m.kind, m.steps, m.size = rng.choice(["dataset", "dataset", "stream"]), 3, 2
    m.fields = (m.field("x"),)
    m.adjacency = rng.choice(
        [("replace", 1), ("replace", 1), ("replace", 2)] + [("add or remove", 1)] * 2 * (m.kind == "dataset")
    )
    law: tuple[Any, ...] = rng.choice([("laplace", 1.0), ("laplace", 2.0), ("gaussian", 2.0)])
    factor: E = rng.choice([name("u"), op("*", num(2.0), name("u")), op("+", num(1.0), op("%", STEP, num(2.0)))])
    amount = op("*", factor, factor) if law[0] == "gaussian" and rng.random() < 0.8 else factor
    spent = op("+", name("w"), amount)
    room = num(float(rng.choice([1, 2, 4])))
    a = m.number(2, Scope())
    for _ in range(8):
        if "x" in free(a.e)[1]:
            break
        a = m.number(2, Scope())
    shown = op("*", factor, a.e)
    update = Statement("update", "w", spent if rng.random() < 0.9 else op("+", name("w"), num(1.0)))
    last = Statement("stop", when=op(">=", STEP, num(float(m.steps))))
    if rng.random() < 0.5:
        look = Statement("stop", when=op(">", spent, room))
        statements = (look, Statement("report", "r", shown), update, last)
    else:
        within = op("<=", spent, room)
        counted = Statement("update", "w", update.value, within if rng.random() < 0.9 else None)
        statements = (Statement("report", "r", shown, within), counted, last)
    return Program(
        m.kind, m.fields, m.size, m.steps, m.adjacency, statements, (Noise(law, ("r",)),), tuple(m.functions),
        memories=(("w", 0.0),), public=(Field("u", "{0, 1, 2}", (0.0, 1.0, 2.0)),), letters=rng.randrange(10**6),
    )  # fmt: skip
