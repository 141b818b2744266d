"""Whatever a record of the model holds is read by all that ask what a value, a statement or a gate depends on.

The places are found from the annotations of the records: for every field that can hold an expression, on the way down
through tuples, terms, tests and laws, an instance is made with a marker there and fillers elsewhere. A new field makes
a new place, and each reader below must find the marker in it, or be excused by name and with a reason.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest

from seqlang.arithmetic.formula import ONE
from seqlang.lowering.contents import Reader
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.binding import free_variables
from seqlang.model.domain import Interval
from seqlang.model.gate_source import GateSource, OfStop, OfValue
from seqlang.model.life import EachStep, Life
from seqlang.model.program import expressions_read
from seqlang.model.validate import validate
from seqlang.record import record
from seqlang.rules.composition.concurrent import noises_of
from seqlang.rules.gates.exposure import touched
from seqlang.rules.reading import read_sets
from seqlang.rules.reading.ages import ages_of
from seqlang.rules.reading.signs import Signs
from seqlang.rules.reading.whole_numbers import reads_private
from seqlang.rules.sensitivity.facts.facts import Facts
from seqlang.rules.sensitivity.motion.entry import Entry
from seqlang.rules.sensitivity.motion.neighbours import Neighbours, neighbours_of
from seqlang.rules.sensitivity.motion.shift import Shift
from seqlang.rules.sensitivity.motion.shifts import shift_of
from seqlang.rules.sensitivity.totality import known_value, values
from seqlang.source import NOWHERE, Span

# ---- places


@record
class Place:
    """`path`: the fields on the way to the marker, for the names of tests."""

    path: str
    value: Any


NOUGHT = m.Number(Fraction(0))
NAMES = {"noise": "other", "operator": "max", "family": "laplace"}
"""What a text stands for, by the name of its field; all other names are `it`."""
LEAVES: dict[Any, Any] = {
    m.Expression: NOUGHT, m.Variable: m.Variable(7, "v"), Fraction: Fraction(0), int: 1, bool: False, Span: NOWHERE,
    p.Level: p.Level.PRIVATE, GateSource: OfStop(1), Life: EachStep(), type(None): None,
}  # fmt: skip
"""What holds no marker. The domain that a variable carries along is its binder's, where it is found."""
DEPTH = 4


def is_union(kind: Any) -> bool:
    return get_origin(kind) in (Union, types.UnionType)


def is_expression(kind: Any) -> bool:
    """`Expression`, or `Expression | None`, which is one flat union."""
    return set(get_args(m.Expression)) <= set(get_args(kind))


def filler(kind: Any, name: str = "") -> Any:
    """Some value of the annotated kind, which reads nothing."""
    if kind in LEAVES:
        return LEAVES[kind]
    if kind is str:
        return NAMES.get(name, "it")
    if get_origin(kind) is Literal:
        return get_args(kind)[0]
    if get_origin(kind) is tuple:
        inner = get_args(kind)
        return (filler(inner[0], name),) if inner[-1] is Ellipsis else tuple(filler(k, name) for k in inner)
    if is_union(kind):
        return None if type(None) in get_args(kind) else filler(get_args(kind)[0], name)
    return kind(**{name: filler(k, name) for name, k in get_type_hints(kind).items()})


def places(kind: Any, marker: Any, depth: int = DEPTH) -> Iterator[Place]:
    """Every way to put the marker into a value of the annotated kind, once."""
    if kind is m.Term if isinstance(marker, m.Term) else is_expression(kind):
        yield Place("", marker)
    elif kind in LEAVES or is_expression(kind) or kind is str or get_origin(kind) is Literal or depth == 0:
        return
    elif get_origin(kind) is tuple:
        inner = get_args(kind)
        kinds = inner[:1] if inner[-1] is Ellipsis else inner
        for i, one in enumerate(kinds):
            for found in places(one, marker, depth):
                others = [filler(k) for k in kinds]
                yield Place(found.path, (*others[:i], found.value, *others[i + 1 :]))
    elif is_union(kind):
        for one in get_args(kind):
            yield from places(one, marker, depth)
    else:
        yield from places_in(kind, marker, depth - 1)


def places_in(kind: Any, marker: Any, depth: int = DEPTH) -> Iterator[Place]:
    """The same for a class of records, field by field."""
    hints = get_type_hints(kind)
    for field, inner in hints.items():
        for found in places(inner, marker, depth):
            others = {n: filler(k, n) for n, k in hints.items() if n != field}
            yield Place(f"{kind.__name__}.{field} {found.path}".strip(), kind(**others, **{field: found.value}))


