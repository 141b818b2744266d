"""The exact law of a small discrete program by carrying every draw along: a table of weighted cases, one column for
each value that a later statement reads. Written from the language's semantics alone; shares nothing with seqlang.

An expression is its `.seq` text and a function of the table. Two-sided geometric noise is cut off at `reach`, its tails
put on the ends: the law is off by at most `Law.missed` a draw in total variation, so that errors are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Column = Callable[["Table"], Array]


@dataclass(frozen=True)
class Law:
    """`text` as it is written; of `values` and `chances` a flip has the values 0 (the truth) and 1 (the other)."""

    text: str
    values: tuple[float, ...]
    chances: tuple[float, ...]
    missed: float = 0.0
    flip: bool = False


def geometric(ratio: float, reach: int) -> Law:
    middle = [(1 - ratio) / (1 + ratio) * ratio ** abs(k) for k in range(-reach + 1, reach)]
    end = ratio**reach / (1 + ratio)
    values = tuple(float(k) for k in range(-reach, reach + 1))
    return Law(f"geometric({ratio})", values, (end, *middle, end), 2 * ratio ** (reach + 1) / (1 + ratio))


def conditioned(ratio: float, reach: int) -> Law:
    weights = [ratio ** abs(k) for k in range(-reach, reach + 1)]
    values = tuple(float(k) for k in range(-reach, reach + 1))
    return Law(f"conditioned(geometric({ratio}), {-reach}, {reach})", values, tuple(w / sum(weights) for w in weights))


def listed(weights: Mapping[int, float]) -> Law:
    text = ", ".join(f"{k}: {w}" for k, w in weights.items())
    return Law(f"{{{text}}}", tuple(map(float, weights)), tuple(w / sum(weights.values()) for w in weights.values()))


def bernoulli(chance: float) -> Law:
    return Law(f"bernoulli({chance})", (0.0, 1.0), (1 - chance, chance))


def flip(truth: float) -> Law:
    return Law(f"randomized_response({truth})", (0.0, 1.0), (truth, 1 - truth), flip=True)


@dataclass(frozen=True)
class Noise:
    """`life`: once, step, or the name of a report after which it is drawn anew."""

    name: str
    law: Law
    life: str
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Expr:
    """`names` are read directly (with their noise); `cells` are the columns that last, with their first values."""

    text: str
    column: Column
    names: frozenset[str] = frozenset()
    cells: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Statement:
    """`kind`: statistic, event, value, update, stop, draw. `when`: None for always. A draw's `choices` are its values
    with their weights; a stop's `label` is its number among the outcomes, or 0 for one without."""

    kind: str
    name: str
    value: Expr | None = None
    when: Expr | None = None
    choices: tuple[tuple[float, Expr], ...] = ()

    def parts(self) -> list[Expr]:
        return [e for e in (self.value, self.when, *(w for _, w in self.choices)) if e is not None]


@dataclass(frozen=True)
class Program:
    """`flips_return`: the chance of the truth of a returned label, among all labels."""

    statements: tuple[Statement, ...]
    noises: tuple[Noise, ...]
    memories: tuple[tuple[str, float], ...] = ()
    parameters: Mapping[str, float] = field(default_factory=dict)
    flips_return: float | None = None
    text: str = field(default="", compare=False)
    widest: int = field(default=20_000, compare=False)

    def noises_of(self, name: str) -> list[tuple[Noise, int]]:
        return [(n, f) for n in self.noises for place, f in n.places if place == name]

    def missed(self, steps: int) -> float:
        """By how much (total variation) the computed law may be off."""
        return sum(n.law.missed * (1 if n.life == "once" else steps) for n in self.noises)


class TooWide(Exception):
    """More cases than a short test can carry along."""


