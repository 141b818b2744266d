"""`seqlang run --rare LABEL`: the chance of a rare return by weighted runs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.cli.options import ended_early, refuse_given
from seqlang.cli.terminal.output import print_result, say
from seqlang.cli.terminal.waiting import working
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.driver import Loaded
    from seqlang.results.rare import RareResult

_OTHERS = ("data", "until_ci", "plot", "exact")


def add_rare(parser: ArgumentParser) -> None:
    """The option."""
    about = "the chance of a rare return by weighted runs, or `stops` (repeatable; 20000 runs)"
    parser.add_argument("--rare", action="append", default=[], metavar="LABEL", help=about)


def rare(options: Namespace, loaded: Loaded, *, runs: int, seed: int, cap: int | None, swept: bool) -> int:
    """Prints one result a model."""
    refuse_given(options, _OTHERS, "does not go with --rare, which draws runs of its own")
    engine = "engine" if options.engine != "auto" else "threads"
    refuse_given(options, (engine,), "does not go with --rare, which has an engine of its own")
    if swept:
        message = "--rare estimates one setting: it does not go with a sweep"
        raise SpecError.of("E0601", message, help="give the values with --set NAME=VALUE")
    labels = tuple(dict.fromkeys(options.rare))
    for name in tuple(options.model) or tuple(m.name for m in loaded.program.models) or (None,):
        if not _estimated(loaded, name, labels, options.json, runs=runs, seed=seed, cap=cap):
            return ended_early()[0]
    return 0


def _estimated(loaded: Loaded, model: str | None, labels: Sequence[str], as_json: bool, **how: Any) -> bool:
    """Prints what is found under one model; whether it was all that was asked for."""
    from seqlang.driver import rare as estimated
    from seqlang.record import replace

    found: list[RareResult] = []
    reached: list[tuple[int, float]] = []
    try:
        for label in labels:
            reached = []
            models = () if model is None else (model,)
            with working(f"P({label}){f' under {model}' if model else ''}") as tell:
                found += estimated(
                    loaded, (label,), models=models, progress=_into(reached, tell, how["runs"]), **how
                )  # fmt: skip
    except KeyboardInterrupt:
        say(f"\n{ended_early()[1]}")
    if found:
        print_result(replace(found[0], rare=tuple(e for one in found for e in one.rare)), as_json)
    for label in labels[len(found) :]:
        _unknown(label, model, reached[-1:], how["runs"])
        reached = []  # the others were not begun
    return len(found) == len(labels)


def _into(reached: list[tuple[int, float]], tell: Callable[[str], None], runs: int) -> Callable[[int, float], None]:
    def hear(done: int, estimate: float) -> None:
        reached.append((done, estimate))
        tell(f"about {estimate:.2g} after {done:,} of {runs:,} weighted runs")

    return hear


def _unknown(label: str, model: str | None, state: Sequence[tuple[int, float]], runs: int) -> None:
    """Of a return that an interrupt left without its estimate: `state` is the last that was told of it."""
    said = "is not known: no weighted run was finished"
    for done, so_far in state:
        said = f"is about {so_far:.2g} after {done:,} of {runs:,} weighted runs, which were not checked"
    say(f"P({label}){f' under {model}' if model else ''} {said}")
