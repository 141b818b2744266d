"""From a stream and a transcript to the conditions on the noises: the exact probability of the transcript.

A `Phase` repeats one entry with one observed outcome. A step that leaves the state as it was is computed once, and its
probability is raised to a power, so that a statistic that stays at one value for 100,000 steps costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.transcript.demands import MOST_ALTERNATIVES, Demands
from seqlang.backends.transcript.draws import NoiseDraws
from seqlang.backends.transcript.facts import Fact
from seqlang.backends.transcript.integrals.linear_conditions import Alternatives, Key
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, log_sum
from seqlang.backends.transcript.integrals.probability import log_probability
from seqlang.backends.transcript.integrals.quadrature import IMPOSSIBLE, Accuracy, Answer
from seqlang.backends.transcript.stepper import Stepper, stepper
from seqlang.backends.transcript.unsupported import Unsupported, Work
from seqlang.model.life import EachStep
from seqlang.model.program import Program
from seqlang.process.time_limit import poll
from seqlang.record import record

MOST_NODES = 64
"""States that hidden choices may lead to at once; where there would be more, the event is given up."""


@record
class Phase:
    """`entry` (field -> value) and `observed` (report -> value; "stop" -> (index, result) or None), `repeat` times.

    An observed value is a number, a pair (low, high) that it lies in, or True (for a value: any value; for an event: it
    was made); for a vector it is a tuple of pairs."""

    entry: Mapping[str, Any]
    observed: Mapping[str, Any]
    repeat: int


NOTHING: Mapping[str, Any] = {"stop": None}


class Follower:
    """Follows transcripts of one program; remembers the steps it has seen."""

    def __init__(self, program: Program, faint: frozenset[str] = frozenset(), keeping: bool = False) -> None:
        """`faint`: the choices whose chances may be too small for floats to be told from 0. `keeping`: comparisons may
        read noisy values that statistics keep unseen."""
        self.program = program
        self.stepper: Stepper = stepper(program, keeping)
        self._draws = NoiseDraws(self.stepper)
        self._demands = Demands(self._draws, faint)
        self._known_steps: dict[object, tuple[Any, list[Fact]]] = {}
        self._pieces_of: dict[int, tuple[tuple[Alternatives, ...], float]] = {}
        self._answers: dict[object, Answer] = {}
        self._hidden = self._hidden_values()

    @property
    def steps_computed(self) -> int:
        """How many different steps were taken so far."""
        return len(self._known_steps)

    def law(self, key: Key) -> NoiseLaw:
        """The law of a draw; of all draws of a noise where the key is (name,)."""
        return self._draws.law(key)

    def noises(self, facts: Sequence[Fact], terms: Any) -> set[Key]:
        """The draws that a fact of these facts reads (of vector noises the first coordinate)."""
        return self._demands.noises(facts, terms)

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
        """log P(the transcript begins with these outcomes | the stream begins with these entries). Raises
        `Unsupported`."""
        answers = []
        for (_, pieces), weight in (self._walk(phases) if len(self._hidden) == 1 else self._tree(phases)).items():
            if pieces not in self._answers or accuracy.cut:
                self._answers[pieces] = log_probability(dict(pieces), self.law, accuracy, work)
            answer = self._answers[pieces]
            answers.append((weight + answer.log, answer.error))
        if not answers:
            return IMPOSSIBLE
        return Answer(min(0.0, log_sum([a for a, _ in answers])), max(error for _, error in answers))

    def systems(self, phases: Sequence[Phase]) -> list[tuple[float, dict[Alternatives, int]]]:
        """For each way in which hidden choices may go: the log of the chance of that way and of all that involves no
        noise, and the conditions that the transcript puts on the noises."""
        ways = self._walk(phases) if len(self._hidden) == 1 else self._tree(phases)
        return [(weight, dict(pieces)) for (_, pieces), weight in ways.items()]

    def _walk(self, phases: Sequence[Phase]) -> dict[Any, float]:
        """(Last state, conditions) -> log of the plain chances, where nothing is hidden: one way at most."""
        state, weight = self.stepper.start, 0.0
        pieces: dict[Alternatives, int] = {}
        ((chance, hidden),) = self._hidden
        for phase in phases:
            left, key = phase.repeat, (told_apart(phase.entry), told_apart(phase.observed))
            while left:
                moved, new, factor = self._step(state, phase, hidden, key)
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
            left, phase_key = phase.repeat, (told_apart(phase.entry), told_apart(phase.observed))
            while left and nodes:
                after: dict[Any, list[float]] = {}
                for (state, pieces), weight in nodes.items():
                    for chance, hidden in self._hidden:
                        moved, new, factor = self._step(state, phase, hidden, phase_key)
                        if factor > -inf:
                            after.setdefault((moved, _added(pieces, new)), []).append(weight + chance + factor)
                nodes = {key: log_sum(weights) for key, weights in after.items()}
                if len(nodes) > MOST_NODES:
                    raise Unsupported("the hidden choices lead to too many states")
                left -= 1
        return nodes

    def step_from(self, state: Any, entry: Mapping[str, Any], observed: Mapping[str, Any]) -> tuple[Any, list[Fact]]:
        """One step: (next state or None after a stop, facts). Hidden choices take their first value."""
        first = self._hidden[0][1]
        return self._step_from(state, entry, observed, first, (told_apart(entry), told_apart(observed)))

    def _step_from(
        self, state: Any, entry: Mapping[str, Any], observed: Mapping[str, Any], values: Mapping[str, Any], key: object
    ) -> tuple[Any, list[Fact]]:
        """`key` stands for the entry and for what is observed."""
        memo = (state, key, *values.values()) if values else (state, key)
        known = self._known_steps.get(memo)
        if known is None:
            poll()
            try:
                moved, facts = self.stepper.step(state, entry, observed, values)
            except (ArithmeticError, ValueError, TypeError, LookupError, NameError, EvaluationError) as why:
                raise Unsupported(f"a value of the stream has no margin: {why}") from None
            known = self._known_steps[memo] = (None if moved is None else _hashable(moved), facts)
        return known

    def possible(self, facts: list[Fact]) -> bool:
        """Whether the plain part of a step allows what was observed."""
        return self.pieces(facts)[1] > -inf

    def pieces(self, facts: list[Fact]) -> tuple[tuple[Alternatives, ...], float]:
        """`facts` come from `step_from`, which keeps them: their identity is theirs for good."""
        known = self._pieces_of.get(id(facts))
        if known is None:
            known = self._pieces_of[id(facts)] = self._demands.pieces(facts)
        return known

    def _step(
        self, state: Any, phase: Phase, hidden: Mapping[str, Any], key: object
    ) -> tuple[Any, tuple[Alternatives, ...], float]:
        moved, facts = self._step_from(state, phase.entry, phase.observed, hidden, key)
        return (moved, *self.pieces(facts))


def _added(pieces: Any, new: tuple[Alternatives, ...]) -> Any:
    if not new:
        return pieces
    counts = dict(pieces)
    for piece in new:
        counts[piece] = counts.get(piece, 0) + 1
    return tuple(counts.items())


def told_apart(mapping: Mapping[str, Any]) -> object:
    """A hashable key for entries or observed values, to compare them by. True, which means any value, equals the number
    1 in Python: the key keeps them apart."""
    for value in mapping.values():
        if value is True or value.__class__ is tuple:
            break
    else:
        return tuple(mapping.items())
    return tuple([
        (name, value, tuple([v is True for v in value]) if value.__class__ is tuple else value is True)
        for name, value in mapping.items()
    ])  # fmt: skip


def _hashable(state: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(tuple(x.items()) if isinstance(x, dict) else x for x in state)
