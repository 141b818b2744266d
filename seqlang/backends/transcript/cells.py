"""The lines of the generated step that keep the cells: what they hold, when they forget, how they take a value in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from math import inf
from typing import Any

from seqlang.backends.interpret.cells import whole_length
from seqlang.backends.interpret.operators import OTHER
from seqlang.backends.transcript.plain_values import PlainWriter, bound_name, name_of
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
            case p.AtReports():
                initial = ()
            case p.LastSteps():
                initial = ()
        self.plain.vector_names[cell.name] = cell.operator == "list" or self.plain.is_vector(cell.body)
        lengths = self._lengths(cell)
        if lengths is not None:
            self.lengths[cell.name] = lengths
            self.keep(name, initial)
        elif cell.binders:
            ranges = [self.plain.value(domain) for _, domain in cell.binders]
            initial = tuple((k, initial) for k in combinations(ranges))
            self.keep(name, initial)
            self.lines.append(f"{name} = dict({name})")
        else:
            self.keep(name, initial)
        if isinstance(cell.keep, p.SinceReport):
            fresh = f"dict({initial!r})" if cell.binders else repr(initial)
            self.lines.append(f"if was_{name_of(cell.keep.report)}: {name} = {fresh}")

    def ticks(self, cell: p.Cell) -> None:
        name = name_of(cell.name)
        body = self.plain.write(cell.body)
        where = None if cell.where is None else self.plain.write(cell.where)
        old = f"c_{name}"
        if cell.name in self.lengths:
            self._window(cell, body, where)
            return
        if cell.binders:
            key = "(" + "".join(f"{bound_name(v)}, " for v, _ in cell.binders) + ")"
            old = f"c_{name}[{key}]"
        match cell.keep:
            case p.Previous():
                new = body
            case p.AtReports():
                self.lines.append(f"h_{name} = {self._each_binding(cell, body)}")
                if cell.binders:
                    raise Unsupported("a history inside a binder")
                return
            case p.LastSteps(count):
                item = body if where is None else f"({body} if {where} else None)"
                self.plain.scope["newest"] = newest
                length = self.plain.write(count)
                changes = self._changes(cell, count)
                new = f"({old} + ({item},))" if changes else f"newest({old} + ({item},), {length})"
                shown = f"newest({old}, {length})" if changes else old
            case _:
                new = self._folded(cell, old, body, where)
        if isinstance(cell.keep, p.Previous):
            # readers below see the old value too, as two statistics may share the cell
            self.lines.append(f"w_{name} = {self._each_binding(cell, new)}")
            self.late.append(f"c_{name} = w_{name}")
            return
        self.lines.append(f"c_{name} = {self._each_binding(cell, new)}")
        if isinstance(cell.keep, p.LastSteps):
            fold = {"sum": "window_sum", "count": "window_count", "mean": "window_mean", "max": "window_max",
                    "min": "window_min"}.get(cell.operator)  # fmt: skip
            if fold is None:
                raise Unsupported(f"{cell.operator} over last steps")
            self.plain.scope[fold] = WINDOWS[fold]
            self.lines.append(f"x_{name} = {self._each_binding(cell, f'{fold}({shown})')}")
        elif cell.operator == "mean":
            source = f"{{k: v[0] / max(1, v[1]) for k, v in c_{name}.items()}}" if cell.binders else (
                f"c_{name}[0] / max(1, c_{name}[1])"
            )  # fmt: skip
            self.lines.append(f"x_{name} = {source}")

    def _lengths(self, cell: p.Cell) -> dict[tuple[Any, ...], int] | None:
        """Key -> length, if nothing else of the windows depends on the binders."""
        if not (cell.binders and isinstance(cell.keep, p.LastSteps) and f"window_{cell.operator}" in WINDOWS):
            return None
        inside = [cell.body, *([] if cell.where is None else [cell.where])]
        if self.plain.is_vector(cell.body) or any(reads(one, v) for one in inside for v, _ in cell.binders):
            return None
        try:
            written = self._each_binding(cell, f"int({self.plain.write(cell.keep.count)})")
            found: dict[tuple[Any, ...], int] = eval(written, self.plain.scope)
        except (Unsupported, NameError):
            return None  # a length that changes from step to step
        return found if min(found.values(), default=0) > 0 else None

    def _changes(self, cell: p.Cell, count: e.Expression) -> bool:
        """Whether the length of a window changes from step to step: then all entries are kept."""
        return not self.plain.is_constant(count, frozenset(variable for variable, _ in cell.binders))

    def _window(self, cell: p.Cell, body: str, where: str | None) -> None:
        name, lengths = name_of(cell.name), self.lengths[cell.name]
        item = body if where is None else f"({body} if {where} else None)"
        self.plain.scope["windows"] = windows
        self.plain.scope[f"lengths_{name}"] = lengths
        self.lines.append(f"c_{name} = (c_{name} + ({item},))[-{max(lengths.values())}:]")
        self.lines.append(f"x_{name} = windows(c_{name}, lengths_{name}, 'window_{cell.operator}')")

    def _each_binding(self, cell: p.Cell, body: str) -> str:
        if not cell.binders:
            return body
        key = "(" + "".join(f"{bound_name(v)}, " for v, _ in cell.binders) + ")"
        loops = " ".join(f"for {bound_name(v)} in {self.plain.write(domain)}" for v, domain in cell.binders)
        return f"{{{key}: {body} {loops}}}"

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


def combinations(ranges: list[Any]) -> list[tuple[Any, ...]]:
    keys: list[tuple[Any, ...]] = [()]
    for values in ranges:
        keys = [(*k, v) for k in keys for v in values]
    return keys


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
