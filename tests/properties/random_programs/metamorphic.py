"""Changes of a program that change nothing that is proved, and changes that can only make it more private."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from random_programs.syntax import BINDERS, E, Field, Noise, Program, Statement, changed, free, name, num, op

Change = Callable[[Program, random.Random], Program | None]
"""None: it does not apply."""

POOL = ("i", "j", "k", "n", "a", "s0", "zz", "total", "q")


def other_letters(program: Program, rng: random.Random) -> Program:
    """Every binder may get another letter."""
    return replace(program, letters=rng.randrange(10**6))


def renamed(program: Program, rng: random.Random) -> Program:
    """Statistics, parameters, memories, reports, functions and fields get other names, also binders' letters."""
    own = [
        *(f.name for f in (*program.fields, *program.public)),
        *(n for n, _ in (*program.parameters, *program.memories)),
        *(s.name for s in program.statements if s.name and s.kind != "update"),
        *(f.name for f in program.functions),
        *(n.name for n in program.noises if n.name),
    ]
    own = list(dict.fromkeys(own))
    pool = [n for n in (*POOL, *(f"g{i}" for i in range(len(own)))) if n not in own]
    rng.shuffle(pool)
    names = dict(
        zip(
            own,
            [rng.choice([pool.pop(), pool.pop()]) if len(pool) > len(own) + 2 else f"h{i}" for i in range(len(own))],
            strict=True,
        )
    )
    return with_names(program, names)


def with_names(program: Program, names: dict[str, str]) -> Program:
    new = lambda n: names.get(n, n)  # noqa: E731

    def f(e: E) -> E:
        parts = tuple(map(f, e.parts))
        if e.kind in ("name", "apply"):
            return E(e.kind, parts, (new(e.data[0]),))
        if e.kind == "recall":
            return E(e.kind, parts, (new(e.data[0]),))
        if e.kind == "time" and e.data[1] in ("since", "history"):
            return E(e.kind, parts, (*e.data[:2], new(e.data[2])))
        return e.with_parts(parts)

    program = changed(program, f)
    fields = lambda fs: tuple(replace(g, name=new(g.name)) for g in fs)  # noqa: E731
    life = lambda t: " ".join(["each", new(t.split()[1])]) if t.startswith("each ") and t != "each step" else t  # noqa: E731
    adjacency = program.adjacency
    if adjacency[0] in ("one", "every"):
        adjacency = (adjacency[0], new(adjacency[1]), *adjacency[2:])
    return replace(
        program,
        fields=fields(program.fields),
        public=fields(program.public),
        adjacency=adjacency,
        statements=tuple(replace(s, name=new(s.name)) for s in program.statements),
        functions=tuple(replace(g, name=new(g.name)) for g in program.functions),
        parameters=tuple((new(n), v) for n, v in program.parameters),
        memories=tuple((new(n), v) for n, v in program.memories),
        noises=tuple(
            replace(n, name=new(n.name), targets=tuple(map(new, n.targets)), life=life(n.life)) for n in program.noises
        ),
    )


def exchanged(program: Program, rng: random.Random) -> Program | None:
    """Two neighbouring statements of which neither reads what the other defines."""
    places = [i for i in range(len(program.statements) - 1) if _independent(*program.statements[i : i + 2])]
    if not places:
        return None
    i = rng.choice(places)
    s = program.statements
    return replace(program, statements=(*s[:i], s[i + 1], s[i], *s[i + 2 :]))


def _independent(a: Statement, b: Statement) -> bool:
    seen = ("report", "stop")
    if a.kind in seen and b.kind in seen:
        return False
    if "stop" in (a.kind, b.kind) and "statistic" not in (a.kind, b.kind):
        return False
    return a.name not in _reads(b) and b.name not in _reads(a) and {a.kind, b.kind} != {"update"}


def _reads(s: Statement) -> frozenset[str]:
    return frozenset().union(*(free(e)[1] for e in (s.value, s.when) if e is not None))


