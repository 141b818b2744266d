"""The draws of a program's noises: a key for each draw that a step reads, and its law.

A key starts with the name of the noise. A key that ends in `...` is that of a fresh draw, which lives in one step only;
other keys name the life in which the draw is made (after which report, or which node of a tree).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

from seqlang.backends.transcript.integrals.linear_conditions import Key, Terms
from seqlang.backends.transcript.integrals.noise_laws import NoiseLaw, conditioned, finite, of_family
from seqlang.backends.transcript.stepper import Stepper
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model.life import EachReport, EachStep
from seqlang.record import replace


class NoiseDraws:
    """Finds the keys and laws of the draws of one program, and keeps what it has found."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self._laws: dict[str, NoiseLaw] = {}
        self._known_terms: dict[object, Terms] = {}

    def law(self, key: Key) -> NoiseLaw:
        """The law of the draw. Raises `Unsupported` where the law is not treated, and where rounding a parameter (a
        ratio to 1, say) leaves no law."""
        name = str(key[0])
        if name not in self._laws:
            try:
                law = noise_law(name, self.stepper.laws.get(name))
                self._laws[name] = replace(law, gap=self.stepper.gaps.get(name, inf))
            except (ArithmeticError, ValueError) as why:
                raise Unsupported(f"the law of {name} is not a law once its parameters are rounded: {why}") from None
        return self._laws[name]

    def terms(self, terms: Any, counts: Mapping[str, int], step: int, at: int | None) -> Terms:
        """The noise draws behind (noise, factor), with their factors."""
        memo = (terms, at, step if self.stepper.trees or self.stepper.kept else 0, tuple(counts.values()))
        known = self._known_terms.get(memo)
        if known is None:
            known = self._known_terms[memo] = self._found(terms, counts, step, at)
        return known

    def _found(self, terms: Any, counts: Mapping[str, int], step: int, at: int | None) -> Terms:
        made: list[tuple[Key, float]] = []
        for name, factor in terms:
            if isinstance(factor, tuple):
                factor = factor[at or 0]
            place: tuple[object, ...] = (name,) if at is None else (name, at)
            raw = self.stepper.laws.get(name)
            if raw is not None and raw[0] == "tree":
                made += [((*place, "node", level, end), factor) for level, end in tree_nodes(step)]
                continue
            life = self.stepper.lives[name]
            if name in self.stepper.kept and at is not None:
                raise Unsupported(f"a draw of {name}, which is a list, is kept")
            if isinstance(life, EachStep) and name in self.stepper.kept:
                made.append((drawn_in(name, step), factor))
            elif isinstance(life, EachStep):
                made.append(((*place, ...), factor))
            elif isinstance(life, EachReport):
                made.append(((*place, "life", counts[life.report]), factor))
            else:
                made.append((place, factor))
        merged: dict[Key, float] = {}
        for key, factor in made:
            merged[key] = merged.get(key, 0.0) + float(factor)
        return tuple(sorted(((k, f) for k, f in merged.items() if f), key=lambda kf: str(kf[0])))

    def must_be_independent(self, terms: Any, size: int) -> None:
        """Raises `Unsupported` where the coordinates of a vector of that size do not have independent noise."""
        for name, _ in terms:
            law = self.stepper.laws.get(name)
            if size > 1 and (law is None or "l2_laplace" in str(law)):
                raise Unsupported("coordinates whose noise is not independent")


def drawn_in(name: str, step: int) -> Key:
    """The key of a draw that is kept: `step` is 0 for noise that is drawn once."""
    return (name, "step", step) if step else (name,)


def is_of_step(key: Key) -> bool:
    """Whether the draw is one that is kept, and made in a known step: `key[2]`."""
    return len(key) == 3 and key[1] == "step"


def tree_nodes(step: int) -> list[tuple[int, int]]:
    """(level, last step) of the tree nodes that cover the steps 1 .. step: one node for each bit of `step` that is
    1."""
    nodes = []
    end = step
    for level in range(step.bit_length()):
        if step >> level & 1:
            nodes.append((level, end))
            end -= 1 << level
    return nodes


def noise_law(name: str, raw: Any) -> NoiseLaw:
    """The law that an evaluated law expression (family, argument, ..) means. Raises `Unsupported`, naming the noise."""
    if raw is None:
        raise Unsupported(f"the law of {name} has no value")
    law: NoiseLaw | None = None
    match raw:
        case ("weights", pairs):
            law = finite([(float(v), float(w)) for v, w in pairs])
        case ("uniform", values) if isinstance(values, (tuple, range)):
            law = finite([(float(v), 1.0) for v in values])
        case ("conditioned", inner, low, high):
            law = conditioned(noise_law(name, inner), float(low), float(high))
        case ("tree", inner):
            law = noise_law(name, inner)
        case (family, *arguments) if not any(isinstance(a, tuple) for a in arguments):
            law = of_family(family, *[float(a) for a in arguments])
    if law is None:
        raise Unsupported(f"the law of {name} ({raw[0]}) is not integrated")
    return law
