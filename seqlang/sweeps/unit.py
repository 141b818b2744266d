"""A unit of work: one setting under one model, simulated or solved. Plain data in, plain data out."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any, Literal

from seqlang.record import record
from seqlang.version import __version__

Plain = dict[str, Any]
"""What JSON can hold: a unit and its result travel to other processes and machines, and lie in a store."""


@record
class Unit:
    """`parameters` are the values given (the others are the file's), `identity` is that of the elaborated program,
    `options` are the keyword arguments of `driver.run` or `driver.solve` besides the model; all are values of JSON."""

    do: Literal["run", "solve"]
    name: str
    text: str
    parameters: tuple[tuple[str, Fraction], ...]
    model: str
    options: tuple[tuple[str, Any], ...]
    identity: str

    @property
    def key(self) -> str:
        """The name of the result in a store. Numbers of another release may differ, so the version is part of it."""
        counted = [__version__, self.do, self.identity, self.model, sorted(self.options)]
        return hashlib.sha256(json.dumps(counted).encode()).hexdigest()

    @property
    def title(self) -> str:
        """The unit in words."""
        values = ", ".join(f"{name} = {float(value):.10g}" for name, value in self.parameters)
        return f"{self.name} with {values} under {self.model}" if values else f"{self.name} under {self.model}"

    def to_plain(self) -> Plain:
        """What a worker gets: see `compute`."""
        return {
            "seqlang": __version__,
            "do": self.do,
            "name": self.name,
            "text": self.text,
            "parameters": {name: str(value) for name, value in self.parameters},
            "model": self.model,
            "options": dict(self.options),
        }
