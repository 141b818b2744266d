"""From a stream and a transcript to the conditions on the noises: the exact probability of the transcript.

A `Phase` repeats one entry and one told outcome. A step that leaves the state as it was is not walked again: its
conditions are powered, so that hovering for 100,000 steps costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, inf, log
from typing import Any

from seqlang.backends.exact.integrate import (
    Alternatives,
    Conjunction,
    Half,
    Key,
    Terms,
    Unsupported,
    Work,
    log_probability,
)
from seqlang.backends.exact.laws import NoiseLaw, conditioned, finite, law_from, log_sum
from seqlang.backends.exact.quadrature import IMPOSSIBLE, Accuracy, Answer
from seqlang.backends.exact.stepper import Fact, Stepper, same, stepper
from seqlang.model.life import EachReport, EachStep
from seqlang.model.program import Program
from seqlang.record import record

MOST_ALTERNATIVES = 256
MOST_NODES = 64


@record
class Phase:
    """`entry` (field -> value) and `told` (report -> value; "stop" -> (index, result) or None), `repeat` times.

    A told value is a number, True ("any value" for a value, "it was made" for an event) or a pair (low, high); for a
    vector a tuple of pairs."""

    entry: Mapping[str, Any]
    told: Mapping[str, Any]
    repeat: int


NOTHING: Mapping[str, Any] = {"stop": None}


class Follower:
    """Follows transcripts of one program; remembers the steps it has seen."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.stepper: Stepper = stepper(program)
        self._laws: dict[str, NoiseLaw] = {}
        self._known_terms: dict[object, Terms] = {}
        self._looks: dict[object, tuple[Any, list[Fact]]] = {}
        self._pieces_of: dict[int, tuple[tuple[Alternatives, ...], float]] = {}
        self._answers: dict[object, Answer] = {}
        self._hidden = self._hidden_values()

    @property
    def looked(self) -> int:
        """How many different steps were taken so far."""
        return len(self._looks)

    # ---- laws

    def law(self, key: Key) -> NoiseLaw:
        name = str(key[0])
        if name not in self._laws:
            self._laws[name] = _noise_law(name, self.stepper.laws.get(name))
        return self._laws[name]

    def _hidden_values(self) -> list[tuple[float, dict[str, Any]]]:
        """All values of the finite hidden draws, with log probabilities."""
        joint: list[tuple[float, dict[str, Any]]] = [(0.0, {})]
        for name in self.stepper.draws:
            law = self.law((name,))
            if law.kind != "finite" or not isinstance(self.stepper.lives[name], EachStep):
                raise Unsupported(f"the hidden draw {name} is no finite choice of each step")
            joint = [
                (w + law.log_density(v), {**values, name: int(v) if v == int(v) else v})
                for w, values in joint
                for v in law.points
            ]
            if len(joint) > MOST_ALTERNATIVES:
                raise Unsupported("too many hidden choices in a step")
        return joint

    # ---- transcripts

    def log_probability(self, phases: Sequence[Phase], accuracy: Accuracy, work: Work | None = None) -> Answer:
        """log P(the transcript begins as told | the stream begins as given). Raises `Unsupported`."""
        answers = []
        for (_, pieces), weight in (self._walk(phases) if len(self._hidden) == 1 else self._tree(phases)).items():
            if pieces not in self._answers or accuracy.cut:
                self._answers[pieces] = log_probability(dict(pieces), self.law, accuracy, work)
            answer = self._answers[pieces]
            answers.append((weight + answer.log, answer.error))
        if not answers:
            return IMPOSSIBLE
        return Answer(min(0.0, log_sum([a for a, _ in answers])), max(error for _, error in answers))

    def _walk(self, phases: Sequence[Phase]) -> dict[Any, float]:
        """(Last state, conditions) -> log of the plain chances, where nothing is hidden: one way at most."""
        state, weight = self.stepper.start, 0.0
        pieces: dict[Alternatives, int] = {}
        ((chance, hidden),) = self._hidden
        for phase in phases:
            left = phase.repeat
            while left:
                moved, new, factor = self._step(state, phase, hidden)
                if factor == -inf:
                    return {}
                walked = left if moved == state else 1
                for piece in new:
                    pieces[piece] = pieces.get(piece, 0) + walked
                weight += chance + walked * factor
                state = moved
                left -= walked
        return {(state, tuple(pieces.items())): weight}

    def _tree(self, phases: Sequence[Phase]) -> dict[Any, float]:
        """The same where hidden choices lead to several states."""
        nodes: dict[Any, float] = {(self.stepper.start, ()): 0.0}
        for phase in phases:
            left = phase.repeat
            while left and nodes:
                after: dict[Any, list[float]] = {}
                for (state, pieces), weight in nodes.items():
                    for chance, hidden in self._hidden:
                        moved, new, factor = self._step(state, phase, hidden)
                        if factor > -inf:
                            after.setdefault((moved, _added(pieces, new)), []).append(weight + chance + factor)
                nodes = {key: log_sum(weights) for key, weights in after.items()}
                if len(nodes) > MOST_NODES:
                    raise Unsupported("the hidden choices lead to too many states")
                left -= 1
        return nodes

    def look(
        self, state: Any, entry: Mapping[str, Any], told: Mapping[str, Any], hidden: Mapping[str, Any] | None = None
    ) -> tuple[Any, list[Fact]]:
        """One step: (next state or None after a stop, facts). Hidden choices take their first value by default."""
        values = self._hidden[0][1] if hidden is None else hidden
        memo = (state, _frozen(entry), _frozen(told), tuple(values.values()))
        if memo not in self._looks:
            try:
                moved, facts = self.stepper.step(state, entry, told, values)
            except (ArithmeticError, ValueError, TypeError, LookupError, NameError) as why:
                raise Unsupported(f"a value of the stream has no margin: {why}") from None
            self._looks[memo] = (None if moved is None else _hashable(moved), facts)
        return self._looks[memo]

    def possible(self, facts: list[Fact]) -> bool:
        """Whether the plain part of a step allows what was told."""
        return self.pieces(facts)[1] > -inf

    def pieces(self, facts: list[Fact]) -> tuple[tuple[Alternatives, ...], float]:
        """`facts` come from `look`, which keeps them: their identity is theirs for good."""
        known = self._pieces_of.get(id(facts))
        if known is None:
            known = self._pieces_of[id(facts)] = self._pieces(facts)
        return known

    def _step(self, state: Any, phase: Phase, hidden: Mapping[str, Any]) -> tuple[Any, tuple[Alternatives, ...], float]:
        moved, facts = self.look(state, phase.entry, phase.told, hidden)
        return (moved, *self.pieces(facts))

    def noises(self, facts: Sequence[Fact], terms: Any) -> set[Key]:
        """The noise instances that a fact of these facts reads (vector noises by their first coordinate)."""
        counts: Mapping[str, int] = next((f[1] for f in facts if f[0] == "lives"), {})
        step = next((f[1] for f in facts if f[0] == "step"), 0)
        return {key for key, _ in self._terms(terms, counts, step, None)}

    def _pieces(self, facts: Sequence[Fact]) -> tuple[tuple[Alternatives, ...], float]:
        """The step's conditions, apart where no fresh noise connects them, and the log of its plain chances."""
        counts: Mapping[str, int] = {}
        step = 0
        factor = 0.0
        found: list[Alternatives] = []
        for fact in facts:
            match fact:
                case ("lives", now):
                    counts = now
                case ("step", now):
                    step = now
                case ("certain", holds):
                    if not holds:
                        return (), -inf
                case ("open" | "idle", *_):
                    pass
                case ("chance", chance, _):
                    if chance <= 0:
                        return (), -inf
                    factor += log(chance)
                case ("compare", wanted, test, _):
                    found.append(tuple(self._test(test, wanted, counts, step)))
                case ("release", told, value, terms, post, _):
                    found.append(self._release(told, value, terms, post, counts, step))
                case ("argmax", told, values, terms, sign, _):
                    found.append((self._argmax(told, values, terms, sign, counts, step),))
                case _:
                    raise Unsupported("an unknown condition")
        if any(not alternatives for alternatives in found):
            return (), -inf
        found = [a for a in found if a != ((),)]
        return tuple(_joined(found)), factor

    def _terms(self, terms: Any, counts: Mapping[str, int], step: int, at: int | None) -> Terms:
        """The noise instances behind (noise, factor), with their factors."""
        memo = (terms, at, step if self.stepper.trees else 0, tuple(counts.values()))
        known = self._known_terms.get(memo)
        if known is None:
            known = self._known_terms[memo] = self._instances(terms, counts, step, at)
        return known

    def _instances(self, terms: Any, counts: Mapping[str, int], step: int, at: int | None) -> Terms:
        made: list[tuple[Key, float]] = []
        for name, factor in terms:
            if isinstance(factor, tuple):
                factor = factor[at or 0]
            place: tuple[object, ...] = (name,) if at is None else (name, at)
            raw = self.stepper.laws.get(name)
            if raw is not None and raw[0] == "tree":
                made += [((*place, "node", level, end), factor) for level, end in tree_nodes(step)]
                continue
            life = self.stepper.lives[name]
            if isinstance(life, EachStep):
                made.append(((*place, ...), factor))
            elif isinstance(life, EachReport):
                made.append(((*place, "life", counts[life.report]), factor))
            else:
                made.append((place, factor))
        merged: dict[Key, float] = {}
        for key, factor in made:
            merged[key] = merged.get(key, 0.0) + float(factor)
        return tuple(sorted(((k, f) for k, f in merged.items() if f), key=lambda kf: str(kf[0])))

    def _half(self, value: float, terms: Terms, strict: bool) -> list[Conjunction]:
        if value != value:
            raise Unsupported("a margin is not a number")
        if not terms:
            return [()] if value > 0 or (value == 0 and not strict) else []
        if value in (inf, -inf):
            return [()] if value > 0 else []
        return [((float(value), terms, strict),)]

    def _test(self, test: Any, wanted: bool, counts: Mapping[str, int], step: int) -> list[Conjunction]:
        """Disjoint conjunctions that say that the test comes out as wanted."""
        if isinstance(test, bool):
            return [()] if test == wanted else []
        if not isinstance(test[0], str):
            value, terms, strict = test
            if isinstance(value, tuple):
                raise Unsupported("a vector is compared")
            known = self._terms(terms, counts, step, None)
            if wanted:
                return self._half(value, known, strict)
            return self._half(-value, tuple((k, -f) for k, f in known), not strict)
        if test[0] == "not":
            return self._test(test[1], not wanted, counts, step)
        if (test[0] == "and") == wanted:
            result: list[Conjunction] = [()]
            for part in test[1:]:
                result = _product(result, self._test(part, wanted, counts, step))
            return result
        result = []
        before: list[Conjunction] = [()]
        for part in test[1:]:
            result += _product(before, self._test(part, wanted, counts, step))
            before = _product(before, self._test(part, not wanted, counts, step))
        return result

    def _release(
        self, told: Any, value: Any, terms: Any, post: str | None, counts: Mapping[str, int], step: int
    ) -> Alternatives:
        if told is True:
            return ((),)
        if post == "other":
            raise Unsupported("the released value is transformed before it is seen")
        values = value if isinstance(value, (tuple, range)) else None
        if values is None:
            return self._inside(told, value, self._terms(terms, counts, step, None))
        self._independent(terms, len(values))
        if post in ("max", "min"):
            return self._extreme(told, values, terms, post, counts, step)
        if not isinstance(told, tuple) or len(told) != len(values):
            raise Unsupported("as many ranges as coordinates are needed")
        result: list[Conjunction] = [()]
        for i, (one, range_) in enumerate(zip(values, told, strict=True)):
            result = _product(result, list(self._inside(range_, one, self._terms(terms, counts, step, i))))
        return tuple(result)

    def _independent(self, terms: Any, size: int) -> None:
        for name, _ in terms:
            law = self.stepper.laws.get(name)
            if size > 1 and (law is None or "l2_laplace" in str(law)):
                raise Unsupported("coordinates whose noise is not independent")

    def _inside(self, told: Any, value: float, terms: Terms) -> Alternatives:
        if told is True:
            return ((),)
        if not terms and not isinstance(told, tuple):
            return ((),) if same(told, value) else ()
        low, high = told if isinstance(told, tuple) else (told, told)
        if low == high and any(self.law(k).kind == "density" for k, _ in terms):
            raise Unsupported("a single value of a noise with a density")
        result: list[Conjunction] = [()]
        if low > -inf:
            result = _product(result, self._half(value - low, terms, False))
        if high < inf:
            result = _product(result, self._half(high - value, tuple((k, -f) for k, f in terms), False))
        return tuple(result)

    def _extreme(
        self, told: Any, values: Any, terms: Any, post: str, counts: Mapping[str, int], step: int
    ) -> Alternatives:
        """low <= max <= high: all are at most high, and not all below low (for min turned round)."""
        low, high = told if isinstance(told, tuple) else (told, told)
        sign = 1.0
        if post == "min":
            low, high, sign = -high, -low, -1.0
        result: list[Conjunction] = []
        before: list[Conjunction] = [()]
        capped: list[list[Conjunction]] = []
        for i, value in enumerate(values):
            up = tuple((k, sign * f) for k, f in self._terms(terms, counts, step, i))
            down = tuple((k, -f) for k, f in up)
            capped.append([()] if high == inf else self._half(high - sign * value, down, False))
        if low == -inf:
            return tuple(_product_all(capped))
        for i, value in enumerate(values):
            up = tuple((k, sign * f) for k, f in self._terms(terms, counts, step, i))
            down = tuple((k, -f) for k, f in up)
            here = _product(self._half(sign * value - low, up, False), capped[i])
            result += _product(_product(before, here), _product_all(capped[i + 1 :]))
            before = _product(before, self._half(low - sign * value, down, True))
        return tuple(result)

    def _argmax(
        self, told: Any, values: Any, terms: Any, sign: int, counts: Mapping[str, int], step: int
    ) -> Conjunction:
        """The told position wins: ties go to the first."""
        winner = int(told) - 1
        self._independent(terms, len(values))
        halves: list[Half] = []
        mine = self._terms(terms, counts, step, winner)
        for i, value in enumerate(values):
            if i != winner:
                other = self._terms(terms, counts, step, i)
                joint = tuple((k, sign * f) for k, f in mine) + tuple((k, -sign * f) for k, f in other)
                halves.append((float(sign * (values[winner] - value)), joint, i < winner))
        return tuple(halves)


