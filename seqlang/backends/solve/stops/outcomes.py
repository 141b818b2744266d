"""What stops return: outcomes, or laws of outcomes where a flip on `return` may change the value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from seqlang.backends.arrays.compiler import VectorCompiler
from seqlang.backends.solve.solution import Array, Outcome
from seqlang.backends.solve.step.body import letters_of
from seqlang.backends.solve.step.integration_plan import IntegrationPlan
from seqlang.backends.solve.step.steady import SteadyCompiler
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.model import expression as ir
from seqlang.model.program import Program, Stop


def constant_outcomes(
    program: Program, plan: IntegrationPlan, compiler: VectorCompiler
) -> tuple[tuple[Outcome, ...], Array]:  # fmt: skip
    """(outcomes, mixing): mixing[i, k] is the chance that stop i returns outcome k. Unsolved if a return changes."""
    rows: list[dict[Outcome, float]] = []
    for index, statement in enumerate(program.body):
        if isinstance(statement, Stop) and index in plan.needed.statements:
            rows.append(chances_of_return(statement.result, compiler, plan.mixing))
    outcomes = tuple(dict.fromkeys(o for row in rows for o in row))
    mixing = np.array([[row.get(o, 0.0) for o in outcomes] for row in rows]).reshape(len(rows), len(outcomes))
    return outcomes, mixing


def stops_returning(program: Program, wanted: Callable[[Outcome], bool]) -> tuple[frozenset[int], frozenset[int]]:
    """The stops, by index in the body, that return wanted outcomes only, and those that return others only. Raises
    Unsolved where one may return either, or what it returns changes."""
    compiler = SteadyCompiler(program)
    found: dict[bool, set[int]] = {True: set(), False: set()}
    for index, statement in enumerate(program.body):
        if not isinstance(statement, Stop):
            continue
        if isinstance(statement.result, ir.Noised):
            raise Unsolved("a return that carries noise")
        (outcome,) = chances_of_return(statement.result, compiler, ())
        found[wanted(outcome)].add(index)
    return frozenset(found[True]), frozenset(found[False])


def chances_of_return(
    result: ir.Expression | None, compiler: VectorCompiler, flips: Collection[str]
) -> dict[Outcome, float]:
    """The law of what a stop with a constant result returns, which may carry noises of `flips`. Raises Unsolved where
    the result is not constant."""
    if result is None:
        return {None: 1.0}
    if isinstance(result, ir.Noised):
        base = constant_outcome(result.base, compiler)
        return flipped(base, alphabet(result, compiler), truth_of(result, compiler, flips))
    return {constant_outcome(result, compiler): 1.0}


def truth_of(result: ir.Noised, compiler: VectorCompiler, flips: Collection[str]) -> list[float]:
    """For every flip of the result, the chance that it keeps the value."""
    found = []
    for term in result.terms:
        if term.noise not in flips:
            raise Unsolved("the return carries noise that is no flip")
        law = compiler.program.noise(term.noise).law
        assert isinstance(law, ir.Law)
        found.append(float(compiler.exact.constant(law.arguments[0])))
    return found


def alphabet(result: ir.Noised, compiler: VectorCompiler) -> list[Outcome]:
    """The values that a flip of the result may give. Raises Unsolved where they are not finitely many."""
    if compiler.is_label(result.base):
        return list(compiler.program.labels)
    if _is_truth(result.base):
        return [0.0, 1.0]
    return list(letters_of(compiler, result))


def _is_truth(e: ir.Expression) -> bool:
    return isinstance(e, ir.Truth) or (isinstance(e, ir.Apply) and e.operator in ir.COMPARISONS | ir.LOGIC)


def flipped(base: Outcome, letters: list[Outcome], truths: list[float]) -> dict[Outcome, float]:
    """The law of `base` after flips one after the other, each with its chance to keep the value."""
    law = {base: 1.0}
    for truth in truths:
        lie = (1 - truth) / (len(letters) - 1) if len(letters) > 1 else 0.0
        stay = truth if len(letters) > 1 else 1.0
        law = {o: sum(p * (stay if o == b else lie) for b, p in law.items()) for o in letters}
    return law


def constant_outcome(e: ir.Expression, compiler: VectorCompiler) -> Outcome:
    if isinstance(e, ir.Label):
        return e.name
    if compiler.exact.compile(e).reads:
        raise Unsolved("the value that is returned changes from run to run")
    value: Any = compiler.exact.constant(e)
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, int, float)):
        return float(value)
    raise Unsolved("a vector is returned")
