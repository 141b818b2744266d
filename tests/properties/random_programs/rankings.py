"""Random programs that show several things of one noisy list: the best place, the best of the rest, how far apart the
largest are."""

from __future__ import annotations

import random

from random_programs.generate import Maker, Scope
from random_programs.syntax import STEP, E, Noise, Program, Statement, call, index, name, num, op, upto, var


def ranking_program(seed: int) -> Program:
    """Its law can be listed: one step, or one draw for all steps."""
    rng = random.Random(seed)
    m = Maker(rng)
    m.whole_only, m.size = True, 2
    m.steps = rng.choice([1, 2]) if m.kind == "stream" else 1
    m.fields = tuple(m.field(n) for n in ("x", "y")[: rng.choice([1, 2])])
    m.adjacency = rng.choice(
        [("replace", 1)] * 3 + [("replace", 2)] + [("add or remove", 1)] * 2 * (m.kind == "dataset")
    )
    size = rng.choice([2, 3, 3])
    if rng.random() < 0.5:
        items = E("list", tuple(m.number(rng.choice([1, 1, 2]), Scope()).e for _ in range(size)))
    else:
        items = m.items(2, Scope(), size).e
    statements = [Statement("statistic", "q", items)]
    best = rng.choice(["argmax", "argmax", "argmax", "argmin"])
    statements.append(Statement("report", "first", call(best, name("q"))))
    v, w = next(m.count), next(m.count)
    members = upto(num(1.0), num(float(size)))
    others = lambda i: op("!=", var(i), name("first"))  # noqa: E731
    rest = E("fold", (index(name("q"), var(v)), members, others(v)), (best, v))
    largest = E("fold", (index(name("q"), var(w)), members, others(w)), ("max", w))
    shown = [rest, op("-", call("max", name("q")), largest), call("max", name("q")), largest]
    statements.append(Statement("report", "second", rng.choice(shown)))
    if rng.random() < 0.2:
        statements.append(Statement("report", "third", rng.choice(shown)))
    statements.append(Statement("stop", when=op(">=", STEP, num(float(m.steps)))))
    noise = Noise(("geometric", rng.choice([0.125, 0.0625])), ("q",), "once" if m.steps > 1 else "")
    return Program(
        m.kind, m.fields, m.size, m.steps, m.adjacency, tuple(statements), (noise,), letters=rng.randrange(10**6)
    )
