"""What every way to compute units does alike."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any

Plain = dict[str, Any]
Tell = Callable[[int, Plain], None]
"""Hears the number of a unit, and how far it is ({}: it has begun)."""


class Executor(ABC):
    """Computes units. Use it with `with`: leaving ends everything that it started."""

    @property
    @abstractmethod
    def title(self) -> str:
        """Where the work is done, in words."""

    @abstractmethod
    def answers(self, units: Iterator[tuple[int, Plain]], tell: Tell) -> Iterator[tuple[int, Plain]]:
        """Takes (number, unit) from `units` only when there is room for one more, and yields (number, answer of
        `compute`) as they complete. A unit whose worker dies is given to another.

        Raises SpecError E0643 where a unit kills every worker that takes it, or no worker can be had."""

    def close(self) -> None:  # noqa: B027 # most have nothing to end
        """Ends everything that was started, at once."""

    def __enter__(self) -> Executor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
