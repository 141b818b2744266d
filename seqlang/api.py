"""The Python interface: load, check, run, solve. Contracts as of the commands, with values instead of exit codes."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.record import field, record
from seqlang.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from seqlang.analyses.instances import Instances
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.backends.interpret.session import Session
    from seqlang.backends.montecarlo.simulate import EngineName
    from seqlang.backends.train import Rows
    from seqlang.driver import Loaded
    from seqlang.driver.given import Number
    from seqlang.results.calibration import Calibration
    from seqlang.results.check import CheckResult
    from seqlang.results.design import DesignResult
    from seqlang.results.monitor import MonitorResult
    from seqlang.results.rare import RareResult
    from seqlang.results.run import RunResult
    from seqlang.results.solve import SolveResult
    from seqlang.results.sweep import SweepResult
    from seqlang.results.train import TrainResult
    from seqlang.results.tune import TuneResult
    from seqlang.sweeps.cells import Cell


@record
class Spec:
    """A spec that was parsed, checked for errors, and given parameter values."""

    loaded: Loaded = field(repr=False)
    name: str = ""

    @property
    def parameters(self) -> dict[str, float]:
        """Name -> value."""
        return {p.name: float(p.value) for p in self.loaded.program.parameters}

    @property
    def models(self) -> tuple[str, ...]:
        """Names of the models of the data."""
        return tuple(m.name for m in self.loaded.program.models)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings; errors are raised by `load`."""
        return self.loaded.warnings

    @property
    def text(self) -> str:
        """The source text."""
        return self.loaded.source.text


def load(path_or_text: str | os.PathLike[str], **parameters: Number) -> Spec:
    """A spec from a file, from the library (`@tight/one_sided`), or from its text (anything with a line break).

    Parameters are checked against their domains as on the command line; floats are taken by their shortest decimal, and
    NumPy's numbers as if they were Python's.
    Raises SpecError with every diagnostic.
    """
    from seqlang import driver
    from seqlang.driver.given import number

    values = {name: number(value, f"parameter {name}") for name, value in parameters.items()}
    if isinstance(path_or_text, str) and ("\n" in path_or_text or path_or_text.lstrip().startswith("algorithm ")):
        source = Source("<text>", path_or_text)
    else:
        source = driver.read(os.fspath(path_or_text))
    loaded = driver.load(source, values)
    return Spec(loaded, loaded.program.name)


def _spec(spec: Spec | str | os.PathLike[str]) -> Spec:
    return spec if isinstance(spec, Spec) else load(spec)


def check(
    spec: Spec | str | os.PathLike[str],
    *,
    delta: Number = Fraction(1, 10**6),
    horizon: int | None = None,
    audit: Number = 0.0,
    profile: Sequence[Number] = (),
    orders: Sequence[Number] | None = None,
) -> CheckResult:
    """Privacy bounds, witnesses, and the verdict of every claim.

    `delta` in (0, 1) is where the (epsilon, delta) bound is taken; `horizon` (steps) serves bounds that need one;
    `audit` are seconds to search for deeper witnesses; `profile` are the epsilons of a weak privacy profile, which is
    computed under every model. `orders` are the Renyi orders at which bounds are shown instead of 2, 4, 8, 16, 32:
    numbers above 1, and "alpha" for the formula. Raises `seqlang.driver.contradicted.Contradicted`, a bug of ours,
    where two independent parts of the result exclude each other.
    """
    from seqlang import driver
    from seqlang.driver.given import between, number, numbers, whole

    seconds = number(audit, "audit")
    if seconds < 0:
        raise SpecError.of("E0603", f"audit is {audit}: it must be a number of seconds of at least 0")
    epsilons = numbers(profile, "profile")
    if any(epsilon < 0 for epsilon in epsilons):
        raise SpecError.of("E0603", "profile: an epsilon is not negative")
    shown: dict[str, Any] = {}
    if orders is not None:
        from seqlang.driver.orders import renyi_orders

        shown["orders"], shown["order_formula"] = renyi_orders(orders)
    return driver.check(
        _spec(spec).loaded, delta=between(delta, "delta", 0, 1), horizon=whole(horizon, "horizon"),
        audit=float(seconds), profile=tuple(map(float, epsilons)), **shown,
    )  # fmt: skip


