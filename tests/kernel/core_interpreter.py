"""Runs core programs as `seqlang/kernel/core.py` describes them, in fractions, and shares no code with the kernel's own
execution. For tests: the program that the kernel reads shows what the spec shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from scipy.special import zeta

from seqlang.kernel.core import (
    Choose,
    Expression,
    Let,
    Number,
    Op,
    Pick,
    Program,
    Read,
    Report,
    Step,
    Stop,
    Tag,
    Tick,
    Truth,
    Update,
)

Shown = tuple[dict[int, Any], tuple[int, Any] | None]
"""What the step shows: the reports that were made (True for one without a value), and which stop happened with what."""


class NoValue(Exception):
    """An expression has no value."""


class CoreRun:
    """One run. `draw(index, life)`: a draw in its life number `life`: the step, 0 for `once`, the number of the earlier
    steps with the report for `after each report`. `rows`: the fields of each row of the data set. `pick(index, step,
    weights)`: the place of the value that is picked."""

    def __init__(
        self, program: Program, draw: Callable[[int, int], Fraction], rows: Sequence[Sequence[Fraction]] = (),
        pick: Callable[[int, int, list[Any]], int] = lambda index, step, weights: 0,
    ) -> None:  # fmt: skip
        self.program, self.draw, self.rows, self.pick = program, draw, rows, pick
        self.step = 0
        self.made: dict[int, int] = {}
        self.memories = {k: self._constant(e) for k, e in enumerate(program.memories)}
        self.cells: dict[int, Any] = {
            c.index: Fraction(0) if c.start is None else self._constant(c.start) for c in program.cells
        }

    def _constant(self, e: Expression) -> Any:
        return _value(e, {})

    def go(self, entry: Mapping[int, Fraction]) -> Shown:
        self.step += 1
        at: dict[Any, Any] = {("input", k): v for k, v in entry.items()}
        at["step"] = Fraction(self.step)
        at["rows"] = self.rows
        if self.program.rows is not None and self.program.rows.listed:
            at.update({("row", k): v for k, v in enumerate(v for row in self.rows for v in row)})
        for k, declared in enumerate(self.program.draws):
            life = self.step if declared.life == "step" else 0
            if isinstance(declared.life, int):
                life = self.made.get(declared.life, 0)
            at["draw", k] = self.draw(k, life)
        reports: dict[int, Any] = {}
        later: dict[int, Any] = {}
        stopped: tuple[int, Any] | None = None
        at.update({("memory", k): v for k, v in self.memories.items()})
        at.update({("cell", k): v for k, v in self.cells.items()})
        for statement in self.program.body:
            match statement:
                case Let(index, value):
                    at["let", index] = _value(value, at)
                case Tick(index, operator, value, where):
                    if where is not None and not _value(where, at):
                        continue
                    new = _value(value, at)
                    if operator == "last":
                        later[index] = new
                    else:
                        at["cell", index] += (1 if new else 0) if operator == "count" else new
                case Update(index, value, when):
                    if when is None or _value(when, at):
                        at["memory", index] = _value(value, at)
                case Pick(index, values, weights):
                    at["pick", index] = values[self.pick(index, self.step, [_value(w, at) for w in weights])]
                case Report(index, when, value):
                    made = when is None or _value(when, at)
                    if value is None:
                        at["report", index] = bool(made)
                    elif made:
                        at["report", index] = _value(value, at)
                    if made:
                        reports[index] = True if value is None else at["report", index]
                case Stop(index, when, result):
                    if when is None or _value(when, at):
                        stopped = index, None if result is None else _value(result, at)
                        break
        for k in self.memories:
            self.memories[k] = at["memory", k]
        for cell in self.program.cells:
            kept = later.get(cell.index, self.cells[cell.index]) if cell.operator == "last" else at["cell", cell.index]
            self.cells[cell.index] = Fraction(0) if cell.since in reports else kept
        for index in reports:
            self.made[index] = self.made.get(index, 0) + 1
        return reports, stopped


def _value(e: Expression, at: Mapping[Any, Any]) -> Any:
    match e:
        case Number(value):
            return value
        case Truth(value):
            return value
        case Tag(word):
            return word
        case Step():
            return at["step"]
        case Read(kind, index):
            if (kind, index) not in at:
                raise NoValue
            return at[kind, index]
        case Choose(test, yes, no):
            return _value(yes if _value(test, at) else no, at)
        case Op("and", parts):
            return all(_value(part, at) for part in parts)
        case Op("or", parts):
            return any(_value(part, at) for part in parts)
        case Op("total", (body,)):
            return sum(_value(body, {**at, **{("row", f): v for f, v in enumerate(row)}}) for row in at["rows"])
        case Op("list", parts):
            return tuple(_value(part, at) for part in parts)
        case Op(name, parts):
            return FUNCTIONS[name](*(_value(part, at) for part in parts))


def _floor(x: Any) -> Fraction:
    return Fraction(math.floor(x))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "^": lambda a, b: a ** int(b) if b == int(b) else float(a) ** float(b),
    "%": lambda a, b: a - b * _floor(a / b),
    "negate": lambda a: -a,
    "abs": abs,
    "max": max,
    "min": min,
    "clip": lambda x, low, high: min(max(x, low), high),
    "floor": _floor,
    "ceil": lambda x: Fraction(math.ceil(x)),
    "round": lambda x: _floor(x + Fraction(1, 2)),
    "exp": lambda x: math.exp(x),
    "log": lambda x: math.log(x),
    "sqrt": lambda x: math.sqrt(x),
    "zeta": lambda x: float(zeta(float(x))),
    "not": lambda a: not a,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}
