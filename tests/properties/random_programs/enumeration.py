"""The law of what a program shows, by carrying every draw along.

One row stands for an input and a combination of draws that still matters. Two-sided geometric noise is cut off; what is
cut off is counted as missing, so every chance is known between bounds. Continuous noise that lasts becomes nodes of a
quadrature, whose cells begin and end at halves, as do the kinks of the integrands; continuous noise on a statistic that
comparisons read becomes the chance of their answers, each given those before.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from random_programs.densities import DENSITIES, mass, quadrature
from random_programs.inputs import Inputs
from random_programs.meaning import Cell, State, Undefined, domain, statistic_value, value
from random_programs.showing import entry
from random_programs.syntax import E, Noise, Program, Statement, changed, copied, free

Array = NDArray[Any]
WIDEST = 40_000
MISSING = 1e-6
"""Chance that may be cut off from one draw."""


class TooWide(Exception):
    """More rows than a test can carry."""


@dataclass(frozen=True)
class Laws:
    """`chance`: input -> transcript -> at least this; `ends`: input -> (step, outcome as text) -> at least this;
    `missing`: input -> what is cut off."""

    chance: list[dict[int, float]]
    ends: list[dict[tuple[int, str], float]]
    missing: list[float]
    error: float = 1e-13
    """By how much any chance may be off besides."""

    def loss(self, inputs: Inputs) -> tuple[float, int]:
        """A lower bound of the pure loss, and the pair of neighbours that has it."""
        worst, row = 0.0, 0
        for n, (a, b) in enumerate(zip(inputs.first.tolist(), inputs.second.tolist(), strict=True)):
            for p, q in ((a, b), (b, a)):
                for seen, chance in self.chance[p].items():
                    other = min(1.0, self.chance[q].get(seen, 0.0) + self.missing[q] + self.error)
                    if chance > other and chance > 100 * self.error and math.log((chance - self.error) / other) > worst:
                        worst, row = math.log((chance - self.error) / other), n
        return worst, row

    def excess(self, inputs: Inputs, epsilon: float) -> float:
        """A lower bound of the least delta at which (epsilon, delta) holds."""
        e, worst = math.exp(min(epsilon, 300.0)), 0.0
        for a, b in zip(inputs.first.tolist(), inputs.second.tolist(), strict=True):
            for p, q in ((a, b), (b, a)):
                over = sum(max(0.0, c - e * self.chance[q].get(seen, 0.0)) for seen, c in self.chance[p].items())
                worst = max(worst, over - e * self.missing[q] - 100 * self.error * (1 + e))
        return worst

    def renyi(self, inputs: Inputs, order: float) -> float:
        """A lower bound of the divergence of that order: of the transcripts that are not rare."""
        worst = 0.0
        for a, b in zip(inputs.first.tolist(), inputs.second.tolist(), strict=True):
            for p, q in ((a, b), (b, a)):
                total = 0.0
                for seen, c in self.chance[p].items():
                    d = self.chance[q].get(seen, 0.0) + self.missing[q] + self.error
                    if c > 1e4 * self.error:
                        total += (c - self.error) ** order * d ** (1 - order)
                if total > 0:
                    worst = max(worst, math.log(total) / (order - 1))
        return worst


@dataclass(frozen=True)
class Watch:
    """What reports of the steps up to `until` must be: (step, report) -> the value shown, or True (made, with any
    value); others not made."""

    made: dict[tuple[int, str], Any]
    until: int


GOES_ON = "goes on"
"""The outcome of a run that has not stopped."""


class _Rows:
    """`seen`: a number for what was shown so far; `noise`: the draws that last."""

    def __init__(self, program: Program, inputs: Inputs) -> None:
        self.program = program
        self.inputs = inputs
        size = len(inputs.count)
        self.row = np.arange(size)
        self.weight = np.ones(size)
        self.seen = np.zeros(size, dtype=np.uint64)
        self.noise: dict[str, Any] = {}
        self.state = State(program, {}, inputs.count)
        self.state.functions = {f.name: f for f in program.functions}
        self.plain: dict[str, Any] = dict(program.parameters) | dict(program.memories)
        self.now: dict[str, Any] = {}
        returned = [s.value.data[0] for s in program.statements if s.kind == "stop" and _is_label(s.value)]
        self.labels: tuple[str, ...] = tuple(dict.fromkeys(returned))
        statistics = {s.name for s in program.statements if s.kind == "statistic"}
        self.smooth = {
            t: n.law for n in program.noises for t in n.targets if n.law[0] in CONTINUOUS and t in statistics
        }
        self._once(program)
        self.done: list[dict[int, float]] = [{} for _ in range(size)]
        self.ends: list[dict[tuple[int, str], float]] = [{} for _ in range(size)]
        self.missing = np.zeros(size)
        self.watch: Watch | None = None

    def _once(self, program: Program) -> None:
        """Continuous noise on a statistic must be drawn each step. Two comparisons may read it if at most one
        continuous noise lasts: the kinks of the integrand lie at halves only then."""
        readings = [n for s in program.statements for e in (s.value, s.when) if e is not None for n in _names(e)]
        lives = [n.life for n in program.noises for t in n.targets if t in self.smooth]
        shown = [
            t
            for n in program.noises
            for t in n.targets
            if n.law[0] in CONTINUOUS and t in {s.name for s in program.statements if s.kind == "report"}
        ]
        lasting = sum(1 if n.name else len(n.targets) for n in program.noises if n.law[0] in CONTINUOUS) - len(lives)
        self.twice = {n for n in self.smooth if readings.count(n) > 1}
        if (self.twice and lasting > 1) or any(lives) or shown:
            raise Undefined

    # ---- rows

    def take(self, chosen: Array) -> None:
        """Rows by their numbers, some perhaps several times."""
        self.row, self.weight, self.seen = self.row[chosen], self.weight[chosen], self.seen[chosen]
        size = len(chosen)

        def f(v: Any) -> Any:
            return _taken(v, chosen)

        s = self.state
        s.count = self.inputs.count[self.row]
        s.scope = {n: f(v) for n, v in s.scope.items()}
        self.plain = {n: f(v) for n, v in self.plain.items()}
        self.noise = {n: f(v) for n, v in self.noise.items()}
        s.fired = {n: f(v) for n, v in s.fired.items()}
        self.now = {n: f(v) for n, v in self.now.items()}
        s.cells = {k: Cell([(n, f(v), f(c)) for n, v, c in cell.items], f(cell.last)) for k, cell in s.cells.items()}
        assert size == len(self.row)

    def branch(self, values: list[float], chances: list[Any]) -> Array:
        """Every row becomes one for each value with a chance; returns the values drawn."""
        n, k = len(self.weight), len(values)
        if n * k > WIDEST:
            raise TooWide
        table = np.stack([np.broadcast_to(np.asarray(c, dtype=float), (n,)) for c in chances], axis=1)
        np.add.at(self.missing, self.row, self.weight * np.maximum(0.0, 1 - table.sum(axis=1)))
        chosen = np.repeat(np.arange(n), k)
        weight = (self.weight[:, None] * table).ravel()
        drawn = np.tile(np.asarray(values), n)
        keep = weight > 0
        self.weight = self.weight.copy()
        self.take(chosen[keep])
        self.weight = weight[keep]
        return np.asarray(drawn[keep])

    def merge(self) -> None:
        """Rows that differ in nothing that can matter later are added up."""
        if len(self.row) < 2:
            return
        columns = [
            self.row.astype(float),
            (self.seen >> np.uint64(32)).astype(float),
            (self.seen & np.uint64(0xFFFFFFFF)).astype(float),
        ]
        s = self.state
        for v in (*s.scope.values(), *self.plain.values(), *self.noise.values(), *s.fired.values()):
            columns += _columns(v)
        for cell in s.cells.values():
            for _, v, c in cell.items:
                columns += _columns(v) + _columns(c)
            columns += _columns(cell.last)
        table = np.stack([np.broadcast_to(c, self.row.shape) for c in columns if np.ndim(c)], axis=1)
        _, first, inverse = np.unique(np.round(table, 9), axis=0, return_index=True, return_inverse=True)
        if len(first) < len(self.row):
            weight = np.bincount(inverse.ravel(), weights=self.weight)
            self.take(first)
            self.weight = weight

    # ---- noise

    def drawn(self, noise: Noise, target: str, place: str = "") -> Any:
        """The value of the noise for a target in its present life."""
        key = (noise.name or f"{self.program.noises.index(noise)} {target}") + place
        if key not in self.noise:
            values, chances = support(noise.law, len(self.alphabet(noise)))
            self.noise[key] = None
            new = self.branch(values, list(chances))
            self.noise[key] = new
        factor = noise.factors[noise.targets.index(target)] if noise.factors else 1
        return factor * self.noise[key]

    def noisy(self, target: str, v: Any) -> Any:
        """`v` with the noise of `target`; draws what is not drawn yet."""
        self.plain["~"] = v
        for noise in self.program.noises:
            if target in noise.targets and isinstance(self.plain["~"], list):
                drawn = [self.drawn(noise, target, f" {i}") for i in range(len(self.plain["~"]))]
                drawn = [self.drawn(noise, target, f" {i}") for i in range(len(drawn))]  # rows of the last branch
                self.plain["~"] = [self._with(noise, t, z) for t, z in zip(self.plain["~"], drawn, strict=True)]
            elif target in noise.targets:
                z = self.drawn(noise, target)
                self.plain["~"] = self._with(noise, self.plain["~"], z)
        return self.plain.pop("~")

    def _with(self, noise: Noise, truth: Any, z: Any) -> Any:
        """The truth with noise; a flip is a turn by z in the alphabet."""
        if noise.law[0] != "randomized_response":
            return truth + z
        letters = np.asarray(self.alphabet(noise))
        place = np.abs(np.subtract.outer(np.asarray(truth, dtype=float), letters)).argmin(axis=-1)
        if np.abs(letters[place] - truth).max() > 1e-9:
            raise Undefined
        return letters[(place + np.rint(z).astype(int)) % len(letters)]

    def alphabet(self, noise: Noise) -> tuple[float, ...]:
        """What a flip takes for what: the values of a field, the labels by number, or 0 and 1."""
        if noise.targets == ("return",):
            return tuple(float(i) for i in range(len(self.labels)))
        return next((f.values for f in self.program.fields if f.name in noise.targets), (0.0, 1.0))

    def answered(self, n: str, gap: Array, at_least: bool) -> Array:
        """Whether the noise of the statistic `n` is at least (or at most) `gap`, in all rows; what was answered before
        in this step is known of it."""
        law = self.smooth[n]
        low, high = self.known(n)
        miss, hit = mass(law, low, np.minimum(high, gap)), mass(law, np.maximum(low, gap), high)
        total = np.maximum(miss + hit, 1e-300)
        if not at_least:
            miss, hit = hit, miss
        if n in self.twice:
            self.plain |= {f"~low {n}": low, f"~high {n}": high, "~gap": gap}
        found = self.branch([0.0, 1.0], [miss / total, hit / total]) > 0
        if n in self.twice:
            gap, above = self.plain.pop("~gap"), found if at_least else ~found
            low, high = self.known(n)
            self.plain[f"~low {n}"] = np.where(above, np.maximum(low, gap), low)
            self.plain[f"~high {n}"] = np.where(above, high, np.minimum(high, gap))
        return found

    def known(self, n: str) -> tuple[Any, Any]:
        size = self.row.shape
        return self.plain.get(f"~low {n}", np.full(size, -np.inf)), self.plain.get(f"~high {n}", np.full(size, np.inf))

    def watched(self, report: str, when: Any, v: Any) -> None:
        """Rows in which the report is not what is watched for are dropped."""
        if self.watch is None or self.state.step > self.watch.until:
            return
        wanted = self.watch.made.get((self.state.step, report))
        agree = np.broadcast_to(np.asarray(when, dtype=bool), self.row.shape) == (wanted is not None)
        if wanted is not None and wanted is not True and v is not None:
            agree = agree & (np.abs(np.broadcast_to(np.asarray(v, dtype=float), self.row.shape) - float(wanted)) < 1e-9)
        self.take(np.flatnonzero(agree))

    def misses_a_report(self) -> bool:
        """Whether a run that stops here ends before a report that is watched for."""
        made, step = {} if self.watch is None else self.watch.made, self.state.step
        return any(at > step or (at == step and name not in self.now) for at, name in made)

    def renew(self) -> None:
        """After a step: what is drawn each step is forgotten; what is drawn after a report, where that was made."""
        for n in self.twice:
            self.plain.pop(f"~low {n}", None)
            self.plain.pop(f"~high {n}", None)
        for key in list(self.noise):
            which = key.split()[0]
            noise = next(n for i, n in enumerate(self.program.noises) if which in (n.name, str(i)))
            if noise.life in ("", "each step"):
                del self.noise[key]
            elif noise.life != "once":
                self._anew(key, noise, noise.life.split()[1])

    def _anew(self, key: str, noise: Noise, report: str) -> None:
        here = np.broadcast_to(np.asarray(self.now[report], dtype=bool), self.row.shape)
        if not here.any():
            return
        values, chances = support(noise.law, len(self.alphabet(noise)))
        self.plain["~fired"] = here
        new = self.branch([*values, 0.0], [*(np.where(here, c, 0.0) for c in chances), np.where(here, 0.0, 1.0)])
        self.noise[key] = np.where(self.plain.pop("~fired"), new, self.noise[key])

    # ---- what is shown

    def show(self, what: int, v: Any, where: Any = True) -> None:
        """Adds to the transcript: statement `what` showed `v`."""
        seen = np.uint64(0x9E3779B97F4A7C15)
        for item in v if isinstance(v, list) else [v]:
            code = np.rint(np.asarray(item, dtype=float) * 64).astype(np.int64).astype(np.uint64) + np.uint64(
                what * 1_000_003 + 17
            )
            mixed = (self.seen ^ code) * seen
            mixed ^= mixed >> np.uint64(29)
            mixed *= np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(32)
            self.seen = np.where(where, mixed, self.seen)

    def end(self, where: Any, outcome: Any = "") -> None:
        """Runs that stop leave with their transcript; `outcome`: a label, or the number returned."""
        here = np.broadcast_to(np.asarray(where, dtype=bool), self.row.shape)
        if outcome is not GOES_ON and self.misses_a_report():
            self.take(np.flatnonzero(~here))
            return
        shown = np.broadcast_to(np.asarray(outcome), self.row.shape)[here].tolist()
        ends = zip(self.row[here].tolist(), self.seen[here].tolist(), self.weight[here].tolist(), shown, strict=True)
        for row, seen, weight, said in ends:
            self.done[row][seen] = self.done[row].get(seen, 0.0) + weight
            key = (self.state.step, f"{said:g}" if isinstance(said, float) else str(said))
            self.ends[row][key] = self.ends[row].get(key, 0.0) + weight
        if here.any():
            self.take(np.flatnonzero(~here))


CONTINUOUS = tuple(DENSITIES)


def _is_label(e: E | None) -> bool:
    return e is not None and e.kind == "label"


def support(law: tuple[Any, ...], letters: int = 2) -> tuple[list[float], list[float]]:
    """Values and chances; `letters`: how many a flip chooses from, the truth and others that are equally likely."""
    family, a = law[0], law[1]
    if family in CONTINUOUS:
        return quadrature(law)
    if family == "geometric":
        reach = math.ceil(math.log(MISSING) / math.log(a))
        return [float(k) for k in range(-reach, reach + 1)], [
            (1 - a) / (1 + a) * a ** abs(k) for k in range(-reach, reach + 1)
        ]
    if family == "randomized_response":
        return [float(k) for k in range(letters)], [a, *[(1 - a) / (letters - 1)] * (letters - 1)]
    if family == "listed":
        return [v for v, _ in law[1]], [p for _, p in law[1]]
    if family == "conditioned":
        inside = [(v, p) for v, p in zip(*support(law[1]), strict=True) if law[2] <= v <= law[3]]
        total = sum(p for _, p in inside)
        return [v for v, _ in inside], [p / total for _, p in inside]
    if family == "bernoulli":
        return [0.0, 1.0], [1 - a, a]
    raise AssertionError(law)


def _taken(v: Any, chosen: Array) -> Any:
    if isinstance(v, list):
        return [_taken(item, chosen) for item in v]
    return v[chosen] if v is not None and np.ndim(v) else v


def _columns(v: Any) -> list[Any]:
    if isinstance(v, list):
        return [c for item in v for c in _columns(item)]
    return [np.asarray(v, dtype=float)] if v is not None and np.ndim(v) else []


def _names(e: E) -> list[str]:
    return ([e.data[0]] if e.kind == "name" else []) + [n for p in e.parts for n in _names(p)]


def laws(program: Program, inputs: Inputs, watch: Watch | None = None) -> Laws:
    """The law of the transcript for every input, up to `program.steps` steps: of all at once, or, where these are too
    many rows, of half of them and half. `watch`: only of runs with these reports. Raises TooWide, Undefined."""
    try:
        return _laws(program, inputs, watch)
    except TooWide:
        size = len(inputs.count)
        if size == 1:
            raise
        parts = [_laws_of(program, inputs, rows, watch) for rows in (slice(0, size // 2), slice(size // 2, size))]
        return Laws(
            parts[0].chance + parts[1].chance,
            parts[0].ends + parts[1].ends,
            parts[0].missing + parts[1].missing,
            parts[0].error,
        )


def _laws_of(program: Program, inputs: Inputs, rows: slice, watch: Watch | None) -> Laws:
    none = np.zeros(0, dtype=int)
    return laws(program, Inputs({n: v[rows] for n, v in inputs.entries.items()}, inputs.count[rows], none, none), watch)


def _laws(program: Program, inputs: Inputs, watch: Watch | None) -> Laws:
    program = changed(program, copied)
    rows = _Rows(program, inputs)
    rows.watch = watch
    error = 1e-9 if any(n.law[0] in CONTINUOUS for n in program.noises) else 1e-13
    last = _last_reads(program)
    for step in range(1, program.steps + 1):
        rows.state.step = step
        _begin(rows)
        rows.now = {}
        for i, s in enumerate(program.statements):
            _statement(rows, i, s)
            if not len(rows.row):
                return Laws(rows.done, rows.ends, rows.missing.tolist(), error)
            for n in [n for n in rows.state.scope if last.get(n, len(program.statements)) <= i]:
                del rows.state.scope[n]
        rows.renew()
        rows.state.fired, rows.now = rows.now, {}
        for n in [n for n in rows.state.scope if n not in dict(program.memories)]:
            del rows.state.scope[n]
        rows.merge()
    rows.show(999, 0.0)
    rows.end(True, GOES_ON)
    return Laws(rows.done, rows.ends, rows.missing.tolist(), error)


def _last_reads(program: Program) -> dict[str, int]:
    """Of statistics, the last statement that reads them by name."""
    last: dict[str, int] = {}
    for i, s in enumerate(program.statements):
        if s.kind in ("statistic", "draw", "let"):
            last.setdefault(s.name, i)
        for e in (s.value, s.when):
            for n in free(e)[1] if e is not None else ():
                if n in last:
                    last[n] = i
    return last


def _begin(rows: _Rows) -> None:
    program, s = rows.program, rows.state
    for f in program.fields:
        table = rows.inputs.entries[f.name][rows.row]
        s.scope[f.name] = (
            [entry(table[:, i]) for i in range(table.shape[1])]
            if program.kind == "dataset"
            else entry(table[:, s.step - 1])
        )
    for f in program.fields:
        s.scope[f.name] = rows.noisy(f.name, s.scope[f.name])
    for noise in program.noises:
        if noise.name and not noise.targets:
            s.scope[noise.name] = rows.drawn(noise, "")
    for n, v in program.memories:
        s.scope.setdefault(n, v)
    for n, v in program.parameters:
        s.scope[n] = rows.noisy(n, v)


def _statement(rows: _Rows, i: int, s: Statement) -> None:
    state = rows.state
    when: Any = True if s.when is None else _condition(rows, s.when)
    if s.kind == "draw":
        assert s.value is not None
        _draw(rows, s.name, s.value)
        return
    v = None
    if s.value is not None and s.value.kind != "label":
        rows.plain["~when"] = when
        v = (
            _condition(rows, s.value).astype(float)
            if free(s.value)[1] & rows.smooth.keys()
            else statistic_value(s.name, s.value, state)
        )
        when = rows.plain.pop("~when")
    if s.kind in ("statistic", "let"):
        state.scope[s.name] = v if s.name in rows.smooth else rows.noisy(s.name, v)
    elif s.kind == "update":
        state.scope[s.name] = np.where(when, v, state.scope[s.name]) if s.when is not None else v
    elif s.kind == "report":
        rows.now[s.name] = when
        if v is not None:
            v = rows.noisy(s.name, v)
            when = rows.now[s.name]
            state.scope[s.name] = v
        else:
            state.scope[s.name] = when
        rows.show(i + 1, float(state.step), when)  # a report that is not made shows nothing
        if v is not None:
            rows.show(i + 1, v, when)
        rows.watched(s.name, when, v)
    elif s.kind == "stop":
        _stop(rows, s, v, when)


def _stop(rows: _Rows, s: Statement, v: Any, when: Any) -> None:
    """What is seen of a stop is its step and what it returns; which stop it was is not."""
    rows.show(995, float(rows.state.step), when)
    if v is not None:
        rows.show(998, v, when)
        rows.end(when, v)
    elif s.value is None:
        rows.show(996, 0.0, when)
        rows.end(when, "stop")
    else:
        told = np.full(rows.row.shape, float(rows.labels.index(s.value.data[0])))
        for noise in rows.program.noises:
            if "return" in noise.targets:
                values, chances = support(noise.law, len(rows.labels))
                here = np.broadcast_to(np.asarray(when, dtype=bool), rows.row.shape)
                rows.plain["~here"] = here
                z = rows.branch(
                    values, [np.where(here, p, float(k == 0)) for k, p in zip(values, chances, strict=True)]
                )
                when = rows.plain.pop("~here")
                told = (float(rows.labels.index(s.value.data[0])) + z) % len(rows.labels)
        rows.show(997, told, when)
        rows.end(when, np.asarray(rows.labels)[np.rint(told).astype(int)])


def _condition(rows: _Rows, e: E) -> Any:
    """Whether it holds; comparisons of a statistic with continuous noise are drawn."""
    if not free(e)[1] & rows.smooth.keys():
        return np.asarray(value(e, rows.state), dtype=bool)
    if e.data in (("and",), ("or",)):
        rows.plain["~left"] = _condition(rows, e.parts[0])
        right = _condition(rows, e.parts[1])
        left = rows.plain.pop("~left")
        return np.logical_and(left, right) if e.data == ("and",) else np.logical_or(left, right)
    if e.data == ("not",):
        return np.logical_not(_condition(rows, e.parts[0]))
    if e.kind != "op" or e.data[0] not in (">=", ">", "<=", "<"):
        raise Undefined
    left, right = e.parts
    if left.kind != "name" or left.data[0] not in rows.smooth or free(right)[1] & rows.smooth.keys():
        raise Undefined
    gap = np.broadcast_to(np.asarray(value(right, rows.state) - value(left, rows.state), dtype=float), rows.row.shape)
    return rows.answered(left.data[0], gap, e.data[0] in (">=", ">"))


def _draw(rows: _Rows, n: str, e: E) -> None:
    """A private choice: `weights`, or bernoulli with a private chance."""
    if e.kind == "call":
        p = value(e.parts[0], rows.state)
        if np.any(p < 0) or np.any(p > 1):
            raise Undefined
        rows.state.scope[n] = rows.branch([0.0, 1.0], [1 - p, p])
        return
    outer, v = rows.state.bound, e.data[-1]
    members, weights = [], []
    for k, member in domain(e.parts[1], rows.state):
        rows.state.bound = outer | {v: k}
        members.append(k)
        weights.append(np.where(member, value(e.parts[0], rows.state), 0.0))
    rows.state.bound = outer
    total = np.sum([np.broadcast_to(w, rows.row.shape) for w in weights], axis=0)
    rows.state.scope[n] = rows.branch(members, [w / total for w in weights])
