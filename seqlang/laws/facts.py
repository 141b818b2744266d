"""What a law declares of itself: names, words and numbers of arguments, and no function of its values.

This is all that proofs may read of a law, so that a proof shares no arithmetic with a run. `facts(name)` loads the one
file `families/NAME.py`; `names()` lists the files.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import Literal

from seqlang.record import record

ParameterKind = Literal["scale", "ratio", "probability", "natural", "count", "number", "law", "set"]


@record
class Parameter:
    """A parameter's name and what it must be: a scale is above 0, a ratio strictly between 0 and 1, a natural number a
    whole number from 0, a count a whole number from 1."""

    name: str
    kind: ParameterKind


@record
class TranslationCost:
    """A function phi with f(z) <= e^phi(u) f(z + u) for the density (or masses) f of the law, every z, and every u that
    is named here. With a the first argument, phi(u) in nats is

        linear    |u| / a                      for every u
        upwards   u / a                        for u >= 0
        whole     |u| log(1 / a)               for whole u
        stairs    a ceil(|u| / b)              for every u, b the second argument

    `norm` is the norm in which the cost of translating several coordinates is measured: "l1" where each coordinate
    has a noise of its own and the costs add up, "l2" for a law of vectors whose density depends on that norm, "abs"
    where only single numbers are treated. The file of a law that declares one proves it (its docstring), and
    tests/laws compares it with the density at many places.
    """

    kind: Literal["linear", "upwards", "whole", "stairs"]
    norm: Literal["l1", "l2", "abs"] = "l1"


@record
class Facts:
    """`kind`: whether it has a density or sits on points; "arguments" where its arguments decide, "none" where neither
    can be asked for. `support`: "half line" is x >= 0, "counts" 0, 1, 2, ..; "listed" a few values, "arguments" what
    these say. `noise`: a draw of it is noise, not a sign, a sample or a choice. `symmetric`: around 0, so that without
    noise there is 0. `has_mean`: E|X| is finite. `bounded`: its support is. `underflows`: a chance inside its support
    may be 0 in floating point. `plain_masses`: each mass is the one parameter, or 1 minus it. `joint`: one draw is a
    vector or a set. `whole`: its values (or their elements) are whole numbers. `has_jumps`: its density has, at some
    places. `steepest`: by how much the logarithm of a density, or of the chance of what is below, changes at most over
    one scale, where it is a float other than 0, and farther than a scale from the end of the support (None: no bound).
    `unit_scale`: with the argument a it is the law of a times a draw with the argument 1. `light_tails`: with the
    argument 1, its density is at most exp(-|x|) everywhere (only where `unit_scale` holds). `curve`: the curve of
    `seqlang.accounting.renyi` that is its Renyi divergence under translation. `optional`: how many of the last
    parameters may be left out.
    """

    name: str
    parameters: tuple[Parameter, ...]
    kind: Literal["density", "points", "arguments", "none"]
    support: Literal["line", "half line", "whole numbers", "counts", "listed", "arguments"]
    optional: int = 0
    noise: bool = False
    symmetric: bool = False
    has_mean: bool = False
    bounded: bool = False
    underflows: bool = True
    joint: bool = False
    plain_masses: bool = False
    unit_scale: bool = False
    light_tails: bool = False
    translation: TranslationCost | None = None
    curve: Literal["gaussian", "laplace", "geometric"] | None = None
    whole: bool = False
    has_jumps: bool = False
    steepest: int | None = 40


@cache
def names() -> frozenset[str]:
    """The names of all laws."""
    folder = os.path.join(os.path.dirname(__file__), "families")
    return frozenset(file[:-3] for file in os.listdir(folder) if file.endswith(".py") and file[0] != "_")


@cache
def facts(name: str) -> Facts:
    """What the law of that name declares. Raises KeyError for a name that is no law's."""
    if name not in names():
        raise KeyError(name)
    found = import_module(f"seqlang.laws.families.{name}").FACTS
    assert isinstance(found, Facts)
    return found
