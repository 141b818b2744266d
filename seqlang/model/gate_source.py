"""What a gate stands for. Proofs and programs ask for this; the gate's name is printed from it, and never read."""

from __future__ import annotations

from typing import assert_never

from seqlang.record import record


@record
class OfStop:
    """Whether the stop with this index (from 1) ends the run."""

    index: int


@record
class OfResult:
    """What the stop with this index returns. Where several comparisons decide that, `part` counts them from 1."""

    stop: int
    part: int = 1


@record
class OfEvent:
    """Whether a report without a value is made."""

    report: str


@record
class OfCondition:
    """Whether a report with a value is made, where that depends on private data."""

    report: str


@record
class OfValue:
    """The value of a report. Where several comparisons decide it, `part` counts them from 1."""

    report: str
    part: int = 1


@record
class OfNoise:
    """A noisy value of this target that is read inside and shown to nobody, counted as if it were shown."""

    target: str


@record
class OfDraw:
    """A draw that is read inside and shown to nobody, counted as if it were shown."""

    draw: str


@record
class OfSeveral:
    """What several gates show that read one noisy value, where none of them tells in which steps something is shown.
    Proofs make it; no gate of a program has it."""

    sources: tuple[GateSource, ...]


GateSource = OfStop | OfResult | OfEvent | OfCondition | OfValue | OfNoise | OfDraw | OfSeveral


def name_of(source: GateSource) -> str:
    """The name of the gate in reports and in the conclusions of proofs; no two gates of a program share it."""
    match source:
        case OfStop(index):
            return f"stop {index}"
        case OfResult(stop, part):
            return _part(f"return {stop}", part)
        case OfEvent(report):
            return report
        case OfCondition(report):
            return f"{report} when"
        case OfValue(report, part):
            return _part(report, part)
        case OfNoise(target):
            return target
        case OfDraw(draw):
            return draw
        case OfSeveral(sources):
            return " and ".join(name_of(one) for one in sources)
        case _:
            assert_never(source)


def _part(name: str, part: int) -> str:
    return name if part == 1 else f"{name}.{part}"


def stop_of(source: GateSource) -> int | None:
    """The index of the stop that the gate belongs to."""
    match source:
        case OfStop(index) | OfResult(index):
            return index
        case _:
            return None


def report_of(source: GateSource) -> str | None:
    """The report that the gate belongs to."""
    match source:
        case OfEvent(report) | OfCondition(report) | OfValue(report):
            return report
        case _:
            return None


def is_hidden(source: GateSource) -> bool:
    """True if nobody is shown what the gate stands for."""
    return isinstance(source, OfNoise | OfDraw)
