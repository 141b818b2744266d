"""One far entry that decides a noisy vote, whatever the others are: lower bounds of weak losses without a law.

Setting: every run shows only an argmax or argmin in its last step T, of a list v_1..v_K of sums over the last m_k
steps, each with its own Laplace or Gaussian noise Z_k. Entry p is a; the others are drawn from the model.

Theorem. Let every other entry lie in a box B, but for a chance eta in all, and let the summand g have values in [l, u]
there. The entries that v_i counts and v_k does not are those of |m_i - m_k| steps. So on the box v_i - v_k lies between
the ends of g(a) (if entry p is one of these) plus (number of the others) * [l, u]; with the other sign where m_i < m_k.
With d_k the lower and D_k the upper end of v_i - v_k, and F(t) = P(Z_k - Z_i >= t),
    P(argmax = i | X_p = a) >= 1 - sum over k of F(d_k) - eta        (union bound),
    P(argmax = i | X_p = b) <= min over k of F(-D_k) + eta           (to win, i has to beat each k).
Laplace noise of scale s: F(t) = exp(-t/s) (2 + t/s) / 4 for t >= 0. Gaussian noise: F(t) <= exp(-t^2 / (4 s^2)) / 2 by
Chernoff's bound. For t < 0, F(t) <= 1. The same bound gives eta of a normal law, and exp(-t/s) that of a Laplace law.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import exp, inf, log

from seqlang.analyses.weak.profile import Range
from seqlang.analyses.weak.words import in_words
from seqlang.analyses.witnesses.confirm import two_point
from seqlang.arithmetic.formula import enclose
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.state import PartialState
from seqlang.backends.interpret.values import EvaluationError
from seqlang.model.domain import Domain, Finite, Interval
from seqlang.model.expression import (
    Apply,
    CellValue,
    Choice,
    Density,
    Expression,
    Field,
    Law,
    Local,
    MemoryValue,
    Noised,
    Number,
    ParameterValue,
    Quantified,
    StepNumber,
    Truth,
    walk,
)
from seqlang.model.expression import (
    Sequence as Listed,
)
from seqlang.model.life import EachStep, Once
from seqlang.model.program import AllSteps, Cell, ChooseGate, LastSteps, NoisyMaxLaw, Program, PublicGate, Stop
from seqlang.record import record, replace
from seqlang.rules.claims import longest_run
from seqlang.rules.sensitivity.facts.facts import facts_of
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.rules.sensitivity.ranges.ranges import range_of

FAR = (1e2, 1e4, 1e6)
"""How far entries are tried in a domain without ends, nearer ones first; sums of them are exact enough in floats."""
WIDE = 30.0
"""The box ends so many scales from the middle: the mass beyond is below 1e-12 even of a million entries."""
OF_ONE_ENTRY = (Apply, Choice, Density, Field, Law, Number, ParameterValue, Truth)
"""What a summand may be made of: it then depends on its own entry only."""
MOST = 4000
"""Steps of a run, and elements of the list."""
ROUNDED = 1e-9
"""Relative: more than the rounding of the sums and of the exponentials here."""


@record
class Vote:
    """`windows[k]`: of how many last steps element k + 1 counts the entries; `summand` of one entry; `beats(t)` bounds
    P(Z_k - Z_i >= t); `sign` is -1 of an argmin; the run ends in step `last`."""

    windows: tuple[int, ...]
    summand: Expression
    beats: Callable[[float], float]
    sign: int
    last: int


@record
class Far:
    """Given the entry `first` at `position`, `winner` is shown with chance at least `p`; given `second` at most `q`."""

    position: int
    field: str
    first: float
    second: float
    winner: int
    p: float
    q: float

    @property
    def words(self) -> str:
        return (
            f"at position {self.position} for {in_words({self.field: self.first})} against "
            f"{in_words({self.field: self.second})}: "
            f"{self.winner} is returned with chance at least {self.p:.6g} against at most {self.q:.3g}, "
            "whatever the other entries are within a box that holds all but a negligible chance of them"
        )

    def delta(self, epsilon: float) -> float:
        return max(0.0, self.p - exp(epsilon) * self.q * (1 + ROUNDED)) if epsilon < 700 else 0.0

    @property
    def loss(self) -> float:
        return inf if self.q <= 0 else log(self.p / self.q) * (1 - ROUNDED)

    def renyi(self, order: float) -> float:
        """Of the event and its complement (data processing)."""
        return two_point(self.p, self.q, order) * (1 - ROUNDED) if 0 < self.q < self.p else 0.0


def far_entries(program: Program, model: str) -> Iterator[Far]:
    """One for each pair of far values and position that tells; nothing where the theorem does not apply."""
    vote = _vote(program)
    box = None if vote is None else _box(program, model)
    if vote is None or box is None:
        return
    (field,) = program.inputs
    if field.kind != "stream" or not isinstance(field.domain, Interval):
        return
    (low, high), beyond = box
    others = _summand(program, vote, Interval(_number(low), _number(high)))
    if others is None or beyond * vote.last > 1e-6:
        return
    values = _values(program, field.domain)
    summands = [(a, _summand(program, vote, Finite((_number(a),)))) for a in values]
    pairs = [(one, other) for one in summands for other in summands if one[0] != other[0]]
    for position in dict.fromkeys((1, vote.last, (1 + vote.last) // 2)):
        for (a, of_a), (b, of_b) in sorted(pairs, key=lambda pair: max(abs(pair[0][0]), abs(pair[1][0]))):
            if of_a is not None and of_b is not None:
                yield from _winner(vote, field.name, position, (a, of_a), (b, of_b), others, beyond * vote.last)


def _winner(
    vote: Vote, name: str, position: int, first: tuple[float, Range], second: tuple[float, Range], others: Range,
    eta: float,
) -> Iterator[Far]:  # fmt: skip
    """The most telling of a few elements, given both entries: of those that count the entry, and of the others, the one
    with the longest and the one with the shortest window."""
    found: list[Far] = []
    counting = [k for k, window in enumerate(vote.windows) if position > vote.last - window]
    ignoring = [k for k in range(len(vote.windows)) if k not in set(counting)]
    tried = {pick(part, key=lambda k: vote.windows[k]) for part in (counting, ignoring) if part for pick in (min, max)}
    for i in sorted(tried):
        ahead = [_ahead(vote, i, k, position, first[1], others)[0] for k in range(len(vote.windows)) if k != i]
        behind = [_ahead(vote, i, k, position, second[1], others)[1] for k in range(len(vote.windows)) if k != i]
        p = 1 - sum(vote.beats(d) for d in ahead) - eta - ROUNDED
        q = min((vote.beats(-d) for d in behind), default=1.0) * (1 + ROUNDED) + eta
        if p > q:
            found.append(Far(position, name, first[0], second[0], i + 1, p, q))
    if found:
        yield max(found, key=lambda far: far.p - far.q)


def _ahead(vote: Vote, i: int, k: int, position: int, entry: Range, others: Range) -> Range:
    """Between which values v_i is ahead of v_k, on the box."""
    short, long = sorted((vote.windows[i], vote.windows[k]))
    counted = vote.last - long < position <= vote.last - short
    rest = long - short - counted
    low = rest * others[0] + (entry[0] if counted else 0.0)
    high = rest * others[1] + (entry[1] if counted else 0.0)
    sign = vote.sign * (1 if vote.windows[i] >= vote.windows[k] else -1)
    low, high = (low, high) if sign > 0 else (-high, -low)
    return low - ROUNDED * (1 + abs(low)), high + ROUNDED * (1 + abs(high))


def _vote(program: Program) -> Vote | None:
    gates = [gate for gate in program.gates if not isinstance(gate, PublicGate)]
    stops = [s for s in program.body if isinstance(s, Stop)]
    if program.report_names or len(program.inputs) != 1 or len(stops) != 1 or len(gates) != 1:
        return None
    (gate,) = gates
    if not isinstance(gate, ChooseGate) or not isinstance(gate.law, NoisyMaxLaw) or len(gate.law.terms) != 1:
        return None
    last = _last_step(program, stops[0])
    (term,) = gate.law.terms
    listed = _sums(program, gate.law.of, last or 0)
    beats = _noise(program, term.noise)
    if term.factor != Number(Fraction(1)) or last is None or listed is None or beats is None:
        return None
    operator = "argmax" if gate.law.sign > 0 else "argmin"
    match stops[0].result:
        case Apply(shown, (Noised(base=base),)) if shown == operator and base == gate.law.of:
            pass
        case _:
            return None  # something else is made of the choice
    return Vote(listed[0], listed[1], beats, gate.law.sign, last)


def _last_step(program: Program, stop: Stop) -> int | None:
    """The step in which every run ends, and not before."""
    longest = longest_run(program)
    if longest is None or longest > MOST or stop.when is None:
        return None
    code = Compiler(program).compile(stop.when)
    try:
        ends = [n for n in range(1, longest + 1) if code.run(PartialState(step_number=n))]
    except (EvaluationError, LookupError):
        return None  # it reads more than the step
    return ends[0] if ends else None


def _sums(program: Program, of: Expression, last: int) -> tuple[tuple[int, ...], Expression] | None:
    """The windows of the list's elements, and what they sum of an entry."""
    if isinstance(of, Local):
        of = program.define(of.name).expression
    compiler = Compiler(program)
    elements: list[tuple[CellValue, dict[int, object]]] = []
    match of:
        case Listed("list", items) if all(isinstance(item, CellValue) for item in items):
            elements = [(item, {}) for item in items if isinstance(item, CellValue)]
        case Quantified("list", CellValue() as item, variable, domain, None):
            values = compiler.constant(domain)
            if not isinstance(values, Sequence | range) or len(values) > MOST:
                return None
            elements = [(item, {variable.number: value}) for value in values]
        case _:
            return None
    if len(elements) < 2:
        return None
    windows, summands = [], set()
    for item, bound in elements:
        cell = next(s for s in program.body if isinstance(s, Cell) and s.name == item.name)
        body = facts_of(program).expand(cell.body)
        if cell.operator != "sum" or cell.where is not None or not all(isinstance(x, OF_ONE_ENTRY) for x in walk(body)):
            return None
        summands.add(body)
        match cell.keep:
            case AllSteps():
                windows.append(last)
            case LastSteps(count):
                inner = {v.number: compiler.compile(at).run(PartialState(bound=dict(bound)))
                         for (v, _), at in zip(cell.binders, item.at, strict=True)}  # fmt: skip
                windows.append(max(0, min(last, int(compiler.compile(count).run(PartialState(bound=inner))))))
            case _:
                return None
    return (tuple(windows), summands.pop()) if len(summands) == 1 else None


