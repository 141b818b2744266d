"""Neighbouring inputs to compare: those of the witness search where it can follow the program, and plain ones."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from typing import Any

from seqlang.analyses.witnesses.confirm import inside
from seqlang.analyses.witnesses.datasets import data_pairs
from seqlang.analyses.witnesses.domains import Domains, tidy
from seqlang.analyses.witnesses.moving import measured_move, moved_vector, moved_within
from seqlang.analyses.witnesses.neighbours import are_neighbours, entry_of, fields_of
from seqlang.analyses.witnesses.play import play
from seqlang.analyses.witnesses.scene import Scene
from seqlang.analyses.witnesses.search import stream_of
from seqlang.analyses.witnesses.seeds import seeds
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.domain import Interval
from seqlang.model.expression import Field
from seqlang.model.program import Program, Within
from seqlang.proof.entry import Entry

Stream = tuple[Entry, ...]
MOST_VALUES = 4
"""Values of each field that entries are built from."""
MOST_SEEDS = 40
"""Patterns of the witness search that are taken over as pairs."""


def pairs(program: Program, length: int, most: int) -> list[tuple[Stream, Stream]]:
    """At most `most` different pairs of neighbours, streams of `length` entries (datasets of their own size)."""
    found: list[tuple[Stream, Stream]] = []
    for first, second in _proposals(program, length):
        if len(found) >= most:
            break
        known = (first, second) in found or (second, first) in found
        if not known and first != second and _valid(program, first, second):
            found.append((first, second))
    return found


def _valid(program: Program, first: Stream, second: Stream) -> bool:
    try:
        return inside(program, first) and inside(program, second) and are_neighbours(program, first, second)
    except (EvaluationError, ArithmeticError, ValueError, TypeError):
        return False


def _proposals(program: Program, length: int) -> Iterator[tuple[Stream, Stream]]:
    """Plain and aimed ones in turn."""
    plain, aimed = _plain(program, length), _aimed(program, length)
    while True:
        some = [*islice(plain, 2), *islice(aimed, 1)]
        if not some:
            return
        yield from some


def _aimed(program: Program, length: int) -> Iterator[tuple[Stream, Stream]]:
    """What the search for exact witnesses starts from; the last entry is repeated up to the length."""
    try:
        scene = Scene(program)
        patterns = seeds(scene, False)[:MOST_SEEDS]
    except Unsupported:
        return
    for pattern in patterns:
        with suppress(Unsupported, IndexError):
            data = data_pairs(scene)[pattern.data] if not scene.streams and scene.datasets else None
            played = play(scene, pattern, length, data)
            if played is not None:
                first, second = stream_of(scene, played.first), stream_of(scene, played.second)
                missing = length - len(first) if scene.streams else 0
                yield first + first[-1:] * missing, second + first[-1:] * missing


def _plain(program: Program, length: int) -> Iterator[tuple[Stream, Stream]]:
    """Constant inputs of which one entry, or every entry, is changed."""
    machine = Machine(program, NoNoise())
    domains = Domains(lambda expression: machine.compiler.constant(expression))
    changing = [i for i in program.inputs if i.kind != "public"]
    dataset = any(i.kind == "dataset" for i in changing)
    size = len(machine.records) if dataset else length
    rows: list[dict[str, Any]] = [{i.name: domains.public(i) for i in program.inputs if i.kind == "public"}]
    for source in changing:
        rows = [{**row, source.name: v} for row in rows for v in domains.values(source)[:MOST_VALUES]]
    for row in rows[: MOST_VALUES * 2]:
        for other in _moved(program, machine, domains, row) or rows:
            if other == row:
                continue
            base, new = (entry_of(r, fields_of(program)) for r in (row, other))
            yield (new, *(base,) * (size - 1)), (base,) * size
            if not dataset and length > 2:
                yield (base,) * (length // 2) + (new,) + (base,) * (length - length // 2 - 1), (base,) * size
            if isinstance(program.adjacency, Within) and program.adjacency.extent == "every":
                yield (new,) * size, (base,) * size
                half = size // 2
                yield (new,) * half + (base,) * (size - half), (base,) * half + (new,) * (size - half)


def _moved(program: Program, machine: Machine, domains: Domains, row: dict[str, Any]) -> list[dict[str, Any]]:
    """The row with one number or vector moved by the adjacency's radius, both ways; none where any change is
    allowed."""
    if not isinstance(program.adjacency, Within):
        return []
    adjacency = program.adjacency
    of, radius = adjacency.of, machine.compiler.constant(adjacency.radius)
    found: list[dict[str, Any]] = []
    for source in program.inputs:
        if of == Field(source.name) and isinstance(row[source.name], tuple):
            nearest = CheckedDomain(machine.compiler, source.domain).nearest
            for sign, each in ((1, True), (-1, True), (1, False), (-1, False)):
                old, norm = row[source.name], adjacency.norm
                found.append({**row, source.name: moved_vector(old, sign, norm, float(radius), each, nearest)})
        if source.kind != "public" and isinstance(source.domain, Interval):
            low, high = domains.range(source.domain)

            def change(x: float, name: str = source.name) -> float:
                values = []
                for value in (row[name], x):
                    machine.fields = {**row, name: value}
                    values.append(machine.value(of))
                before, after = values
                return measured_move(before, after, adjacency)

            with suppress(EvaluationError, TypeError):
                for sign in (1, -1):
                    new = moved_within(row[source.name], sign, low, high, float(radius), change)
                    found.append({**row, source.name: tidy(new)})
    return found
