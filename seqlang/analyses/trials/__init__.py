"""Derived sensitivities, tried on neighbouring inputs by the interpreter, which shares nothing with the derivation."""

from seqlang.analyses.trials.trials import QUICK, THOROUGH, Failed, failures

__all__ = ["QUICK", "THOROUGH", "Failed", "failures"]