def in_line(program: Program, rng: random.Random) -> Program | None:
    """A statistic's expression in place of its name, where it has no noise and no memory moves in between."""
    noisy = {t for n in program.noises for t in n.targets}
    moved = {s.name for s in program.statements if s.kind == "update"}
    places = [
        i
        for i, s in enumerate(program.statements)
        if s.kind == "statistic"
        and s.name not in noisy
        and s.value is not None
        and not (free(s.value)[1] & moved)
        and s.name not in free(s.value)[1]
        and not (program.functions and _lasting(s.value))
    ]
    if not places:
        return None
    i = rng.choice(places)
    s = program.statements[i]
    value = s.value
    assert value is not None
    f = lambda e: value if e.kind == "name" and e.data[0] == s.name else e.with_parts(tuple(map(f, e.parts)))  # noqa: E731
    return changed(replace(program, statements=program.statements[:i] + program.statements[i + 1 :]), f)


def _lasting(e: E) -> bool:
    return e.kind in ("time", "previous", "recall") or any(map(_lasting, e.parts))


def named(program: Program, rng: random.Random) -> Program | None:
    """A closed part of a statistic gets a name."""
    noisy = {t for n in program.noises for t in n.targets}
    for i in rng.sample(range(len(program.statements)), len(program.statements)):
        s = program.statements[i]
        if s.kind not in ("statistic", "report") or s.value is None:
            continue
        parts = [
            e
            for e in _parts(s.value)
            if e is not s.value
            and not free(e)[0]
            and not (free(e)[1] & (noisy | {s.name}))
            and e.kind in ("op", "fold", "call", "time", "if")
            and not _truth(e)
        ]
        if not parts:
            continue
        part = rng.choice(parts)
        f = lambda e: name("part") if e is part else e.with_parts(tuple(map(f, e.parts)))  # noqa: E731, B023
        statements = (
            *program.statements[:i],
            Statement("statistic", "part", part),
            replace(s, value=f(s.value)),
            *program.statements[i + 1 :],
        )
        return replace(program, statements=statements)
    return None


def _parts(e: E) -> Iterator[E]:
    yield e
    for i, p in enumerate(e.parts):
        if not (e.kind in BINDERS and i == 1):
            yield from _parts(p)


def _truth(e: E) -> bool:
    return (e.kind == "op" and e.data[0] in (">=", "<=", "==", "!=", ">", "<", "and", "or")) or (
        e.kind == "call" and e.data[0] == "not"
    )


def two_stops(program: Program, rng: random.Random) -> Program | None:
    """`stop when A or B return r` as two stops."""
    for i, s in enumerate(program.statements):
        if s.kind == "stop" and s.when is not None and s.when.kind == "op" and s.when.data == ("or",):
            two = tuple(replace(s, when=part) for part in s.when.parts)
            return replace(program, statements=(*program.statements[:i], *two, *program.statements[i + 1 :]))
    return None


def unread(program: Program, rng: random.Random) -> Program:
    """A parameter and a statistic that nothing reads."""
    field = program.fields[0].name
    value = E("fold", (num(1.0), E("range", (num(1.0), num(3.0)))), ("sum", 900))
    more = Statement("statistic", "unread", op("+", value, num(2.0)) if rng.random() < 0.5 else name(field))
    place = rng.randrange(len(program.statements) + 1)
    statements = (*program.statements[:place], more, *program.statements[place:])
    return replace(program, parameters=(*program.parameters, ("P", 3.0)), statements=statements)


def other_unit(program: Program, rng: random.Random) -> Program | None:
    """The first field is written in halves of its unit: its domain is doubled, and it is halved where it is read."""
    first = program.fields[0]
    wide = {"[0, 1]": "[0, 2]", "[-1, 1]": "[-2, 2]", "{0, 1}": "{0, 2}", "{-1, 1}": "{-2, 2}", "real": "real"}
    if first.domain not in wide or _folded_whole(program, first.name):
        return None

    def f(e: E) -> E:
        if e.kind == "index" and e.parts[0].kind == "name" and e.parts[0].data[0] == first.name:
            return op("/", e.with_parts((e.parts[0], f(e.parts[1]))), num(2.0))
        if e.kind == "name" and e.data[0] == first.name:
            return op("/", e, num(2.0))
        return e.with_parts(tuple(map(f, e.parts)))

    adjacency = program.adjacency
    if adjacency[0] in ("one", "every"):
        adjacency = (*adjacency[:2], 2 * adjacency[2], adjacency[3])
    field = Field(first.name, wide[first.domain], tuple(2 * v for v in first.values))
    return replace(changed(program, f), fields=(field, *program.fields[1:]), adjacency=adjacency)