def calibrate(
    spec: Spec | str | os.PathLike[str], parameter: str, target: str, *, horizon: int | None = None
) -> Calibration:
    """How much noise a target needs: the value of `parameter` that just proves it.

    `target` is "pure(1)", "dp(1, 1e-6)", "rdp(8, 1)" or "zcdp(0.5)"; `horizon` (steps) serves bounds that need one. The
    search begins at the value that the parameter has. `.value` is the least value found (the largest, where larger
    values are less private), `.bound` what is proved there. Raises SpecError where none was found.
    """
    from seqlang import driver
    from seqlang.driver.given import whole

    return driver.calibrate(_spec(spec).loaded, parameter, target, horizon=whole(horizon, "horizon"))


def tune(
    spec: Spec | str | os.PathLike[str], free: Sequence[str], minimise: str, *, time_limit: Number | None = None
) -> TuneResult:
    """Values of the `free` parameters at which every claim is proved and `minimise` is least.

    `minimise` is what a claim may have on its left, "expected(step) under alternative"; without a model the largest
    over all models. The search begins at the values that the parameters have; `time_limit` (seconds of CPU time), or
    Ctrl-C, ends it with the best so far. `.found` says whether all claims are proved at `.parameters`, `.spec` is the
    text with them. Nothing proves that no other values are better. Raises SpecError where the objective has no
    exact law.
    """
    from seqlang.designs.tuning.tune import tune as tuned
    from seqlang.driver.given import number

    names = [free] if isinstance(free, str) else list(free)
    limit = None if time_limit is None else float(number(time_limit, "time_limit"))
    return tuned(_spec(spec).loaded, names, minimise, time_limit=limit)


def design(
    null: str,
    alternative: str,
    *,
    privacy: str,
    alpha: Number = Fraction(1, 20),
    beta: Number = Fraction(1, 20),
    minimise: str = "average",
    public_coin: bool = True,
    max_steps: int | None = None,
    looks: Sequence[int] = (),
    every: int | None = None,
    smallest: int | None = None,
    unit: int | None = None,
    course: Literal["both ends", "one-sided", "futility"] = "both ends",
    certify: bool = False,
    compare: bool | Literal["all"] = False,
) -> DesignResult:
    """The best sequential test of two hypotheses (`"x ~ bernoulli(0.3)"`) that keeps both errors and a privacy budget
    (`"pure(1)"`, `"zcdp(0.5)"`, `"dp(1, 1e-5)"`, `"rdp(8, 1)"`, `"none"`): what `seqlang design` returns, with curves.

    `alpha`, `beta` in (0, 1/2). `minimise`: average, null, alternative, minimax, "at p=0.5", "quantile 0.95 under
    null". `max_steps`, `looks`, `every`, `smallest`, `unit`: constraints, in entries. `course`: whether the test stops
    at both ends, to reject only (`one-sided`), or also for `futility`, where alpha is kept even if such ends are
    ignored. `compare`: beside other designs; "all": also those whose parameters are searched, for minutes. The result
    cannot be changed; `.spec` is the program, `.frame()` has a row a line of the schedule, `.plot(file)` draws, and
    notebooks show it (`_repr_html_`):

        found = seqlang.design("x ~ bernoulli(0.3)", "x ~ bernoulli(0.7)", privacy="pure(1)")
        found.average, found.errors["null"], found.max_steps     # 15.7 entries, .05, None: there is no largest number
        Path("trial.seq").write_text(found.spec)
        pandas.DataFrame(found.frame())                           # plan, from, to, size, decision, stage
        found.plot("design.svg")

    Raises SpecError for what cannot be asked, and `seqlang.designs.problem.infeasible.Infeasible` where no test keeps
    the constraints.
    """
    from seqlang.designs.find import Beside, find
    from seqlang.designs.problem.request import problem_of
    from seqlang.designs.problem.request_limits import limits_of
    from seqlang.driver.given import number

    limits = limits_of(max_steps, looks, every, smallest, unit)
    errors = number(alpha, "alpha"), number(beta, "beta")
    problem = problem_of(null, alternative, *errors, privacy, minimise, public_coin, limits, course)
    beside: Beside = "all" if compare == "all" else "quick" if compare else "nothing"
    return find(problem, certify=certify, draw=True, compare=beside)