def tree_nodes(step: int) -> list[tuple[int, int]]:
    """(level, last step) of the nodes that cover 1..step: one a one-bit of step."""
    nodes = []
    end = step
    for level in range(step.bit_length()):
        if step >> level & 1:
            nodes.append((level, end))
            end -= 1 << level
    return nodes


def _noise_law(name: str, raw: Any) -> NoiseLaw:
    if raw is None:
        raise Unsupported(f"the law of {name} has no value")
    law: NoiseLaw | None = None
    match raw:
        case ("weights", pairs):
            law = finite([(float(v), float(w)) for v, w in pairs])
        case ("uniform", values) if isinstance(values, tuple):
            law = finite([(float(v), 1.0) for v in values])
        case ("conditioned", inner, low, high):
            law = conditioned(_noise_law(name, inner), float(low), float(high))
        case ("tree", inner):
            law = _noise_law(name, inner)
        case (family, *arguments) if not any(isinstance(a, tuple) for a in arguments):
            law = law_from(family, [float(a) for a in arguments])
    if law is None:
        raise Unsupported(f"the law of {name} ({raw[0]}) is not integrated")
    return law


def _product(left: Sequence[Conjunction], right: Sequence[Conjunction]) -> list[Conjunction]:
    if len(left) * len(right) > MOST_ALTERNATIVES:
        raise Unsupported("too many cases in one step")
    return [a + b for a in left for b in right]


