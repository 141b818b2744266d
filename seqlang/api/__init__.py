"""The Python interface: load, check, run, solve. Contracts as of the commands, with values instead of exit codes."""

from __future__ import annotations

from seqlang.api.data import rows, run_data, train
from seqlang.api.designs import design, monitor, tune
from seqlang.api.proofs import calibrate, check, instances
from seqlang.api.runs import rare, run, solve, start
from seqlang.api.specs import Spec, load
from seqlang.api.sweeps import sweep
from seqlang.diagnostics import SpecError

__all__ = [
    "Spec",
    "SpecError",
    "calibrate",
    "check",
    "design",
    "instances",
    "load",
    "monitor",
    "rare",
    "rows",
    "run",
    "run_data",
    "solve",
    "start",
    "sweep",
    "train",
    "tune",
]
