"""What a refutation is: two neighbouring inputs, an event, both exact probabilities."""

from __future__ import annotations

from math import inf

from seqlang.proof.entry import Entry
from seqlang.proof.family import Family
from seqlang.record import record


@record
class Event:
    """A set of transcripts by what they begin with. Steps count from 1.

    `not_by`: no report and no stop up to that step (no other report, where `reports` are given). An event that does not
    say when it stopped has it, so that nothing about stops is left open.
    `stopped_at`/`result`: stopped in that step with that return value (None: whatever it returned).
    `reports`: (step, report, value or True) that were made, all others up to the last step not made; a value may be a
    pair (low, high): the released number lies in between (infinite ends allowed). A truth value that comparisons decide
    is 1 or 0: it is reported whatever it is.
    """

    not_by: int | None = None
    stopped_at: int | None = None
    result: Entry | bool | str | None = None
    reports: tuple[tuple[int, str, object], ...] = ()


@record
class Witness:
    """`streams`: entry by entry, a number for one field or a dict field -> value; for datasets all records.

    `p` and `q` are the event's probabilities under the first and the second stream, each within its stated error;
    `loss` = log(p / q) rounded down (inf if q is 0 and p is not); `excess(eps)` = p - e^eps q, a lower bound on delta.
    `because` is one sentence on why this pair and this event. `checked`: "enclosed" if the probabilities were computed
    once more by independent means and lie surely within their errors, "recomputed" if by quadratures of two accuracies,
    "bounded" if `p` is a lower and `q` an upper bound, from the proof of the family.
    `family`: the pair is one of these, whose loss grows with the length beyond any bound.
    """

    streams: tuple[tuple[Entry, ...], tuple[Entry, ...]]
    event: Event
    p: float
    q: float
    loss: float
    p_error: float = 0.0
    q_error: float = 0.0
    because: str = ""
    checked: str = "recomputed"
    family: Family | None = None

    @property
    def lower(self) -> float:
        """What any epsilon that holds is at least: the loss, or infinity where the witness is one of a family."""
        return self.loss if self.family is None else inf
