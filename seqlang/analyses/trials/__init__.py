"""Derived sensitivities, tried on neighbouring inputs by the interpreter, which shares nothing with the derivation."""

from seqlang.analyses.trials.trials import QUICK as QUICK
from seqlang.analyses.trials.trials import THOROUGH as THOROUGH
from seqlang.analyses.trials.trials import Failed as Failed
from seqlang.analyses.trials.trials import failures as failures
from seqlang.analyses.trials.trials import tried as tried
