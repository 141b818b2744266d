"""Specs: read, checked for errors, with values for their parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from seqlang.diagnostics import Diagnostic
from seqlang.record import field, record
from seqlang.source import Source

if TYPE_CHECKING:
    from seqlang.driver import Loaded
    from seqlang.driver.given import Number


@record
class Spec:
    """A spec that was parsed, checked for errors, and given parameter values.

    >>> import seqlang
    >>> spec = seqlang.load("@wald1945/sprt", p0=0.2)
    >>> spec
    Spec(name='sprt')
    >>> spec.parameters["p0"], spec.models
    (0.2, ('null', 'alternative', 'truth'))
    """

    loaded: Loaded = field(repr=False)
    name: str = ""

    @property
    def parameters(self) -> dict[str, float]:
        """Name -> value."""
        return {p.name: float(p.value) for p in self.loaded.program.parameters}

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models of the data."""
        return tuple(m.name for m in self.loaded.program.models)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings; errors are raised by `load`."""
        return self.loaded.warnings

    @property
    def text(self) -> str:
        """The source text."""
        return self.loaded.source.text


def load(path_or_text: str | os.PathLike[str], **parameters: Number) -> Spec:
    '''A spec from a file, from the library (`@tight/one_sided`), or from its text (anything with a line break).

    Parameters are checked against their domains as on the command line; floats are taken by their shortest decimal, and
    NumPy's numbers as if they were Python's.
    Raises SpecError with every diagnostic.

        >>> import seqlang
        >>> seqlang.load("""
        ... algorithm count
        ... stream x in {0, 1}
        ... statistic n = sum(x over steps)
        ... stop when n >= 1
        ... """).name
        'count'
    '''
    from seqlang import driver
    from seqlang.driver.given import number

    values = {name: number(value, f"parameter {name}") for name, value in parameters.items()}
    if isinstance(path_or_text, str) and ("\n" in path_or_text or path_or_text.lstrip().startswith("algorithm ")):
        source = Source("<text>", path_or_text)
    else:
        source = driver.read(os.fspath(path_or_text))
    loaded = driver.load(source, values)
    return Spec(loaded, loaded.program.name)


def named(model: str | Sequence[str] | None) -> tuple[str, ...]:
    """The models that are asked for; () for all."""
    return (model,) if isinstance(model, str) else tuple(model or ())


def width_of(until_ci: Number | None) -> float | None:
    """The width of an interval. Raises SpecError E0603 unless it is above 0."""
    from math import inf

    from seqlang.driver.given import between

    return None if until_ci is None else float(between(until_ci, "until_ci", 0, inf))


AnySpec: TypeAlias = Spec | str | os.PathLike[str]
"""A spec, the name of its file (`@NAME` in the library), or its text."""


def as_spec(spec: AnySpec) -> Spec:
    """The spec itself, or the one that is loaded by its name or text."""
    return spec if isinstance(spec, Spec) else load(spec)
