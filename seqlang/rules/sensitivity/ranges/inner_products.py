"""An inner product is at most the product of the lengths, also where it is divided by one of them."""

from __future__ import annotations

from seqlang.model.expression import Apply, Expression


def projected(expression: Expression) -> Expression | None:
    """b of <a, b> / |a| or |<a, b>| / |a|, which lies within |b| on both sides wherever it is defined: the
    Cauchy-Schwarz inequality. None: the expression is something else."""
    match expression:
        case Apply("/", (Apply("abs", (Apply("dot", (a, b)),)) | Apply("dot", (a, b)), Apply("norm", (length,)))):
            return b if a == length else a if b == length else None
    return None