def _product_all(parts: Sequence[list[Conjunction]]) -> list[Conjunction]:
    result: list[Conjunction] = [()]
    for part in parts:
        result = _product(result, part)
    return result


def _joined(found: Sequence[Alternatives]) -> list[Alternatives]:
    """Conditions that read one fresh noise become one piece."""
    pieces: list[tuple[set[Key], Alternatives]] = []
    for alternatives in found:
        fresh = {k for c in alternatives for _, terms, _ in c for k, _ in terms if k[-1] is ...}
        merged = alternatives
        rest = []
        for keys, other in pieces:
            if keys & fresh:
                fresh |= keys
                merged = tuple(_product(other, merged))
            else:
                rest.append((keys, other))
        pieces = [*rest, (fresh, merged)]
    return [piece for _, piece in pieces]


def _added(pieces: Any, new: tuple[Alternatives, ...]) -> Any:
    if not new:
        return pieces
    counts = dict(pieces)
    for piece in new:
        counts[piece] = counts.get(piece, 0) + 1
    return tuple(counts.items())


def _frozen(mapping: Mapping[str, Any]) -> object:
    """A key for what is told or read. "Any value" is told as True, which equals the number 1: they are kept apart."""
    return tuple([
        (name, value, tuple([v is True for v in value]) if value.__class__ is tuple else value is True)
        for name, value in mapping.items()
    ])  # fmt: skip


def _hashable(state: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(tuple(x.items()) if isinstance(x, dict) else x for x in state)


def chance(answer: Answer) -> tuple[float, float]:
    """(probability, absolute error)."""
    p = exp(answer.log) if answer.log > -745 else 0.0
    return p, p * answer.error
