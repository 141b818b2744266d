"""Where a run's random values come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from seqlang.backends.interpret.laws.law import LawValue
from seqlang.backends.interpret.laws.multivariate import L2Laplace
from seqlang.backends.interpret.values import Value, filled
from seqlang.model.program import Draw, Noise

if TYPE_CHECKING:
    from random import Random


class Randomness(Protocol):
    """Answers the machine's requests. `life` counts the lives of a draw (0 for `once`, the step for `each step`, the
    number of earlier reports for `each R`; for a tree noise the number of the node); nothing is asked twice for one
    life. `shape` is () for a scalar and (d,) for d coordinates."""

    def noise(self, noise: Noise, life: int, law: LawValue, shape: tuple[int, ...]) -> Value: ...

    def draw(self, draw: Draw, life: int, law: LawValue) -> Value: ...

    def entry(self, field: str, step: int, law: LawValue) -> Value:
        """A model's value of a field; `step` is the record's number for a dataset."""
        ...


class SeededRandomness:
    """Pseudo-random values: one generator for the noise and one for the inputs of each (seed, run).

    As they are apart, the same run under another mechanism sees the same data.
    """

    __slots__ = ("_inputs", "_noise")

    def __init__(self, seed: int, run: int = 0) -> None:
        from random import Random  # it loads hash functions that a run without randomness does not need

        # A text seed is hashed by SHA-512, so that neighbouring seeds and runs have unrelated streams.
        self._noise = Random(f"noise {seed} {run}")
        self._inputs = Random(f"inputs {seed} {run}")

    def noise(self, noise: Noise, life: int, law: LawValue, shape: tuple[int, ...]) -> Value:
        return sample_shaped(law, shape, self._noise)

    def draw(self, draw: Draw, life: int, law: LawValue) -> Value:
        return law.sample(self._noise)

    def entry(self, field: str, step: int, law: LawValue) -> Value:
        return law.sample(self._inputs)


class FreshRandomness(SeededRandomness):
    """Random values of the operating system, which nobody can draw again: for deployment."""

    __slots__ = ()

    def __init__(self) -> None:
        from random import SystemRandom

        self._noise = SystemRandom()
        self._inputs = SystemRandom()


class NoNoise:
    """Every noise is at its centre (0; the truth for randomised response), every draw at its likeliest value."""

    __slots__ = ()

    def noise(self, noise: Noise, life: int, law: LawValue, shape: tuple[int, ...]) -> Value:
        return centre_shaped(law, shape)

    def draw(self, draw: Draw, life: int, law: LawValue) -> Value:
        return law.centre()

    def entry(self, field: str, step: int, law: LawValue) -> Value:
        return law.centre()


def sample_shaped(law: LawValue, shape: tuple[int, ...], random: Random) -> Value:
    """One draw for a value of that shape: independent coordinates, or one joint draw a vector for a joint law."""
    return _shaped(law, shape, lambda one: one.sample(random))


def centre_shaped(law: LawValue, shape: tuple[int, ...]) -> Value:
    """The centre of the law for a value of that shape."""
    return _shaped(law, shape, lambda one: one.centre())


def _shaped(law: LawValue, shape: tuple[int, ...], make: Callable[[LawValue], Value]) -> Value:
    if not law.joint:
        return filled(shape, lambda: make(law))
    if isinstance(law, L2Laplace) and law.dimension is None:
        fitted = law.of_dimension(shape[-1] if shape else 1)
        value = filled(shape[:-1], lambda: make(fitted))
        return value if shape else value[0]
    return filled(shape[:-1], lambda: make(law))
