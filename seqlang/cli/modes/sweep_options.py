"""The options of a sweep, and which of them do not go together."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.cli.options import is_given, refuse_given
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.sweeps.cells import Cell

GIVEN = ("sweep", "cases", "output", "store", "workers", "cluster")
"""Options of which one is enough to make it a sweep, be it of one cell."""
AXES = ("x", "y", "colour")


def add_sweep(parser: ArgumentParser) -> None:
    """The options of a sweep."""
    group = parser.add_argument_group("sweeps: many settings, one table")
    group.add_argument("--sweep", action="append", default=[], metavar="NAME=v1,v2,..",
                       help="values of a parameter, or NAME=FROM:TO:COUNT (repeatable: a grid)")  # fmt: skip
    group.add_argument("--cases", metavar="FILE.csv", help="a list: the header names parameters, a row is a cell")
    group.add_argument("--output", metavar="FILE", help="the table as .csv or .parquet (needs seqlang[parquet])")
    group.add_argument("--store", metavar="FILE.sqlite", help="keep what is finished; go on there after an interrupt")
    group.add_argument("--workers", metavar="N", help="processes (default: one a core if there is work enough)")
    group.add_argument("--cluster", metavar="tcp://HOST:PORT", help="a dask scheduler (needs seqlang[cluster])")
    group.add_argument("--x", metavar="NAME", help="of --plot: a parameter or a quantity (the first that varies)")
    group.add_argument("--y", metavar="NAME", help="steps (default), a label, statistic, report, or a parameter: a map")
    group.add_argument("--colour", metavar="NAME", help="of a map over two parameters: the quantity shown (steps)")


def is_sweep(options: Namespace) -> bool:
    """Whether any option asks for one."""
    return is_given(options, (*GIVEN, "exact"))


def refuse_axes(options: Namespace) -> None:
    """Of what is no sweep: its pictures have no axes to choose."""
    refuse_given(options, AXES, "belongs to the --plot of a sweep")


def fits_together(options: Namespace) -> None:
    """Says so where an option of a sweep would be passed over."""
    if options.cluster is not None:
        refuse_given(options, ("workers", "threads"), "does not go with --cluster: it has workers of its own")
    if options.plot is None:
        refuse_given(options, AXES, "belongs to --plot, which is not given")


def refuse_twice(options: Namespace, settings: Mapping[str, Fraction], cells: Sequence[Cell]) -> None:
    """A value of --set that no cell would use. (An empty field of --cases does: it leaves the value as it is.)"""
    for name in settings:
        if all(name in dict(cell.values) for cell in cells):
            by = next(
                (o for o in ("sweep", "curve") for t in getattr(options, o, ()) if t.split("=")[0].strip() == name),
                "cases",
            )
            message = f"`{name}` has a value by --set and others by --{by}, which would take its place"
            raise SpecError.of("E0601", message, help=f"leave out --set {name}=.., or `{name}` in --{by}")
