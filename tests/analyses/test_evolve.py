"""Streams improved at random: an audit finds what the patterns of the quick search do not."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice
from math import inf

import pytest

from seqlang.analyses.refute import lower_bound
from seqlang.analyses.witnesses.chances import Chances
from seqlang.analyses.witnesses.evolve import evolved, script_of
from seqlang.analyses.witnesses.neighbours import are_neighbours
from seqlang.analyses.witnesses.play import Leg, Pattern, play, replay
from seqlang.analyses.witnesses.scene import Scene
from seqlang.analyses.witnesses.search import Search, loss
from seqlang.driver import load, read


def scene(name: str, **settings: int) -> Scene:
    return Scene(load(read(name), {k: Fraction(v) for k, v in settings.items()}).program)


def test_a_script_is_replayed_as_it_was_played() -> None:
    made = scene("@tight/cusum")
    pattern = Pattern((Leg("hover", 0, 1, 4, 0, True), Leg("fire", 0, -2, 1)))
    played = play(made, pattern, 100)
    assert played is not None
    again = replay(made, pattern, script_of(played, made), 100)
    assert again is not None
    assert (again.first, again.second, again.length) == (played.first, played.second, played.length)


def test_streams_get_better_and_stay_neighbours() -> None:
    made = scene("@tight/window", lw=4)
    search = Search(Chances(made), loss, 60, inf, True)
    pattern = Pattern((Leg("rise", 0, inf, 2), Leg("hover", 0, 0, 3, 0, True)))
    played = play(made, pattern, 60)
    assert played is not None
    values = [search._value(played)]
    for better in islice(evolved(made, played, pattern, search._value, 60, inf, inf), 4):
        values.append(search._value(better))
        last = better
    assert len(values) == 5
    assert values == sorted(values)
    witness = search.witness_of(last, "")
    assert witness is not None
    assert witness.checked == "enclosed"
    assert are_neighbours(made.program, *witness.streams)
    assert abs(witness.loss - values[-1]) < 0.05


@pytest.mark.long
def test_an_audit_of_seconds_beats_the_quick_search() -> None:
    program = load(read("@tight/window"), {"lw": Fraction(4)}).program
    quick = lower_bound(program, enough=1.25)
    deep = lower_bound(program, enough=1.25, seconds=4.0)
    assert quick is not None
    assert deep is not None
    assert quick.loss + 0.02 < deep.loss <= 1.25
