"""`seqlang check --instances N`: the loss between the neighbours of streams that a model draws."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from seqlang.cli.options import whole
from seqlang.cli.terminal.output import print_document, print_json
from seqlang.cli.terminal.waiting import working
from seqlang.record import record

if TYPE_CHECKING:
    from seqlang.driver import Loaded


@record
class Instances:
    """How many streams are drawn, under which models (none named: each model of the file), and the seed."""

    count: int
    seed: int
    models: tuple[str, ...]
    as_json: bool


def instances_of(options: Namespace) -> Instances | None:
    """What the options ask for; None if they do not ask for this. Raises SpecError E0603 for a number out of range."""
    count = None if options.instances is None else whole(options.instances, "--instances")
    seed = 1 if options.seed is None else whole(options.seed, "--seed", least=0)
    return None if count is None else Instances(count, seed, tuple(options.model), options.json)


def show_instances(loaded: Loaded, asked: Instances) -> None:
    """Computes and shows the view for each model, on its own progress line."""
    from seqlang.driver import instances

    for name in asked.models or tuple(m.name for m in loaded.program.models) or (None,):
        with working(f"instances under {name}" if name else "instances") as tell:
            (found,) = instances(
                loaded, models=(name,) if name else (), count=asked.count, seed=asked.seed,
                progress=lambda done, of: tell(f"{done} of {of} streams"),
            )  # fmt: skip
        if asked.as_json:
            print_json(found.to_dict())
        else:
            from seqlang.report.text.instances import instances_document

            print_document(instances_document(found))
