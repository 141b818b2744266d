"""The reference interpreter: runs any valid program, one run at a time, slowly and plainly."""

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
