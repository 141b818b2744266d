"""The discrete twin of a loaded spec: its text, its program, and how entries are read for it."""

from __future__ import annotations

from math import lcm

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, load
from seqlang.record import record
from seqlang.release.exact.plan import obstacles
from seqlang.release.twin.domains import Counted, counted, radius
from seqlang.release.twin.names import Names
from seqlang.release.twin.statements import RETURN, rewritten, settle
from seqlang.release.twin.units import Units
from seqlang.release.twin.written import NoTwin
from seqlang.source import Source
from seqlang.syntax import format_text, parse, tree

GRID = 16
"""Units of one, where nothing else is said."""


@record
class Twin:
    """`scales`: an entry x of the field is read as the whole number that is nearest to scale * x. `shown`: reports and
    `return` that are shown in units of 1/scale. `is_itself`: the spec is computed exactly as it is written."""

    loaded: Loaded
    scales: tuple[tuple[str, int], ...] = ()
    shown: tuple[tuple[str, int], ...] = ()
    is_itself: bool = False

    def scale(self, field: str) -> int:
        """Of a field that is read, 1 for one without units."""
        return dict(self.scales).get(field, 1)


def twin_of(loaded: Loaded, grid: int = GRID) -> Twin:
    """The spec itself where it is computed exactly as it is. Raises NoTwin; a twin that is given out is not proved
    yet, and may still not be released (`obstacles`)."""
    if not obstacles(loaded.program):
        return Twin(loaded, is_itself=True)
    file, _ = parse(loaded.source)
    assert file is not None, "load has read it"
    names = Names(file, loaded.settings)
    units = Units(names, _fields(names, grid), grid)
    settle(names, units)
    text = _text(loaded.source, names, units)
    try:
        made = load(Source(f"{loaded.source.name} (twin)", text))
    except SpecError as why:
        said = why.diagnostics[0]
        raise NoTwin(f"what is written is no program: {said.message}") from None
    scales = tuple((name, units.scale(name)) for name in units.fields)
    shown = tuple((n, units.scale(n)) for n in (*sorted(names.reports), RETURN) if units.scale(n) > 1)
    return Twin(made, scales, shown)


def _fields(names: Names, grid: int) -> dict[str, Counted]:
    found: dict[str, Counted] = {}
    measured = frozenset(names.fields)
    apart = [radius(names, measured, s) for s in names.of(tree.AdjacentWithin)]
    finer = lcm(*(d.denominator for d in apart if d is not None))
    for name, field in names.fields.items():
        found[name] = counted(names, field, grid, finer)
    return found


def _text(source: Source, names: Names, units: Units) -> str:
    """The text with everything replaced, in the canonical layout."""
    edits = [edit for statement in names.file.statements for edit in rewritten(names, units, statement)]
    text = source.text
    for span, new in sorted(edits, key=lambda edit: (edit[0].start, edit[0].end), reverse=True):
        text = text[: span.start] + new + text[span.end :]
    laid_out, found = format_text(Source(source.name, _said(units) + text))
    if laid_out is None:
        raise NoTwin(f"what is written is not well formed: {found[0].message}")
    return laid_out


def _said(units: Units) -> str:
    """The grid, as comments in front of the text."""
    counted = sorted((units.in_units(name), scale) for name, scale in units.scales.items() if scale > 1)
    lines = [f"# {name}: units of 1/{scale}" for name, scale in counted]
    return "".join(f"{line}\n" for line in ["# discrete twin, made by `seqlang release --plan`", *lines]) + "\n"
