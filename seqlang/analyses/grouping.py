"""Ways to cut the private gates of a program into groups that are proved one by one."""

from __future__ import annotations

from seqlang.model.connected import connected
from seqlang.model.gate_source import OfNoise
from seqlang.model.margins import margins
from seqlang.model.program import CompareGate, Gate, OpaqueGate, Program, PublicGate, ReleaseGate, expressions_in
from seqlang.rules.alignment.events import not_made, shown_with
from seqlang.rules.reading.read_sets import gate_noises, gate_parts, noises_read
from seqlang.rules.reading.whole_numbers import reads_private

Group = tuple[str, ...]


def groupings(program: Program) -> tuple[tuple[Group, ...], ...]:
    """Partitions worth trying, the most promising first: comparisons together with what is released when they fire,
    comparisons together, and only those together that share noise (with what is released, too); comparisons with noisy
    values that are kept, together with these; comparisons with all that is released when they fire, also plainly.
    Everything else stands alone; at last all releases with noises of their own together."""
    gates = tuple(gate for gate in program.gates if not isinstance(gate, PublicGate))
    compares = tuple(gate.name for gate in gates if isinstance(gate, CompareGate))
    beside = [
        g for g in gates if isinstance(g, ReleaseGate) and {*shown_with(program, g), *not_made(g.guard)} & set(compares)
    ]
    tied, plain = (tuple(g.name for g in beside if bool(g.terms) == noisy) for noisy in (True, False))
    read = frozenset(z for gate in gates if gate.name in compares for z in gate_noises(gate))
    sharing = tuple(g.name for g in gates if isinstance(g, ReleaseGate) and gate_noises(g) & read)
    kept = _kept(program)
    found: list[tuple[Group, ...]] = []
    first = (((*kept, *compares, *tied),),) if kept else ()
    last = (((*compares, *tied, *plain),),) if plain else ()
    for groups in (
        *first, ((*compares, *tied),), (compares,), _connected(program, compares),
        _connected(program, (*compares, *sharing)), *last,
    ):  # fmt: skip
        ordered = [_in_order(program, group) for group in groups if group]
        used = {name for group in ordered for name in group}
        left = tuple(gate.name for gate in gates if gate.name not in used)
        partition = (*ordered, *_in_file_order(program, _sharing(program, left)))
        if partition not in found:
            found.append(partition)
    alone = _without_data(program, gates)
    if alone:
        own = {name for group in alone for name in group}
        rest = (tuple(name for name in group if name not in own) for group in found[0])
        found.append(_in_file_order(program, (*alone, *(group for group in rest if group))))
    together = _releases_together(program, found[0])
    return (*found, together) if together not in found else tuple(found)


def _releases_together(program: Program, partition: tuple[Group, ...]) -> tuple[Group, ...]:
    """The same with one group of the releases that stand alone: one entry moves all of them by what it adds."""
    noisy = {g.name for g in program.gates if isinstance(g, ReleaseGate) and g.terms}
    alone = tuple(group for group in partition if len(group) == 1 and group[0] in noisy)
    if len(alone) < 2:
        return partition
    joined = tuple(name for group in alone for name in group)
    return _in_file_order(program, (*(group for group in partition if group not in alone), joined))


def _without_data(program: Program, gates: tuple[Gate, ...]) -> tuple[Group, ...]:
    """The classes of gates that share noise and of which none reads data."""
    read = {gate.name: tuple(expressions_in(gate)) for gate in gates}
    noises = {gate.name: gate_noises(gate) | noises_read(program, read[gate.name]) for gate in gates}
    public = {name for name, parts in read.items() if not any(reads_private(program, e) for e in parts)}
    classes = connected((name, noises[name]) for name in noises)
    return tuple(_in_order(program, tuple(group)) for group, _ in classes if set(group) <= public)


def _kept(program: Program) -> Group:
    """Comparisons with noisy values that are kept, and these noisy values."""
    tests = {g.name: tuple(margins(g.test)) for g in program.gates if isinstance(g, OpaqueGate) and g.test is not None}
    read = noises_read(program, (margin.value for found in tests.values() for margin in found))
    hidden = (g for g in program.gates if isinstance(g, ReleaseGate) and isinstance(g.source, OfNoise))
    return (*tests, *(g.name for g in hidden if gate_noises(g) & read))


def _sharing(program: Program, names: Group) -> tuple[Group, ...]:
    """Classes of gates that show or choose by the same noise; what reads it inside its value stays alone."""
    terms = {gate.name: gate_noises(gate) for gate in program.gates}
    return tuple(_in_order(program, tuple(group)) for group, _ in connected((name, terms[name]) for name in names))


def _in_file_order(program: Program, groups: tuple[Group, ...]) -> tuple[Group, ...]:
    order = {gate.name: place for place, gate in enumerate(program.gates)}
    return tuple(sorted(groups, key=lambda group: order[group[0]]))


def _connected(program: Program, names: Group) -> tuple[Group, ...]:
    """The classes of gates that share noise, directly or through others."""
    reads = {gate.name: gate_noises(gate) | noises_read(program, gate_parts(gate)[0]) for gate in program.gates}
    return tuple(tuple(sorted(group)) for group, _ in connected((name, reads[name]) for name in names))


def _in_order(program: Program, group: Group) -> Group:
    return tuple(gate.name for gate in program.gates if gate.name in group)
