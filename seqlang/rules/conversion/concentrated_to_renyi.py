"""zCDP is RDP along a line."""

from __future__ import annotations

from seqlang.arithmetic.formula import ORDER
from seqlang.proof.derivation import ConcentratedBound
from seqlang.rules.conversion.conversion import at_orders

RULE, SEARCH = at_orders(
    "conversion/concentrated_to_renyi",
    "zCDP to RDP",
    """rho-zCDP; a > 1
    ------------------------------------------------------------------------------------------------
    (a, rho a)-RDP, in nats""",
    "Bun & Steinke 2016, Definition 1.1",
    "the definition of zCDP",
    ConcentratedBound,
    lambda rho: ORDER * rho,
)