def _noise(program: Program, name: str) -> Callable[[float], float] | None:
    """t -> a bound of P(Z_k - Z_i >= t)."""
    noise = program.noise(name)
    if noise.family not in ("laplace", "gaussian") or not isinstance(noise.life, EachStep | Once):
        return None
    assert isinstance(noise.law, Law)
    scale = _real(Compiler(program).constant(noise.law.arguments[0]))
    if scale is None or not 0 < scale < inf:
        return None

    def beats(t: float) -> float:
        far = min(t / scale * (1 - 1e-12), 700.0)  # beyond, the bound is as small as a float can tell
        if far < 0:
            return 1.0
        return exp(-far) * (2 + far) / 4 if noise.family == "laplace" else exp(-far * far / 4) / 2 + 1e-300

    return beats


def _real(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _box(program: Program, model: str) -> tuple[Range, float] | None:
    """Ends of a box, and at most the chance that one entry lies outside."""
    laws = program.model(model).laws
    if len(laws) != 1 or not isinstance(laws[0][1], Law):
        return None
    law = laws[0][1]
    if any(isinstance(x, StepNumber | MemoryValue) for x in walk(law)):
        return None
    numbers = [_real(Compiler(program).constant(argument)) for argument in law.arguments]
    match law.family, [number for number in numbers if number is not None]:  # of a set there are none
        case "normal", [mean, sd]:
            return (mean - WIDE * sd, mean + WIDE * sd), exp(-(WIDE**2) / 2) * (1 + ROUNDED)
        case "laplace", [scale]:
            return (-WIDE * scale, WIDE * scale), exp(-WIDE) * (1 + ROUNDED)
        case "uniform", [low, high]:
            return (low, high), 0.0
        case _:
            return None


def _values(program: Program, domain: Interval) -> list[float]:
    """Far values of the domain: its ends, or what is FAR from 0."""
    compiler = Compiler(program)
    low, high = (None if end is None else float(compiler.constant(end)) for end in (domain.low, domain.high))
    below = [-far for far in FAR if high is None or -far <= high] if low is None else [] if domain.low_open else [low]
    above = [far for far in FAR if low is None or far >= low] if high is None else [] if domain.high_open else [high]
    return [*below, *above]


def _summand(program: Program, vote: Vote, domain: Domain) -> Range | None:
    """The summand's values where entries have this domain."""
    inner = replace(program, inputs=(replace(program.inputs[0], domain=domain),))
    found = range_of(inner, vote.summand)
    if found.low is None or found.high is None:
        return None
    known = parameter_values(inner)
    low, high = enclose(found.low, known).low, enclose(found.high, known).high
    return (low, high) if -inf < low <= high < inf else None


def _number(value: float) -> Number:
    return Number(Fraction(value))
