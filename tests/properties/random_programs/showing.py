"""What a program shows, before noise: the plain value at every showing, on many inputs at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from random_programs.inputs import Inputs
from random_programs.meaning import State, Undefined, domain, statistic_value, value
from random_programs.syntax import E, Program, changed, copied
from random_programs.winners import winner

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Showing:
    """`name` was shown in this step ("return": the value returned); `numbers`: inputs times coordinates, or for a
    choice the logarithms of its chances. `vector`: whether it is a list."""

    name: str
    step: int
    numbers: Array
    vector: bool = False
    choice: bool = False


def showings(program: Program, inputs: Inputs, public: tuple[tuple[float, ...], ...] = ()) -> list[Showing]:
    """All showings of a run, in order. Every `when` must be the same in all inputs (raises Undefined otherwise).
    `public`: for each step the values of the public fields."""
    program = changed(program, copied)
    state = State(program, {}, inputs.count)
    state.scope |= dict(program.parameters) | dict(program.memories)
    state.functions = {f.name: f for f in program.functions}
    size = len(inputs.count)
    out: list[Showing] = []
    drawn: dict[str, Array] = {}
    noisy = frozenset(target for n in program.noises for target in n.targets)
    for step in range(1, program.steps + 1):
        state.step = step
        _read(program, inputs, state, public)
        fired: dict[str, bool] = {}
        for s in program.statements:
            if s.kind == "draw":
                assert s.value is not None
                drawn[s.name] = _log_weights(s.value, state, size)
                continue
            when = True if s.when is None else _certain(value(s.when, state))
            shown = None if s.value is None else _drawn(s.value, drawn)
            if s.value is not None and s.kind in ("report", "stop"):
                shown = shown if shown is not None else winner(s.value, state, program.noises, size)
            v = None
            if s.value is not None and shown is None:
                v = statistic_value(s.name, s.value, state) if s.kind == "statistic" else value(s.value, state)
            if s.kind in ("statistic", "let") or (s.kind == "update" and when):
                state.scope[s.name] = v
            elif s.kind == "report":
                fired[s.name] = when
                if s.value is None:
                    state.scope[s.name] = when
            if when and s.kind in ("report", "stop") and s.value is not None:
                name = s.name if s.kind == "report" else _released(s.value, noisy)
                if shown is not None:
                    out.append(Showing(f"choice {s.name}", step, shown, True, True))
                else:
                    out.append(Showing(name, step, _flat(v, size), isinstance(v, list)))
            if when and s.kind == "stop":
                return out
        state.fired = fired
    return out


def _read(program: Program, inputs: Inputs, state: State, public: tuple[tuple[float, ...], ...]) -> None:
    for f in program.fields:
        table = inputs.entries[f.name]
        if program.kind == "dataset":
            state.scope[f.name] = [entry(table[:, i]) for i in range(table.shape[1])]
        else:
            state.scope[f.name] = entry(table[:, state.step - 1])
    for j, f in enumerate(program.public):
        state.scope[f.name] = public[state.step - 1][j]


def entry(table: Array) -> Any:
    """One entry of all inputs: a vector's coordinates are a list."""
    return table if table.ndim == 1 else [table[:, j] for j in range(table.shape[1])]


def _released(e: E, noisy: frozenset[str]) -> str:
    """The noise of `stop return s` is that of s."""
    return str(e.data[0]) if e.kind == "name" and e.data[0] in noisy else "return"


def _certain(when: Any) -> bool:
    if np.any(when) and not np.all(when):
        raise Undefined
    return bool(np.all(when))


def _flat(v: Any, size: int) -> Array:
    items = v if isinstance(v, list) else [v]
    if any(isinstance(item, list) for item in items):
        raise Undefined
    flat = np.stack([np.broadcast_to(np.asarray(item, dtype=float), (size,)) for item in items], axis=1)
    if not np.isfinite(flat).all():
        raise Undefined
    return flat


def _drawn(e: E, drawn: dict[str, Array]) -> Array | None:
    return drawn.get(e.data[0]) if e.kind == "name" else None


def _log_weights(e: E, state: State, size: int) -> Array:
    """`weights` whose body is exp(score): the scores, normalised."""
    v, outer = e.data[-1], state.bound
    scores = []
    for k, member in domain(e.parts[1], state):
        if not np.all(member):
            raise Undefined
        state.bound = outer | {v: k}
        weight = value(e.parts[0], state)
        weights = np.broadcast_to(np.asarray(weight, dtype=float), (size,))
        if not np.all((weights > 1e-200) & (weights < 1e200)):
            raise Undefined
        scores.append(np.log(weights))
    state.bound = outer
    table = np.stack(scores, axis=1)
    return np.asarray(table - np.logaddexp.reduce(table, axis=1, keepdims=True))