class Table:
    """Rows are cases that nothing seen so far tells apart from others in the same transcript."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.weight: Array = np.ones(1)
        self.columns: dict[str, Array] = {}
        self.step = 0
        self.entry: Any = None
        self.released: set[str] = set()

    def set(self, name: str, value: float) -> None:
        self.columns[name] = np.full(len(self.weight), float(value))

    def put(self, name: str, value: Array) -> None:
        self.columns[name] = np.broadcast_to(np.asarray(value, dtype=float), self.weight.shape).copy()

    def read(self, name: str) -> Array:
        """The value with its noise."""
        value = self.columns[name] if name in self.columns else self._input(name)
        if name in self.released:
            return value
        for noise, factor in self.program.noises_of(name):
            drawn = self.columns[f"~{noise.name}"]
            value = np.where(drawn > 0.5, 1 - value, value) if noise.law.flip else value + factor * drawn
        return value

    def _input(self, name: str) -> Array:
        known = self.program.parameters
        return np.full(len(self.weight), float(known[name] if name in known else self.entry[name]))

    def branch(self, name: str, values: Sequence[float], chances: Sequence[Array | float]) -> None:
        """A column of its own for each value: rows times values."""
        n, k = len(self.weight), len(values)
        if n * k > self.program.widest:
            raise TooWide
        table = np.stack([np.broadcast_to(np.asarray(c, dtype=float), (n,)) for c in chances], axis=1)
        self.weight = (self.weight[:, None] * table).ravel()
        for key, column in self.columns.items():
            self.columns[key] = np.repeat(column, k)
        self.columns[name] = np.tile(np.asarray(values, dtype=float), n)
        self.keep(self.weight > 0)

    def keep(self, rows: NDArray[np.bool_]) -> None:
        if not rows.all():
            self.weight = self.weight[rows]
            self.columns = {key: column[rows] for key, column in self.columns.items()}

    def drop(self, names: set[str]) -> None:
        """Forget columns, and add up the rows that are then alike."""
        gone = names & self.columns.keys()
        for name in gone:
            del self.columns[name]
        if not gone or len(self.weight) < 2:
            return
        code = np.zeros(len(self.weight), dtype=np.int64)
        size = 1
        for column in self.columns.values():
            whole = np.rint(4 * column).astype(np.int64)
            low, high = int(whole.min()), int(whole.max())
            if high > low:
                if size * (high - low + 1) > 2**60:
                    _, code = np.unique(code, return_inverse=True)
                    size = int(code.max()) + 1
                code = code * (high - low + 1) + (whole - low)
                size *= high - low + 1
        _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
        if len(first) < len(code):
            self.weight = np.bincount(inverse, weights=self.weight)
            self.columns = {key: column[first] for key, column in self.columns.items()}


def _fields(entry: Any) -> dict[str, Any]:
    return entry if isinstance(entry, dict) else {"x": entry}


Transcript = tuple[int, str, int, float, float]
"""Last step, "stop" or "goes on", place of the label (-1: none), number returned, and all reports as one number."""

LOWEST, HIGHEST = -3, 4
"""Released numbers beyond are lumped together: that can only hide loss, never add it."""
ABSENT = HIGHEST + 1


class Run:
    """The program on streams; `watch` (step, statement, fired, value) -> rows to keep, for the chance of one event."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.reads = [self._drawn_for(s) for s in program.statements]
        self.last = {}
        for i, statement in enumerate(program.statements):
            for name in self._names(statement):
                self.last[name] = i
            for noise in self.reads[i]:
                self.last[f"~{noise.name}"] = i

    def _names(self, statement: Statement) -> set[str]:
        return {name for e in statement.parts() for name in e.names}

    def _drawn_for(self, statement: Statement) -> list[Noise]:
        names = self._names(statement) | ({statement.name} if statement.kind == "value" else set())
        return [n for n in self.program.noises if f"~{n.name}" in names or any(place in names for place, _ in n.places)]

    def law(self, stream: Sequence[Any]) -> dict[Transcript, float]:
        """The probability of every transcript up to the length of the stream (code -> chance)."""
        out: dict[Transcript, float] = {}
        table = Table(self.program)
        self._begin(table)
        table.set("seen", 0)
        for step, entry in enumerate(stream, 1):
            table.step, table.entry = step, _fields(entry)
            self._step(table, lambda code, p: out.__setitem__(code, out.get(code, 0.0) + p))
            if not len(table.weight):
                return out
        self._collect(table, len(stream), out)
        return out

    def _begin(self, table: Table) -> None:
        for name, value in self.program.memories:
            table.set(name, value)
        for statement in self.program.statements:
            for e in statement.parts():
                for name, value in e.cells:
                    table.set(name, value)
            if statement.kind in ("event", "value"):
                table.set(f"fired {statement.name}", 0)
        for noise in self.program.noises:
            if noise.life != "step":
                table.branch(f"~{noise.name}", noise.law.values, noise.law.chances)

    def _collect(self, table: Table, step: int, out: dict[Any, float]) -> None:
        codes, inverse = np.unique(table.columns["seen"], return_inverse=True)
        for code, p in zip(codes.tolist(), np.bincount(inverse, weights=table.weight).tolist(), strict=True):
            out[step, "goes on", -1, 0.0, code] = p

    def _step(self, table: Table, add: Callable[[Any, float], None]) -> None:
        program = self.program
        for statement in program.statements:
            if statement.kind in ("event", "value"):
                table.set(f"now {statement.name}", 0)
        for i, statement in enumerate(program.statements):
            for noise in self.reads[i]:
                if f"~{noise.name}" not in table.columns:
                    table.branch(f"~{noise.name}", noise.law.values, noise.law.chances)
            self._statement(table, i, statement, add)
            if not len(table.weight):
                return
            table.drop({f"~{n.name}" for n in program.noises if n.life == "step" and self.last.get(f"~{n.name}") == i}
                       | {s.name for s in program.statements[: i + 1] if s.kind in ("statistic", "draw", "value")
                          and self.last.get(s.name, -1) <= i})  # fmt: skip
        for statement in program.statements:
            if statement.kind in ("event", "value"):
                table.columns[f"fired {statement.name}"] = table.columns[f"now {statement.name}"]
        for noise in program.noises:
            if noise.life not in ("once", "step"):
                self._anew(table, noise)
        table.drop({f"now {s.name}" for s in program.statements})

    def _anew(self, table: Table, noise: Noise) -> None:
        """After its report: the old value is forgotten and another drawn."""
        fired = table.columns[f"fired {noise.life}"] > 0
        if not fired.any():
            return
        name = f"~{noise.name}"
        table.columns[name] = np.where(fired, noise.law.values[0], table.columns[name])
        count = len(noise.law.values)
        chances: list[Array] = [np.where(fired, c, 0.0) for c in noise.law.chances]
        table.branch("anew", (*range(count), -1.0), (*chances, np.where(fired, 0.0, 1.0)))
        anew = table.columns.pop("anew")
        values = np.asarray((*noise.law.values, 0.0))
        table.columns[name] = np.where(anew >= 0, values[anew.astype(int)], table.columns[name])

    def _statement(self, table: Table, i: int, statement: Statement, add: Callable[[Any, float], None]) -> None:
        everywhere = np.ones(len(table.weight), bool)
        value = None if statement.value is None else statement.value.column(table)
        when = everywhere if statement.when is None else statement.when.column(table) > 0.5
        match statement.kind:
            case "statistic":
                assert value is not None
                table.put(statement.name, value)
            case "draw":
                weights = [w.column(table) for _, w in statement.choices]
                total = np.sum(weights, axis=0)
                table.branch(statement.name, [v for v, _ in statement.choices], [w / total for w in weights])
            case "event":
                table.put(f"now {statement.name}", when.astype(float))
                self._shown(table, statement, when, None)
            case "value":
                assert value is not None
                table.put(statement.name, value)
                table.released.discard(statement.name)
                table.put(f"now {statement.name}", when.astype(float))
                released = table.read(statement.name)
                table.put(statement.name, released)
                table.released.add(statement.name)
                self._shown(table, statement, when, released)
            case "update":
                assert value is not None
                table.put(statement.name, np.where(when, value, table.columns[statement.name]))
            case "stop":
                self._stop(table, i, statement, value, when, add)
            case _:
                raise AssertionError(statement.kind)

    def _lumped(self, value: Array) -> Array:
        lumped: Array = np.clip(np.floor(value), LOWEST, HIGHEST)
        return lumped

    def _shown(self, table: Table, statement: Statement, when: NDArray[np.bool_], released: Array | None) -> None:
        code, size = when.astype(float), 2
        if released is not None:
            code = np.where(when, np.clip(np.floor(released), LOWEST, HIGHEST), ABSENT) - LOWEST
            size = ABSENT - LOWEST + 1
        table.columns["seen"] = table.columns["seen"] * size + code

    def _stop(
        self, table: Table, i: int, statement: Statement, value: Array | None, when: NDArray[np.bool_],
        add: Callable[[Any, float], None],
    ) -> None:  # fmt: skip
        seen = table.columns["seen"][when]
        labels = sorted({s.name for s in self.program.statements if s.kind == "stop" and s.name})
        results = np.zeros(len(seen)) if value is None else self._lumped(value[when])
        own = labels.index(statement.name) if statement.name else -1
        pairs, inverse = np.unique(np.stack([seen, results]), axis=1, return_inverse=True)
        for (code, result), p in zip(
            pairs.T.tolist(), np.bincount(inverse.ravel(), weights=table.weight[when]).tolist(), strict=True
        ):
            if self.program.flips_return is None or own < 0:
                add((table.step, "stop", own, result, code), p)
                continue
            for other in range(len(labels)):
                truth = self.program.flips_return
                add(
                    (table.step, "stop", other, result, code),
                    p * (truth if other == own else (1 - truth) / (len(labels) - 1)),
                )
        table.keep(~when)


