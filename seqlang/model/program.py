"""The typed model of one `.seq` file: what is proved about, executed, solved and audited.

`body` is one step, top to bottom, as the backends run it. `gates` are the same reports and stops in the form that the
proofs read: everything by which private data can leave. `elaborate` makes both; a test evaluates both and compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from fractions import Fraction
from typing import Literal

from seqlang.model.domain import Domain
from seqlang.model.expression import (
    CellValue,
    Drawn,
    Expression,
    Law,
    Local,
    MemoryValue,
    Term,
    Variable,
    is_expression,
    walk,
)
from seqlang.model.gate_source import GateSource, OfCondition, OfEvent, OfResult, OfStop, OfValue, name_of
from seqlang.model.life import EachStep, Life
from seqlang.operators.operator import Fold
from seqlang.record import field, field_names, record
from seqlang.source import NOWHERE, Span


class Level(IntEnum):
    """Who may know a value."""

    PUBLIC = 0
    HIDDEN = 1
    PRIVATE = 2


@record
class Parameter:
    """A public constant. `value` is what this program was elaborated with: an exact rational."""

    name: str
    domain: Domain
    value: Fraction
    default: Fraction
    span: Span = field(default=NOWHERE, compare=False)


@record
class Input:
    """A field that is read: each step (`stream`, `public`) or once (`dataset`)."""

    name: str
    domain: Domain
    kind: Literal["stream", "dataset", "public"]
    span: Span = field(default=NOWHERE, compare=False)


@record
class Replace:
    """Neighbours differ in `count` entries, made arbitrary; length and the other entries are the same."""

    count: Expression


@record
class AddRemove:
    """Neighbours differ by adding or removing `count` records."""

    count: Expression


Norm = Literal["l1", "l2", "linf"]


@record
class Within:
    """`of` (an expression over the fields of one entry) moves by at most `radius`, in `norm` where it is a vector, at
    one entry or at every entry; with `same_direction` all moves, of every coordinate, have one sign. At such an entry
    private fields that `of` does not read may become anything in their domains."""

    of: Expression
    radius: Expression
    extent: Literal["one", "every"]
    same_direction: bool
    norm: Norm = "linf"


Adjacency = Replace | AddRemove | Within


@record
class Model:
    """A law of the inputs: (field, law) in the order of drawing. The law of a step's entry may read fields drawn
    earlier, the step, and memories as they are at the beginning of the step: the data then answer to what was shown."""

    name: str
    laws: tuple[tuple[str, Expression], ...]
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def memories(self) -> tuple[str, ...]:
        """The memories that its laws read, in alphabetical order. Entries of a model without any are independent."""
        return tuple(sorted({e.name for _, law in self.laws for e in walk(law) if isinstance(e, MemoryValue)}))


@record
class Memory:
    name: str
    initial: Expression
    span: Span = field(default=NOWHERE, compare=False)


@record
class Noise:
    """Randomness with a constant law, drawn at its first reading in each life.

    From `attach LAW to T LIFE`: name `T.once`, `T.step` or `T.REPORT` (a further one of the same kind `T.step.2`),
    `target` T. From `draw z ~ LAW`: name z, target None. `law` is a `Law` (or `Weights`); its arguments are constants.
    """

    name: str
    law: Expression
    life: Life
    target: str | None
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def family(self) -> str | None:
        """The name of the law's family; None where the law is a list of weights."""
        return self.law.family if isinstance(self.law, Law) else None

    @property
    def ends_with_step(self) -> bool:
        """Whether each step has a draw of its own, which no other step reads; nodes of a tree are read by many."""
        return isinstance(self.life, EachStep) and self.family != "tree"

    @property
    def flips(self) -> bool:
        """Whether it is randomised response: it replaces the value, where other noise is added to it."""
        return self.family == "randomized_response"


# ---- the body: one step, top to bottom


@record
class Define:
    """A value computed in its place: `statistic` (any level) or a `let` that changes from step to step (public)."""

    name: str
    expression: Expression
    kind: Literal["statistic", "let"]
    level: Level
    span: Span = field(default=NOWHERE, compare=False)


@record
class AllSteps:
    """over steps"""


@record
class LastSteps:
    """over last `count`: this step and the count - 1 before it. `count` may read the cell's binders."""

    count: Expression


@record
class SinceReport:
    """since R: the steps after the last earlier step in which R was reported, this one included."""

    report: str


@record
class AtReports:
    """history(E, R): the list of the body's values at the earlier steps in which R was reported."""

    report: str


@record
class Previous:
    """previous(E, init): the body's value one step ago; `initial` in step 1."""

    initial: Expression


Keep = AllSteps | LastSteps | SinceReport | AtReports | Previous


