"""One run of a noisy program in a kernel and in the interpreter, with the same random numbers: each draw is a function
of its name, its life and its coordinate, so that what differs is not laws but where, when and how often is drawn."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest import mock

from plain_kernels import ByText, as_python

from seqlang.backends.interpret.laws.listed import Point, Table
from seqlang.backends.interpret.values import Value, filled
from seqlang.backends.kernels.lowering import noises, statements
from seqlang.backends.kernels.lowering.laws import drawing
from seqlang.backends.kernels.lowering.laws.forms import SHORT, Flip, lengths_of
from seqlang.backends.kernels.lowering.laws.forms import Table as LawTable
from seqlang.backends.kernels.lowering.scope import array_of
from seqlang.backends.kernels.lowering.values import Scalar
from seqlang.model import expression as ir
from seqlang.model.life import EachStep
from seqlang.model.program import Draw, Noise, Program
from seqlang.record import record


@record
class Named:
    """A noise instead of its law; `size` letters for a flip."""

    name: str
    size: int | None


class Coupling:
    """The random numbers of one run."""

    def __init__(self, seed: object, program: Program) -> None:
        self.seed = seed
        self.fresh = {n.name for n in program.noises if isinstance(n.life, EachStep)}
        self.fresh |= {s.name for s in program.body if isinstance(s, Draw) and isinstance(s.life, EachStep)}
        self.trees = {n.name for n in program.noises if isinstance(n.law, ir.Law) and n.law.family == "tree"}
        self.lives: dict[tuple[str, int], tuple[float, int]] = {}
        self.tokens = 0

    def value(self, name: str, life: int, coordinate: int, size: int | None) -> float:
        chosen = random.Random(f"{self.seed} {name} {life} {coordinate}")
        return chosen.randrange(size) if size else chosen.choice((-2, -1, -1, 0, 0, 0, 0.5, 1, 1, 2, 5))

    def uniform(self, name: str, life: int) -> float:
        return random.Random(f"{self.seed} {name} {life}").random()

    # ---- as the interpreter asks

    def noise(self, noise: Noise, life: int, law: Any, shape: tuple[int, ...]) -> Value:
        if noise.name in self.trees:
            life = (life >> 7) & ((1 << 64) - 1)  # the node's last step, in which it is drawn
        size = len(law.alphabet) if hasattr(law, "alphabet") else getattr(law, "size", None)
        places = iter(range(1 << 20))
        return filled(shape, lambda: self.value(noise.name, life, next(places), size))

    def draw(self, draw: Draw, life: int, law: Any) -> Value:
        u = self.uniform(draw.name, life)
        if law.name == "bernoulli":
            return 1 if u < law.pmf(1) else 0
        if isinstance(law, Point):
            return law.value
        assert isinstance(law, Table)
        return list(law.table)[_place(u, list(law.table.values()))]

    # ---- as the kernel asks: `token` is another number for each draw, and 0 where none was made

    def next_word(self, stream: Any) -> float:
        self.tokens += 1
        return float(self.tokens)

    def scripted(self, name: str, step: int, coordinate: int, size: int, token: float) -> float:
        if not token:
            return 0.0
        if name in self.fresh or name in self.trees:
            life = int(step)
            drawn = self.lives.setdefault((f"{name} in {life}", coordinate), (token, life))
            assert drawn[0] == token, f"{name} is drawn twice in step {life}"
        else:
            known = self.lives.get((name, coordinate), (0.0, -1))
            life = known[1] if known[0] == token else known[1] + 1
            self.lives[name, coordinate] = (token, life)
        return self.value(name, life, int(coordinate), int(size) or None)

    def chance(self, name: str, step: int, token: float) -> float:
        if not token:
            return 0.0
        if name in self.fresh:
            return self.uniform(name, int(step))
        known = self.lives.get((name, 0), (0.0, -1))
        life = known[1] if known[0] == token else known[1] + 1
        self.lives[name, 0] = (token, life)
        return self.uniform(name, life)

    def named(self, name: str, step: int) -> None:
        """The next choice by weights is made for this draw."""
        self.now = (name, int(step))

    def weighted(self, weights: Any) -> int:
        self.tokens += 1
        return _place(self.chance(*self.now, float(self.tokens)), weights.tolist())


def _place(u: float, weights: list[float]) -> int:
    left, total = 0.0, math.fsum(weights)
    for place, weight in enumerate(weights):
        left += weight
        if u * total < left:
            return place
    raise AssertionError(weights)


@contextmanager
def by_name(program: Program) -> Iterator[None]:
    """While kernels are written, noises are drawn by their names."""
    names = {id(n.law): n.name for n in program.noises}
    names |= {
        id(n.law.arguments[0]): n.name for n in program.noises if isinstance(n.law, ir.Law) and n.law.family == "tree"
    }
    assert len(names) >= len(program.noises), "two noises share one law"
    draws = {id(s.law): s.name for s in program.body if isinstance(s, Draw)}
    real_law = noises.law_of
    now: list[str] = []

    def law_of(scope: Any, e: ir.Expression) -> Any:
        if id(e) in names:
            real_law(scope, e)
            return Named(names[id(e)], None)
        if id(e) in draws:
            now[:] = [draws[id(e)]]
        return real_law(scope, e)

    def draw(scope: Any, law: Any, shape: tuple[str, ...]) -> Any:
        if isinstance(law, Flip):
            law = Named(now_flipped[0], law.size)
        if not isinstance(law, Named):
            return _drawn(scope, law, shape, now[0])
        if not shape:
            return _one(scope, law, "0")
        w = scope.writer
        name, i = scope.buffer(shape), w.fresh("i")
        with w.block(f"for {i} in range({shape[0]}):"):
            w.text(f"{name}[{i}] = {_one(scope, law, i).text}")
        return array_of(name, shape, "number", False)

    now_flipped: list[str] = []
    real_places = noises.Noises.places

    def places(self: Any, noise: Noise) -> Flip:
        now_flipped[:] = [noise.name]
        return real_places(self, noise)

    with (
        mock.patch.object(noises, "law_of", law_of), mock.patch.object(noises, "draw", draw),
        mock.patch.object(statements, "law_of", law_of), mock.patch.object(statements, "draw", draw),
        mock.patch.object(noises.Noises, "places", places),
    ):  # fmt: skip
        yield


def _one(scope: Any, law: Named, coordinate: str) -> Scalar:
    z = scope.writer.sample("uniform", "noise")
    return Scalar(scope.writer.named(f"scripted({law.name!r}, step, {coordinate}, {law.size or 0}, {z})"))


def _drawn(scope: Any, law: Any, shape: tuple[str, ...], name: str) -> Any:
    """A real draw, of uniform numbers by name."""
    w = scope.writer
    assert not lengths_of(law)
    real = type(w).sample

    def sample(self: Any, sampler: str, purpose: str) -> str:
        assert sampler == "uniform"
        z = real(self, "uniform", "noise")
        return str(self.named(f"chance({name!r}, step, {z})"))

    if isinstance(law, LawTable) and not (law.constant and law.items is not None and law.items <= SHORT):
        w.text(f"named({name!r}, step)")
        return drawing.draw(scope, law, shape)
    with mock.patch.object(type(w), "sample", sample):
        return drawing.draw(scope, law, shape)


def coupled(program: Program, fields: Mapping[str, Any], order: Any) -> tuple[ByText, list[Coupling]]:
    """A kernel of one run, and where its random numbers come from (`[0]`, to be set anew for each call)."""
    current: list[Coupling] = []
    calls = {
        "scripted": lambda *a: current[0].scripted(*a),
        "chance": lambda *a: current[0].chance(*a),
        "next_word": lambda s: current[0].next_word(s),
        "uniform_of_word": lambda word: word,
        "named": lambda *a: current[0].named(*a),
        "sample_weights": lambda s, weights: current[0].weighted(weights),
    }
    with by_name(program):
        return ByText(program, fields, [order], lambda text, further: as_python(text, further, calls)), current
