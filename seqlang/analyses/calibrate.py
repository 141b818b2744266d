"""The value of one parameter at which a privacy target is just proved: how much noise a given epsilon needs.

The size of the best proved bound is taken as a function of the parameter. An end where the target is proved and one
where it is not are looked for by doubling and halving; between them the last value that is proved is enclosed. What is
returned is a short decimal on the proved side, proved once more with everything that `check` tries. If the bound does
not move one way only, the value still proves the target; a better one may exist elsewhere.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal

from seqlang.analyses.prove import ORDERS, prove, size_of
from seqlang.elaborate import elaborate
from seqlang.model.domain import Integers
from seqlang.model.program import Program
from seqlang.process.time_limit import poll
from seqlang.proof.derivation import Derivation
from seqlang.record import record
from seqlang.syntax import tree

_NUMBER = re.compile(r"(\d{1,30}\.?\d{0,30}|\.\d{1,30})(e[+-]?\d{1,2})?|\d{1,30}/\d{1,30}")

DIGITS = 9
"""Significant digits of the value that is returned."""
DOUBLINGS = 60
"""Doublings of the value until the target is proved: a factor of 10^18 in all."""
ROUNDS = 60
"""Halvings of the bracket at most: more than a float has bits."""


@record
class Target:
    """pure(eps), dp(eps, delta), rdp(order, eps) or zcdp(rho), with exact numbers."""

    notion: Literal["pure", "dp", "rdp", "zcdp"]
    size: Fraction
    delta: Fraction = Fraction(1, 10**6)
    order: Fraction = Fraction(2)

    @property
    def text(self) -> str:
        size = f"{float(self.size):g}"
        more = {"dp": f"{size}, {float(self.delta):g}", "rdp": f"{float(self.order):g}, {size}"}
        return f"{self.notion}({more.get(self.notion, size)})"


@record
class Calibrated:
    """`value` proves the target with `derivation`, whose bound is `size`; `missed` is the nearest value known not to be
    proved (None: all that were tried are). `raised`: larger values of the parameter are the private ones."""

    name: str
    value: Fraction
    target: Target
    size: float
    derivation: Derivation
    missed: Fraction | None
    raised: bool


def target_of(text: str) -> Target | None:
    """`dp(1, 1e-6)`, `pure(0.5)`, `rdp(8, 1)`, `zcdp(1/8)`; None for anything else, or a number out of range."""
    notion, _, rest = text.replace(" ", "").partition("(")
    written = rest.removesuffix(")").split(",")
    if not rest.endswith(")") or not all(_NUMBER.fullmatch(part) for part in written):
        return None
    try:
        numbers = [Fraction(part) for part in written]
    except ZeroDivisionError:
        return None
    if any(n <= 0 for n in numbers):
        return None
    match notion, numbers:
        case "pure", [size]:
            return Target("pure", size)
        case "zcdp", [size]:
            return Target("zcdp", size)
        case "dp", [size, delta] if delta < 1:
            return Target("dp", size, delta=delta)
        case "rdp", [order, size] if order > 1:
            return Target("rdp", size, order=order)
    return None


def calibrate(
    file: tree.File,
    name: str,
    target: Target,
    *,
    settings: Mapping[str, Fraction] | None = None,
    horizon: int | None = None,
) -> Calibrated | str:
    """The value of parameter `name` nearest to the target; text: why there is none.

    `settings` are the values of other parameters, and where the search for `name` begins; `horizon` as for `prove`.
    Cost: some twenty proofs.
    """
    given = dict(settings or {})
    program = _program(file, given)
    parameter = None if program is None else next((p for p in program.parameters if p.name == name), None)
    if program is None or parameter is None:
        return f"the spec has no parameter {name}"
    asked = _Asked(file, name, target, given, horizon)
    start = parameter.value
    if start <= 0:
        return f"{name} = {_short(start)}: the search needs a positive value to begin with"
    whole = isinstance(parameter.domain, Integers)
    ends = _ends(asked, start, whole)
    if isinstance(ends, str):
        return ends
    good, bad, raised = ends
    value = _between(asked, good, bad, whole)
    return _proved(asked, value, raised)


class _Asked:
    """The size of the bound at values of the parameter, each proved once; infinite where the spec does not allow the
    value, or nothing is proved."""

    def __init__(
        self, file: tree.File, name: str, target: Target, given: Mapping[str, Fraction], horizon: int | None
    ) -> None:
        self.file, self.name, self.target, self.given, self.horizon = file, name, target, given, horizon
        self.sizes: dict[Fraction, float] = {}
        self.outside: set[Fraction] = set()

    def program(self, value: Fraction) -> Program | None:
        return _program(self.file, {**self.given, self.name: value})

    def size(self, value: Fraction) -> float:
        if value not in self.sizes:
            program = self.program(value)
            if program is None:
                self.outside.add(value)
            self.sizes[value] = math.inf if program is None else _best(program, self.target, self.horizon)[0]
            poll()  # a bound that was not found for lack of time says nothing of the value
        return self.sizes[value]

    def reaches(self, value: Fraction) -> bool:
        size = self.size(value)
        return math.isfinite(size) and Fraction(size) <= self.target.size


def _program(file: tree.File, settings: Mapping[str, Fraction]) -> Program | None:
    program, found = elaborate(file, settings)
    return None if any(d.severity == "error" for d in found) else program


def _best(program: Program, target: Target, horizon: int | None) -> tuple[float, Derivation | None]:
    """The least bound of the target's notion, and its proof."""
    orders = (target.order,) if target.notion == "rdp" else ORDERS
    bounds = prove(program, delta=target.delta, horizon=horizon, orders=orders)
    known = [(size_of(program, d), d) for d in bounds.implying(target.notion)]
    return min(known, key=lambda pair: pair[0], default=(math.inf, None))


