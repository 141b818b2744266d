"""Two ends that a change moves against each other and that share noise: one fresh noise at each look for both (turned
against each other), or one threshold noise (both ends move apart), or both.

Undo the change at the rising end by its threshold noise, as in threshold.py; then every look goes on at least as
surely. Outputs at the rising end are exact. Outputs at the falling end need the fresh noise moved by `needed` (that
end's own move, plus what a shared threshold has moved it by); moving the shared fresh noise that way only keeps the
rising end from firing. With Gaussian fresh noise each look that stops there contributes at most e^((a-1) v), v its
Renyi loss, and there are at most N of them: a factor 1 + N e^((a-1) v) over the rising end's own bound.
"""

from __future__ import annotations

from seqlang.accounting import arguments
from seqlang.accounting.interval import interval, log, log_sum


def surcharge(order: float, looks_loss: float, looks: int) -> float:
    """log(1 + N e^((a-1) v)) / (a-1), rounded up: what the falling end adds."""
    a = interval(arguments.renyi_order("order", order))
    loss = interval(arguments.not_negative("looks_loss", looks_loss))
    several = (a - 1) * loss + log(arguments.count("looks", looks))
    return (log_sum([interval(0), several]) / (a - 1)).high
