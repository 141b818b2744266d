"""Compares what seqlang proves with what the oracles know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from random_programs.enumeration import Laws, TooWide, laws
from random_programs.inputs import Inputs, inputs_of, publics
from random_programs.learning import density_loss, minimisers, sample_divergences
from random_programs.losses import ORDERS, Losses, losses, worst
from random_programs.meaning import Undefined
from random_programs.showing import Showing, showings
from random_programs.syntax import Program, changed, copied, text

from seqlang import driver
from seqlang.analyses.prove import Bounds, prove, size_of
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program as Model
from seqlang.proof.derivation import ApproximateBound, Derivation, RenyiBound
from seqlang.source import Source

DELTA = Fraction(1, 1000)


@dataclass(frozen=True)
class Judged:
    """`status`: invalid (seqlang refuses the text), undefined (no value on some input), open (nothing proved), held, or
    trivial (nothing is lost: no bound can be too small), false (a proved bound below the truth). `said`: what was refused, or what is false. `rules`: fired in the proofs."""

    status: str
    said: str = ""
    rules: frozenset[str] = frozenset()
    notion: str = ""
    proved: float = math.inf
    true: float = 0.0
    witness: str = ""


def judged(program: Program) -> Judged:
    """A program whose showings are values plus noise of their own."""
    try:
        inputs = inputs_of(program)
        truth = worst([losses(program, inputs, showings(program, inputs, course)) for course in publics(program)])
    except Undefined:
        return Judged("undefined")
    if truth.pure == 0:
        return Judged("trivial")
    return _proved(program, lambda model, bounds: compared(model, bounds, truth, inputs))


def judged_by_listing(program: Program) -> Judged:
    """A program with discrete noise: its law is listed."""
    return _proved(program, lambda model, bounds: _listed(program, model, bounds))


def judged_learning(program: Program) -> Judged:
    """A minimiser or a sum over a sample."""
    inputs = inputs_of(program, 40)
    kind = next(iter(program.tags))
    e = program.statements[0].value
    assert e is not None
    program = changed(program, copied)
    e = program.statements[0].value
    assert e is not None
    try:
        if kind == "sample":
            truth = Losses(0.0, sample_divergences(program, inputs, ORDERS), 0.0, None, 0)
        elif kind == "objective":
            truth = Losses(density_loss(program, inputs, e), (0.0,) * len(ORDERS), 0.0, None, 0)
        else:
            found = minimisers(program, inputs, e)
            truth = losses(program, inputs, [Showing("w", 1, found[:, None], True)])
    except Undefined:
        return Judged("undefined")
    return _proved(program, lambda model, bounds: compared(model, bounds, truth, inputs, 1e-3))


def _listed(program: Program, model: Model, bounds: Bounds) -> Judged:
    found = [d for d in (bounds.pure, bounds.zcdp, bounds.dp, *bounds.rdp) if d is not None]
    fired = frozenset(rule for d in found for rule in _rules(d))
    if not found:
        return Judged("open")
    try:
        inputs = inputs_of(program, 30, count=2)
        law = laws(program, inputs)
    except Undefined:
        return Judged("undefined")
    except TooWide:
        return Judged("too wide")
    loss, row = law.loss(inputs)
    for notion, proved, true in _listed_notions(model, bounds, law, inputs, loss):
        if true > proved * (1 + 1e-7) + 1e-7:
            where = f"{inputs.shown(int(inputs.first[row]))} | {inputs.shown(int(inputs.second[row]))}"
            return Judged("false", f"{notion}: proved {proved:.6g}, true {true:.6g}", fired, notion, proved, true, where)
    return Judged("held" if loss > 0 else "trivial", "", fired)


def _listed_notions(model: Model, bounds: Bounds, law: Laws, inputs: Inputs, loss: float) -> Iterator[tuple[str, float, float]]:
    if bounds.pure is not None:
        yield "pure", size_of(model, bounds.pure), loss
    for d in bounds.rdp:
        assert isinstance(d.conclusion, RenyiBound)
        yield f"rdp {d.conclusion.order}", d.conclusion.epsilon, law.renyi(inputs, d.conclusion.order)
    if bounds.dp is not None:
        assert isinstance(bounds.dp.conclusion, ApproximateBound)
        yield "dp", bounds.dp.conclusion.delta, law.excess(inputs, bounds.dp.conclusion.epsilon)


def _proved(program: Program, compare: Callable[[Model, Bounds], Judged]) -> Judged:
    try:
        model = driver.load(Source("<random>", text(program))).program
    except SpecError as error:
        return Judged("invalid", "; ".join(f"{d.code} {d.message}" for d in error.diagnostics))
    try:
        bounds = prove(model, delta=DELTA, orders=ORDERS)
    except Exception as error:  # noqa: BLE001
        return Judged("crashed", repr(error))
    return compare(model, bounds)


def compared(model: Model, bounds: Bounds, truth: Losses, inputs: Inputs, error: float = 1e-7) -> Judged:
    found = [d for d in (bounds.pure, bounds.zcdp, bounds.dp, *bounds.rdp) if d is not None]
    fired = frozenset(rule for d in found for rule in _rules(d))
    if not found:
        return Judged("open")
    for notion, proved, true in _notions(model, bounds, truth):
        if true > proved * (1 + error) + error:
            where = f"{inputs.shown(int(inputs.first[truth.row]))} | {inputs.shown(int(inputs.second[truth.row]))}"
            return Judged("false", f"{notion}: proved {proved:.6g}, true {true:.6g}", fired, notion, proved, true, where)
    return Judged("held", "", fired)


def _notions(model: Model, bounds: Bounds, truth: Losses) -> Iterator[tuple[str, float, float]]:
    if bounds.pure is not None:
        yield "pure", size_of(model, bounds.pure), truth.pure
    if bounds.zcdp is not None:
        yield "zcdp", size_of(model, bounds.zcdp), truth.zcdp
    for d in bounds.rdp:
        assert isinstance(d.conclusion, RenyiBound)
        yield f"rdp {d.conclusion.order}", d.conclusion.epsilon, truth.rdp[ORDERS.index(d.conclusion.order)]
    if bounds.dp is not None:
        assert isinstance(bounds.dp.conclusion, ApproximateBound)
        delta = truth.delta(bounds.dp.conclusion.epsilon)
        if delta is not None:
            yield "dp", bounds.dp.conclusion.delta, delta


def _rules(d: Derivation) -> Iterator[str]:
    yield d.rule
    for premise in d.premises:
        yield from _rules(premise)
