"""One simulated run, step by step: what every comparison compared, with which noise, and why the run ended."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from seqlang.backends.interpret.inputs.drawn import InputSampler
from seqlang.backends.interpret.machine import Machine, Outcome
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.backends.interpret.values import EvaluationError
from seqlang.diagnostics import SpecError
from seqlang.driver.given import whole
from seqlang.driver.loading import shown_in
from seqlang.model.expression import Drawn, Local
from seqlang.model.gate_source import OfCondition, OfEvent, OfStop
from seqlang.model.life import EachStep
from seqlang.model.print import show_expression
from seqlang.model.program import CompareGate, Margin, Program, Report, Stop
from seqlang.report.pictures.paths import compared
from seqlang.studio.jobs.texts import loaded_of, models_of

LONGEST = 2_000
"""Steps."""


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, Any]:
    """`tracks`, one a comparison: its `name`, what it compares (`value`), and at each step, or null where it was not
    reached, the plain `values`, what is compared (`noisy`: with the noise of that step), the `levels` (with the noise
    that is kept) and whether it `fired`. It fires where `sign` times (noisy - level) is at least 0. `entries`: what was
    read in each step. `result`: how the run ended."""
    loaded = loaded_of(argument)
    models = models_of(argument, loaded)
    if not models:
        raise SpecError.of(
            "E0620", "a run needs data, and the text has no model", help="declare a model: `model usual: ..`"
        )
    longest = min(LONGEST, whole(argument.get("cap") or 200, "cap"))
    with shown_in(loaded.source):
        return _Run(loaded.program, models[0], whole(argument.get("seed") or 1, "seed", 0), longest).done()


class _Run:
    """Of the first `longest` steps."""

    def __init__(self, program: Program, model: str, seed: int, longest: int) -> None:
        self.program, self.model, self.longest = program, model, longest
        self.inputs = InputSampler(program, next(m for m in program.models if m.name == model))
        self.randomness = SeededRandomness(seed, 0)
        self.machine = Machine(program, self.randomness, self._observed)
        name, boundaries = compared(program)
        signs = {b.name: b.sign for b in boundaries}
        self.gates = {
            gate.source: (gate.test, name if gate.name in signs else "", signs.get(gate.name, 1))
            for gate in program.gates
            if isinstance(gate, CompareGate) and isinstance(gate.test, Margin)
        }
        self.tracks: dict[Any, dict[str, Any]] = {
            gate.source: self._track(gate.name, *self.gates[gate.source]) for gate in program.gates
            if gate.source in self.gates
        }  # fmt: skip

    def _track(self, name: str, test: Margin, statistic: str, sign: int) -> dict[str, Any]:
        value = statistic or show_expression(test.value, self.program)
        return {"name": name, "value": value, "sign": sign, "values": [], "noisy": [], "levels": [], "fired": []}

    def done(self) -> dict[str, Any]:
        """Until it stops, or for so many steps."""
        if any(i.kind == "dataset" for i in self.program.inputs):
            self.machine.load(self.inputs.dataset(self.randomness))
        entries: list[str] = []
        result = f"it goes on after {self.longest} steps"
        for step in range(1, self.longest + 1):
            entry = self.inputs.entry(self.randomness, step, self.machine.memory)
            outcome = self.machine.step(entry)
            reports = [f"{name} = {_words(value)}" if value is not True else name for name, value in outcome.reports]
            read = [f"{name} = {_words(value)}" for name, value in entry.items()]
            entries.append(", ".join(read) + (f"; shown: {', '.join(reports)}" if reports else ""))
            for track in self.tracks.values():
                for kind in ("values", "noisy", "levels", "fired"):
                    track[kind] += [None] * (step - len(track[kind]))
            if outcome.stopped:
                result = f"stopped at step {step}" + ("" if outcome.result is None else f": {_words(outcome.result)}")
                break
        return {"model": self.model, "entries": entries, "tracks": list(self.tracks.values()), "result": result}

    def _observed(self, machine: Machine, statement: Report | Stop, happened: Outcome | None) -> Outcome:
        sources = (
            (OfStop(statement.index),) if isinstance(statement, Stop)
            else (OfEvent(statement.name), OfCondition(statement.name))
        )  # fmt: skip
        for source in sources:
            if source in self.gates and happened is not None:
                self._write(machine, source, happened.fired)
        if happened is None:
            raise EvaluationError("a condition has no value", statement.span)
        return happened

    def _write(self, machine: Machine, source: Any, fired: bool) -> None:
        test, statistic, sign = self.gates[source]
        parts = dict.fromkeys(("kept", "fresh"), 0.0)
        for term in test.terms:
            kind = "fresh" if isinstance(self.program.noise(term.noise).life, EachStep) else "kept"
            parts[kind] += _number(machine.value(term.factor)) * _number(machine.value(Drawn(term.noise)))
        margin = _number(machine.value(test.value))
        value = _number(machine.value(Local(statistic))) if statistic else margin
        track, missing = self.tracks[source], machine.step_number - 1 - len(self.tracks[source]["values"])
        found = {"values": value, "noisy": value + sign * parts["fresh"],
                 "levels": value - sign * (margin + parts["kept"]), "fired": fired}  # fmt: skip
        for kind, one in found.items():
            track[kind] += [None] * missing + [one if one is fired or math.isfinite(one) else None]


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


def _words(value: object) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_words, value[:8])) + (", .." if len(value) > 8 else "") + ")"
    return f"{value:.4g}" if isinstance(value, float) else str(value)[:60]
