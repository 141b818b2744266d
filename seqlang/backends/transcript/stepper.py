"""One step of a program on plain data, as a Python function: what the searches run thousands of times.

The function is generated from the program's body and depends on nothing random. It follows a given transcript: the
observed reports and the observed stop decide what later cells, memories and guards see. Besides the next state it
yields `Fact`s: what the noises of this step would have to do for the transcript to come out. The reference interpreter
is the judge of it (`tests/transcript`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, assert_never

from seqlang.backends.interpret.laws.tiny import has_tiny_weights
from seqlang.backends.transcript.cells import CellWriter
from seqlang.backends.transcript.facts import FactWriter
from seqlang.backends.transcript.kept_values import KeptWriter, keeps_noise
from seqlang.backends.transcript.plain_values import PlainWriter, may_fail, name_of
from seqlang.backends.transcript.reported_value import UNKNOWN, number, observed_value
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.gate_source import OfEvent, OfStop, OfValue
from seqlang.model.life import EachReport
from seqlang.operators.groups import PLACES
from seqlang.record import record


@record
class Stepper:
    """`step(state, entry, observed, hidden)` -> (next state, facts). `observed` maps report names to what was reported
    and "stop" to (index, result) or None; `hidden` has the values of finite hidden draws, named in `draws`.

    `measure` is the E of `adjacent .. E within r`; `value` evaluates constant expressions. The state is a tuple,
    hashable for scalar programs; it holds the step number only where the program reads it, and where noisy values are
    kept: then as its first number. `counters` are the places of the state that only count reports, to tell apart the
    draws that come anew after each; `shared` are cells of which all windows are kept as one. `kept`: noises of which
    statistics keep draws unseen. Each of their draws is known by its step. `rounding`: by how much the
    chances of a step may be off, relative to them, as numbers that noise is added to are doubles."""

    start: tuple[Any, ...]
    step: Callable[[tuple[Any, ...], Mapping[str, Any], Mapping[str, Any], Mapping[str, Any]], Any]
    lives: Mapping[str, Any]
    laws: Mapping[str, Any]
    draws: tuple[str, ...]
    trees: bool
    measure: Callable[[Mapping[str, Any]], Any] | None
    value: Callable[[e.Expression], Any]
    source: str
    counters: frozenset[int] = frozenset()
    reads_step: bool = False
    shared: frozenset[str] = frozenset()
    kept: frozenset[str] = frozenset()
    gaps: Mapping[str, float] = {}
    rounding: float = 0.0


def stepper(program: p.Program, keeping: bool = False) -> Stepper:
    """`keeping`: comparisons may read noisy values that statistics keep (`Kept`).

    Raises `Unsupported` where the program holds something that has no plain value.

    What a look-back remembers stands below its readers: that it has no plain value is known to them the second time.
    """
    broken: dict[str, str] = {}
    while True:
        writer = _Writer(program, broken, keeping and keeps_noise(program))
        found = writer.finish()
        if writer.plain.broken.keys() == broken.keys():
            return found
        broken = writer.plain.broken


class _Writer:
    def __init__(self, program: p.Program, broken: Mapping[str, str], keeping: bool) -> None:
        self.program = program
        self.lines: list[str] = []
        self.state: list[str] = []
        self.start: list[Any] = []
        self.plain = PlainWriter(program)
        if has_tiny_weights(self.plain.exact, program):
            raise Unsupported("a weight that is next to 0, and of which floats know too few digits")
        self.plain.broken.update(broken)
        self.kept = KeptWriter(self.plain) if keeping else None
        self.plain.scope |= {
            "Unsupported": Unsupported,
            "UNKNOWN": UNKNOWN,
            "observed_value": observed_value,
            "number": number,
        }
        self.cells = CellWriter(self.plain, self.lines, self.keep)
        self.since = {
            s.keep.report for s in program.body if isinstance(s, p.Cell) and isinstance(s.keep, p.SinceReport)
        }
        self.lives = {n.name: n.life for n in program.noises}
        self.trees = any(n.family == "tree" for n in program.noises)
        self.counted = {n.life.report for n in program.noises if isinstance(n.life, EachReport)}

    def keep(self, name: str, initial: Any) -> None:
        self.state.append(name)
        self.start.append(initial)

    def finish(self) -> Stepper:
        body = self.program.body
        self.reads_step = (
            any(map(self.reads_step_now, p.nodes_in((body, self.program.gates))))
            or any(isinstance(s, p.Cell) and s.operator in PLACES for s in body)
            or self.trees
        )
        self.plain.by_step = self.reads_step or self.kept is not None
        if self.plain.by_step:
            self.keep("n", 0)
            self.lines.append("n = n + 1")
        for report in sorted(self.since):
            self.keep(f"was_{name_of(report)}", False)
        for report in sorted(self.counted):
            self.keep(f"count_{name_of(report)}", 0)
        self.facts = FactWriter(self.program, self.plain, self.lines, self.kept)
        self.lives_line()
        for memory in self.program.memories:
            self.keep(f"m_{name_of(memory.name)}", self.plain.value(memory.initial))
        for statement in body:
            if isinstance(statement, p.Cell):
                self.cells.opens(statement)
        for statement in body:
            self.statement(statement)
        self.step_ends()
        source = self.text()
        exec(compile(source, "<step>", "exec"), self.plain.scope)
        measure = None
        if isinstance(self.program.adjacency, p.Within):
            measure = eval("lambda entry: " + self.plain.write(self.program.adjacency.of), self.plain.scope)
        laws, draws = self.noise_laws(), tuple(self.plain.draws)
        step = self.plain.scope["step"]
        counters = frozenset(self.state.index(f"count_{name_of(report)}") for report in self.counted)
        return Stepper(
            tuple(self.start), step, self.lives, laws, draws, self.trees, measure, self.plain.value, source, counters,
            self.reads_step, frozenset(self.cells.lengths),
            frozenset() if self.kept is None else frozenset(self.kept.noises), self.plain.exact.jumps.units.gaps,
            self.facts.rounding,
        )  # fmt: skip

    def reads_step_now(self, x: e.Expression) -> bool:
        """Whether the number of the step is read by this node as it is computed."""
        compares = isinstance(x, e.Apply) and x.operator in e.COMPARISONS
        return isinstance(x, e.StepNumber) or (not compares and self.plain.exact.jumps.adds_step(x))

    def text(self) -> str:
        """The function of a step, which unpacks the state and packs the new one."""
        packed = f"({', '.join(self.state)}{',' if len(self.state) == 1 else ''})"
        unpacked = [f"{packed} = state"] if self.state else []
        body = ["facts = []", *unpacked, *self.lines, f"return {packed}, facts"]
        return "\n    ".join(["def step(state, entry, observed, hidden):", *body])

    def noise_laws(self) -> dict[str, Any]:
        """(family, argument, ..) of every noise whose arguments can be evaluated."""
        laws: dict[str, Any] = {}
        for noise in self.program.noises:
            try:
                laws[noise.name] = self.plain.value(noise.law)
            except (Unsupported, ArithmeticError, ValueError, NameError):  # a law that reads the data
                continue
        return laws

    def lives_line(self) -> None:
        if self.counted:
            inside = ", ".join(f"{r!r}: count_{name_of(r)}" for r in sorted(self.counted))
            self.lines.append(f"facts.append(('lives', {{{inside}}}))")
        if self.trees or self.kept is not None:
            self.lines.append("facts.append(('step', n))")

    def step_ends(self) -> None:
        self.lines += self.cells.late
        for statement in self.program.body:
            if (
                isinstance(statement, p.Cell)
                and isinstance(statement.keep, p.AtReports)
                and statement.name not in self.plain.broken
            ):
                name = name_of(statement.name)
                fired = self.fired(statement.keep.report)
                self.lines.append(f"if {fired}: c_{name} = c_{name} + (h_{name},)")
        for report in sorted(self.since):
            self.lines.append(f"was_{name_of(report)} = {self.fired(report)}")
        for report in sorted(self.counted):
            self.lines.append(f"count_{name_of(report)} += {self.fired(report)}")

    def fired(self, report: str) -> str:
        return f"({report!r} in observed)"

    def statement(self, statement: p.Statement) -> None:
        match statement:
            case p.Define(name, body):
                try:
                    written = self.plain.write(body) if self.kept is None else self.kept.write(body)
                    written = f"number({written})" if may_fail(body) else written
                    self.lines.append(f"v_{name_of(name)} = {written}")
                except Unsupported as why:  # it matters only if a gate reads it
                    self.plain.broken[name] = str(why)
            case p.Cell():
                try:
                    if self.kept is not None and statement.name in self.kept.names:
                        self.cells.remembers(statement, self.kept.write(statement.body))
                    else:
                        self.cells.ticks(statement)
                except Unsupported as why:
                    self.plain.broken[statement.name] = str(why)
            case p.Draw():
                pass  # what shows a choice reads its law, where it is shown
            case p.Report(name):
                is_event = statement.value is None
                source = OfEvent(name) if is_event else OfValue(name)
                self.facts.gates(source, f"{name!r} in observed", f"observed.get({name!r})")
                got = "True" if is_event else f"observed_value(observed[{name!r}])"
                self.lines.append(f"r_{name_of(name)} = {got} if {name!r} in observed else False")
            case p.Update(memory, value, when):
                # of a released value only a range may be observed: then the memory is unknown from here on
                guard = "" if when is None else f"if {self.plain.write(when)}: "
                name = f"m_{name_of(memory)}"
                self.lines += ["try:", f"    {guard}{name} = {self.plain.write(value)}"]
                self.lines.append(f"except Unsupported: {name} = UNKNOWN")
            case p.Stop(index, _, result):
                here = f"observed['stop'] is not None and observed['stop'][0] == {index}"
                self.facts.gates(OfStop(index), f"({here})", "None")
                self.lines.append(f"if {here}:")
                mark = len(self.lines)
                self.facts.returned(index, result)
                self.lines[mark:] = ["    " + line for line in self.lines[mark:]]
                later = self.program.body[self.program.body.index(statement) :]
                unmade = [s.name for s in later if isinstance(s, p.Report)]  # a stop ends the step
                if unmade:
                    self.lines.append(f"    facts.append(('certain', observed.keys().isdisjoint({unmade!r})))")
                self.lines.append("    return None, facts")
            case _ as never:
                assert_never(never)
