"""Random programs that show plain values plus public multiples of noise, in any arrangement: draws that are read by
name, shown several times, kept, renewed after reports, shared between showings, scaled by memory, under public
conditions.

With noise n = (n_1, .., n_k) independent and everything that is shown y = f(x) + A n, where A has independent columns,
the loss of neighbours with f(x) - f(x') = A u is the sum of |u_i| / b_i for Laplace noise; for Gaussian noise it is
that of a distance sqrt(d' (A S A')^+ d). A difference outside the range of A is seen for certain. f and A are found by
running the evaluator with each noise set to 0 and to 1.
"""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from random_programs.generate import Maker, Num, Scope
from random_programs.inputs import Inputs
from random_programs.losses import CONCENTRATED, ORDERS, Losses, geometric_divergence, laplace_divergence
from random_programs.meaning import State, Undefined, statistic_value, value
from random_programs.showing import entry
from random_programs.syntax import STEP, E, Noise, Program, Statement, call, changed, copied, free, name, num, op

Array = NDArray[np.float64]
Key = tuple[str, int]
"""A draw: its name (or the place of its attachment and its target) and the number of its life."""


def linear_program(seed: int) -> Program:
    rng = random.Random(seed)
    m = Maker(rng)
    family, scales = rng.choice(
        [("laplace", (1.0, 2.0)), ("laplace", (1.0, 2.0)), ("gaussian", (1.0, 4.0)), ("geometric", (0.5, 0.25))]
    )
    m.whole_only = family == "geometric"
    m.kind = rng.choice(["stream", "stream", "stream", "dataset"])
    m.steps = rng.choice([2, 3, 3, 4]) if m.kind == "stream" else rng.choice([1, 2, 3])
    m.size = 2
    m.fields = tuple(m.field(n) for n in ("x", "y")[: rng.choice([1, 1, 1, 2])])
    m.adjacency = rng.choice(
        [("replace", 1), ("replace", 1), ("replace", 2)] + ([("add or remove", 1)] if m.kind == "dataset" else [])
    )
    return _Linear(m, family, scales).program()


class _Linear:
    def __init__(self, m: Maker, family: str, scales: tuple[float, ...]) -> None:
        self.m, self.rng, self.family, self.scales = m, m.rng, family, scales
        self.scope = Scope()
        self.memories: list[tuple[str, float]] = []
        self.noises: list[Noise] = []
        self.statistics: list[Statement] = []
        self.events: list[Statement] = []
        self.draws: list[str] = []

    def law(self) -> tuple[Any, ...]:
        return (self.family, self.rng.choice(self.scales))

    def program(self) -> Program:
        r, m = self.rng, self.m
        update = self._memory() if r.random() < 0.5 else None
        if r.random() < 0.35:
            self._event()
        lives = ["", "", "", "", "once", *(["each R"] * 2 if self.events else [])]
        for n in ("s", "t")[: r.choice([1, 1, 2])]:
            a = self._private(r.choice([1, 1, 2]))
            self.scope.numbers[n] = Num(name(n), a.low, a.high, a.whole)
            self.statistics.append(Statement("statistic", n, a.e))
        for n in ("z", "v", "u")[: r.choice([0, 1, 1, 2])]:
            self.draws.append(n)
            targets = tuple(s.name for s in self.statistics if r.random() < 0.25)
            factors = tuple(r.choice([1, -1, num(2.0)]) for _ in targets)
            self.noises.append(Noise(self.law(), targets, r.choice(lives), n, factors))
        for s in self.statistics:
            if r.random() < 0.5 or not self.draws:
                self.noises.append(Noise(self.law(), (s.name,), r.choice(lives)))
        shown = [Statement("report", f"r{i}", self._shown(), self._guard()) for i in range(r.choice([1, 1, 2]))]
        ends = op(">=", STEP, num(float(m.steps)))
        if self.memories and r.random() < 0.15:
            ends = op("==", name("w"), num(float(r.choice([1, 2, 3]))))
        stop = Statement("stop", value=self._shown() if r.random() < 0.4 else None, when=ends)
        body = [*self.statistics, *shown, *self.events]
        if update is not None:
            body.insert(
                r.randrange(len(self.statistics), len(body) + 1) if r.random() < 0.7 else r.randrange(len(body) + 1),
                update,
            )
        after = 1 + max(i for i, s in enumerate(body) if s.kind == "statistic")
        body.insert(r.choice([len(body), r.randrange(after, len(body) + 1)]), stop)
        return Program(
            m.kind,
            m.fields,
            m.size,
            m.steps,
            m.adjacency,
            tuple(body),
            tuple(self.noises),
            memories=tuple(self.memories),
            letters=r.randrange(10**6),
        )

    def _private(self, depth: int) -> Num:
        for _ in range(8):
            made = (
                self.m.time(depth, self.scope)
                if self.m.kind == "stream" and self.rng.random() < 0.6
                else self.m.number(depth, self.scope)
            )
            if free(made.e)[1] & {"x", "y"}:
                break
        return made

    def _memory(self) -> Statement:
        r, w = self.rng, name("w")
        self.memories.append(("w", float(r.choice([0, 1, 1]))))
        value = r.choice(
            [
                op("+", w, num(1.0)),
                op("-", num(2.0), w),
                STEP,
                op("+", num(1.0), op("%", STEP, num(2.0))),
                E("if", (op("==", op("%", STEP, num(2.0)), num(0.0)), op("+", w, num(1.0)), op("+", w, num(2.0)))),
                num(2.0),
            ]
        )
        return Statement("update", "w", value, self._public() if r.random() < 0.3 else None)

    def _event(self) -> None:
        r = self.rng
        self.m.events.append("R")
        when = self._public()
        if r.random() < 0.4:
            self.events.append(Statement("report", "R", when, op(">=", STEP, num(float(r.choice([1, 2]))))))
        else:
            self.events.append(Statement("report", "R", None, when))

    def _public(self) -> E:
        r = self.rng
        options = [
            op("==", op("%", STEP, num(2.0)), num(float(r.choice([0, 1])))),
            op(">=", STEP, num(2.0)),
            op("==", STEP, num(float(r.choice([1, 2, 3])))),
        ]
        if self.memories:
            options += [op(r.choice(["==", ">=", "<="]), name("w"), num(float(r.choice([1, 2])))) for _ in range(2)]
        return r.choice(options)

    def _guard(self) -> E | None:
        return self._public() if self.rng.random() < 0.3 else None

    def _factor(self) -> Any:
        r = self.rng
        return name("w") if self.memories and r.random() < 0.4 else r.choice([1, 1, -1, num(2.0), STEP])

    def _shown(self) -> E:
        r = self.rng
        s = name(r.choice(self.statistics).name)
        roll = r.random()
        if roll < 0.3 or not self.draws:
            return s if r.random() < 0.7 else op("*", num(2.0), s)
        z: E = name(r.choice(self.draws))
        factor = self._factor()
        z = op("*", factor, z) if isinstance(factor, E) else z if factor > 0 else call("-", z)
        if roll < 0.85:
            return op(r.choice(["+", "+", "-"]), s, z)
        return op("+", op(r.choice(["+", "-"]), s, name(r.choice(self.statistics).name)), z)


