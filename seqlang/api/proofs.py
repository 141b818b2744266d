"""What is proved and refuted about a spec: `check`, `calibrate`, `instances`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from seqlang.api.specs import AnySpec, as_spec
from seqlang.diagnostics import SpecError

if TYPE_CHECKING:
    from seqlang.analyses.instances import Instances
    from seqlang.driver.given import Number
    from seqlang.results.calibration import Calibration
    from seqlang.results.check import CheckResult


def check(
    spec: AnySpec,
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

        >>> import seqlang
        >>> result = seqlang.check(seqlang.load("@tight/one_sided", lz=2))
        >>> result
        <CheckResult one_sided: 1 proved>
        >>> result.to_dict()["strong"]["pure"]["symbolic"]
        'max(D/lz, D/lw)'
        >>> [row["verdict"] for row in result.frame()]
        ['proved']
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
        as_spec(spec).loaded, delta=between(delta, "delta", 0, 1), horizon=whole(horizon, "horizon"),
        audit=float(seconds), profile=tuple(map(float, epsilons)), **shown,
    )  # fmt: skip


def calibrate(spec: AnySpec, parameter: str, target: str, *, horizon: int | None = None) -> Calibration:
    """How much noise a target needs: the value of `parameter` that just proves it.

    `target` is "pure(1)", "dp(1, 1e-6)", "rdp(8, 1)" or "zcdp(0.5)"; `horizon` (steps) serves bounds that need one. The
    search begins at the value that the parameter has. `.value` is the least value found (the largest, where larger
    values are less private), `.bound` what is proved there. Raises SpecError where none was found.

        >>> import seqlang
        >>> seqlang.calibrate(seqlang.load("@tight/one_sided", lz=2), "lw", "pure(1/2)").value
        2.0
    """
    from seqlang import driver
    from seqlang.driver.given import whole

    return driver.calibrate(as_spec(spec).loaded, parameter, target, horizon=whole(horizon, "horizon"))


def instances(spec: AnySpec, *, model: str | None = None, count: int = 20, seed: int = 1) -> Instances:
    '''Draws `count` streams from a model (default: the first) and computes the loss against the neighbours of these.

    >>> import seqlang
    >>> seqlang.instances("""
    ... algorithm first "Stops at the first 1, about"
    ... stream x in {0, 1}
    ... model coin: x ~ bernoulli(0.5)
    ... statistic n = sum(x over steps)
    ... stop when n >= 1
    ... attach laplace(1) to n
    ... """, count=3)
    <Instances first on 3 streams from coin: largest loss ...>
    '''
    from seqlang import driver
    from seqlang.driver.given import whole

    loaded = as_spec(spec).loaded
    names = (model,) if model is not None else tuple(m.name for m in loaded.program.models[:1])
    drawn = driver.instances(loaded, models=names, count=whole(count, "count"), seed=whole(seed, "seed", 0))
    return next(drawn)
