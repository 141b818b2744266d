"""The segments of a step: what all lanes do together, up to draws that only some of them make."""

from __future__ import annotations

from seqlang.backends.kernels.operations import Block, Code, Leave, Op, Purpose, Sample
from seqlang.record import record


@record
class Segment:
    """`ops` are done by all lanes, draws first; `then` are draws made only where their `when` holds, lane by lane."""

    ops: tuple[Code | Sample | Leave, ...]
    then: tuple[Sample, ...]


def segments_of(ops: tuple[Op, ...]) -> tuple[Segment, ...]:
    """In order; a run's words are taken from its streams in the order of the draws in `ops`."""
    found: list[Segment] = []
    together: list[Code | Sample | Leave] = []
    then: list[Sample] = []
    for op in ops:
        if isinstance(op, Block):
            raise ValueError("a block has no segments")
        if isinstance(op, Sample) and op.when is not None:
            then.append(op)
            continue
        if then:
            found.append(Segment(tuple(together), tuple(then)))
            together, then = [], []
        together.append(op)
    return (*found, Segment(tuple(together), tuple(then)))


def samples_of(ops: tuple[Op, ...]) -> tuple[Sample, ...]:
    """The draws among the operations."""
    return tuple(op for op in ops if isinstance(op, Sample))


def streams_of(samples: tuple[Sample, ...]) -> tuple[Purpose, ...]:
    """The streams that they draw from."""
    purposes: tuple[Purpose, ...] = ("noise", "inputs")
    return tuple(p for p in purposes if any(s.purpose == p for s in samples))
