"""What a kernel does, between the program and its text: operations on named variables of one run.

`lower` makes a `Kernel` of a program; `scalar` prints it as a loop over runs, `lanes` as a loop over steps of several
runs abreast where every operation is `Code`, `Sample` or `Leave`.

Names: `k_0, k_1, ..` are constants of the program (they hold its parameters, so that another value of a parameter does
not make another kernel); `step` is the step number (int64, from 1); everything else is a variable of the run. Numbers
are float64, truth values bool, labels int64.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from seqlang.record import record

Kind = Literal["number", "truth", "label"]
Purpose = Literal["noise", "inputs"]
Sampler = Literal["uniform", "normal", "exponential", "laplace"]

ZERO: dict[Kind, str] = {"number": "0.0", "truth": "False", "label": "0"}
"""What a variable is whose value is not used."""


def indented(lines: Iterable[str]) -> list[str]:
    """The lines, one level deeper."""
    return [f"    {line}" for line in lines]


@record
class Variable:
    """A variable that lives from step to step (or to the end of the run): name, kind, and its value when a run starts,
    as a Python expression of constants."""

    name: str
    kind: Kind
    start: str


@record
class Code:
    """Straight-line Python: each line assigns a scalar expression (arithmetic, comparisons, `a if c else b`, calls of
    run-time functions without randomness) to one name. `reads` and `writes` are the names that occur; a name that is
    written here and is no `Variable` lives to the end of the step."""

    lines: tuple[str, ...]
    reads: tuple[str, ...]
    writes: tuple[tuple[str, Kind], ...]


@record
class Sample:
    """target = a standard variate: `uniform` on (0, 1), `normal` (mean 0, sd 1), `exponential` (mean 1), `laplace`
    (scale 1). `when` names a truth value: only where it holds a number is drawn, elsewhere the target is never used
    (None: always). It often holds rarely: a report was made. `below` names a constant of the program: the target is
    1 where the uniform variate is below it, and else 0; words can be compared without making a number of each."""

    target: str
    sampler: Sampler
    purpose: Purpose
    when: str | None = None
    below: str | None = None


@record
class Leave:
    """Where `when` (the name of a truth value) holds the run ends in this step: what is written down is as it is here.
    `code` is an expression for the number of the label that it returns (`"-1"`: none), `values` those of the numbers
    (empty: none). With `when` None it always ends here."""

    when: str | None
    code: str
    values: tuple[str, ...]


@record
class Block:
    """Anything else, as Python text of its own: vectors, loops, draws in one branch only. Only `scalar` prints it."""

    lines: tuple[str, ...]


Op = Code | Sample | Leave | Block


@record
class Recorded:
    """What is written down when a run ends: names of numbers, one for each row of the arrays `out_statistics` and
    `out_released` (NaN: never had a value; a vector takes a row a coordinate: `at`), and `reports`, names of counts.
    `values` is the number of rows of `out_values`."""

    statistics: tuple[Output, ...]
    released: tuple[Output, ...]
    reports: tuple[str, ...]
    values: int


@record
class Output:
    """`text` is an expression of a number; of a vector of `length` rows it reads the index `q` (None: a number)."""

    name: str
    text: str
    length: int | None


@record
class Kernel:
    """`start` is done before step 1 (noise that is drawn once), `step` in every step.

    `header` are lines done once a call: they name constants (`k_3 = k[3]`) and make buffers. `bad` is a variable of
    every kernel (int64, 0 at the start of a run): an operation that finds a value which is none sets it to the number
    of its place in the program; the run is given up after the operation, and the call with it.
    """

    header: tuple[str, ...]
    variables: tuple[Variable, ...]
    start: tuple[Op, ...]
    step: tuple[Op, ...]
    recorded: Recorded