@record
class Cell:
    """A fold over time. It ticks once every step, where it stands in the body, whatever branch is taken.

    `operator` folds the body over the kept steps in which `where` holds (count counts true bodies; argmax and argmin
    give the step); it is `list` for `AtReports` and `last` for `Previous`. A `Previous` or `AtReports` cell is read
    first (earlier steps only) and stores the body's value of this step where it stands in the body.
    `binders` are (variable, constant domain): the cell then holds one value for each combination, and whoever reads it
    says which one (`CellValue.at`). The variables are the cell's own: no other binder has them.
    """

    name: str
    operator: Literal["list", "last"] | Fold
    body: Expression
    where: Expression | None
    keep: Keep
    binders: tuple[tuple[Variable, Expression], ...]
    level: Level
    span: Span = field(default=NOWHERE, compare=False)


@record
class Draw:
    """Randomness whose law depends on the state: a randomised choice. Drawn where it stands, at its first reading or
    not: with `EachStep` in every step; with another life when that life begins."""

    name: str
    law: Expression
    life: Life
    level: Level
    span: Span = field(default=NOWHERE, compare=False)


@record
class Report:
    """`report R when C` (value None: an event) or `report R = E [when C]`. `value` already carries R's own noise."""

    name: str
    when: Expression | None
    value: Expression | None
    span: Span = field(default=NOWHERE, compare=False)


@record
class Update:
    memory: str
    value: Expression
    when: Expression | None
    span: Span = field(default=NOWHERE, compare=False)


@record
class Stop:
    """`index` counts the stops of the file from 1. `result` is None, a Label, or an expression; if noise is attached
    to `return`, a result that is present carries it (as `Noised("return", ..)`)."""

    index: int
    when: Expression | None
    result: Expression | None
    span: Span = field(default=NOWHERE, compare=False)


Statement = Define | Cell | Draw | Report | Update | Stop


def expressions_in(part: object) -> Iterator[Expression]:
    """The outermost expressions of a statement, a gate, a test, a law of a gate or a part of one, in the order of the
    fields: also those inside of records that are no expressions, such as how a cell keeps its steps, the comparisons of
    a test and the factors of terms. Whoever asks what something reads starts here, so that a new field is not left out.
    The domain that a variable carries along is that of its binder, and is found there."""
    if is_expression(part):
        yield part
    elif isinstance(part, tuple):
        for item in part:
            yield from expressions_in(item)
    elif hasattr(part, "_record_fields") and not isinstance(part, Variable):
        for name in field_names(part):
            yield from expressions_in(getattr(part, name))


def margins_of(gate: object) -> Iterator[Margin]:
    """The comparisons in the test of a gate that hold noise, or might."""
    waiting: list[object] = [gate.test] if isinstance(gate, CompareGate) else []
    while waiting:
        match waiting.pop():
            case Margin() as margin:
                yield margin
            case And(parts) | Or(parts):
                waiting.extend(parts)
            case Not(part):
                waiting.append(part)


def nodes_in(part: object) -> Iterator[Expression]:
    """These expressions and everything in them."""
    for expression in expressions_in(part):
        yield from walk(expression)


# ---- gates: the body's reports and stops as the proofs read them


@record
class Margin:
    """value + sum of factor * noise >= 0 (> 0 if strict). `value` holds no noise that a term could hold."""

    value: Expression
    terms: tuple[Term, ...]
    strict: bool


@record
class PublicTest:
    """A condition that the transcript and the constants decide."""

    expression: Expression


@record
class And:
    parts: tuple[Test, ...]


@record
class Or:
    parts: tuple[Test, ...]


@record
class Not:
    part: Test


Test = Margin | PublicTest | And | Or | Not


class _Gate:
    """What all gates have."""

    __slots__ = ()
    source: GateSource

    @property
    def name(self) -> str:
        return name_of(self.source)


@record
class PublicGate(_Gate):
    """A report or stop that depends on constants and the transcript only: it says nothing new."""

    source: GateSource
    expression: Expression | None
    span: Span = field(default=NOWHERE, compare=False)


@record
class CompareGate(_Gate):
    """Seen: whether `test` holds, in the steps where the public `guard` holds (None: always)."""

    source: GateSource
    guard: Expression | None
    test: Test
    span: Span = field(default=NOWHERE, compare=False)


@record
class ReleaseGate(_Gate):
    """Seen: post(value + noise) where `guard` holds. `post` reads the noisy value as `ReleasedValue` and otherwise
    public names (None: the value itself). No terms: released plainly. `value` may be a vector."""

    source: GateSource
    guard: Expression | None
    value: Expression
    terms: tuple[Term, ...]
    post: Expression | None
    span: Span = field(default=NOWHERE, compare=False)


@record
class FlipLaw:
    """Randomised response on a finite-valued `of`: the truth with probability `truth`, else another of `alphabet`."""

    of: Expression
    truth: Expression
    alphabet: tuple[Expression, ...]


@record
class NoisyMaxLaw:
    """argmax (sign 1) or argmin (sign -1) of a vector with one independent noise a coordinate."""

    of: Expression
    terms: tuple[Term, ...]
    sign: int


