"""Stops that end the run in one step anyway, and differ in a label that is flipped: one stop with a private label.

`stop when step >= n and s >= c return yes` followed by `stop when step >= n return no` shows which of them fired by the
label only. Where noise flips the label, the condition `s >= c` is not shown: the two are
`stop when step >= n return if s >= c then yes else no`.
"""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.lowering.contents import Reader
from seqlang.lowering.lower_condition import joined
from seqlang.model import expression as m
from seqlang.model import program as p
from seqlang.model.junctions import conjuncts
from seqlang.record import replace


def with_one_end(body: Sequence[p.Statement], reader: Reader) -> tuple[p.Statement, ...]:
    """The body in which such stops share the last one's condition, and only the last returns. Other statements, and
    their places, stay."""
    result = list(body)
    group: list[int] = []
    for index, statement in enumerate(body):
        if isinstance(statement, p.Stop):
            shown = statement.result
            if isinstance(shown, m.Noised) and shown.name == "return" and reader.is_flip(shown):
                group.append(index)
                _put_together(result, group, reader)
            else:
                group = []
        elif not isinstance(statement, p.Define | p.Cell):
            group = []
    return tuple(result)


def _put_together(body: list[p.Statement], group: list[int], reader: Reader) -> None:
    """If the last stop of the group takes what the ones before it leave."""
    stops = [stop for stop in (body[index] for index in group) if isinstance(stop, p.Stop)]
    last = stops[-1]
    shared = conjuncts(last.when)
    if len(stops) < 2 or not all(reader.contents(part).public for part in shared):
        return
    results = [stop.result for stop in stops]
    tests: list[m.Expression] = []
    for stop in stops[:-1]:
        own = conjuncts(stop.when)
        left = tuple(part for part in own if part not in shared)
        test = joined(left)
        if test is None or not all(part in own for part in shared) or not all(_is_plain(reader, part) for part in left):
            return
        tests.append(test)
    flips = [result for result in results if isinstance(result, m.Noised)]
    if len(flips) < len(results) or len({flip.terms for flip in flips}) > 1:
        return
    label = flips[-1].base
    for test, flip in zip(reversed(tests), reversed(flips[:-1]), strict=True):
        label = m.Choice(test, flip.base, label)
    for index, stop in zip(group[:-1], stops[:-1], strict=True):
        body[index] = replace(stop, when=last.when, result=None)
    body[group[-1]] = replace(last, result=replace(flips[-1], base=label))


def _is_plain(reader: Reader, test: m.Expression) -> bool:
    """Reads no noise and no hidden choice."""
    found = reader.contents(test)
    return not (found.noisy or found.celled or found.flips or found.choices or found.coins)
