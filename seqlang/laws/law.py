"""A law as a value: what it declares, its functions of one number, its functions of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from seqlang.laws.facts import Facts, facts
from seqlang.record import field_names, record

if TYPE_CHECKING:
    from random import Random

Function = Callable[..., float]


class NotInArrays(Exception):
    """These arguments are treated one run at a time, not in arrays."""


@record
class Scalar:
    """Functions of one number x (or of a chance p) and the law's arguments; None where the law has none.

    Kernels paste `valid`, `density`, `cdf` and `quantile`, and what only they read: `from_variate(z, *arguments)`, a
    draw from a standard variate z of the kind that VARIATE names, or `sample_words(s, *arguments)`, a draw from random
    words, where one variate does not suffice.

    - `valid(*arguments)`: whether they are parameters of the law; also of arrays, entry by entry.
    - `density`: the density, or the probability of the point x. `cdf`: P(X <= x). `quantile(p)`: the least x with
      P(X <= x) >= p; `upper(q)`: the least x with P(X > x) <= q, exact for small q.
    - `log_density`, `log_below` (of P(X <= x)), `log_above` (of P(X >= x)): right where the chances underflow.
      `log_above_all(starts, slope, *arguments)` is the function x -> sum of log_above(start + slope x), where a law
      that is symmetric around 0 has a quicker way.
    - `bends(low, high, *arguments)`: the points between low and high where the density is not smooth; of infinitely
      many those that hold all but 1e-17 of the mass. `tail_bends`: those where the tails have no derivative.
    - `length`: a length on which the density changes much; `median`, `centre` (a typical value: what a run without
      noise uses), `ends` of the support.
    - `sample(random, *arguments)`: a draw; of a law with a quantile by default the quantile of a uniform variate.
    """

    valid: Callable[..., Any]
    density: Function | None
    cdf: Function | None
    quantile: Function | None
    upper: Function | None
    log_density: Function | None
    log_below: Function | None
    log_above: Function | None
    log_above_all: Callable[..., Callable[[float], float]] | None
    bends: Callable[..., Sequence[float]]
    tail_bends: Callable[..., Sequence[float]]
    length: Function
    median: Function
    centre: Callable[..., float]
    ends: Callable[..., tuple[float, float]]
    sample: Callable[..., float] | None


@record
class Arrays:
    """Functions of an array x (or of chances u) and the law's arguments, which may be arrays of one entry a run too.

    - `densities`, `cdfs` (P(X <= x)), `tails` (P(X >= x) of a law with a density, right where it is small),
      `betweens(low, high)` where the difference of two tails would lose digits, `quantiles`.
    - `samples(uniform, shape, *arguments)`: draws, where `uniform(shape)` gives uniform variates; by default quantiles.
    - `values(*arguments)`: all values of a law on few points, a superset where the arguments are arrays.
    - `atoms(tail, *arguments)`: points in increasing order and their chances, for laws on points; those beyond which
      less than `tail` lies may be left out.
    """

    densities: Callable[..., Any] | None
    cdfs: Callable[..., Any] | None
    tails: Callable[..., Any] | None
    betweens: Callable[..., Any] | None
    quantiles: Callable[..., Any] | None
    samples: Callable[..., Any] | None
    values: Callable[..., tuple[float, ...]] | None
    atoms: Callable[..., tuple[Any, Any]] | None


@record
class Law:
    """`needs` says in words what `valid` asks for; `variate` which standard variate `from_variate` takes; `holes` what
    the law does not have, and why."""

    facts: Facts
    scalar: Scalar
    arrays: Arrays
    needs: str
    variate: str | None
    holes: Mapping[str, str]


@cache
def law(name: str) -> Law:
    """The law of that name. Raises KeyError for a name that is no law's."""
    declared = facts(name)
    module = import_module(f"seqlang.laws.families.{name}")
    given = {field: getattr(module, field, None) for field in field_names(Scalar)}
    arrays = {field: getattr(module, field, None) for field in field_names(Arrays)}
    if declared.symmetric and arrays["cdfs"] is not None and arrays["tails"] is None:
        cdfs = arrays["cdfs"]
        arrays["tails"] = lambda x, *arguments: cdfs(-x, *arguments)
    return Law(
        declared,
        Scalar(**{**given, **_defaults(declared, module)}),
        Arrays(**arrays),
        getattr(module, "NEEDS", ""),
        getattr(module, "VARIATE", None),
        getattr(module, "HOLES", {}),
    )


def _defaults(declared: Facts, module: ModuleType) -> dict[str, Any]:
    """What follows from the facts and from what the file has."""
    quantile = getattr(module, "quantile", None)
    lowest = 0.0 if declared.support in ("half line", "counts") else -math.inf
    zero = 0.0 if declared.kind == "density" else 0
    made: dict[str, Any] = {
        "valid": lambda *arguments: True,
        "bends": lambda low, high, *arguments: (),
        "tail_bends": lambda low, high, *arguments: (),
        "length": lambda first, *arguments: first,
        "ends": lambda *arguments: (lowest, math.inf),
        "centre": lambda *arguments: zero,
    }
    if quantile is not None:
        made["sample"] = lambda random, *arguments: quantile(open_unit(random), *arguments)
    if declared.symmetric:
        made["median"] = lambda *arguments: 0.0
        if quantile is not None:
            made["upper"] = lambda q, *arguments: -quantile(q, *arguments)
        if hasattr(module, "log_below"):
            made["log_above"] = lambda x, *arguments: module.log_below(-x, *arguments)
    elif quantile is not None:
        made["median"] = lambda *arguments: quantile(0.5, *arguments)
    else:
        made["median"] = lambda *arguments: float(module.centre(*arguments))
    return {name: value for name, value in made.items() if not hasattr(module, name)}


def open_unit(random: Random) -> float:
    """Uniform on the open interval (0, 1): logarithms of it and of 1 minus it are finite."""
    while True:
        u = random.random()
        if u > 0.0:
            return u
