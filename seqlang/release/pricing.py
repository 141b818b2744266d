"""What a release costs: the strong bound that was proved, as an exact rational, in the notion of an account."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, assert_never

from seqlang.arithmetic.enclosure import enclose, exact_value
from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, check
from seqlang.model.expression import Expression, Field, Number, rebuild
from seqlang.model.print import show_adjacency, show_number
from seqlang.model.program import AddRemove, Claim, Program, Replace, Within
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound, settled
from seqlang.record import replace
from seqlang.release.exact.code import Compiler
from seqlang.release.exact.functions import NoValue
from seqlang.release.exact.laws import NotExact
from seqlang.release.form import mapping
from seqlang.release.ledger.budget import Amount
from seqlang.release.ledger.state import COMMA, PUBLIC
from seqlang.report.words import adjacency_words
from seqlang.results.check import CheckResult
from seqlang.rules.claims import longest_run, steps_claimed
from seqlang.rules.sensitivity.facts.formulas import parameter_values

DELTA = Fraction(1, 10**6)
"""Where (epsilon, delta) bounds are taken for accounts of other notions."""


def proved(loaded: Loaded, budget: Amount) -> CheckResult:
    """The check of the program, at the order or delta of the account. Raises SpecError E0671 unless every strong claim
    is proved, and there is one."""
    delta = budget.delta if budget.notion == "dp" and budget.delta else DELTA
    found = check(loaded, delta=delta, orders=(budget.order,) if budget.notion == "rdp" else None)
    strong = [v for v in found.verdicts if v.claim.kind == "strong"]
    if not strong:
        raise not_released("it makes no strong claim of privacy", "claim strong pure(eps)")
    for verdict in strong:
        if verdict.verdict != "proved":
            raise not_released(f"`{verdict.claim.text}` is {verdict.verdict}", "`seqlang check` says why")
    return found


def price(result: CheckResult, budget: Amount) -> Amount:
    """The least that is proved in the account's notion, for runs as long as the program's can be: of what was claimed,
    and of what was derived, rounded up. Raises SpecError E0671 where nothing is."""
    found = [*_claimed(result, budget), *_derived(result, budget)]
    if not found:
        raise not_released(f"no bound of the kind {budget.notion} is proved for it", "an account of another notion")
    return min(found, key=lambda amount: (amount.delta, amount.epsilon) if budget.notion == "dp" else (amount.epsilon,))


def adjacency(program: Program, reading: Mapping[str, Any] | None = None) -> str:
    """Who is a neighbour, in the words of an account: with the values of parameters, since `replace k` is another
    relation for every k. `reading` is how rows are read, as `Form.said` has it: the columns of the data that fields are
    read from, in units of those where a field is counted in units of 1/scale. Words may stand for numbers that are
    further apart than the words are: where entries are measured, the column has its words with it. Which columns
    everybody may know is for the account to say, and not for a program: neighbours have the same there."""
    reading = reading or {}
    compiler, named, scales = Compiler(program), dict(reading.get("columns", ())), dict(reading.get("units", ()))
    mapped = {name: mapping(numbers, other) for name, numbers, other in reading.get("words", ())}
    known = sorted(named.get(field.name, field.name) for field in program.inputs if field.kind == "public")
    same = PUBLIC + COMMA.join(repr(name) if COMMA in name else name for name in known) if known else ""

    def plain(e: Expression, scale: int = 1) -> Expression:
        if isinstance(e, Field):
            return Field(named.get(e.name, e.name) + mapped.get(e.name, ""))
        try:
            value = compiler.constant(e)
        except (NotExact, NoValue):
            return rebuild(e, plain)
        if isinstance(value, bool) or not isinstance(value, int | Fraction):
            return e
        exact = Fraction(value) / scale
        shown = show_number(exact)
        if Fraction(shown.replace(" ", "")) != exact:
            raise not_released(f"who is a neighbour depends on {shown}, which has more digits", "a shorter number")
        return Number(exact)

    match program.adjacency:
        case Within(of, radius):
            scale = scales.get(of.name, 1) if isinstance(of, Field) else 1
            return show_adjacency(replace(program.adjacency, of=plain(of), radius=plain(radius, scale))) + same
        case Replace(count) | AddRemove(count):
            told = replace(program.adjacency, count=plain(count))
            return adjacency_words(replace(program, adjacency=told))[0] + same
        case _:
            assert_never(program.adjacency)


def _is_of_whole_runs(program: Program, steps: int | None) -> bool:
    """Whether what is proved of the first so many steps (None: of all) is proved of all that is ever shown: a stop that
    reads the number of the step alone ends every run by then."""
    most = longest_run(program)
    return steps is None or (most is not None and most <= steps)


def _claimed(result: CheckResult, budget: Amount) -> Iterator[Amount]:
    compiler = Compiler(result.program)
    for verdict in result.verdicts:
        claim = verdict.claim
        if claim.kind != "strong" or verdict.verdict != "proved":
            continue
        steps = None if claim.horizon is None else steps_claimed(result.program, claim)
        if _is_of_whole_runs(result.program, steps):
            amount = _of_claim(compiler, claim)
            if amount is not None and (amount.notion, amount.order) == (budget.notion, budget.order):
                yield amount
            elif amount is not None and amount.notion == "pure" and budget.notion == "dp":
                yield Amount("dp", amount.epsilon)


def _of_claim(compiler: Compiler, claim: Claim) -> Amount | None:
    assert claim.privacy is not None
    try:
        values = [compiler.constant(argument) for argument in claim.privacy.arguments]
    except (NotExact, NoValue):
        return None
    exact = [Fraction(v) for v in values if isinstance(v, int | Fraction)]
    if len(exact) < len(values):
        return None  # the derived bound is rounded up instead
    match claim.privacy.notion:
        case "pure":
            return Amount("pure", exact[0])
        case "zcdp":
            return Amount("zcdp", exact[0])
        case "rdp":
            return Amount("rdp", exact[1], order=exact[0])
        case "dp":
            return Amount("dp", exact[0], exact[1])


def _derived(result: CheckResult, budget: Amount) -> Iterator[Amount]:
    bounds = result.bounds
    offered: tuple[Derivation | None, ...] = {
        "pure": (bounds.pure,), "zcdp": (bounds.zcdp,), "rdp": bounds.rdp, "dp": (bounds.dp,),
    }[budget.notion]  # fmt: skip
    values = parameter_values(result.program)
    for derivation in offered:
        if derivation is None:
            continue
        conclusion = derivation.conclusion
        if not _is_of_whole_runs(result.program, getattr(conclusion, "horizon", None)):
            continue
        if isinstance(conclusion, RenyiBound) and conclusion.order != budget.order:
            continue
        formula = settled(conclusion)
        exact = exact_value(formula, values)
        high = enclose(formula, values).high
        if exact is None and high == float("inf"):
            continue
        delta = conclusion.delta if isinstance(conclusion, ApproximateBound) else Fraction(0)
        yield Amount(budget.notion, Fraction(high) if exact is None else exact, delta, budget.order)


def not_released(why: str, help: str | None = None) -> SpecError:
    """The program is not released, exit code 2."""
    return SpecError.of("E0671", f"the program is not released: {why}", help=help)