# ---- runs with given noise


class _Run:
    """What is shown when every draw has the value that `noise` gives (0 if it gives none)."""

    def __init__(self, program: Program, inputs: Inputs, noise: dict[Key, float]) -> None:
        self.program, self.inputs, self.noise = program, inputs, noise
        self.state = State(program, {}, inputs.count)
        self.plain: dict[str, Any] = {}
        self.lives: dict[str, int] = {}
        self.met: set[Key] = set()
        self.shown: list[tuple[str, int, Array]] = []

    def draw(self, noise: Noise, key: str) -> float:
        life = (
            0
            if noise.life == "once"
            else self.lives.get(noise.life, 0)
            if noise.life.startswith("each ")
            else self.state.step
        )
        self.met.add((key, life))
        return self.noise.get((key, life), 0.0)

    def read(self, target: str) -> None:
        """Puts the value with its noise where it is read."""
        v = self.plain[target]
        for i, noise in enumerate(self.program.noises):
            for t, factor in zip(noise.targets, noise.factors or (1,) * len(noise.targets), strict=True):
                if t == target:
                    z = self.draw(noise, noise.name or f"{i} {t}")
                    v = v + (value(factor, self.state) if isinstance(factor, E) else factor) * z
        self.state.scope[target] = v

    def run(self) -> list[tuple[str, int, Array]]:
        program, state = self.program, self.state
        state.scope |= dict(program.memories)
        for step in range(1, program.steps + 1):
            state.step = step
            for f in program.fields:
                table = self.inputs.entries[f.name]
                state.scope[f.name] = (
                    [entry(table[:, i]) for i in range(table.shape[1])]
                    if program.kind == "dataset"
                    else entry(table[:, step - 1])
                )
            for noise in program.noises:
                if noise.name:
                    state.scope[noise.name] = self.draw(noise, noise.name)
            fired: dict[str, bool] = {}
            defined: list[str] = []
            for s in program.statements:
                when = True if s.when is None else bool(np.all(value(s.when, state)))
                v = None
                if s.value is not None:
                    v = statistic_value(s.name, s.value, state) if s.kind == "statistic" else value(s.value, state)
                if s.kind == "statistic":
                    self.plain[s.name] = v
                    self.read(s.name)
                    defined.append(s.name)
                elif s.kind == "update" and when:
                    state.scope[s.name] = v
                    for n in defined:
                        self.read(n)  # its noise may be scaled by memory
                elif s.kind == "report":
                    fired[s.name] = when
                if when and s.kind in ("report", "stop") and v is not None:
                    size = len(self.inputs.count)
                    self.shown.append((s.name, step, np.broadcast_to(np.asarray(v, dtype=float), (size,))))
                if when and s.kind == "stop":
                    return self.shown
            for n, yes in fired.items():
                self.lives[f"each {n}"] = self.lives.get(f"each {n}", 0) + yes
            state.fired = {n: np.asarray(yes) for n, yes in fired.items()}
        return self.shown


