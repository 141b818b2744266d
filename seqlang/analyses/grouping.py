"""Ways to cut the private gates of a program into groups that are proved one by one."""

from __future__ import annotations

from seqlang.connected import connected
from seqlang.model.program import CompareGate, Program, PublicGate, ReleaseGate
from seqlang.rules.alignment.events import not_made, shown_with
from seqlang.rules.reading.read_sets import gate_noises, gate_parts, noises_read

Group = tuple[str, ...]


def groupings(program: Program) -> tuple[tuple[Group, ...], ...]:
    """Partitions worth trying, the most promising first: comparisons together with what is released when they fire,
    comparisons together, and only those together that share noise (with what is released, too). Everything else stands
    alone."""
    gates = tuple(gate for gate in program.gates if not isinstance(gate, PublicGate))
    compares = tuple(gate.name for gate in gates if isinstance(gate, CompareGate))
    tied = tuple(
        g.name
        for g in gates
        if isinstance(g, ReleaseGate) and g.terms and {*shown_with(program, g), *not_made(g.guard)} & set(compares)
    )
    read = frozenset(z for gate in gates if gate.name in compares for z in gate_noises(gate))
    sharing = tuple(g.name for g in gates if isinstance(g, ReleaseGate) and gate_noises(g) & read)
    found: list[tuple[Group, ...]] = []
    for groups in (
        ((*compares, *tied),), (compares,), _connected(program, compares), _connected(program, (*compares, *sharing)),
    ):  # fmt: skip
        ordered = [_in_order(program, group) for group in groups if group]
        used = {name for group in ordered for name in group}
        left = tuple(gate.name for gate in gates if gate.name not in used)
        partition = (*ordered, *_in_file_order(program, _sharing(program, left)))
        if partition not in found:
            found.append(partition)
    return tuple(found)


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