# ---- markers, and the program that they are read in

SECRET, OLD = m.Field("secret"), m.CellValue("old")
COIN, TERM, NOISED = m.Drawn("z"), m.Term("z", NOUGHT), m.Noised("n", NOUGHT, (m.Term("z", NOUGHT),))
FREE = m.Bound(m.Variable(99, "f"))
FAILS = m.Apply("sqrt", (m.Apply("-", (SECRET, m.Number(Fraction(1)))),))
UNKNOWN = m.Local("unknown")

LAPLACE = m.Law("laplace", (m.Number(Fraction(1)),))
PUBLIC_CELL = p.Cell("it", "sum", NOUGHT, None, p.AllSteps(), ((m.Variable(8, "k"), NOUGHT),), p.Level.PUBLIC)
OLD_CELL = p.Cell("old", "sum", SECRET, None, p.AllSteps(), (), p.Level.PRIVATE)


def program(*body: p.Statement, gates: tuple[p.Gate, ...] = ()) -> p.Program:
    noises = tuple(p.Noise(name, LAPLACE, EachStep(), None) for name in ("z", "other"))
    inputs = (p.Input("secret", Interval(NOUGHT, m.Number(Fraction(1))), "stream"),)
    adjacency = p.Replace(m.Number(Fraction(1)))
    body = (OLD_CELL, *body)
    return p.Program("test", "", "", (), inputs, None, adjacency, (), (), noises, body, gates, (), ())


READ_BY: dict[type, m.Expression] = {
    p.Define: m.Local("it"), p.Cell: m.CellValue("it", (NOUGHT,)), p.Draw: m.Drawn("it"),
}  # fmt: skip
"""How the value of a statement is read."""


def values_with(marker: Any) -> Iterator[tuple[str, m.Expression, p.Program]]:
    """Every expression with the marker in one place, and every name for a statement with the marker in one place."""
    for kind in get_args(m.Expression):
        for place in places_in(kind, marker):
            yield place.path, place.value, program(PUBLIC_CELL)
    for kind, read in READ_BY.items():
        for place in places_in(kind, marker):
            yield place.path, read, program(place.value)


def gates_with(marker: Any) -> Iterator[tuple[str, p.Gate]]:
    for kind in get_args(p.Gate):
        for place in places_in(kind, marker):
            yield place.path, place.value


# ---- readers: the marker, and whether it is found


def entry_of(facts: Facts) -> Entry:
    near = neighbours_of(facts)
    assert isinstance(near, Neighbours)
    return Entry(facts, near)


def contents(e: m.Expression, within: p.Program) -> bool:
    reader = Reader({i.name: i for i in within.inputs}, {n.name: n for n in within.noises}, False)
    for index, statement in enumerate(within.body):
        match statement:
            case p.Define(name=name):
                reader.defines[name] = (index, statement)
            case p.Cell(name=name):
                reader.cells[name] = statement
            case p.Draw(name=name):
                reader.draws[name] = statement
    reader.integrate_out(within.body)
    return not reader.contents(e).public


def touched_for_ever(e: m.Expression, within: p.Program) -> bool:
    gate = p.ReleaseGate(OfValue("it"), None, e, (), None)
    return touched(within, gate, (e,), Shift("arbitrary", ONE), Signs({})).is_infinite


def moves_in_facts(e: m.Expression, within: p.Program) -> bool:
    facts = Facts(within)
    return entry_of(facts).moves(facts.expand(e))


def fails(e: m.Expression, within: p.Program) -> bool:
    return bool(values.lack_of_value(within, e))


