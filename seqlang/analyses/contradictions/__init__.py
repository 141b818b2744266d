"""What independent parts of the tool say of one quantity, compared: where they exclude each other, one is wrong.

The parts: derivations (upper bounds), witnesses (lower bounds, recomputed by quadrature), exact laws under a model,
verdicts on claims, and neighbours that were run. Nothing is decided here about who is right.
"""

from seqlang.analyses.contradictions.contradiction import Contradiction as Contradiction
from seqlang.analyses.contradictions.report import contradictions as contradictions