def _all_shown(program: Program, inputs: Inputs, noise: dict[Key, float]) -> tuple[Array, set[Key]]:
    run = _Run(program, inputs, noise)
    shown = run.run()
    if not shown:
        raise Undefined
    return np.stack([numbers for _, _, numbers in shown], axis=1), run.met


def linear_losses(program: Program, inputs: Inputs) -> Losses:
    """Raises Undefined where what is shown is not linear in the noise, with factors that are the same in all inputs."""
    program = changed(program, copied)
    plain, met = _all_shown(program, inputs, {})
    keys = sorted(met)
    columns, scales = [], []
    laws = {
        n.name or f"{i} {t}": n.law for i, n in enumerate(program.noises) for t in (n.targets if not n.name else ("",))
    }
    for key in keys:
        moved = _all_shown(program, inputs, {key: 1.0})[0] - plain
        again = _all_shown(program, inputs, {key: 2.5})[0] - plain
        if np.abs(moved - moved[0]).max() > 1e-9 or np.abs(again - 2.5 * moved).max() > 1e-9:
            raise Undefined
        if np.abs(moved[0]).max() > 1e-12:
            columns.append(moved[0])
            scales.append(laws[key[0]][1])
    moves = plain[inputs.first] - plain[inputs.second]
    a = np.stack(columns, axis=1) if columns else np.zeros((plain.shape[1], 0))
    return _of(moves, a, np.array(scales), program.noises[0].law[0] if program.noises else "laplace")


def _of(moves: Array, a: Array, scales: Array, family: str) -> Losses:
    if not len(moves):
        return Losses(0.0, (0.0,) * len(ORDERS), 0.0, None, 0)
    inverse = np.linalg.pinv(a) if a.shape[1] else np.zeros((0, a.shape[0]))
    u = moves @ inverse.T
    seen = np.abs(u @ a.T - moves).max(axis=1) > 1e-7
    full = a.shape[1] == 0 or np.linalg.matrix_rank(a) == a.shape[1]
    if family == "gaussian":
        spread = a @ np.diag(scales**2) @ a.T
        square = np.einsum("pi,ij,pj->p", moves, np.linalg.pinv(spread), moves) if a.shape[1] else np.zeros(len(moves))
        square[seen] = math.inf
        pure = np.where(square > 1e-12, math.inf, 0.0)
        distance = math.sqrt(float(square.max()))
        return Losses(
            float(pure.max()),
            tuple(order * float(square.max()) / 2 for order in ORDERS),
            float(square.max()) / 2,
            distance,
            int(square.argmax()),
        )
    if not full:
        pure = np.where(seen, math.inf, 0.0)
        top = float(pure.max())
        return Losses(top, (top,) * len(ORDERS), top, None, int(pure.argmax()))
    renyi = {}
    if family == "laplace":
        pure = (np.abs(u) / scales).sum(axis=1)
        for order in (*ORDERS, *CONCENTRATED):
            renyi[order] = laplace_divergence(np.abs(u) / scales, order).sum(axis=1)
    else:
        whole = np.all(np.abs(u - np.rint(u)) < 1e-7, axis=1)
        pure = np.where(whole, (np.abs(u) * -np.log(scales)).sum(axis=1), math.inf)
        for order in (*ORDERS, *CONCENTRATED):
            parts = [geometric_divergence(np.rint(np.abs(u[:, i])), scales[i], order) for i in range(len(scales))]
            renyi[order] = np.where(whole, np.sum(parts, axis=0) if parts else 0.0, math.inf)
    pure[seen] = math.inf
    for order in renyi:
        renyi[order][seen] = math.inf
    zcdp = max(float(renyi[order].max()) / order for order in CONCENTRATED)
    return Losses(
        float(pure.max()), tuple(float(renyi[order].max()) for order in ORDERS), zcdp, None, int(pure.argmax())
    )
