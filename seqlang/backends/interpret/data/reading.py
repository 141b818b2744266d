"""How the rows of a file are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from seqlang.backends.interpret.data.layout import Layout
from seqlang.record import record


@record
class Reading:
    """`columns` says in which columns a field is found (see `field_columns`), `where` which rows are used; with `clip`
    values outside a domain are moved to its nearest end."""

    columns: Mapping[str, str]
    where: tuple[str, ...]
    clip: bool
    layout: Layout

    @staticmethod
    def of(
        columns: Mapping[str, str] | None = None,
        where: Sequence[str] = (),
        clip: bool = False,
        skip: int = 0,
        names: Sequence[str] | None = None,
    ) -> Reading:
        """From options of which each may be left out; `skip` and `names` make the layout."""
        layout = Layout(skip or 0, None if names is None else tuple(names))
        return Reading(columns or {}, tuple(where), clip, layout)


PLAINLY = Reading.of()