def monitor(
    spec: Spec | str | os.PathLike[str],
    counts: Sequence[Number | Sequence[Number]],
    *,
    plan: int | None = None,
    at: Sequence[Number] = (),
    level: Number = 0.95,
) -> MonitorResult:
    """Where a test that looks at its data in blocks stands, from the sums that it released, block by block: a number a
    block, or, where a block releases several sums, as many numbers: [(7, 9), (4, 6)].

    `plan`: the face of the public coin, where one was thrown; `at`: values of what the hypotheses leave open, such as
    the chance of a 1, at which the outlook is asked for besides both; `level` in (0, 1) is that of the intervals.
    Raises SpecError E0623 for programs of another kind, E0603 for sums that the test cannot have released.
    """
    from seqlang.driver.given import between, numbers, parts
    from seqlang.monitoring import watch

    places = tuple(numbers(at, "at"))
    inside = float(between(level, "level", 0, 1))
    return watch(_spec(spec).loaded, parts(counts, "counts"), plan=plan, places=places, level=inside)


def run(
    spec: Spec | str | os.PathLike[str],
    *,
    model: str | Sequence[str] | None = None,
    runs: int | None = None,
    seed: int = 1,
    cap: int | None = None,
    progress: Callable[[Any], None] | None = None,
    until_ci: Number | None = None,
    engine: EngineName = "auto",
    threads: int | None = None,
) -> tuple[RunResult, ...]:
    """Simulates the spec under its models (default: all): one RunResult a model, of 10,000 runs unless `runs` is given.

    The same seed gives the same numbers whatever the machine does. A spec that cannot stop needs a `cap` (steps).
    `until_ci` goes on until every return's chance has a 95 % interval of at most that width, with at most `runs` runs
    (100 million); a spec that returns no labels is judged by its returned number, or by its steps relative to their
    mean. As this is itself a stopping rule, the intervals hold a little less often than 95 %. `progress` is called a
    few times a second.

    `engine` is "compiled" (a kernel: seconds to compile once, then fast, on `threads` threads), "numpy", "interpreter",
    or "auto", which chooses by the work to be done. Each draws its own random numbers; threads never change them.
    """
    from seqlang import driver
    from seqlang.driver.given import whole

    names = (model,) if isinstance(model, str) else tuple(model or ())
    return driver.run(
        _spec(spec).loaded, models=names, runs=whole(runs, "runs"), seed=whole(seed, "seed", 0), cap=whole(cap, "cap"),
        progress=progress, until_ci=_width(until_ci), engine=engine, threads=whole(threads, "threads"),
    )  # fmt: skip


def _width(until_ci: Number | None) -> float | None:
    from math import inf

    from seqlang.driver.given import between

    return None if until_ci is None else float(between(until_ci, "until_ci", 0, inf))


