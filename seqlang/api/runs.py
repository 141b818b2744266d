"""Simulated runs, exact laws, and one run step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from seqlang.api.specs import AnySpec, Spec, as_spec, load, named, width_of
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.frames import Frame
    from seqlang.backends.interpret.session import Session
    from seqlang.backends.montecarlo.simulate import EngineName
    from seqlang.driver.given import Number
    from seqlang.results.rare import RareResult
    from seqlang.results.results import Results
    from seqlang.results.run import RunResult
    from seqlang.results.solve import SolveResult


def run(
    spec: AnySpec,
    *,
    model: str | Sequence[str] | None = None,
    runs: int | None = None,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[Any], None] | None = None,
    until_ci: Number | None = None,
    engine: EngineName = "auto",
    threads: int | None = None,
) -> Results[RunResult]:
    """Simulates the spec under its models (default: all): one RunResult a model, of 10,000 runs unless `runs` is given.

    The same seed gives the same numbers whatever the machine does. A spec that cannot stop needs a `cap` (steps).
    `until_ci` goes on until every return's chance has a 95 % interval of at most that width, with at most `runs` runs
    (100 million); a spec that returns no labels is judged by its returned number, or by its steps relative to their
    mean. As this is itself a stopping rule, the intervals hold a little less often than 95 %. `progress` is called a
    few times a second.

    `engine` is "compiled" (a kernel: seconds to compile once, then fast, on `threads` threads), "numpy", "interpreter",
    or "auto", which chooses by the work to be done. Each draws its own random numbers; threads never change them.

        >>> import seqlang
        >>> found = seqlang.run("@wald1945/sprt", runs=1000, seed=7)
        >>> found
        <Results of run, sprt: null, alternative, truth>
        >>> len(found.frame()), sorted(found["null"].frame()[0])
        (3000, ['llr', 'model', 'return', 'run', 'steps', 'stopped'])
        >>> 8 < found["null"].to_dict()["steps"]["mean"] < 11
        True
    """
    from seqlang import driver
    from seqlang.driver.given import whole
    from seqlang.results.results import Results

    found = driver.run(
        as_spec(spec).loaded, models=named(model), runs=whole(runs, "runs"), seed=whole(seed, "seed", 0),
        cap=whole(cap, "cap"), progress=progress, until_ci=width_of(until_ci), engine=engine,
        threads=whole(threads, "threads"),
    )  # fmt: skip
    return Results(found)


def rare(
    spec: AnySpec,
    *labels: str,
    model: str | Sequence[str] | None = None,
    runs: int = 20_000,
    seed: int = 1,
    cap: int | None = None,
) -> Results[RareResult]:
    """The chance of a rare return (down to 1e-290) by weighted runs: one RareResult a model (default: all).

    `labels` are returns of the spec (a number as text), or `stops`; with `cap`, within so many steps. `result.rare` has
    one estimate a label: `.probability`, `.se`, `.interval` (95 %), `.effective`, `.largest_share`, and `.trusted` with
    `.warnings`: an estimate that few runs hold, or on which two independent proposals disagree, is not to be trusted.
    Raises SpecError where no weighted run comes to the return.

        >>> import seqlang
        >>> (found,) = seqlang.rare("@wald1945/sprt", "reject", model="null", runs=500)
        >>> found.trusted
        True
    """
    from seqlang import driver
    from seqlang.driver.given import whole
    from seqlang.results.results import Results

    found = driver.rare(
        as_spec(spec).loaded, labels, models=named(model), runs=whole(runs, "runs"), seed=whole(seed, "seed", 0),
        cap=whole(cap, "cap"),
    )  # fmt: skip
    return Results(found)


def solve(
    spec: AnySpec, *, model: str | Sequence[str] | None = None, tolerance: Number = 1e-11
) -> Results[SolveResult]:
    """The exact law of (stopping step, return) under the spec's models (default: all): one SolveResult a model.

    `tolerance` is the error asked of the chance of each return; the error reached is in the result. Raises SpecError
    where there is no exact law here.

        >>> import seqlang
        >>> laws = seqlang.solve("@wald1945/sprt", model=["null", "alternative"])
        >>> laws[0]
        <SolveResult sprt under null: reject 0.03263, accept 0.9674, 9.3473 steps expected (estimates)>
        >>> laws["alternative"].quantile(0.5)
        8
    """
    from seqlang import driver
    from seqlang.driver.given import between
    from seqlang.results.results import Results

    error = float(between(tolerance, "tolerance", 0, 1))
    return Results(driver.solve(as_spec(spec).loaded, models=named(model), tolerance=error))


def start(
    spec: AnySpec,
    *,
    seed: int | None = None,
    records: Mapping[str, Sequence[Any]] | Frame | None = None,
    **parameters: Number,
) -> Session:
    """One run whose inputs are given step by step, so that they may depend on what was shown before.

    `session.step(x=.., y=..)` makes a step: `.reports` (name -> value, True for an event), `.stopped`, `.result`. The
    inputs are the data owner's, computed on the data; only what is returned may leave, and `check` is about exactly
    that. `records` are the fields of a dataset, each a sequence of values, or a data frame with a column a field (x1 ..
    xd for a vector x). Without a `seed` the noise comes from the operating system; a seed is for studies, as who knows
    it can take the noise off. `parameters` are set as by `load` where `spec` is a path or a text; a parameter called
    seed or records is set by `load` itself.

        >>> import seqlang
        >>> session = seqlang.start("@dwork2014/sparse_vector", seed=1)
        >>> shown = session.step(q=-1000)
        >>> dict(shown.reports), shown.stopped
        ({}, False)
    """
    from seqlang import driver
    from seqlang.backends.interpret.data.frames import is_frame
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.backends.interpret.session import Session
    from seqlang.driver.given import whole

    if isinstance(spec, Spec) and parameters:
        message = f"the spec is loaded, and its parameters are set: {', '.join(parameters)} cannot be given here"
        raise SpecError.of("E0601", message, help="seqlang.load(path, NAME=VALUE) sets them")
    loaded = (spec if isinstance(spec, Spec) else load(spec, **parameters)).loaded
    given: Any = driver.rows(loaded, records, Reading.of()).fields if is_frame(records) else records
    return Session(loaded.program, seed=whole(seed, "seed", 0), records=given)
