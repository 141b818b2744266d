"""Sample paths for pictures: one statistic and the boundaries, as drawn, at which it would stop."""

from __future__ import annotations

from seqlang.backends.interpret.inputs.drawn import InputSampler
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import SeededRandomness
from seqlang.model.expression import Apply, Drawn, Expression, Local, Noised
from seqlang.model.life import EachStep
from seqlang.model.program import CompareGate, Define, Margin, Program
from seqlang.record import record


@record
class Path:
    """`values[n]` is the statistic after step n + 1 and `levels[n]` the boundaries then, one each of `boundaries`;
    the boundaries hold the noise that is kept, not the one drawn at each step."""

    statistic: str
    boundaries: tuple[str, ...]
    values: tuple[float, ...]
    levels: tuple[tuple[float, ...], ...]
    result: str


@record
class _Boundary:
    name: str
    margin: Margin
    sign: int


def sample_paths(program: Program, model: str, count: int, seed: int, longest: int) -> tuple[Path, ...]:
    """Up to `count` runs of at most `longest` steps; () where the stops do not all compare one scalar statistic of a
    stream."""
    statistic, boundaries = compared(program)
    if not boundaries or program.data_set:
        return ()
    inputs = InputSampler(program, next(m for m in program.models if m.name == model))
    paths: list[Path] = []
    for run in range(count):
        randomness = SeededRandomness(seed, run)
        machine = Machine(program, randomness)
        values: list[float] = []
        levels: list[tuple[float, ...]] = []
        result = "not stopped"
        for step in range(1, longest + 1):
            outcome = machine.step(inputs.entry(randomness, step, machine.memory))
            values.append(_number(machine.value(Local(statistic))))
            levels.append(tuple(_level(machine, program, b, values[-1]) for b in boundaries))
            if outcome.stopped:
                result = "stopped" if outcome.result is None else str(outcome.result)
                break
        paths.append(Path(statistic, tuple(b.name for b in boundaries), tuple(values), tuple(levels), result))
    return tuple(paths)


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


def _level(machine: Machine, program: Program, boundary: _Boundary, at: float) -> float:
    """Where the statistic would have to be for the margin, without the noise of single steps, to be 0."""
    kept = (t for t in boundary.margin.terms if not isinstance(program.noise(t.noise).life, EachStep))
    noise = sum(_number(machine.value(t.factor)) * _number(machine.value(Drawn(t.noise))) for t in kept)
    return at - boundary.sign * (_number(machine.value(boundary.margin.value)) + noise)


def compared(program: Program) -> tuple[str, tuple[_Boundary, ...]]:
    """The first statistic that a stop or report compares, and every gate that compares it with factor 1 or -1."""
    names = [s.name for s in program.body if isinstance(s, Define) and s.kind == "statistic"]
    for name in names:
        found = []
        for gate in program.gates:
            if isinstance(gate, CompareGate) and isinstance(gate.test, Margin):
                sign = _sign(gate.test.value, name)
                if sign:
                    found.append(_Boundary(gate.name, gate.test, sign))
        if found:
            return name, tuple(found)
    return "", ()


def _sign(expression: Expression, name: str) -> int:
    """The factor (1, -1, or 0 for anything else) of the statistic in a sum."""
    match expression:
        case Local(found):
            return 1 if found == name else 0
        case Noised(_, base, _):
            return _sign(base, name)
        case Apply("+", (a, b)):
            return _sign(a, name) + _sign(b, name)
        case Apply("-", (a, b)):
            return _sign(a, name) - _sign(b, name)
        case Apply("negate", (a,)):
            return -_sign(a, name)
        case _:
            return 0
