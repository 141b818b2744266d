"""All units of a sweep done: taken from the store where they are there, else computed and put there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.process.time_limit import poll
from seqlang.source import Source
from seqlang.sweeps.executors.executor import Executor, Tell
from seqlang.sweeps.failures import of_plain
from seqlang.sweeps.store import Store
from seqlang.sweeps.unit import Unit

Plain = dict[str, Any]
_LOOK_AGAIN = 0.25  # seconds, while another process is at work on what is left


class Bug(RuntimeError):
    """An error of ours in a worker, with its place."""


def carry_out(
    units: Sequence[Unit], executor: Executor, store: Store | None, tell: Tell
) -> Iterator[tuple[int, Plain]]:
    """(number of the unit, `{"result": ..}` or `{"unsolved": ..}`) as they are known, each number once; equal units are
    computed once. Raises SpecError with the diagnostics of a unit that cannot be computed."""
    places: dict[str, list[int]] = {}
    for number, unit in enumerate(units):
        places.setdefault(unit.key, []).append(number)

    def everywhere(key: str, answer: Plain) -> Iterator[tuple[int, Plain]]:
        for number in places[key]:
            yield number, answer

    left = dict.fromkeys(places)
    while left:
        if store is not None:
            for key, answer in store.answers(tuple(left)).items():
                del left[key]
                yield from everywhere(key, answer)
        elsewhere: dict[str, None] = {}
        for number, answer in executor.answers(_taken_on(left, places, units, store, elsewhere), tell):
            unit = units[number]
            _refuse(unit, answer)
            if store is not None:
                store.finish(unit, answer)
            yield from everywhere(unit.key, answer)
            poll()
        poll()
        if elsewhere and len(elsewhere) == len(left):
            time.sleep(_LOOK_AGAIN)
        left = elsewhere


def _taken_on(
    left: dict[str, None],
    places: dict[str, list[int]],
    units: Sequence[Unit],
    store: Store | None,
    elsewhere: dict[str, None],
) -> Iterator[tuple[int, Plain]]:
    """The units that are ours to compute, each claimed when it is asked for; the others go into `elsewhere`, also one
    that somebody has finished since we looked."""
    for key in left:
        if store is not None and store.claim(key) != "mine":
            elsewhere[key] = None
            continue
        number = places[key][0]
        yield number, units[number].to_plain()


def _refuse(unit: Unit, answer: Plain) -> None:
    if "failed" in answer:
        note = f"in the cell {unit.title}"
        raise SpecError(tuple(of_plain(d, note) for d in answer["failed"]), Source(unit.name, unit.text))
    if "version" in answer:
        from seqlang.sweeps.executors.cluster import other_release

        raise other_release("a worker that came later", answer["version"])
    if "bug" in answer:
        raise Bug(f"{unit.title}: {answer['bug']}")