OfValues = Callable[[m.Expression, p.Program], bool]
READERS: dict[str, tuple[Any, OfValues]] = {
    "read_sets.expressions_read": (SECRET, lambda e, w: SECRET in expressions_read(w, (e,))),
    "read_sets.cells_read": (OLD, lambda e, w: OLD_CELL in read_sets.cells_read(w, (e,))),
    "read_sets.noises_read, of a coin": (COIN, lambda e, w: "z" in read_sets.noises_read(w, (e,))),
    "read_sets.noises_read, of a noisy name": (NOISED, lambda e, w: "z" in read_sets.noises_read(w, (e,))),
    "read_sets.noises_read, of a term": (TERM, lambda e, w: "z" in read_sets.noises_read(w, (e,))),
    "whole_numbers.reads_private": (SECRET, lambda e, w: reads_private(w, e)),
    "Facts.leaves": (SECRET, lambda e, w: SECRET in Facts(w).leaves(e)),
    "Facts.is_private": (OLD, lambda e, w: Facts(w).is_private(e)),
    "Facts.noises_inside, of a coin": (COIN, lambda e, w: "z" in Facts(w).noises_inside(e)),
    "Facts.noises_inside, of a term": (TERM, lambda e, w: "z" in Facts(w).noises_inside(e)),
    "Entry.moves": (SECRET, moves_in_facts),
    "Entry.moves, of a cell": (OLD, moves_in_facts),
    "Entry.is_local": (OLD, lambda e, w: not entry_of(Facts(w)).is_local(Facts(w).expand(e))),
    "shift_of": (SECRET, lambda e, w: shift_of(w, e).kind != "none"),
    "known_value.moves": (SECRET, lambda e, w: known_value.moves(known_value.Place(Facts(w)), Facts(w).inlined(e))),
    "values.lack_of_value": (FAILS, fails),
    "ages_of": (SECRET, lambda e, w: ages_of(w, e, Signs({})) is not None),
    "ages_of, of old entries": (OLD, lambda e, w: (a := ages_of(w, e, Signs({}))) is not None and a.oldest.is_infinite),
    "exposure.touched": (OLD, touched_for_ever),
    "contents": (SECRET, contents),
    "contents, of a coin": (COIN, contents),
}
CONSTANT = "a constant in every program that is elaborated, the same for neighbours"
EXCUSED: dict[str, dict[str, str]] = {
    "values.lack_of_value": {"Cell.binders": CONSTANT},
}
"""For a reader, the places where it does not look, each with the reason."""


@pytest.mark.parametrize("reader", READERS)
def test_a_value(reader: str) -> None:
    marker, finds = READERS[reader]
    missed = [path for path, e, within in values_with(marker) if not finds(e, within)]
    assert missed == list(EXCUSED.get(reader, {}))


@pytest.mark.parametrize("kind", get_args(m.Expression))
def test_the_walks_of_expressions(kind: Any) -> None:
    for place in places_in(kind, SECRET):
        assert SECRET in m.walk(place.value), place.path
        changed = m.rebuild(place.value, lambda child: m.Label("changed") if child == SECRET else child)
        assert SECRET not in m.walk(changed)
        assert m.Label("changed") in m.walk(changed)
    for place in places_in(kind, FREE):
        assert FREE.variable in free_variables(place.value), place.path


OfGates = Callable[[p.Gate, p.Program], bool]


def parts_hold(gate: p.Gate, within: p.Program) -> bool:
    plain, public = read_sets.gate_parts(gate)
    return SECRET in expressions_read(within, (*plain, *public))


GATE_READERS: dict[str, tuple[Any, OfGates]] = {
    "read_sets.gate_parts": (SECRET, parts_hold),
    "read_sets.gate_noises": (TERM, lambda g, w: "z" in read_sets.gate_noises(g)),
    "concurrent.noises_of, of a coin": (COIN, lambda g, w: "z" in noises_of(w, g)),
    "concurrent.noises_of, of a noisy name": (NOISED, lambda g, w: "z" in noises_of(w, g)),
    "concurrent.noises_of, of a term": (TERM, lambda g, w: "z" in noises_of(w, g)),
    "read_sets.shared_noise, of a coin": (COIN, lambda g, w: read_sets.shared_noise(w, (), frozenset("z")) is not None),
    "read_sets.shared_noise, of a term": (TERM, lambda g, w: read_sets.shared_noise(w, (), frozenset("z")) is not None),
    "validate": (UNKNOWN, lambda g, w: any("unknown before" in problem for problem in validate(w))),
}
PAID = "a public gate has no bound and is no part of a composition: what it reads is asked of it by `shared_noise`"
EXCUSED_GATES: dict[str, dict[str, str]] = {
    "concurrent.noises_of, of a coin": {"PublicGate.expression": PAID},
    "concurrent.noises_of, of a noisy name": {"PublicGate.expression": PAID},
}


@pytest.mark.parametrize("reader", GATE_READERS)
def test_a_gate(reader: str) -> None:
    marker, finds = GATE_READERS[reader]
    missed = [path for path, gate in gates_with(marker) if not finds(gate, program(gates=(gate,)))]
    assert missed == list(EXCUSED_GATES.get(reader, {}))
