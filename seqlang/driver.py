"""The one place that strings the passes together: text, tree, model, analyses, result."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.locate import data_folder
from seqlang.record import record
from seqlang.source import Source

if TYPE_CHECKING:
    from seqlang.backends.simulate import Progress
    from seqlang.model.program import Program
    from seqlang.report.check_result import CheckResult
    from seqlang.report.run_result import DataResult, RunResult

_LARGEST = 1_000_000
"""Bytes of the largest spec that is read; real ones have a few thousand."""

DEFAULT_DELTA = Fraction(1, 10**6)


@record
class Loaded:
    """A spec that can be used: its text, its model, and the warnings found on the way."""

    source: Source
    program: Program
    warnings: tuple[Diagnostic, ...]
    overridden: bool


def library() -> dict[str, Path]:
    """The shipped specs: name (`tight/one_sided`) -> path."""
    folder = data_folder("specs")
    return {p.relative_to(folder).with_suffix("").as_posix(): p for p in sorted(folder.rglob("*.seq"))}


def read(name: str) -> Source:
    """The text of a file, or of `@library/name`. Raises SpecError where there is no readable text."""
    if name.startswith("@"):
        known = library()
        key = name[1:].removesuffix(".seq")
        if key not in known:
            near = did_you_mean(key, known)
            remedy = f"did you mean `@{near}`?" if near else "`seqlang specs` lists the library"
            raise SpecError((Diagnostic("E0605", f"the library has no spec `{key}`", help=remedy),))
        return _decode(name, known[key].read_bytes())
    try:
        path = Path(name)
        if path.is_dir():
            raise SpecError((Diagnostic("E0605", f"`{name}` is a folder, not a spec",
                                        help=f"name its files: {name.rstrip('/')}/*.seq"),))  # fmt: skip
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError((Diagnostic("E0605", f"cannot read `{name}`: {reason}"),)) from None
    return _decode(name, data)


def _decode(name: str, data: bytes) -> Source:
    if len(data) > _LARGEST:
        raise SpecError((Diagnostic("E0605", f"`{name}` has {len(data):,} bytes: not a spec"),))
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SpecError((Diagnostic("E0605", f"{name}:{line}:{column}: this is not UTF-8 text",
                                    help="save the file as UTF-8"),)) from None  # fmt: skip


def load(source: Source, settings: Mapping[str, Fraction] | None = None) -> Loaded:
    """Parses and elaborates; raises SpecError with every diagnostic if the spec cannot be used."""
    from seqlang.elaborate import elaborate
    from seqlang.syntax import parse

    tree, found = parse(source)
    program = None
    if tree is not None:
        program, more = elaborate(tree, settings or {})
        found += more
    if program is None or any(d.severity == "error" for d in found):
        raise SpecError(found, source)
    return Loaded(source, program, found, bool(settings))


def check(
    loaded: Loaded, *, delta: Fraction = DEFAULT_DELTA, horizon: int | None = None, audit: float = 0.0
) -> CheckResult:
    """Bounds, witnesses and verdicts of one spec.

    `delta` is where the (epsilon, delta) bound is taken; `horizon` (steps) serves bounds that need one, by default the
    longest that a claim names with `within`; `audit` is the number of seconds to search for deeper witnesses (0: the
    quick search).
    """
    from seqlang.analyses.claims import claimed_horizon, decide
    from seqlang.analyses.prove import prove, size_of
    from seqlang.analyses.refute import lower_bound
    from seqlang.analyses.shifts import statistics
    from seqlang.report.check_result import CheckResult

    began = time.perf_counter()
    program = loaded.program
    horizon = horizon or claimed_horizon(program)
    bounds = prove(program, delta=delta, horizon=horizon)
    proved = inf if bounds.pure is None else size_of(program, bounds.pure)
    witness = lower_bound(program, horizon=horizon, seconds=audit, enough=proved)
    verdicts = decide(program, delta=delta, horizon=horizon, known=bounds, witness=witness)
    return CheckResult(
        source=loaded.source,
        program=program,
        statistics=statistics(program),
        bounds=bounds,
        witness=witness,
        verdicts=verdicts,
        warnings=loaded.warnings,
        delta=delta,
        overridden=loaded.overridden,
        seconds=time.perf_counter() - began,
    )


def run(
    loaded: Loaded,
    *,
    models: tuple[str, ...] = (),
    runs: int = 10_000,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> tuple[RunResult, ...]:
    """Simulates under the named models, or under every model of the file: one result a model, in file order."""
    from seqlang.backends.simulate import simulate
    from seqlang.report.run_result import RunResult

    program = loaded.program
    names: tuple[str | None, ...] = models or tuple(m.name for m in program.models) or (None,)
    values = {p.name: float(p.value) for p in program.parameters}
    try:
        return tuple(
            RunResult(program.name, values, simulate(program, name, runs=runs, seed=seed, cap=cap, progress=progress))
            for name in names
        )
    except SpecError as error:
        raise SpecError(error.diagnostics, loaded.source) from None  # the engines know spans, not the text


def run_data(
    loaded: Loaded,
    file: str | Path,
    *,
    seed: int = 1,
    columns: Mapping[str, str] | None = None,
    where: Sequence[str] = (),
    clip: bool = False,
    cap: int | None = None,
) -> DataResult:
    """Runs the spec once on a CSV file: one row a step for a stream, all rows at once for a dataset."""
    from seqlang.backends.interpret import data
    from seqlang.report.run_result import DataResult

    try:
        done = data.run_data(loaded.program, file, seed=seed, columns=columns, where=where, clip=clip, cap=cap)
    except SpecError as error:
        raise SpecError(error.diagnostics, loaded.source) from None
    return DataResult(loaded.program.name, str(file), done)