def sweep(
    spec: Spec | str | os.PathLike[str],
    *,
    grid: Mapping[str, Sequence[Number]] | None = None,
    cases: Sequence[Mapping[str, Any]] | str | Path | None = None,
    model: str | Sequence[str] | None = None,
    runs: int = 10_000,
    seed: int = 1,
    cap: int | None = None,
    until_ci: Number | None = None,
    engine: EngineName = "auto",
    exact: bool = False,
    simulate: bool = True,
    store: str | Path | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> SweepResult:
    """Simulates the spec at many settings, under its models (default: all): a row a setting and model.

    `grid` maps parameters to values, and every combination is a cell; `cases` is a list of cells, each a mapping from
    parameters to values (`model`, `seed` and `runs` are those of its simulation) or a CSV file of them. With both, each
    case is combined with the grid. `exact` solves each cell too; with `simulate=False` it is only solved.

    `store` is a SQLite file of what is finished: the same call goes on where an interrupted one was. `workers`
    processes (default: one a core if there is work enough), or the dask scheduler `cluster`, compute the cells; the
    numbers are the same. `progress(done, rows)` is called after each row. Ctrl-C raises KeyboardInterrupt.
    """
    from seqlang.driver.given import numbers, whole
    from seqlang.sweeps.requested import requested

    loaded = _spec(spec).loaded
    simulation: dict[str, Any] = {
        "runs": whole(runs, "runs"),
        "seed": whole(seed, "seed", 0),
        "cap": whole(cap, "cap"),
    }
    if until_ci is not None:
        simulation["until_ci"] = _width(until_ci)
    if engine != "auto":
        simulation["engine"] = engine
    return requested(
        loaded,
        grid={name: numbers(values, f"parameter {name}") for name, values in (grid or {}).items()},
        listed=_cases(cases, loaded),
        models=(model,) if isinstance(model, str) else tuple(model or ()),
        run=simulation if simulate else None,
        solve={} if exact or not simulate else None,
        store=store,
        workers=whole(workers, "workers"),
        cluster=cluster,
        progress=progress,
    )


def _cases(given: Sequence[Mapping[str, Any]] | str | Path | None, loaded: Loaded) -> Source | tuple[Cell, ...]:
    from seqlang import driver
    from seqlang.driver.given import number, whole
    from seqlang.sweeps.cases import own_columns
    from seqlang.sweeps.cells import Cell

    if isinstance(given, str | Path):
        return driver.read(os.fspath(given))
    own = own_columns(loaded.program)

    def cell(case: Mapping[str, Any]) -> Cell:
        if not hasattr(case, "items"):
            message = f"cases: {case!r:.40} is not a mapping from names to values"
            raise SpecError.of("E0602", message, help='write [{"eps": 1}, {"eps": 2}]')
        values = tuple((name, number(value, f"parameter {name}")) for name, value in case.items() if name not in own)
        least = {"seed": 0, "runs": 1}
        named = {name: case[name] for name in own if name in case}
        return Cell(values, **{n: whole(value, n, least[n]) if n in least else value for n, value in named.items()})

    return tuple(cell(case) for case in (() if given is None else given))


def rare(
    spec: Spec | str | os.PathLike[str],
    *labels: str,
    model: str | Sequence[str] | None = None,
    runs: int = 20_000,
    seed: int = 1,
    cap: int | None = None,
) -> tuple[RareResult, ...]:
    """The chance of a rare return (down to 1e-290) by weighted runs: one RareResult a model (default: all).

    `labels` are returns of the spec (a number as text), or `stops`; with `cap`, within so many steps. `result.rare` has
    one estimate a label: `.probability`, `.se`, `.interval` (95 %), `.effective`, `.largest_share`, and `.trusted` with
    `.warnings`: an estimate that few runs hold, or on which two independent proposals disagree, is not to be trusted.
    Raises SpecError where no weighted run comes to the return.
    """
    from seqlang import driver
    from seqlang.driver.given import whole

    names = (model,) if isinstance(model, str) else tuple(model or ())
    return driver.rare(
        _spec(spec).loaded, labels, models=names, runs=whole(runs, "runs"), seed=whole(seed, "seed", 0),
        cap=whole(cap, "cap"),
    )  # fmt: skip


def solve(
    spec: Spec | str | os.PathLike[str], *, model: str | Sequence[str] | None = None, tolerance: Number = 1e-11
) -> tuple[SolveResult, ...]:
    """The exact law of (stopping step, return) under the spec's models (default: all): one SolveResult a model.

    `tolerance` is the error asked of the chance of each return; the error reached is in the result. Raises SpecError
    where there is no exact law here.
    """
    from seqlang import driver
    from seqlang.driver.given import between

    names = (model,) if isinstance(model, str) else tuple(model or ())
    return driver.solve(_spec(spec).loaded, models=names, tolerance=float(between(tolerance, "tolerance", 0, 1)))


def instances(
    spec: Spec | str | os.PathLike[str], *, model: str | None = None, count: int = 20, seed: int = 1
) -> Instances:
    """Draws `count` streams from a model (default: the first) and computes the loss against the neighbours of these."""
    from seqlang import driver
    from seqlang.driver.given import whole

    loaded = _spec(spec).loaded
    names = (model,) if model is not None else tuple(m.name for m in loaded.program.models[:1])
    drawn = driver.instances(loaded, models=names, count=whole(count, "count"), seed=whole(seed, "seed", 0))
    return next(drawn)


def run_data(
    spec: Spec | str | os.PathLike[str], data: str | Path, *, seed: int = 1, cap: int | None = None, **options: Any
) -> Any:
    """Runs the spec once on real rows: a CSV or Parquet file, or `sklearn:NAME`; options as `seqlang run --data`."""
    from seqlang import driver
    from seqlang.driver.given import whole

    loaded = _spec(spec).loaded
    return driver.run_data(loaded, data, _reading(options), seed=whole(seed, "seed", 0), cap=whole(cap, "cap"))


def _reading(options: Mapping[str, Any]) -> Reading:
    """What `columns`, `where`, `clip`, `skip` and `names` say of a file."""
    from seqlang.backends.interpret.data.reading import Reading
    from seqlang.driver.given import whole

    return Reading.of(**{**options, "skip": whole(options.get("skip"), "skip", 0)})


def train(
    spec: Spec | str | os.PathLike[str],
    data: str | Path | Rows | Mapping[str, Any],
    *,
    test: str | Path | Rows | Mapping[str, Any] | None = None,
    permutations: int | None = None,
    seed: int = 1,
    checkpoints: int = 1,
    cap: int | None = None,
    twin: bool = False,
    engine: EngineName = "auto",
    rows: tuple[int, int] | None = None,
    test_rows: tuple[int, int] | None = None,
    predict: str | None = None,
    truth: str | None = None,
    track: Mapping[str, str] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **options: Any,
) -> tuple[TrainResult, ...]:
    """Runs a spec on rows, in their order or in some random orders, and scores what it learns on the rows of `test`.

    `data` and `test` are CSV or Parquet files, `sklearn:NAME`, rows read before (`seqlang.rows`), or arrays by field:
    (rows,), vectors (rows, d).
    What else is given is as for `seqlang run --data`: `rows` and `test_rows` (counted from 1), `predict`, `truth`,
    `track` (name -> expression), and the options `columns`, `where`, `clip`, `skip`, `names`.
    `progress(what, done, of)` is called now and then.

    One result for the spec, and with `twin` one for the same spec without its noise: `.metrics` (accuracy, precision,
    recall, specificity, f1, mcc: mean, sd, se, ci95, n over the orders), `.curve` (the same at each checkpoint),
    `.frame()`, and `.run` with everything. The scores are computed without noise on the rows held out.
    """
    from seqlang import driver
    from seqlang.backends.train import Passes
    from seqlang.driver.given import whole

    def span(given: tuple[int, int] | None, name: str) -> tuple[int, int] | None:
        return None if given is None else (whole(given[0], name), whole(given[1], name))

    passes = Passes(
        whole(permutations, "permutations"), whole(seed, "seed", 0), whole(checkpoints, "checkpoints"),
        whole(cap, "cap"), engine,
    )  # fmt: skip
    return driver.train(
        _spec(spec).loaded, data, _reading(options), passes, test=test, rows=span(rows, "rows"),
        test_rows=span(test_rows, "test_rows"), predict=predict, truth=truth, track=track, twin=twin, tell=progress,
    )  # fmt: skip


def rows(
    spec: Spec | str | os.PathLike[str], file: str | Path, *, tell: Callable[[int], None] | None = None, **options: Any
) -> Rows:
    """The rows of a CSV or Parquet file, or of `sklearn:NAME`, as the spec's fields: `.fields[name]` is (rows,) or
    (rows, d), `.part(which)` some rows.

    Options `columns`, `where`, `clip`, `skip`, `names` as of `seqlang run --data`. `tell` gets the number of rows read.
    """
    from seqlang import driver

    return driver.rows(_spec(spec).loaded, file, _reading(options), tell=tell)


def start(
    spec: Spec | str | os.PathLike[str],
    *,
    seed: int | None = None,
    records: Mapping[str, Sequence[Any]] | None = None,
    **parameters: Number,
) -> Session:
    """One run whose inputs are given step by step, so that they may depend on what was shown before.

    `session.step(x=.., y=..)` makes a step: `.reports` (name -> value, True for an event), `.stopped`, `.result`. The
    inputs are the data owner's, computed on the data; only what is returned may leave, and `check` is about exactly
    that. `records` are the fields of a dataset, each a sequence of values. Without a `seed` the noise comes from the
    operating system; a seed is for studies, as who knows it can take the noise off. `parameters` are set as by `load`
    where `spec` is a path or a text; a parameter called seed or records is set by `load` itself.
    """
    from seqlang.backends.interpret.session import Session
    from seqlang.driver.given import whole

    if isinstance(spec, Spec) and parameters:
        message = f"the spec is loaded, and its parameters are set: {', '.join(parameters)} cannot be given here"
        raise SpecError.of("E0601", message, help="seqlang.load(path, NAME=VALUE) sets them")
    loaded = spec if isinstance(spec, Spec) else load(spec, **parameters)
    return Session(loaded.loaded.program, seed=whole(seed, "seed", 0), records=records)
