"""A release, the same on a neighbour, and the same once more made to show what the first one did."""

from __future__ import annotations

import random
from pathlib import Path

from neighbours import Files
from recorder import Recording, recorded

from seqlang.driver import Loaded, load, read
from seqlang.record import record
from seqlang.release.rows import Form
from seqlang.release.twin.twin import twin_of

TABLE = Path(__file__).with_name("twins.md").read_text().splitlines()
RELEASED = [line.split(" | ")[0][2:] for line in TABLE if line.split(" | ")[1:2] in (["itself"], ["proved"])]
"""The specs of the library that are released, as they are or as their twins."""


def released(name: str) -> tuple[Loaded, Form]:
    found = twin_of(load(read(f"@{name}")))
    return found.loaded, Form(scales=found.scales)


@record
class Pair:
    """What was done on rows, on a neighbour, and on the neighbour with the decisions of the first; `alike`: both have
    one number of rows."""

    first: Recording
    second: Recording
    forced: Recording
    alike: bool


def replayed(made: Loaded, form: Form, seed: int, steps: int = 24) -> Pair:
    mine, other = Files(made.program, form, random.Random(seed)).pair(steps)
    first, second = recorded(made, form, mine, seed), recorded(made, form, other, seed)
    return Pair(first, second, recorded(made, form, other, seed, first.decisions), len(mine) == len(other))
