"""The texts of a command as a `Problem`: what cannot be read, or asks for nothing sensible, is refused with a
remedy."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np

from seqlang.designs.data.data_law import compared, read_law
from seqlang.designs.problem.composite import end_of, require_apart
from seqlang.designs.problem.criterion import Course, Limits
from seqlang.designs.problem.decimal import decimal
from seqlang.designs.problem.entry import Entry, coin, two_coins
from seqlang.designs.problem.privacy import Notion, Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.designs.problem.request_limits import criterion_of, in_turns
from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.driver.given import number
from seqlang.record import replace

_HYPOTHESIS = re.compile(r"\s*([A-Za-z_]\w*)\s*~\s*(\S.*)", re.DOTALL)
_ARMS = re.compile(r",\s*(?=[A-Za-z_]\w*\s*~)")
"""Between the laws of two arms."""
_COIN = re.compile(r"bernoulli\s*\((.*)\)\s*", re.DOTALL)
NAMES = frozenset(
    "lattice eps sd size_for size upper lower score used plan coin chosen null alternative P0 P1 block total "
    "seen level edge low width levels below null_levels alternative_levels null_ignored heeded last "
    "floor_of_scores null_entry alternative_entry gain P Q z".split()
)
"""Those of a written program."""
SAME = 1e-9
"""Laws that differ by less in total are the same."""
_PRIVACY = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_NOTIONS: dict[Notion, tuple[str, ...]] = {
    "pure": ("eps",), "zcdp": ("rho",), "dp": ("eps", "delta"), "rdp": ("order", "eps"), "none": (),
}  # fmt: skip
"""What each notion of privacy takes."""

LEAST_ERROR = Fraction(1, 10**7)
"""Of tests that are designed."""


def problem_of(
    null: str, alternative: str, alpha: Fraction, beta: Fraction, privacy: str, criterion: str, public_coin: bool,
    limits: Limits | None = None, course: Course = "both ends",
) -> Problem:  # fmt: skip
    """Raises SpecError E0602 for what cannot be read, E0603 for values that no design can have."""
    for value, name in ((alpha, "--alpha"), (beta, "--beta")):
        if not 0 < value < Fraction(1, 2):
            message = f"{name} is {decimal(value)}: an error rate must lie strictly between 0 and 0.5"
            raise SpecError.of("E0603", message, help="an error of 0.5 is reached without any data")
        if value < LEAST_ERROR:
            message = f"{name} is {decimal(value)}: tests with error rates below 1e-7 are not designed"
            raise SpecError.of("E0603", message, help="their search would need more digits than floats have")
    (null, first), (alternative, second) = end_of(null, "--null"), end_of(alternative, "--alternative")
    names, (low, high) = _stated(null, alternative)
    if low.text == high.text or (low.law is None and low.arms == high.arms) or _alike(low, high):
        message = f"both hypotheses are {null.strip()}: no data can tell them apart"
        raise SpecError.of("E0603", message, help="let the alternative be the smallest effect that matters")
    notion = privacy_of(privacy)
    wanted = criterion_of(criterion, low, high, (float(alpha), float(beta)))
    found = Problem(low, high, alpha, beta, notion, wanted, names[0], public_coin, limits=limits or Limits(),
                    course=course)  # fmt: skip
    if first or second:
        require_apart(found, (first, second))
        found = replace(found, composite=True)
    return found if len(names) == 1 else replace(found, stream="y", arms=names, limits=in_turns(found.limits))


def _stated(null: str, alternative: str) -> tuple[tuple[str, ...], tuple[Entry, Entry]]:
    """The names of the stream, or of two arms, and both laws."""
    parts = [_ARMS.split(text) for text in (null, alternative)]
    if len(parts[0]) == len(parts[1]) == 1:
        (first, low), (second, high) = hypothesis(null, "--null"), hypothesis(alternative, "--alternative")
        _same((first,), (second,))
        if (low.law is None) != (high.law is None):  # a coin against another law: both by their values
            low, high = (replace(e, chances=(), law=e.law or read_law(e.text, "--null")) for e in (low, high))
        return (first,), (low, high)
    sides = []
    for part, option in zip(parts, ("--null", "--alternative"), strict=True):
        if len(part) != 2:
            message = f"{option} speaks of {len(part)} arm{'s' * (len(part) != 1)}: a design has two, or one stream"
            raise SpecError.of("E0602", message, help="write 'control ~ bernoulli(0.4), treatment ~ bernoulli(0.5)'")
        sides.append([hypothesis(one, option) for one in part])
    names = [(side[0][0], side[1][0]) for side in sides]
    _same(*names)
    if names[0][0] == names[0][1] or {"y", "arm", *NAMES} & {*names[0]}:
        raise SpecError.of("E0602", f"the arms are called `{names[0][0]}` and `{names[0][1]}`: these names are taken",
                           help="call them otherwise, such as `control` and `treatment`")  # fmt: skip
    if any(entry.law is not None for side in sides for _, entry in side):
        raise SpecError.of("E0602", "a design of two arms is about outcomes that are 0 or 1",
                           help="write 'control ~ bernoulli(0.4), treatment ~ bernoulli(0.5)'")  # fmt: skip
    low, high = (two_coins(names[0], side[0][1].chances[1], side[1][1].chances[1]) for side in sides)
    return names[0], (low, high)


def _same(first: tuple[str, ...], second: tuple[str, ...]) -> None:
    if first != second:
        of, other = (" and ".join(f"`{name}`" for name in names) for names in (first, second))
        message = f"the null is about {of} and the alternative about {other}"
        raise SpecError.of("E0602", message, help="both hypotheses are laws of the same: use the same names")


def hypothesis(text: str, option: str) -> tuple[str, Entry]:
    """`x ~ bernoulli(0.3)`: the name of the stream and the law of an entry."""
    example = 'write --null "x ~ bernoulli(0.3)"'
    found = _HYPOTHESIS.fullmatch(text)
    if found is None:
        raise SpecError.of("E0602", f"{option}: `{text[:60]}` is no law of a stream", help=example)
    name, text = found.groups()
    coin_ = _COIN.fullmatch(text)
    if coin_ is None:
        if name in NAMES:
            raise SpecError.of("E0602", f"{option}: the program that is written has a name `{name}` of its own",
                               help="call the stream otherwise, such as `x`")  # fmt: skip
        law = read_law(text, option)
        return name, Entry(law.text, (), law)
    p = number(coin_[1], option)
    if not 0 < p < 1:
        message = f"{option}: the chance is {coin_[1].strip()}: it must lie strictly between 0 and 1"
        raise SpecError.of("E0603", message)
    return name, coin(p)


def _alike(null: Entry, alternative: Entry) -> bool:
    """Whether the laws are the same, whatever their texts. Raises SpecError E0603 for laws of different kinds."""
    if null.law is None or alternative.law is None:
        return False
    _, p, q = compared(null.law, alternative.law)
    return float(np.abs(p - q).sum()) < SAME


def privacy_of(text: str) -> Privacy:
    """`pure(1)`, `zcdp(0.5)`, `dp(1, 1e-5)`, `rdp(8, 1)` or `none`."""
    found = _PRIVACY.fullmatch(text)
    notion = None if found is None else next((known for known in _NOTIONS if known == found[1]), None)
    if found is None or notion is None:
        near = hint(found[1], tuple(_NOTIONS)) if found else None
        message = f"--privacy: `{text[:60]}` is no notion of privacy that a design knows"
        examples = "write --privacy 'pure(1)', 'zcdp(0.5)', 'dp(1, 1e-5)', 'rdp(8, 1)' or none"
        raise SpecError.of("E0602", message, help=near or examples)
    inside = found[2]
    wanted = _NOTIONS[notion]
    values = [number(part, "--privacy") for part in inside.split(",")] if inside and inside.strip() else []
    if len(values) != len(wanted) or (inside is not None and not wanted):
        takes = f"{notion}({', '.join(wanted)})" if wanted else "none, without a budget"
        raise SpecError.of("E0602", f"--privacy: `{text[:60]}` does not say how much", help=f"it is written {takes}")
    for value, name in zip(values, wanted, strict=True):
        if value <= 0:
            raise SpecError.of("E0603", f"--privacy is {text.strip()}: {name} must be above 0",
                               help="with a budget of 0 nothing may be learnt, and no test exists")  # fmt: skip
        if value > 100 and name != "order":
            raise SpecError.of("E0603", f"--privacy is {text.strip()}: so large a budget protects nobody",
                               help="write --privacy none")  # fmt: skip
        if (name == "delta" and value >= 1) or (name == "order" and value <= 1):
            side = "below" if name == "delta" else "above"
            raise SpecError.of("E0603", f"--privacy is {text.strip()}: {name} must be {side} 1")
    return Privacy(notion, tuple(values))
