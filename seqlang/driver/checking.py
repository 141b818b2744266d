"""Bounds, witnesses and verdicts of a spec."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from math import inf, isinf
from typing import TYPE_CHECKING

from seqlang.diagnostics import SpecError
from seqlang.driver.contradicted import refuse
from seqlang.driver.loading import Loaded, shown_in
from seqlang.process.doing import doing
from seqlang.process.time_limit import OutOfTime, limited, over, undisturbed
from seqlang.record import replace

if TYPE_CHECKING:
    from seqlang.analyses.bounds import Bounds
    from seqlang.analyses.instances import Instances
    from seqlang.analyses.privacy_curves import PrivacyCurves
    from seqlang.analyses.trials import Failed
    from seqlang.analyses.weak.summary import Curve, Least
    from seqlang.analyses.witnesses.chances import Chances
    from seqlang.model.program import Program
    from seqlang.proof.witness import Witness
    from seqlang.results.calibration import Calibration
    from seqlang.results.check import CheckResult

DEFAULT_DELTA = Fraction(1, 10**6)


def check(
    loaded: Loaded,
    *,
    delta: Fraction = DEFAULT_DELTA,
    horizon: int | None = None,
    audit: float = 0.0,
    profile: Sequence[float] = (),
    models: tuple[str, ...] = (),
    time_limit: float | None = None,
    orders: tuple[Fraction, ...] | None = None,
    order_formula: bool = False,
) -> CheckResult:
    """Bounds, witnesses and verdicts of one spec.

    `delta` is where the (epsilon, delta) bounds are taken; `horizon` (steps) serves bounds that need one, by default
    the longest that a claim names with `within`; `audit` is the number of seconds to search for deeper witnesses (0:
    the quick search); where the exact laws of given streams are not computed, it is an audit of simulated runs.
    `profile` are the epsilons at which the weak privacy profile is computed, under `models` (default: every model of
    the file). `time_limit` (seconds of CPU time) ends every search: what was found before is in the result, claims
    that are still open are unknown, and `cut_short` names the parts. `orders` are the Renyi orders whose bounds
    are shown (None: the usual ones), `order_formula` shows them as formulas in the order too. Raises Contradicted where
    two parts of the result exclude each other.
    """
    with limited(time_limit), shown_in(loaded.source):
        found = _checked(loaded, delta, horizon, audit, profile, models, orders)
        return replace(found, order_formula=order_formula)


def _checked(
    loaded: Loaded,
    delta: Fraction,
    horizon: int | None,
    audit: float,
    profile: Sequence[float],
    models: tuple[str, ...],
    orders: tuple[Fraction, ...] | None,
) -> CheckResult:
    from seqlang.analyses.claims import claimed_horizon, decide
    from seqlang.analyses.contradictions import contradictions
    from seqlang.analyses.lowers import Lowers
    from seqlang.analyses.prove import ORDERS, prove, size_of
    from seqlang.analyses.refute import beyond, chances_of, lower_bound
    from seqlang.analyses.shifts import statistics
    from seqlang.analyses.trials import QUICK, THOROUGH, tried
    from seqlang.results.check import CheckResult

    began = time.process_time()
    program = loaded.program
    horizon = horizon or claimed_horizon(program)
    doing("proof search")
    # the usual orders stay, so that what follows from them does not get worse
    bounds = prove(program, delta=delta, horizon=horizon, orders=tuple(sorted({*ORDERS, *(orders or ())})))
    proved = inf if bounds.pure is None else size_of(program, bounds.pure)
    doing("witness search")
    cut_short = ["the search for proofs"] if over() else []
    witness = deep = None
    with _part("the search for a witness", cut_short):
        chances = chances_of(program)
        witness = lower_bound(program, horizon=horizon, seconds=audit, enough=proved, chances=chances)
        deep = _at_delta(program, witness, bounds, float(delta), horizon, audit, chances)
    statistical = None
    if audit > 0 and witness is None:
        from seqlang.analyses.audit import audit as audited

        doing("audit by simulated runs")
        with _part("the audit by simulated runs", cut_short):
            statistical = audited(program, seconds=audit, horizon=horizon)
    verdicts = decide(program, delta=delta, horizon=horizon, known=bounds, witness=witness)
    doing("weak privacy")
    cut_short += ["the claims"] if over() and program.claims else []
    weak: tuple[Least, ...] = ()
    profiles: tuple[Curve, ...] = ()
    with _part("the numbers of weak privacy", cut_short):
        weak, profiles = _weak(loaded, delta, bounds, profile, models)
    doing("sensitivities are tried")
    trials: tuple[Failed, ...] = ()
    with _part("the trials of sensitivities", cut_short):
        trials = tried(program, work=THOROUGH if audit > 0 else QUICK, minimisers=audit > 0)
    above = None
    with _part("the search for a witness against the bound", cut_short):
        above = None if isinf(proved) else beyond(program, proved, horizon=horizon, thorough=audit > 0)
    with undisturbed():
        witnesses = [w for w in (witness, deep, above, *(v.witness for v in verdicts)) if w is not None]
        lowers = Lowers(program, tuple({id(w): w for w in witnesses}.values()), weak)
        found = contradictions(
            program, bounds, lowers.witnesses, verdicts, weak=weak, profiles=profiles,
            trials=[failed for failed in trials if not failed.in_floats], audit=statistical,
        )  # fmt: skip
        refuse(loaded, found)
        if trials:
            from seqlang.analyses.rounded import without_proofs

            bounds, verdicts = without_proofs(bounds, verdicts, trials[0])
        moving = statistics(program)
    return CheckResult(
        source=loaded.source,
        program=program,
        statistics=moving,
        bounds=bounds,
        lowers=lowers,
        verdicts=verdicts,
        warnings=loaded.warnings,
        delta=delta,
        overridden=bool(loaded.settings),
        weak=weak,
        profiles=profiles,
        audit=statistical,
        seconds=time.process_time() - began,
        cut_short=tuple(cut_short),
        orders=orders,
    )


def privacy_curves(result: CheckResult) -> PrivacyCurves:
    """What each rule proves of a checked spec at many orders and deltas: as many proof searches as there are deltas."""
    from seqlang.analyses.privacy_curves import privacy_curves as curves

    return curves(result.program, result.bounds.horizon, result.witness)


@contextmanager
def _part(name: str, cut_short: list[str]) -> Iterator[None]:
    """A part of the check, which is named in `cut_short` if the time is over in it."""
    try:
        yield
    except OutOfTime:
        cut_short.append(name)


def calibrate(loaded: Loaded, name: str, target: str, *, horizon: int | None = None) -> Calibration:
    """The value of parameter `name` that just proves `target`. The search begins at the value that it has. Raises
    SpecError: E0602 (no such target), E0626 (no value was found)."""
    from seqlang.analyses.calibrate import calibrate as search
    from seqlang.analyses.calibrate import target_of
    from seqlang.results.calibration import Calibration
    from seqlang.syntax import parse

    wanted = target_of(target)
    if wanted is None:
        remedy = 'write "dp(1, 1e-6)", "pure(1)", "rdp(8, 1)" or "zcdp(0.5)", all numbers above 0'
        raise SpecError.of("E0602", f"`{target}` is not a privacy target", help=remedy)
    tree, _ = parse(loaded.source)
    assert tree is not None, "load has read it"
    doing(f"looking for {name}")
    found = search(tree, name, wanted, settings=loaded.settings, horizon=horizon)
    if isinstance(found, str):
        remedy = "give the other parameters other values, or this one, where the search begins (`--set`)"
        raise SpecError.of("E0626", found, help=remedy, source=loaded.source)
    return Calibration(loaded.program.name, found)


def instances(
    loaded: Loaded,
    *,
    models: tuple[str, ...] = (),
    count: int = 20,
    seed: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[Instances]:
    """Draws `count` streams from each of the models (default: every model of the file), and computes the loss against
    the neighbours of these streams. Raises SpecError E0623 where their laws are not computed."""
    from seqlang.analyses.instances import instances as drawn
    from seqlang.backends.solve.unsolved import Unsolved

    program = loaded.program
    for name in models or tuple(m.name for m in program.models) or (None,):
        with shown_in(loaded.source):
            try:
                yield drawn(program, name, count=count, seed=seed, progress=progress)
            except Unsolved as why:
                message = f"the laws of `{program.name}` on given streams are not computed: {why}"
                raise SpecError.of("E0623", message) from None


def _at_delta(
    program: Program,
    witness: Witness | None,
    bounds: Bounds,
    delta: float,
    horizon: int | None,
    audit: float,
    chances: Chances | None,
) -> Witness | None:
    """A witness of its own at `delta`, where the one at hand is too rare to say much there."""
    from seqlang.analyses.refute import lower_dp
    from seqlang.analyses.witnesses.confirm import epsilon_at
    from seqlang.rules.computed import bound_up

    if witness is None:
        return None
    proved = inf if bounds.dp is None else bound_up(program, bounds.dp.conclusion)
    if audit == 0 and epsilon_at(witness, delta) >= 0.5 * min(witness.loss, proved):
        return None
    found = lower_dp(program, delta, horizon=horizon, seconds=audit / 2, enough=proved, chances=chances)
    return None if found is None else found[1]


def _weak(
    loaded: Loaded, delta: Fraction, bounds: Bounds, epsilons: Sequence[float], models: tuple[str, ...]
) -> tuple[tuple[Least, ...], tuple[Curve, ...]]:
    """Numbers of weak privacy under the models that the weak claims name; with epsilons also the profiles."""
    program = loaded.program
    claimed = tuple(c.model for c in program.claims if c.kind == "weak" and c.model is not None)
    if not claimed and not epsilons:
        return (), ()
    if epsilons:
        from seqlang.backends.montecarlo.stopping import chosen_model

        with shown_in(loaded.source):
            for name in models or (None,):
                chosen_model(program, name)
    from seqlang.analyses.weak.summary import curve, least
    from seqlang.backends.solve.unsolved import Unsolved

    names = models or (tuple(m.name for m in program.models) if epsilons else tuple(dict.fromkeys(claimed)))
    found, curves = [], []
    for name in names:
        try:
            found.append(least(program, name, delta, bounds))
            if epsilons:
                curves.append(curve(program, name, tuple(epsilons)))
        except Unsolved as why:
            if epsilons:
                message = f"`{program.name}` has no exact law under {name}: {why}"
                raise SpecError.of("E0623", message, source=loaded.source) from None
    return tuple(found), tuple(curves)
