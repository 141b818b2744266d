"""What takes long, as functions of a text, from which they yield what they find as soon as it is known. A worker runs
them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from seqlang.annotations.edit import Fix
from seqlang.annotations.fixes import split_budget
from seqlang.annotations.found import findings
from seqlang.annotations.missing_noise import missing_noise
from seqlang.annotations.reading import Reading, read
from seqlang.driver.loading import Loaded, load
from seqlang.process.time_limit import OutOfTime, limited
from seqlang.record import record
from seqlang.source import Source
from seqlang.syntax import tree

SECONDS = 60.0
"""CPU time of one job, or of each of its parts."""
RUNS = 10_000


@record
class Opened:
    """A document to be opened: `name` is that of its file, `content` its text, or of a picture its bytes."""

    name: str
    content: str | bytes


def _checked(text: str, name: str) -> Iterator[object]:
    yield from findings(read(text, name), SECONDS)


def _noise(text: str, name: str, start: int) -> Iterator[Fix | str]:
    """The noise that is missing for the claim that begins there."""
    reading = read(text, name)
    for claim in _claims_at(reading, start):
        yield missing_noise(reading, claim)


def _split(text: str, name: str, start: int) -> Iterator[Fix | str]:
    """Shares of the budget of the claim that begins there."""
    reading = read(text, name)
    for claim in _claims_at(reading, start):
        found = split_budget(reading, claim)
        yield found[0] if found else "no share of the budget was found that proves the claim"


def _claims_at(reading: Reading, start: int) -> list[tree.Claim]:
    return [s for s in reading.file.statements if isinstance(s, tree.Claim) and s.span.start == start]


def _loaded(text: str, name: str) -> Loaded:
    return load(Source(name, text))


def _run(text: str, name: str) -> Iterator[Opened]:
    from seqlang.driver.running import run

    loaded = _loaded(text, name)
    yield Opened(f"{loaded.program.name}.run.txt", "\n".join(map(str, run(loaded, runs=RUNS))))


def _solve(text: str, name: str) -> Iterator[Opened]:
    from seqlang.driver.solving import solve

    loaded = _loaded(text, name)
    yield Opened(f"{loaded.program.name}.solve.txt", "\n".join(map(str, solve(loaded))))


def _plot(text: str, name: str) -> Iterator[Opened]:
    from seqlang.driver.running import run
    from seqlang.report.pictures.simulation import plot_runs

    loaded = _loaded(text, name)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "runs.png"
        plot_runs(run(loaded, runs=RUNS), str(file))
        yield Opened(f"{loaded.program.name}.png", file.read_bytes())


def _report(text: str, name: str) -> Iterator[Opened]:
    from seqlang.driver.checking import check
    from seqlang.report.document.plain_text import render_plain

    loaded = _loaded(text, name)
    result = check(loaded, time_limit=SECONDS)
    yield Opened(f"{loaded.program.name}.report.txt", render_plain(result.document(explain=True)))


JOBS: dict[str, Callable[..., Iterator[object]]] = {
    "check": _checked,
    "noise": _noise,
    "split": _split,
    "run": _run,
    "solve": _solve,
    "plot": _plot,
    "report": _report,
}
OPENING = ("run", "solve", "plot", "report")
"""Jobs whose result is opened."""


def carried_out(job: str, arguments: tuple[object, ...]) -> Iterator[object]:
    """What the job yields; a text at the end if it failed."""
    from seqlang.diagnostics import SpecError
    from seqlang.driver.contradicted import Contradicted

    try:
        with limited(SECONDS * 2, forced=True):
            yield from JOBS[job](*arguments)
    except (SpecError, OutOfTime, Contradicted) as error:
        yield str(error)