def _ends(asked: _Asked, start: Fraction, whole: bool) -> tuple[Fraction, Fraction | None, bool] | str:
    """(a value that reaches the target, one that does not or None, is the larger one the private one)."""
    target = asked.target.text
    here, more, less = (asked.size(v) for v in (start, start * 2, _halved(start, whole)))
    if here == more == less:
        if here == math.inf:
            return f"nothing is proved of {target}"
        same = f"the bound is {here:.6g} at {_short(start)}, twice and half of it"
        return f"{target} does not depend on {asked.name}: {same}"
    raised = more < here or (more == here and here < less)
    if not raised and not less < here and not more > here:
        return f"{target} does not move one way with {asked.name}"
    toward = (lambda v: v * 2) if raised else (lambda v: _halved(v, whole))
    away = (lambda v: _halved(v, whole)) if raised else (lambda v: v * 2)
    if asked.reaches(start):
        missed = _walk(asked, start, away, lambda v: not asked.reaches(v))
        if missed is None:
            return f"every {asked.name} that was tried proves {target}"
        return missed[1], missed[0], raised
    reached = _walk(asked, start, toward, asked.reaches)
    if reached is None:
        return f"no {asked.name} that was tried proves {target}"
    return reached[0], reached[1], raised


def _halved(value: Fraction, whole: bool) -> Fraction:
    return max(Fraction(1), Fraction(int(value / 2))) if whole else value / 2


def _walk(
    asked: _Asked, start: Fraction, step: Callable[[Fraction], Fraction], found: Callable[[Fraction], bool]
) -> tuple[Fraction, Fraction] | None:
    """(the first value on the way for which `found`, the one before). A value outside the domain is not reached."""
    before = start
    for _ in range(DOUBLINGS):
        value = step(before)
        if value == before:
            return None
        if found(value):
            return value, before
        if value in asked.outside:
            return None
        before = value
    return None


def _between(asked: _Asked, good: Fraction, bad: Fraction | None, whole: bool) -> Fraction:
    """A value that reaches the target, next to one that does not, to DIGITS digits."""
    for turn in range(ROUNDS):
        if bad is None or abs(good - bad) <= (1 if whole else max(good, bad) / 10 ** (DIGITS + 1)):
            break
        middle = _guess(asked, good, bad) if turn % 3 else (good + bad) / 2
        middle = Fraction(round(middle)) if whole else Fraction(float(middle))
        if not min(good, bad) < middle < max(good, bad):
            middle = Fraction(math.floor((good + bad) / 2)) if whole else (good + bad) / 2
        if asked.reaches(middle):
            good = middle
        else:
            bad = middle
    return good


def _guess(asked: _Asked, good: Fraction, bad: Fraction) -> Fraction:
    """Where a power law through both ends meets the target, a little on the side of the end that is farther off."""
    a, b = asked.size(good), asked.size(bad)
    middle = (good + bad) / 2
    if not 0 < a < b < math.inf:
        return middle
    share = math.log(float(asked.target.size) / a) / math.log(b / a)
    span = math.log(float(bad / good))
    nudged = share + (1e-3 if share < 0.5 else -1e-3) * min(1.0, abs(span))
    return good * Fraction(math.exp(span * min(max(nudged, 1e-6), 1 - 1e-6)))


def _proved(asked: _Asked, value: Fraction, raised: bool) -> Calibrated | str:
    """The value as a short decimal on the private side, proved again."""
    for digits in range(DIGITS, DIGITS + 3):
        rounded = _rounded(value, digits, upwards=raised)
        program = asked.program(rounded)
        if program is None:
            continue
        size, derivation = _best(program, asked.target, asked.horizon)
        if derivation is not None and Fraction(size) <= asked.target.size:
            failed = [v for v in asked.sizes if not asked.reaches(v) and v not in asked.outside]
            missed = min(failed, key=lambda v: abs(v - rounded), default=None)
            return Calibrated(asked.name, rounded, asked.target, size, derivation, missed, raised)
    return f"{asked.name} = {_short(value)} proves {asked.target.text}, and no short decimal near it does"


def _rounded(value: Fraction, digits: int, *, upwards: bool) -> Fraction:
    if value.denominator == 1 and value < 10**digits:
        return value
    unit = Fraction(10) ** (math.floor(math.log10(value)) + 1 - digits)
    return (math.ceil if upwards else math.floor)(value / unit) * unit


def _short(value: Fraction) -> str:
    return f"{float(value):.10g}"
