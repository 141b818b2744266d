"""Noise that is missing for a claim: where it may be attached, for how long a draw lives, and which scale proves the
claim.

Candidates are the names that a comparison or a report shows and that carry no noise. They are tried one by one, then
two by two, then all at once, all with one scale, which `calibrate` looks for. What is returned was proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, count, product

from seqlang.analyses.calibrate import Target, calibrate
from seqlang.analyses.prove import prove
from seqlang.annotations.edit import Edit, Fix, applied, insertion
from seqlang.annotations.fixes import proves
from seqlang.annotations.reading import Reading, read
from seqlang.arithmetic.enclosure import exact_value
from seqlang.elaborate.names.symbols import Symbol, collect
from seqlang.elaborate.problems import Problems
from seqlang.model.program import Claim, Program
from seqlang.process.time_limit import poll
from seqlang.record import record
from seqlang.rules.claims import UndecidedAmount, claimed_amounts, steps_claimed
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.syntax import tree
from seqlang.syntax.walk import children

MOST = 24
"""Ways to attach noise that are tried."""
MOST_SHARES = 12
"""Whole numbers k for which the scale `k / eps` is written in place of its value."""


@record
class Place:
    """A name that may carry noise, and what its `attach` says behind it: ` once`, ` each R`, or nothing."""

    name: str
    life: str


def missing_noise(reading: Reading, claim: tree.Claim) -> Fix | str:
    """The `attach` lines that prove the claim; text: why there are none. Takes some hundred proofs at most."""
    wanted = _wanted(reading, claim)
    if isinstance(wanted, str):
        return wanted
    target, horizon = wanted
    scale = _fresh(reading)
    tried = 0
    for law in ("laplace",) if target.notion == "pure" else ("gaussian", "laplace"):
        for places in _ways(reading):
            tried += 1
            if tried > MOST:
                break
            poll()
            fix = _calibrated(reading, claim, law, places, scale, target, horizon)
            if fix is not None:
                return fix
    return f"no noise on {_listed(reading) or 'a name that is shown'} was found that proves {target.text}"


def _listed(reading: Reading) -> str:
    return ", ".join(f"`{symbol.name}`" for symbol in _bare_names(reading))


def _wanted(reading: Reading, node: tree.Claim) -> tuple[Target, int | None] | str:
    """What the claim asks for, as numbers, and for how many steps."""
    program = reading.program
    if program is None:
        return "the file has errors"
    claim = next((c for c in program.claims if c.span.start == node.span.start), None)
    if claim is None or claim.privacy is None or claim.kind != "strong":
        return "it is no claim of strong privacy"
    try:
        found = _target(program, claim)
        return found if isinstance(found, str) else (found, steps_claimed(program, claim))
    except UndecidedAmount as why:
        return str(why)


def _target(program: Program, claim: Claim) -> Target | str:
    assert claim.privacy is not None
    values = parameter_values(program)
    numbers = [exact_value(amount, values) for amount in claimed_amounts(program, claim.privacy)]
    match claim.privacy.notion, numbers:
        case ("pure" | "zcdp") as notion, [Fraction() as size] if size > 0:
            return Target(notion, size)
        case "dp", [Fraction() as size, Fraction() as delta] if size > 0 and 0 < delta < 1:
            return Target("dp", size, delta=delta)
        case "rdp", [Fraction() as order, Fraction() as size] if size > 0 and order > 1:
            return Target("rdp", size, order=order)
    return "its numbers are no rational numbers above 0"


def _ways(reading: Reading) -> Iterator[tuple[Place, ...]]:
    """Sets of places, small ones first."""
    symbols = _bare_names(reading)
    events = [s.name.name for s in reading.file.statements if isinstance(s, tree.Report) and s.value is None]
    lives = [[Place(s.name, life) for life in _lives(s, events)] for s in symbols]
    sizes = dict.fromkeys([1, 2, len(symbols)])
    for size in (n for n in sizes if n <= len(symbols)):
        for chosen in combinations(lives, size):
            yield from product(*chosen)


def _lives(symbol: Symbol, events: list[str]) -> list[str]:
    """Constants are noised once, or anew after each report; what changes, in each step."""
    return [" once", *(f" each {name}" for name in events)] if symbol.kind in ("param", "let") else [""]


def _bare_names(reading: Reading) -> list[Symbol]:
    """The names without noise that stand in a comparison or make up a report, in order of place."""
    symbols = collect(reading.file, Problems())
    noised = {
        target.name.name
        for s in reading.file.statements
        if isinstance(s, tree.Attach)
        for target in s.targets
        if target.name is not None
    }
    found: dict[str, Symbol] = {}
    for statement in reading.file.statements:
        for name in _shown(statement):
            symbol = symbols.get(name)
            if symbol is not None and symbol.kind in ("param", "let", "statistic", "report") and name not in noised:
                found.setdefault(name, symbol)
    return list(found.values())


def _shown(statement: tree.Statement) -> Iterator[str]:
    match statement:
        case tree.Stop(when=when) if when is not None:
            yield from _compared(when)
        case tree.Report(name=name, value=value, when=when):
            if when is not None:
                yield from _compared(when)
            if value is not None:
                yield name.name
        case _:
            return


def _compared(node: object) -> Iterator[str]:
    """The names on both sides of comparisons, arguments of functions left out."""
    match node:
        case tree.Name(name=name):
            yield name
        case tree.Call() | tree.Index() | tree.Member():
            return
        case _:
            for part in children(node):
                yield from _compared(part)


def _fresh(reading: Reading) -> str:
    taken = {t.text for t in reading.tokens}
    return next(name for i in count(1) if (name := f"scale_{i}") not in taken)


def _calibrated(
    reading: Reading,
    claim: tree.Claim,
    law: str,
    places: tuple[Place, ...],
    scale: str,
    target: Target,
    horizon: int | None,
) -> Fix | None:
    """The fix with the best scale; None where no scale proves the claim."""
    lines = [f"attach {law}({scale}) to {place.name}{place.life}" for place in places]
    trial = _edit(reading, [f"param {scale} > 0 = 1", *lines])
    after = read(applied(reading.source.text, (trial,)), reading.source.name)
    if after.program is None:
        return None
    orders = (target.order,) if target.notion == "rdp" else ()
    bounds = prove(after.program, delta=target.delta, horizon=horizon, orders=orders)
    if not bounds.implying(target.notion):
        return None
    found = calibrate(after.file, scale, target, horizon=horizon)
    if isinstance(found, str):
        return None
    for size in _sizes(reading, claim, found.value):
        edit = _edit(reading, [line.replace(f"({scale})", f"({size})") for line in lines])
        if proves(reading, claim, (edit,)):
            names = " and ".join(f"`{place.name}`" for place in places)
            return Fix(f"Attach {law}({size}) to {names}", (edit,))
    return None


def _edit(reading: Reading, lines: list[str]) -> Edit:
    """The lines, in front of the first claim."""
    first = next(s for s in reading.file.statements if isinstance(s, tree.Claim))
    return insertion(first.span.start, "".join(f"{line}\n" for line in lines))


def _sizes(reading: Reading, claim: tree.Claim, value: Fraction) -> Iterator[str]:
    """The scale as `k / eps`, if the claim names a parameter eps and k is nearly a small whole number; and as it is."""
    program = reading.program
    named = [arg.value.name for arg in _arguments(claim) if isinstance(arg.value, tree.Name)]
    for parameter in () if program is None else program.parameters:
        share = round(value * parameter.value)
        near = abs(share - value * parameter.value) <= share * Fraction(1, 10**6)
        if parameter.name in named and 1 <= share <= MOST_SHARES and near:
            yield f"{share} / {parameter.name}"
    yield f"{float(value):.12g}"


def _arguments(claim: tree.Claim) -> list[tree.Positional | tree.Keyword]:
    if not isinstance(claim.body, tree.Call):
        return []
    return [a for a in claim.body.arguments if isinstance(a, tree.Positional | tree.Keyword)]