@record
class PrivateLaw:
    """A draw whose law (a `Weights`, `WeightsOf` or `Law` expression) depends on private data."""

    law: Expression


@record
class ChooseGate(_Gate):
    """Seen (`visible`) or used inside by cells and guards (a select gate): a randomised choice."""

    source: GateSource
    guard: Expression | None
    law: FlipLaw | NoisyMaxLaw | PrivateLaw
    visible: bool
    span: Span = field(default=NOWHERE, compare=False)


@record
class OpaqueGate(_Gate):
    """None of the above: it runs, and few rules apply. `reason` says, in a phrase, what did not fit. `test`: the gate
    would be a comparison, but for noise that its plain values hold (a threshold that is a noisy entry, say)."""

    source: GateSource
    guard: Expression | None
    expression: Expression
    reason: str
    test: Test | None = None
    span: Span = field(default=NOWHERE, compare=False)


Gate = PublicGate | CompareGate | ReleaseGate | ChooseGate | OpaqueGate


# ---- claims


@record
class Privacy:
    """pure(eps), dp(eps, delta), rdp(order, eps) or zcdp(rho); arguments are constant expressions."""

    notion: Literal["pure", "dp", "rdp", "zcdp"]
    arguments: tuple[Expression, ...]


@record
class Claim:
    """`text` is the claim as written (one line, without label and expect). Strong and weak claims have `privacy`;
    operating claims have `left operator right`, where inside `Apply("probability", (C,))` and
    `Apply("expected", (E,))` a Label means "it is returned", `Label("stops")` that it ends, StepNumber the stopping
    step and Local/Reported a final value."""

    kind: Literal["strong", "weak", "operating"]
    text: str
    privacy: Privacy | None = None
    horizon: Expression | None = None
    model: str | None = None
    per_step: bool = False
    condition: Expression | None = None
    label: str | None = None
    expect: Literal["refuted", "unknown"] | None = None
    span: Span = field(default=NOWHERE, compare=False)


@record
class Program:
    """One algorithm. `gates` are in file order, each with a source of its own."""

    name: str
    title: str
    documentation: str
    parameters: tuple[Parameter, ...]
    inputs: tuple[Input, ...]
    size: Expression | None
    adjacency: Adjacency
    models: tuple[Model, ...]
    memories: tuple[Memory, ...]
    noises: tuple[Noise, ...]
    body: tuple[Statement, ...]
    gates: tuple[Gate, ...]
    claims: tuple[Claim, ...]
    labels: tuple[str, ...]

    def model(self, name: str) -> Model:
        return next(m for m in self.models if m.name == name)

    @property
    def report_names(self) -> tuple[str, ...]:
        """In the file's order."""
        return tuple(s.name for s in self.body if isinstance(s, Report))

    @property
    def data_set(self) -> tuple[str, ...]:
        """Fields of the records of a data set, which are all there before the first step."""
        return tuple(field.name for field in self.inputs if field.kind == "dataset")

    def noise(self, name: str) -> Noise:
        return next(n for n in self.noises if n.name == name)

    def cell(self, name: str) -> Cell:
        return next(s for s in self.body if isinstance(s, Cell) and s.name == name)

    def define(self, name: str) -> Define:
        return next(s for s in self.body if isinstance(s, Define) and s.name == name)

    def input(self, name: str) -> Input:
        return next(i for i in self.inputs if i.name == name)

    def place_of(self, source: GateSource) -> int | None:
        """Where in the body the report or stop stands that a gate belongs to; None if it belongs to neither."""
        for place, statement in enumerate(self.body):
            match source, statement:
                case ((OfStop(index) | OfResult(index)), Stop(index=own)) if index == own:
                    return place
                case ((OfEvent(name) | OfCondition(name) | OfValue(name)), Report(name=own_name)) if name == own_name:
                    return place
                case _:
                    pass
        return None


def expressions_read(program: Program, starts: Iterable[Expression]) -> Iterator[Expression]:
    """Every expression that the values of these depend on, through definitions, cells and the laws of draws: once a
    name. Memory and reports are public and are not followed."""
    seen: set[tuple[str, str]] = set()
    waiting = list(starts)
    while waiting:
        for expression in walk(waiting.pop()):
            yield expression
            match expression:
                case Local(name) if ("local", name) not in seen:
                    seen.add(("local", name))
                    # the noisy value in a release's `post` is no statement: nothing is found for it
                    waiting.extend(s.expression for s in program.body if isinstance(s, Define) and s.name == name)
                case CellValue(name) if ("cell", name) not in seen:
                    seen.add(("cell", name))
                    waiting.extend(expressions_in(program.cell(name)))
                case Drawn(name) if ("draw", name) not in seen:
                    seen.add(("draw", name))  # a noise has a constant law
                    waiting.extend(s.law for s in program.body if isinstance(s, Draw) and s.name == name)
                case _:
                    pass
