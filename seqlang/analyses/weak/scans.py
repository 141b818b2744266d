"""One scan a program and model: several claims and the curve share its positions."""

from __future__ import annotations

from seqlang.analyses.weak.positions import Scan
from seqlang.model.program import Program
from seqlang.rules.sensitivity.facts.remembered import remembered_of_program

LEFT = 1e-10
"""Mass beyond the tables where probabilities of sets are asked for."""
LEFT_FOR_RATIOS = 1e-18
"""The same where powers of ratios are: they may be large where little mass is."""


@remembered_of_program
def scan_of(program: Program, model: str, ratios: bool) -> Scan:
    """`ratios`: for losses and Renyi divergences, for which small probabilities matter. Raises Unsolved."""
    return Scan(program, model, tolerance=LEFT_FOR_RATIOS if ratios else LEFT, ratios=ratios)