class Watching(Run):
    """Keeps only what agrees with an event: reports {(step, name): True, a number or a pair} and no others up to
    `until`; then a stop in step `stopped` with `result` (None: any), or none up to `until`."""

    def __init__(
        self, program: Program, reports: Mapping[tuple[int, str], Any], until: int, stopped: int | None, result: Any
    ) -> None:
        super().__init__(program)
        self.reports, self.until, self.stopped, self.result = dict(reports), until, stopped, result

    def chance(self, stream: Sequence[Any]) -> float:
        table = Table(self.program)
        self._begin(table)
        table.set("seen", 0)
        ended = 0.0

        def add(key: Any, p: float) -> None:
            nonlocal ended
            step, _, own, value, seen = key
            wanted = sum(s == step for s, _ in self.reports)
            if step == self.stopped and seen == wanted and self._as_wanted(own, value):
                ended += p

        for step in range(1, self.until + 1):
            table.step, table.entry = step, _fields(stream[step - 1])
            table.set("seen", 0)
            self._step(table, add)
            table.keep(table.columns["seen"] == sum(s == step for s, _ in self.reports))
            if not len(table.weight):
                return ended
        return ended if self.stopped is not None else float(table.weight.sum())

    def _lumped(self, value: Array) -> Array:
        return value

    def _as_wanted(self, own: int, value: float) -> bool:
        if self.result is None:
            return True
        labels = sorted({s.name for s in self.program.statements if s.kind == "stop" and s.name})
        if isinstance(self.result, str):
            return own >= 0 and labels[own] == self.result
        low, high = self.result if isinstance(self.result, tuple) else (self.result, self.result)
        return own < 0 and low <= value <= high

    def _shown(self, table: Table, statement: Statement, when: NDArray[np.bool_], released: Array | None) -> None:
        wanted = self.reports.get((table.step, statement.name))
        if released is not None and statement.value is not None and statement.value.text.startswith("(if "):
            # a truth value that is shown: made where it is true
            good = (released > 0.5) & when if wanted else (released < 0.5) | ~when
        elif wanted is None:
            good = ~when
        elif released is None or wanted is True:
            good = when
        else:
            low, high = wanted if isinstance(wanted, tuple) else (wanted, wanted)
            good = when & (released >= low - 1e-9) & (released <= high + 1e-9)
        # a column, not a filter: rows are dropped where the step ends
        table.columns["seen"] = table.columns["seen"] + np.where(good, float(wanted is not None), -1000.0)
