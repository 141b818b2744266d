"""Ways to cut the private gates of a program into groups that are proved one by one."""

from __future__ import annotations

from seqlang.model.program import CompareGate, Program, PublicGate, ReleaseGate
from seqlang.rules.alignment.layout import shown_with
from seqlang.rules.alignment.reach import gate_noises, gate_parts, reached_draws

Group = tuple[str, ...]


def groupings(program: Program) -> tuple[tuple[Group, ...], ...]:
    """Partitions worth trying, the most promising first: comparisons together with what is released when they fire,
    comparisons together, and only those together that share noise. Everything else stands alone."""
    gates = tuple(gate for gate in program.gates if not isinstance(gate, PublicGate))
    compares = tuple(gate.name for gate in gates if isinstance(gate, CompareGate))
    tied = tuple(
        g.name for g in gates if isinstance(g, ReleaseGate) and g.terms and set(shown_with(program, g)) & set(compares)
    )
    found: list[tuple[Group, ...]] = []
    for groups in (((*compares, *tied),), (compares,), _connected(program, compares)):
        ordered = [_in_order(program, group) for group in groups if group]
        used = {name for group in ordered for name in group}
        partition = (*ordered, *((gate.name,) for gate in gates if gate.name not in used))
        if partition not in found:
            found.append(partition)
    return tuple(found)


def _connected(program: Program, names: Group) -> tuple[Group, ...]:
    """The classes of gates that share noise, directly or through others."""
    reads = {gate.name: gate_noises(gate) | reached_draws(program, gate_parts(gate)[0]) for gate in program.gates}
    classes: list[set[str]] = []
    for name in names:
        touching = [c for c in classes if any(reads[name] & reads[other] for other in c)]
        classes = [c for c in classes if c not in touching] + [{name}.union(*touching)]
    return tuple(tuple(sorted(c)) for c in classes)


def _in_order(program: Program, group: Group) -> Group:
    return tuple(gate.name for gate in program.gates if gate.name in group)
