"""Core programs: what the kernel knows of an algorithm. Names are numbers; parameters are the values they were given.

One step runs `body` from the top to the bottom, as the interpreter does. Everything that is not in this file, such as
names, titles, models and claims on error rates, is nothing to the kernel.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Kind = Literal["input", "let", "cell", "memory", "report", "draw", "pick", "row", "ghost"]

# ---- expressions


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool


@dataclass(frozen=True, slots=True)
class Tag:
    """A word that stands for itself, such as `reject` in `return reject`."""

    word: str


@dataclass(frozen=True, slots=True)
class Step:
    """The number of the step: 1, 2, .."""


@dataclass(frozen=True, slots=True)
class Read:
    """The value of something numbered:
    `input` this step's entry, `row` a number of the data set, `let` a value that this step has computed, `cell` and
    `memory` what they hold at this place of the body, `report` what this step has reported above, `draw` a draw, `pick`
    what was picked above. Only proofs have ghosts and runs, see `proof.py`."""

    kind: Kind
    index: int
    run: Literal[0, 1, 2] = 0


@dataclass(frozen=True, slots=True)
class Op:
    """A function or a comparison; `values.py` has them all. `total` adds its argument up over all rows of the data set.
    `list` is what a report or a stop shows if it shows several numbers."""

    name: str
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choose:
    """`yes` where the test holds, else `no`."""

    test: Expression
    yes: Expression
    no: Expression


Expression = Number | Truth | Tag | Step | Read | Op | Choose

# ---- declarations


@dataclass(frozen=True, slots=True)
class Letters:
    """Finitely many numbers."""

    values: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from `low` to `high`; None: without an end. `whole`: whole numbers only."""

    low: Fraction | None
    high: Fraction | None
    whole: bool


@dataclass(frozen=True, slots=True)
class Input:
    """A field of each step's entry. `public`: known to everyone, and equal for neighbours."""

    domain: Letters | Range
    public: bool


@dataclass(frozen=True, slots=True)
class Rows:
    """A data set, which is the same in every step. `fields`: of each row. Rows are read by totals, in which
    `Read("row", f)` is field f; or, with `listed`, one by one: field f of row k is `Read("row", k * len(fields) + f)`.
    `size`: how many rows there are; None if this is not known to everyone."""

    fields: tuple[Letters | Range, ...]
    size: int | None
    listed: bool


@dataclass(frozen=True, slots=True)
class Replace:
    """Neighbours have as many entries (rows, if there is a data set), and differ in at most `count` of them, which may
    be anything."""

    count: int


@dataclass(frozen=True, slots=True)
class Remove:
    """Neighbours are data sets of which one has at most `count` rows more."""

    count: int


@dataclass(frozen=True, slots=True)
class Within:
    """`of`, a function of one entry, moves by at most `radius`, at one entry or at `every` one. Inputs that `of` does
    not read may become anything there. `one_direction`: all moves have one sign. Of rows it reads `row`."""

    of: Expression
    radius: Expression
    every: bool
    one_direction: bool


Adjacency = Replace | Remove | Within


@dataclass(frozen=True, slots=True)
class Draw:
    """A random number with a constant law. `life`: it is drawn in each step, once, or anew in the step after each in
    which the report of this number was made."""

    law: str
    arguments: tuple[Expression, ...]
    life: Literal["step", "once"] | int


# ---- the body


@dataclass(frozen=True, slots=True)
class Let:
    index: int
    value: Expression


@dataclass(frozen=True, slots=True)
class Tick:
    """Cell `index` takes in `value` where `where` holds (None: always).

    sum, count    it adds the value (count: 1 if the value is true)
    last          it is read as it was, `start` in the first step, and then holds the value
    `since`: it begins anew, with 0, after each step in which that report was made; None: it never does."""

    index: int
    operator: Literal["sum", "count", "last"]
    value: Expression
    where: Expression | None
    since: int | None
    start: Expression | None


@dataclass(frozen=True, slots=True)
class Pick:
    """One of the values is drawn, anew in each step, with a chance that is proportional to its weight. Weights are
    above 0, and may depend on the data."""

    index: int
    values: tuple[Fraction, ...]
    weights: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """It is made where `when` holds (None: always), and shows `value` (None: that it was made)."""

    index: int
    when: Expression | None
    value: Expression | None


@dataclass(frozen=True, slots=True)
class Update:
    """Memory `index` takes the value, where `when` holds."""

    index: int
    value: Expression
    when: Expression | None


@dataclass(frozen=True, slots=True)
class Stop:
    """The run ends here where `when` holds, and returns `result` (None: nothing). Nothing below is run."""

    index: int
    when: Expression | None
    result: Expression | None


Statement = Let | Tick | Pick | Report | Update | Stop


@dataclass(frozen=True, slots=True)
class Program:
    """`memories` are their initial values. Lets, cells, picks, reports and stops are numbered from 0, in their order.
    With a data set all inputs are public."""

    inputs: tuple[Input, ...]
    rows: Rows | None
    adjacency: Adjacency
    memories: tuple[Expression, ...]
    draws: tuple[Draw, ...]
    body: tuple[Statement, ...]

    @property
    def reports(self) -> tuple[Report, ...]:
        return tuple(s for s in self.body if isinstance(s, Report))

    @property
    def stops(self) -> tuple[Stop, ...]:
        return tuple(s for s in self.body if isinstance(s, Stop))

    @property
    def picks(self) -> tuple[Pick, ...]:
        return tuple(s for s in self.body if isinstance(s, Pick))

    @property
    def cells(self) -> tuple[Tick, ...]:
        return tuple(s for s in self.body if isinstance(s, Tick))
