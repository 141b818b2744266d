"""Designs of private sequential tests, parameters of any spec, and where a running test stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from seqlang.api.specs import AnySpec, as_spec

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.frames import Frame
    from seqlang.driver.given import Number
    from seqlang.results.design import DesignResult
    from seqlang.results.monitor import MonitorResult
    from seqlang.results.tune import TuneResult


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
    at both ends, to reject only (`one-sided`: it may go on for ever where the alternative's entries alone count and no
    end is asked for), or also for `futility`, where alpha is kept even if such ends are ignored. `compare`: beside
    other designs; "all": also those whose parameters are searched, for minutes. The result cannot be changed; `.spec`
    is the program, `.frame()` has a row a line of the schedule, `.plot(file)` draws, and notebooks show it
    (`_repr_html_`):

        >>> import seqlang
        >>> found = seqlang.design("x ~ bernoulli(0.1)", "x ~ bernoulli(0.9)", privacy="none")
        >>> found
        <DesignResult x ~ bernoulli(0.1) against x ~ bernoulli(0.9), none: 1.8194 entries on average>
        >>> round(found.errors["null"], 3), found.max_steps             # None: there is no largest number
        (0.05, None)
        >>> list(found.frame()[0])
        ['plan', 'from', 'to', 'size', 'decision', 'stage']

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


def tune(spec: AnySpec, free: Sequence[str], minimise: str, *, time_limit: Number | None = None) -> TuneResult:
    '''Values of the `free` parameters at which every claim is proved and `minimise` is least.

    `minimise` is what a claim may have on its left, "expected(step) under alternative"; without a model the largest
    over all models. The search begins at the values that the parameters have; `time_limit` (seconds of CPU time), or
    Ctrl-C, ends it with the best so far. `.found` says whether all claims are proved at `.parameters`, `.spec` is the
    text with them. Nothing proves that no other values are better. Raises SpecError where the objective has no
    exact law.

        >>> import seqlang
        >>> found = seqlang.tune("""
        ... algorithm coins
        ... param n in 1..20 = 10
        ... stream x in {0, 1}
        ... model fair: x ~ bernoulli(0.5)
        ... stop when x >= 1 return seen
        ... stop when step >= n return unseen
        ... claim probability(unseen) <= 0.01 under fair
        ... """, ["n"], "expected(step)")
        >>> found.found, int(found.parameters["n"])
        (True, 7)
    '''
    from seqlang.designs.tuning.tune import tune as tuned
    from seqlang.driver.given import number

    names = [free] if isinstance(free, str) else list(free)
    limit = None if time_limit is None else float(number(time_limit, "time_limit"))
    return tuned(as_spec(spec).loaded, names, minimise, time_limit=limit)


def monitor(
    spec: AnySpec,
    counts: Sequence[Number | Sequence[Number]] | Mapping[str, Any] | Frame,
    *,
    plan: int | None = None,
    at: Sequence[Number] = (),
    level: Number | None = None,
    arms: Sequence[Sequence[int]] | None = None,
) -> MonitorResult:
    """Where a test that looks at its data in blocks stands, from the sums that it released, block by block: a number a
    block, or, where a block releases several sums, as many numbers: [(7, 9), (4, 6)]; or a data frame, a row a block,
    whose columns are the sums in their order; or a transcript, the object that `seqlang release --json` printed, which
    tells the plan as well.

    `plan`: the face of the public coin, where one was thrown; `at`: values of what the hypotheses leave open, such as
    the chance of a 1, at which the outlook is asked for besides both; `level` in (0, 1) is that of the intervals:
    unless given, it follows from the alpha that the program claims, 1 - 2 alpha after the stop and 1 - alpha at all
    looks. `arms`: of a test of two arms, how many entries each arm had, block by block: [(60, 60), (13, 13)]. Raises
    SpecError E0623 for programs of another kind, E0603 for sums that the test cannot have released, and for numbers
    of entries that it is not designed for.

        >>> import seqlang
        >>> trial = seqlang.design("x ~ bernoulli(0.1)", "x ~ bernoulli(0.9)", privacy="none")
        >>> seqlang.monitor(trial.spec, [1], plan=1).next_block, seqlang.monitor(trial.spec, [1], plan=2).decision
        (1, 'reject')
    """
    from seqlang.backends.interpret.data.frames import is_frame, text_rows
    from seqlang.driver.given import between, numbers, parts
    from seqlang.monitoring import watch
    from seqlang.release.watching import from_transcript

    loaded = as_spec(spec).loaded
    places = tuple(numbers(at, "at"))
    inside = None if level is None else float(between(level, "level", 0, 1))
    if isinstance(counts, Mapping):
        given = from_transcript(loaded, counts, "counts")
        return watch(loaded, given.counts, plan=given.plan, places=places, level=inside, arms=arms,
                     rows_checked=given.rows_checked)  # fmt: skip
    released: Any = text_rows(counts) if is_frame(counts) else counts
    return watch(loaded, parts(released, "counts"), plan=plan, places=places, level=inside, arms=arms)
