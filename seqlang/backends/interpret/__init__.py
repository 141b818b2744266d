"""The reference interpreter: runs any valid program, one run at a time, slowly and plainly."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqlang.backends.interpret.inputs import sample_inputs, sample_records
    from seqlang.backends.interpret.machine import Machine, Outcome, StepOutcome
    from seqlang.backends.interpret.randomness import NoNoise, Randomness, SeededRandomness
    from seqlang.backends.interpret.values import EvaluationError, Value

__all__ = [
    "EvaluationError",
    "Machine",
    "NoNoise",
    "Outcome",
    "Randomness",
    "SeededRandomness",
    "StepOutcome",
    "Value",
    "sample_inputs",
    "sample_records",
]


def __getattr__(name: str) -> object:
    """Imported when first asked for (PEP 562): `check` needs the operators of this package, not the machine."""
    if name in __all__:
        from importlib import import_module

        for module in ("machine", "inputs", "randomness", "values"):
            found: object = getattr(import_module(f"{__name__}.{module}"), name, None)
            if found is not None:
                return found
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
