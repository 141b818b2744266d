"""`seqlang check --instances N`: the loss between the neighbours of streams that a model draws."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from seqlang.cli.options import whole
from seqlang.cli.terminal.output import print_result
from seqlang.cli.terminal.waiting import working

if TYPE_CHECKING:
    from seqlang.driver import Loaded


def streams_of(options: Namespace) -> tuple[int, int] | None:
    """How many streams are drawn from each model, and the seed; None if the options do not ask for this. Raises
    SpecError E0603 for a number out of range."""
    count = None if options.instances is None else whole(options.instances, "--instances")
    seed = 1 if options.seed is None else whole(options.seed, "--seed", least=0)
    return None if count is None else (count, seed)


def show_instances(loaded: Loaded, options: Namespace, count: int, seed: int) -> None:
    """Computes and shows the view for each model, on its own progress line."""
    from seqlang.driver import instances

    for name in tuple(options.model) or tuple(m.name for m in loaded.program.models) or (None,):
        with working(f"instances under {name}" if name else "instances") as tell:
            (found,) = instances(
                loaded, models=(name,) if name else (), count=count, seed=seed,
                progress=lambda done, of: tell(f"{done} of {of} streams"),
            )  # fmt: skip
        print_result(found, options.json)
