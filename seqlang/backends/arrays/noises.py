"""The noises of a program in all runs: which law, which life, and which value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.laws import Flip, Tree, VectorLaw
from seqlang.backends.arrays.stored_noise import Stored, TreeStored
from seqlang.backends.arrays.streams import Streams
from seqlang.backends.arrays.values import Rows, Value, shape_of
from seqlang.backends.interpret.inputs.alphabet import alphabet_of
from seqlang.backends.interpret.values import EvaluationError
from seqlang.model import expression as ir
from seqlang.model.life import EachReport, Life

Array = NDArray[Any]


class Noises:
    """Noises are drawn from `streams` when they are first read in a life; `life` gives the number of a noise's present
    life. `flips` says of each noise whether it is randomised response."""

    def __init__(self, compiler: VectorCompiler, streams: Streams, life: Callable[[Life], int | Array]) -> None:
        self.compiler = compiler
        self.streams = streams
        self.life = life
        program = compiler.program
        self.flips = {n.name: n.flips for n in program.noises}
        self._noises = {n.name: n for n in program.noises}
        self._laws = {n.name: compiler.compile(n.law) for n in program.noises}
        self._stored: dict[str, Stored | TreeStored] = {}
        self._letters: dict[str, list[float] | None] = {}

    def give(self, name: str, values: Array) -> None:
        """The value in its first life of a noise that was drawn elsewhere, in all runs."""
        stored = self._stored[name] = Stored()
        stored.value, stored.whole = values, 0

    def keep(self, rows: Rows) -> None:
        """Forgets all runs but these."""
        for stored in self._stored.values():
            stored.keep(rows)

    def value(self, name: str, shape: tuple[int, ...], frame: Frame) -> Value:
        """The noise in its present life, for a value of that shape."""
        noise = self._noises[name]
        law: VectorLaw = self._laws[name](frame)
        if isinstance(law, Tree):
            tree = self._stored.setdefault(name, TreeStored(law))
            assert isinstance(tree, TreeStored)
            epoch = self.life(noise.life) if isinstance(noise.life, EachReport) else 0
            return tree.read(epoch, shape, frame, self.streams)
        stored = self._stored.setdefault(name, Stored())
        assert isinstance(stored, Stored)
        return stored.read(self.life(noise.life), shape, frame, self.streams, law.sample)

    def drawn(self, name: str, frame: Frame) -> Value:
        """The value of a noise that has a name, and so a shape of its own."""
        return self.value(name, self._laws[name](frame).shape(), frame)

    def flipped(self, name: str, read: ir.Noised, value: Value, frame: Frame) -> Value:
        """Randomised response on truth values, labels or the values of a finite domain."""
        law = self._laws[name](frame)
        assert isinstance(law, Flip)
        letters = self._alphabet(read, value)
        size = len(letters)
        stored = self._stored.setdefault(name, Stored())
        assert isinstance(stored, Stored)
        life = self.life(self._noises[name].life)
        places = stored.read(life, shape_of(value), frame, self.streams, lambda source, s: law.places(source, s, size))
        return moved(value, letters, places)

    def _alphabet(self, read: ir.Noised, value: Value) -> list[float]:
        if is_truth(value):
            return [0, 1]
        if read.name not in self._letters:
            self._letters[read.name] = letters_of(self.compiler, read)
        letters = self._letters[read.name]
        if letters is None:
            raise EvaluationError(f"randomised response needs a finite domain, `{read.name}` has none")
        return letters


def letters_of(compiler: VectorCompiler, read: ir.Noised) -> list[float] | None:
    """The values that a flipped label or number may have, as numbers; None where they are not finitely many."""
    if compiler.is_label(read.base):
        return [compiler.labels[label] for label in compiler.program.labels]
    found = alphabet_of(compiler.exact, read)
    return None if found is None else [float(v) for v in found]


def moved(value: Value, letters: list[float], places: Value) -> Value:
    """Each value moved by so many places on the circle of its letters."""
    at = np.zeros(np.shape(value), dtype=np.intp)
    for i, letter in enumerate(letters):
        at = np.where(np.equal(value, letter), i, at)
    found = np.asarray(letters)[(at + places) % len(letters)]
    return found.astype(bool) if np.asarray(value).dtype == np.bool_ else found * 1.0


def is_truth(value: Value) -> bool:
    """Whether a value of all runs is true or false."""
    return isinstance(value, bool) or (isinstance(value, np.ndarray) and value.dtype == np.bool_)