SAME: dict[str, Change] = {
    "other letters": other_letters,
    "other names": renamed,
    "statements exchanged": exchanged,
    "in line": in_line,
    "a part named": named,
    "two stops": two_stops,
    "something unread": unread,
    "another unit": other_unit,
}


def _folded_whole(program: Program, field: str) -> bool:
    """Whether all of a field is folded at once, as in max(x)."""
    return any(
        e.kind == "call" and e.parts and e.parts[0].kind == "name" and e.parts[0].data[0] == field
        for top in program.expressions()
        for e in _parts(top)
    )


# ---- more private


def doubled(program: Program, rng: random.Random) -> Program | None:
    """Twice the noise: Laplace and Gaussian scales; the square root of a geometric ratio."""
    if not program.noises or any(n.law[0] not in ("laplace", "gaussian", "geometric") for n in program.noises):
        return None
    law = lambda n: (n.law[0], n.law[1] ** 0.5 if n.law[0] == "geometric" else 2 * n.law[1])  # noqa: E731
    return replace(program, noises=tuple(replace(n, law=law(n)) for n in program.noises))


def narrowed(program: Program, rng: random.Random) -> Program | None:
    """Fewer neighbours."""
    match program.adjacency:
        case (("replace" | "add or remove") as kind, count) if count > 1:
            return replace(program, adjacency=(kind, 1))
        case ("every", of, radius, same):
            return replace(program, adjacency=("one", of, radius, same))
        case ("one", of, radius, same):
            return replace(program, adjacency=("one", of, radius / 2, same))
    return None


def one_report_less(program: Program, rng: random.Random) -> Program | None:
    """A report that nothing reads is dropped."""
    read = frozenset().union(*(_reads(s) for s in program.statements)) | {
        n.life.split()[1] for n in program.noises if n.life.startswith("each ")
    }
    places = [i for i, s in enumerate(program.statements) if s.kind == "report" and s.name not in read]
    if not places:
        return None
    i = rng.choice(places)
    gone = program.statements[i].name
    noises = tuple(n for n in (_without(n, gone) for n in program.noises) if n is not None)
    return replace(program, statements=program.statements[:i] + program.statements[i + 1 :], noises=noises)


def _without(noise: Noise, target: str) -> Noise | None:
    if target not in noise.targets:
        return noise
    kept = [
        (t, f) for t, f in zip(noise.targets, noise.factors or (1,) * len(noise.targets), strict=True) if t != target
    ]
    return replace(noise, targets=tuple(t for t, _ in kept), factors=tuple(f for _, f in kept)) if kept else None


def less_returned(program: Program, rng: random.Random) -> Program | None:
    """What a stop returns is clipped: a function of what was returned before."""
    noisy = {t for n in program.noises for t in n.targets if n.law[0] != "l2_laplace"}
    lists: set[str] = set()
    for s in program.statements:
        if s.value is not None and (
            s.value.kind in ("list", "listfor") or (s.value.data[:1] and s.value.data[0] in lists)
        ):
            lists.add(s.name)
    for i, s in enumerate(program.statements):
        if s.kind == "stop" and s.value is not None and s.value.kind == "name" and s.value.data[0] in noisy - lists:
            value = E("call", (s.value, num(0.0), num(1.0)), ("clip",))
            return replace(
                program, statements=(*program.statements[:i], replace(s, value=value), *program.statements[i + 1 :])
            )
    return None


def shorter(program: Program, rng: random.Random) -> Program | None:
    """One step less."""
    if program.steps < 2:
        return None

    def f(e: E) -> E:
        if (
            e.kind == "op"
            and e.data == (">=",)
            and e.parts[0].kind == "step"
            and e.parts[1].kind == "num"
            and e.parts[1].data[0] == program.steps
        ):
            return op(">=", e.parts[0], num(program.steps - 1.0))
        return e.with_parts(tuple(map(f, e.parts)))

    statements = tuple(
        replace(s, when=f(s.when)) if s.kind == "stop" and s.when is not None else s for s in program.statements
    )
    return replace(program, statements=statements, steps=program.steps - 1)


LESS: dict[str, Change] = {
    "noise doubled": doubled,
    "adjacency narrowed": narrowed,
    "a report less": one_report_less,
    "the return clipped": less_returned,
    "a step less": shorter,
}
