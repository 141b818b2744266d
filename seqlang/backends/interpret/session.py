"""One run whose inputs are given step by step, so that they may depend on what was shown before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.dataset_size import require_size
from seqlang.backends.interpret.inputs.domains import CheckedDomain
from seqlang.backends.interpret.inputs.metrics import without
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import FreshRandomness, Randomness, SeededRandomness
from seqlang.backends.interpret.values import EvaluationError, Value, describe, shape_of
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.model.program import Program
from seqlang.record import record


@record
class Shown:
    """What an observer saw in one step: the reports by name (True for an event), and what the stop returned."""

    step: int
    reports: Mapping[str, Value]
    stopped: bool
    result: Value


class Session:
    """A run of one program. `step(x=.., y=..)` feeds the streams and public inputs of a step, and gives what is shown.

    The inputs are the data owner's: a value of a stream must be computed on the data by the owner, and only what `step`
    returns, which is what `transcript` collects, may leave. The guarantee of `check` is about exactly that transcript,
    and it holds if every input lies in its domain (tested here) and moves between neighbouring data as the file's
    `adjacent` line says (which no one can test here). Public inputs may be chosen from what was shown.

    Without a seed the noise comes from the operating system. With one it can be drawn again by anybody who knows the
    seed: for studies and tests only. Noise is added in floating point, whose last bits are not covered by the proof.
    """

    def __init__(
        self, program: Program, *, seed: int | None = None, records: Mapping[str, Sequence[Any]] | None = None
    ) -> None:
        self.program = program
        self._randomness: Randomness = FreshRandomness() if seed is None else SeededRandomness(seed)
        self._shown: list[Shown] = []
        self._failed = False
        self._start(program)
        self._records = self._loaded(records or {})

    def _start(self, program: Program) -> None:
        compiler = Compiler(program)
        self._machine = Machine(program, self._randomness)
        self._domains = {i.name: CheckedDomain(compiler, i.domain) for i in program.inputs}
        self._asked = tuple(i.name for i in program.inputs if i.kind != "dataset")

    def step(self, **entry: Any) -> Shown:
        """One step. Numbers, and sequences of numbers for vectors; a field that only metrics read may be left out.

        Raises SpecError: E0614 for a value outside its domain, E0624 for a field that is missing or unknown and after
        the end; such a step is not made, and the next one may correct it. E0620 where an expression has no value: it
        ends the session, and the error, which depends on the data, must not leave.
        """
        if self._machine.stopped or self._failed:
            how = "failed" if self._failed else "stopped"
            raise _refused(f"`{self.program.name}` has {how} at step {self.step_number}: it shows nothing more")
        self._fit(entry)
        values = {name: self._value(name, value) for name, value in entry.items()}
        try:
            outcome = self._machine.step(values)
        except EvaluationError:
            self._failed = True
            raise
        shown = Shown(self.step_number, dict(outcome.reports), outcome.stopped, outcome.result)
        self._shown.append(shown)
        return shown

    @property
    def step_number(self) -> int:
        """The number of steps made."""
        return self._machine.step_number

    @property
    def stopped(self) -> bool:
        return self._machine.stopped

    @property
    def result(self) -> Value:
        """What the stop returned: a label, a number, a tuple of numbers; None before it, or if it returns nothing."""
        return self._machine.result

    @property
    def transcript(self) -> tuple[Shown, ...]:
        """What every step so far has shown: all that the guarantee is about."""
        return tuple(self._shown)

    @property
    def statistics(self) -> dict[str, Value]:
        """The owner's view: the last values of the named statistics. They are private, and must not leave."""
        return self._machine.statistics()

    def __str__(self) -> str:
        lines = []
        for shown in self._shown:
            for name, value in shown.reports.items():
                lines.append(f"step {shown.step}: {name}" + ("" if value is True else f" = {describe(value)}"))
        if self.stopped:
            lines.append(f"stopped at step {self.step_number}")
            if self.result is not None:
                lines[-1] += f" and returned {describe(self.result)}"
        else:
            lines.append(f"running, {self.step_number} steps made")
        return "\n".join([self.program.name, *("  " + line for line in lines)])

    def _fit(self, entry: Mapping[str, Any]) -> None:
        """Every field once; before the first step, fields that only metrics read are forgotten if they are missing."""
        for name in entry:
            if name not in self._asked:
                near = did_you_mean(name, self._asked)
                hint = f"did you mean `{near}`?" if near else _fields(self._asked)
                raise _refused(f"`{self.program.name}` has no input `{name}` in a step", hint)
        for name in self._asked:
            if name in entry:
                continue
            part = None if self.step_number else without(self._machine.program, name)
            if part is None:
                raise _refused(f"the step has no value for `{name}`", _fields(self._asked))
            self._start(part)
            if self._records:
                self._machine.load({name: self._records[name] for name in self._records if name in self._domains})

    def _value(self, name: str, value: Any) -> Value:
        found, domain = _plain(name, value), self._domains[name]
        depth = 0 if domain.dimension is None else 1
        if len(shape_of(found)) != depth or (depth and any(isinstance(v, tuple) for v in found)):
            raise _refused(f"{name} = {describe(found)} does not have the shape of {domain.text}")
        if not domain.contains(found):
            message = f"{name} = {describe(found)} is not in {domain.text}"
            raise SpecError((Diagnostic("E0614", message, help="move it into the domain before the step"),))
        return found

    def _loaded(self, records: Mapping[str, Sequence[Any]]) -> dict[str, tuple[Value, ...]]:
        wanted = [i.name for i in self.program.inputs if i.kind == "dataset"]
        if set(records) != set(wanted):
            raise _refused(f"`{self.program.name}` needs the records of {_names(wanted)}, it got {_names(records)}")
        found = {name: tuple(self._value(name, v) for v in records[name]) for name in wanted}
        sizes = {len(values) for values in found.values()}
        if len(sizes) > 1:
            raise _refused("the fields of the records have different lengths")
        if found:
            size = sizes.pop()
            require_size(self.program, size, f"{size} records were given")
            self._machine.load(found)
        return found


def _plain(name: str, value: Any) -> Value:
    """Numbers of any library as Python's, arrays and lists as tuples."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple, range)):
        return tuple(_plain(name, v) for v in value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (Real, Decimal)):
        return float(value)
    raise _refused(f"{name} = {value!r} is not a number")


def _names(names: Any) -> str:
    return ", ".join(f"`{n}`" for n in names) or "none"


def _fields(names: Sequence[str]) -> str:
    return f"a step takes {_names(names)}"


def _refused(message: str, help: str | None = None) -> SpecError:
    return SpecError((Diagnostic("E0624", message, help=help),))
