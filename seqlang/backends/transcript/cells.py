"""The lines of the generated step that keep the cells: what they hold, when they forget, how they take a value in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate, product
from math import inf
from typing import Any

from seqlang.backends.interpret.cells import whole_length
from seqlang.backends.interpret.operators import OTHER
from seqlang.backends.transcript.plain_values import PlainWriter, bound_name, may_fail, name_of
from seqlang.backends.transcript.unsupported import Unsupported
from seqlang.model import expression as e
from seqlang.model import program as p
from seqlang.model.binding import free_variables, reads


class CellWriter:
    """Appends to `lines`; `keep(name, initial)` makes a name part of the state."""

    def __init__(self, plain: PlainWriter, lines: list[str], keep: Callable[[str, Any], None]) -> None:
        self.plain = plain
        self.lines = lines
        self.keep = keep
        self.late: list[str] = []
        """For the end of the step."""
        self.lengths: dict[str, dict[tuple[Any, ...], int]] = {}
        """By cell, of windows that only differ in their length: one tuple of values serves them all."""

    def opens(self, cell: p.Cell) -> None:
        """State of the cell; what `since` and `history` and `previous` see at the start of a step."""
        name = f"c_{name_of(cell.name)}"
        initial: Any = {"sum": 0, "count": 0, "mean": (0, 0)}.get(cell.operator)
        match cell.keep:
            case p.Previous(first) if free_variables(first):
                raise Unsupported("a first value that differs from element to element")
            case p.Previous(first):
                initial = self.plain.value(first)
            case p.AtReports() | p.LastSteps():
                initial = ()
        lengths = self._lengths(cell)
        if lengths is not None:
            self.lengths[cell.name] = lengths
        elif cell.binders:
            ranges = [self.plain.value(domain) for _, domain in cell.binders]
            initial = tuple((k, initial) for k in product(*ranges))
            self.lines.append(f"{name} = dict({name})")
        self.keep(name, initial)
        if isinstance(cell.keep, p.SinceReport):
            fresh = f"dict({initial!r})" if cell.binders else repr(initial)
            self.lines.append(f"if was_{name_of(cell.keep.report)}: {name} = {fresh}")

    def ticks(self, cell: p.Cell) -> None:
        name = name_of(cell.name)
        body = self.plain.write(cell.body)
        body = f"number({body})" if may_fail(cell.body) else body
        where = None if cell.where is None else self.plain.write(cell.where)
        taken = body if where is None else f"({body} if {where} else None)"
        old = f"c_{name}[{_key(cell)}]" if cell.binders else f"c_{name}"
        match cell.keep:
            case p.LastSteps(count):
                if cell.name in self.lengths:
                    self._windows(name, cell.operator, taken, self.lengths[cell.name])
                else:
                    self._window(cell, taken, old, count)
            case p.Previous():
                self.remembers(cell, self._each_binding(cell, body))
            case p.AtReports():
                self.lines.append(f"h_{name} = {self._each_binding(cell, body)}")
                if cell.binders:
                    raise Unsupported("a history inside a binder")
            case _:
                self.lines.append(f"c_{name} = {self._each_binding(cell, self._folded(cell, old, body, where))}")
                if cell.operator == "mean":
                    self.lines.append(f"x_{name} = {self._each_binding(cell, f'{old}[0] / max(1, {old}[1])')}")

    def remembers(self, cell: p.Cell, written: str) -> None:
        """Readers below see the old value too, as two statistics may share the cell."""
        name = name_of(cell.name)
        self.lines.append(f"w_{name} = {written}")
        self.late.append(f"c_{name} = w_{name}")

    def _lengths(self, cell: p.Cell) -> dict[tuple[Any, ...], int] | None:
        """Key -> length, if nothing else of the windows depends on the binders."""
        if not (cell.binders and isinstance(cell.keep, p.LastSteps) and f"window_{cell.operator}" in WINDOWS):
            return None
        inside = p.expressions_in((cell.body, cell.where))
        if self.plain.is_vector(cell.body) or any(reads(one, v) for one in inside for v, _ in cell.binders):
            return None
        try:
            written = self._each_binding(cell, f"int({self.plain.write(cell.keep.count)})")
            found: dict[tuple[Any, ...], int] = eval(written, self.plain.scope)
        except (Unsupported, NameError):
            return None  # a length that changes from step to step
        return found if min(found.values(), default=0) > 0 else None

    def _windows(self, name: str, operator: str, taken: str, lengths: dict[tuple[Any, ...], int]) -> None:
        self.plain.scope["windows"] = windows
        self.plain.scope[f"lengths_{name}"] = lengths
        self.lines.append(f"c_{name} = (c_{name} + ({taken},))[-{max(lengths.values())}:]")
        self.lines.append(f"x_{name} = windows(c_{name}, lengths_{name}, 'window_{operator}')")

    def _window(self, cell: p.Cell, taken: str, old: str, count: e.Expression) -> None:
        name, fold = name_of(cell.name), f"window_{cell.operator}"
        if fold not in WINDOWS:
            raise Unsupported(f"{cell.operator} over last steps")
        self.plain.scope |= {"newest": newest, fold: WINDOWS[fold]}
        length = self.plain.write(count)
        longer, shown = f"{old} + ({taken},)", f"newest({old}, {length})"
        if self.plain.is_constant(count, [variable for variable, _ in cell.binders]):
            longer, shown = f"newest({longer}, {length})", old  # else all entries are kept
        self.lines.append(f"c_{name} = {self._each_binding(cell, longer)}")
        self.lines.append(f"x_{name} = {self._each_binding(cell, f'{fold}({shown})')}")

    def _each_binding(self, cell: p.Cell, body: str) -> str:
        if not cell.binders:
            return body
        loops = " ".join(f"for {bound_name(v)} in {self.plain.write(domain)}" for v, domain in cell.binders)
        return f"{{{_key(cell)}: {body} {loops}}}"

    def _folded(self, cell: p.Cell, old: str, body: str, where: str | None) -> str:
        vector = self.plain.is_vector(cell.body)
        match cell.operator:
            case "sum":
                new = f"pairwise(P['+'], {old}, {body})" if vector else f"{old} + {body}"
            case "count":
                new = f"{old} + bool({body})"
            case "mean":
                new = f"({old}[0] + {body}, {old}[1] + 1)"
            case "max" | "min":
                new = f"({body} if {old} is None else {cell.operator}({old}, {body}))"
            case _:
                raise Unsupported(f"{cell.operator} over steps")
        return new if where is None else f"({new} if {where} else {old})"


def _key(cell: p.Cell) -> str:
    """The bound values for which a cell holds a value."""
    return "(" + "".join(f"{bound_name(v)}, " for v, _ in cell.binders) + ")"


def windows(values: tuple[Any, ...], lengths: dict[tuple[Any, ...], int], fold: str) -> dict[tuple[Any, ...], Any]:
    """What each window holds of the last values."""
    if fold != "window_sum":
        return {key: WINDOWS[fold](values[-length:]) for key, length in lengths.items()}
    sums = [0, *accumulate([0 if v is None else v for v in reversed(values)])]
    last = len(values)
    return {key: sums[length if length < last else last] for key, length in lengths.items()}


def newest(values: tuple[Any, ...], count: float) -> tuple[Any, ...]:
    """The last `count` values."""
    return values[max(0, len(values) - whole_length(count)) :]


def _kept(values: tuple[Any, ...]) -> list[Any]:
    return [v for v in values if v is not None]


WINDOWS: dict[str, Callable[[tuple[Any, ...]], Any]] = {
    "window_sum": lambda v: OTHER["sum"](tuple(_kept(v))),
    "window_count": lambda v: sum(1 for x in _kept(v) if x),
    "window_mean": lambda v: OTHER["mean"](tuple(_kept(v))),
    "window_max": lambda v: max(_kept(v), default=-inf),
    "window_min": lambda v: min(_kept(v), default=inf),
}
