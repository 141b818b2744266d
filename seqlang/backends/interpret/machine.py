"""One run of any valid program, step by step: the reference that the other backends are compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, assert_never

from seqlang.backends.interpret.cells import CellState
from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.alphabet import alphabet_of
from seqlang.backends.interpret.laws.derived import Tree
from seqlang.backends.interpret.laws.listed import Flip
from seqlang.backends.interpret.randomness import Randomness
from seqlang.backends.interpret.rationals import compiler_of
from seqlang.backends.interpret.shapes import declared_records
from seqlang.backends.interpret.values import (
    OUT_OF_STEPS,
    EvaluationError,
    OutOfReach,
    Value,
    describe,
    filled,
    pairwise,
)
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, EachStep, Life, Once
from seqlang.model.program import Cell, Define, Draw, Noise, Program, Report, Stop, Update


class Outcome(NamedTuple):
    """What a report or a stop did: whether it fired, and the released value or the result (None: there is none)."""

    fired: bool
    value: Value = None


class StepOutcome(NamedTuple):
    """`reports` in order, with the value of a value report and True for an event; `result` is what `stop` returned."""

    reports: tuple[tuple[str, Value], ...]
    stopped: bool
    result: Value


Observer: TypeAlias = "Callable[[Machine, Report | Stop, Outcome | None], Outcome]"
"""Called at every report and stop that is reached, with what happened (None if it could not be evaluated); what it
returns happens instead. `machine.value(e)` evaluates expressions at that point of the step."""


class Machine:
    """A run of `program`. Feed the dataset with `load`, then every step's entry to `step`, until it has stopped.

    `randomness` supplies noise and draws; `observe` follows or replaces what the transcript shows.
    """

    def __init__(
        self,
        program: Program,
        randomness: Randomness,
        observe: Observer | None = None,
        compiler: Compiler | None = None,
    ) -> None:
        self.program = program
        self.observe = observe
        self.compiler = compiler_of(program) if compiler is None else compiler
        self._noises = {n.name: n for n in program.noises}
        self._alphabets: dict[str, tuple[Value, ...] | None] = {}
        self._declared = declared_records(self.compiler)
        self.cells = {s.name: CellState(s, self.compiler) for s in program.body if isinstance(s, Cell)}
        self.restart(randomness)
        self._body = [self._compiled(s) for s in program.body]

    def restart(self, randomness: Randomness) -> None:
        """Back to before step 1, with other randomness: what was compiled stays."""
        self.randomness = randomness
        self.step_number = 0
        self.stopped = False
        self.result: Value = None
        self.fields: dict[str, Value] = {}
        self.locals: dict[str, Value] = {}
        self.bound: dict[int, Value] = {}
        self.reported: dict[str, Value] = {}
        self.report_counts: dict[str, int] = {}
        self._laws: dict[str, Value] = {}
        self._lives: dict[str, tuple[int, Value]] = {}
        self._nodes: dict[str, dict[int, Value]] = {}
        self.records = self._declared
        self.memory = {m.name: self.compiler.constant(m.initial) for m in self.program.memories}
        self._started = False

    def load(self, records: Mapping[str, Sequence[Value]]) -> None:
        """The dataset: every field's values, one a record. `records` then counts what is there."""
        lengths = {len(values) for values in records.values()}
        if len(lengths) > 1:
            raise ValueError("the fields of a dataset have different numbers of records")
        for name, values in records.items():
            self.fields[name] = tuple(values)
        self.records = range(1, (lengths.pop() if lengths else 0) + 1)

    def step(self, entry: Mapping[str, Value]) -> StepOutcome:
        """One step on this entry of the streams and public inputs.

        Raises EvaluationError, with the step's number, where an expression has no value.
        """
        if self.stopped:
            raise ValueError("this run has stopped")
        try:
            self._begin(entry)
            reports: list[tuple[str, Value]] = []
            for run in self._body:
                if not self.stopped:
                    run(reports)
        except EvaluationError as error:
            raise error.noting(f"in step {self.step_number}") from None
        return StepOutcome(tuple(reports), self.stopped, self.result)

    def value(self, expression: ir.Expression) -> Value:
        """The value of an expression of this program in the present state."""
        return self.compiler.compile(expression).run(self)

    def statistics(self) -> dict[str, Value]:
        """The values of the named statistics as last computed (missing: not yet computed)."""
        names = [s.name for s in self.program.body if isinstance(s, Define) and s.kind == "statistic"]
        return {name: self.compiler.shown(self.locals[name]) for name in names if name in self.locals}

    def times_reported(self) -> dict[str, int]:
        """How often each report was made."""
        names = self.program.report_names
        return {name: self.report_counts.get(name, 0) + (name in self.reported) for name in names}

    # ---- a step

    def _begin(self, entry: Mapping[str, Value]) -> None:
        if self.step_number >= self.compiler.jumps.last_step:
            raise OutOfReach(OUT_OF_STEPS)
        if not self._started:
            self._started = True
            for cell in self.cells.values():
                cell.start(self)
        for name in self.reported:
            self.report_counts[name] = self.report_counts.get(name, 0) + 1
        for cell in self.cells.values():
            cell.begin(self.step_number > 0 and cell.report in self.reported)
        self.step_number += 1
        self.reported = {}
        self.fields.update(entry)

    def _compiled(self, statement: object) -> Callable[[list[tuple[str, Value]]], None]:
        compile = self.compiler.compile
        match statement:
            case Define(name, expression):
                define = compile(expression).run
                return lambda reports: self.locals.__setitem__(name, define(self))
            case Cell(name):
                return lambda reports: self.cells[name].tick(self)
            case Draw():
                return lambda reports: self._draw(statement)
            case Report():
                return self._report(statement)
            case Update(memory, value, when):
                new = compile(value).run
                test = None if when is None else compile(when).run

                def update(reports: list[tuple[str, Value]]) -> None:
                    if test is None or test(self):
                        self.memory[memory] = new(self)

                return update
            case Stop():
                return self._stop(statement)
            case _:
                raise TypeError(f"not a statement: {statement!r}")

    def _outcome(self, statement: Report | Stop) -> Callable[[], Outcome]:
        when = None if statement.when is None else self.compiler.compile(statement.when).run
        shown = statement.value if isinstance(statement, Report) else statement.result
        value = None if shown is None else self.compiler.compile(shown).run

        def plain() -> Outcome:
            if when is not None and not when(self):
                return Outcome(False)
            return Outcome(True, None if value is None else value(self))

        observe = self.observe
        if observe is None:
            return plain

        def observed() -> Outcome:
            try:
                happened: Outcome | None = plain()
            except OutOfReach:
                raise
            except EvaluationError:
                happened = None
            return observe(self, statement, happened)

        return observed

    def _report(self, report: Report) -> Callable[[list[tuple[str, Value]]], None]:
        outcome, name, event = self._outcome(report), report.name, report.value is None

        def run(reports: list[tuple[str, Value]]) -> None:
            fired, value = outcome()
            if fired:
                self.reported[name] = True if event else value
                reports.append((name, self.compiler.shown(self.reported[name])))

        return run

    def _stop(self, stop: Stop) -> Callable[[list[tuple[str, Value]]], None]:
        outcome = self._outcome(stop)

        def run(reports: list[tuple[str, Value]]) -> None:
            fired, value = outcome()
            if fired:
                self.stopped, self.result = True, self.compiler.shown(value)

        return run

    # ---- randomness

    def _life(self, life: Life) -> int:
        match life:
            case Once():
                return 0
            case EachStep():
                return self.step_number
            case EachReport(report):
                return self.report_counts.get(report, 0)
            case _:
                assert_never(life)

    def _draw(self, draw: Draw) -> None:
        life = self._life(draw.life)
        known = self._lives.get(draw.name)
        if known is None or known[0] != life:
            law = self.compiler.compile(draw.law).run(self)
            self._lives[draw.name] = (life, self.randomness.draw(draw, life, law))

    def drawn(self, name: str) -> Value:
        """The value of a named draw: of a `Draw` statement above, or of a noise."""
        if name in self._noises:
            return self.noise(name, ())
        return self._lives[name][1]

    def law(self, noise: Noise) -> Value:
        """The noise's law: its arguments are constants, or the records (which are there before the first step)."""
        if noise.name not in self._laws:
            self._laws[noise.name] = self.compiler.compile(noise.law).run(self)
        return self._laws[noise.name]

    def noise(self, name: str, shape: tuple[int, ...]) -> Value:
        """The noise's value in this life, drawn at its first reading, for a value of that shape."""
        noise = self._noises[name]
        life = self._life(noise.life)
        known = self._lives.get(name)
        if known is not None and known[0] == life:
            return known[1]
        law = self.law(noise)
        if isinstance(law, Tree):
            return self._tree(noise, law, shape)
        value = self.randomness.noise(noise, life, law, shape)
        self._lives[name] = (life, value)
        return value

    def _tree(self, noise: Noise, law: Tree, shape: tuple[int, ...]) -> Value:
        """The sum of the noises of the nodes that cover steps 1..step, one for each bit, least significant first.

        A node is named by its last step and its level; it keeps its noise for the run (or the life of `each R`).
        """
        epoch = self._life(noise.life) if isinstance(noise.life, EachReport) else 0
        kept = self._nodes.setdefault(noise.name, {})
        total: Value = filled(shape, lambda: 0.0)
        current: dict[int, Value] = {}
        left, level = self.step_number, 0
        while left >> level:
            if left >> level & 1:
                node = (((epoch << 64) + (left >> level << level)) << 7) + level
                current[node] = kept[node] if node in kept else self.randomness.noise(noise, node, law.node, shape)
                total = pairwise(lambda a, b: a + b, total, current[node])
            level += 1
        self._nodes[noise.name] = current
        return total

    def flipped(self, name: str, read: ir.Noised, value: Value) -> Value:
        """Randomised response: the value, or another of its finite domain."""
        noise = self._noises[name]
        law = self.law(noise)
        assert isinstance(law, Flip)
        first = value[0] if isinstance(value, tuple) and value else value
        letters = self._alphabet(read, first)
        places = self._lives.get(name)
        life = self._life(noise.life)
        if places is None or places[0] != life:
            shape = (len(value),) if isinstance(value, tuple) else ()
            places = (life, self.randomness.noise(noise, life, law.over(len(letters)), shape))
            self._lives[name] = places

        def moved(v: Value, by: int) -> Value:
            if v not in letters:
                raise EvaluationError(f"{describe(v)} is not a value that `{read.name}` may have")
            return letters[(letters.index(v) + by) % len(letters)]

        return pairwise(moved, value, places[1])

    def _alphabet(self, read: ir.Noised, value: Value) -> tuple[Value, ...]:
        if isinstance(value, bool):
            return (False, True)
        if isinstance(value, str):
            return self.program.labels
        if read.name not in self._alphabets:
            self._alphabets[read.name] = alphabet_of(self.compiler, read)
        letters = self._alphabets[read.name]
        if letters is None:
            raise EvaluationError(f"randomised response needs a finite domain, `{read.name}` has none")
        return letters
