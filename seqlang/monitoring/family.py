"""What is estimated after a test: the one argument in which its hypotheses differ.

If null and alternative draw an entry from laws of one family that differ in one argument, and this may be any real
number of an interval, then the laws with all other values of it are the family. For coins it is the chance of a 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.solve.step.entries import model_named
from seqlang.laws.facts import facts
from seqlang.model.expression import Law, Number
from seqlang.model.program import Model, Program
from seqlang.record import record, replace

ENDS = {
    "probability": (0.0, 1.0),
    "ratio": (0.0, 1.0),
    "scale": (0.0, math.inf),
    "number": (-math.inf, math.inf),
}
"""Of the values that an argument may have, by its kind; the ends that are open are not asked for."""
NEAR = 1e-9
"""An open end is not taken itself, but what lies so far within, relative to the distance of the hypotheses."""


class NoFamily(Exception):
    """The hypotheses do not leave one number open. The text says why, as the end of a sentence."""


@record
class Family:
    """`name` of the argument; `about`: what is estimated, in words; `ends` of its values; `null` and `alternative`:
    what the hypotheses say."""

    program: Program
    field: str
    law: Law
    place: int
    name: str
    about: str
    ends: tuple[float, float]
    null: float
    alternative: float

    @property
    def distance(self) -> float:
        """Of the hypotheses."""
        return abs(self.alternative - self.null)

    def model(self, value: float) -> Model:
        """The model in which the argument has this value, called `at`."""
        least, most = (end + side * NEAR * self.distance for end, side in zip(self.ends, (1, -1), strict=True))
        held = min(max(value, least), most) if self._open else value
        arguments = list(self.law.arguments)
        arguments[self.place] = Number(Fraction(held))
        return Model("at", ((self.field, replace(self.law, arguments=tuple(arguments))),))

    def at(self, value: float) -> Program:
        """The program with that model besides."""
        return replace(self.program, models=(*self.program.models, self.model(value)))

    @property
    def _open(self) -> bool:
        return facts(self.law.family).parameters[self.place].kind != "probability"


def family_of(program: Program, hypotheses: tuple[str, str]) -> Family:
    """Raises NoFamily."""
    models = [model_named(program, name) for name in hypotheses]
    if len(program.inputs) != 1 or any(len(model.laws) != 1 for model in models):
        raise NoFamily("there are several chances, and one number does not say them all")
    (field, first), (_, second) = (model.laws[0] for model in models)
    if not isinstance(first, Law) or not isinstance(second, Law) or first.family != second.family:
        raise NoFamily("the hypotheses are no two laws of one family")
    values = list(_values(program, first, second))
    apart = [i for i, (a, b) in enumerate(values) if a != b]
    if len(apart) != 1:
        raise NoFamily("the hypotheses differ in several arguments of their laws")
    place = apart[0]
    parameter = facts(first.family).parameters[place]
    if parameter.kind not in ENDS:
        raise NoFamily(f"the {parameter.name} of {first.family} is not any number of an interval")
    about = "the chance of a 1" if first.family == "bernoulli" else f"the {parameter.name} of {field} ~ {first.family}"
    return Family(program, field, first, place, parameter.name, about, ENDS[parameter.kind], *values[place])


def _values(program: Program, first: Law, second: Law) -> Iterator[tuple[float, float]]:
    """The arguments of both laws, side by side."""
    compiler = Compiler(program)
    try:
        for pair in zip(first.arguments, second.arguments, strict=True):
            one, other = (compiler.constant(argument) for argument in pair)
            yield _number(one), _number(other)
    except EvaluationError:
        raise NoFamily("the arguments of their laws are no numbers") from None


def _number(value: Any) -> float:
    if not isinstance(value, int | float | Fraction):
        raise NoFamily("the arguments of their laws are no numbers")
    return float(value)
