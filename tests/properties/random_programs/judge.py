"""Compares what seqlang proves of a random program with what an oracle knows of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from random_programs.accounts import account_program
from random_programs.cells import cells_program
from random_programs.enumeration import Laws, TooWide, laws
from random_programs.fences import fence_program
from random_programs.gaussian_tests import Compared, gaussian_tests
from random_programs.generate import release_program
from random_programs.generate_transcripts import transcript_program
from random_programs.inputs import Inputs, inputs_of, publics
from random_programs.learning import density_loss, learning_program, minimisers, sample_losses
from random_programs.linear import linear_losses, linear_program
from random_programs.losses import ORDERS, Losses, losses, worst
from random_programs.meaning import Undefined
from random_programs.rankings import ranking_program
from random_programs.sequential_tests import stopping_program
from random_programs.showing import Showing, showings
from random_programs.syntax import Program, changed, copied, text
from seqlang import driver
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove, size_of
from seqlang.arithmetic.rounding import fraction_up
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program as Model
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound
from seqlang.source import Source

DELTA = Fraction(1, 1000)


@dataclass(frozen=True)
class Judged:
    """`status`: invalid (seqlang refuses the text), undefined (no value on some input), too wide (for the oracle),
    trivial (nothing is lost: no bound can be too small), open (nothing proved), crashed, held, or false (a proved bound
    below the truth). `said`: the diagnostics, the error, or what is false. `rules`: fired in the proofs that were
    judged. `witness`: two neighbouring inputs."""

    status: str
    said: str = ""
    rules: frozenset[str] = frozenset()
    witness: str = ""


class Truth(Protocol):
    """Lower bounds of what is lost, for some pairs of neighbours."""

    def pure(self) -> float: ...

    def renyi(self, order: float) -> float: ...

    def rho(self) -> float: ...

    def delta(self, epsilon: float) -> float: ...

    def where(self) -> str: ...


@dataclass(frozen=True)
class Added:
    """Losses that are known by arithmetic; `error` is relative."""

    known: Losses
    inputs: Inputs

    def pure(self) -> float:
        return self.known.pure

    def renyi(self, order: float) -> float:
        return self.known.rdp[ORDERS.index(order)]

    def rho(self) -> float:
        return self.known.zcdp

    def delta(self, epsilon: float) -> float:
        return self.known.delta(epsilon) or 0.0

    def where(self) -> str:
        return pair(self.inputs, self.known.row)


class Listed:
    """Losses of laws that are listed."""

    def __init__(self, law: Laws, inputs: Inputs) -> None:
        self.law, self.inputs = law, inputs
        self.loss, self.row = law.loss(inputs)

    def pure(self) -> float:
        return self.loss

    def renyi(self, order: float) -> float:
        return self.law.renyi(self.inputs, order)

    def rho(self) -> float:
        return max(self.law.renyi(self.inputs, order) / order for order in (1.1, 2.0, 8.0))

    def delta(self, epsilon: float) -> float:
        return self.law.excess(self.inputs, epsilon)

    def where(self) -> str:
        return pair(self.inputs, self.row)


def pair(inputs: Inputs, row: int) -> str:
    if not len(inputs.first):
        return ""
    return f"{inputs.shown(int(inputs.first[row]))} | {inputs.shown(int(inputs.second[row]))}"


# ---- the three kinds of programs


def shown_program(seed: int) -> Program:
    """Values plus noise of their own; one in twenty keeps an account."""
    return account_program(seed) if seed % 20 == 7 else release_program(seed)


def release_truth(program: Program) -> Truth:
    inputs = inputs_of(program)
    return Added(
        worst([losses(program, inputs, showings(program, inputs, course)) for course in publics(program)]), inputs
    )


def linear_truth(program: Program) -> Truth:
    inputs = inputs_of(program)
    return Added(linear_losses(program, inputs), inputs)


def discrete_program(seed: int) -> Program:
    """Draws that can be listed; one program in twenty-five ranks a noisy list."""
    return ranking_program(seed) if seed % 25 == 11 else transcript_program(seed)


def listed_truth(program: Program) -> Truth:
    inputs = inputs_of(program, 30, count=2)
    return Listed(laws(program, inputs), inputs)


def stopping_truth(program: Program) -> Truth:
    inputs = inputs_of(program, 40, count=3)
    return Listed(laws(program, inputs), inputs)


def learning_truth(program: Program) -> Truth:
    inputs = inputs_of(program, 40)
    program = changed(program, copied)
    e = program.statements[0].value
    shown = any(s.kind in ("report", "stop") and s.value is not None for s in program.statements)
    if e is None or not shown or len(program.noises) != 1 or e.kind not in ("minimise", "sample"):
        raise Undefined  # a smaller program may be one of these
    nothing = (0.0,) * len(ORDERS)
    if e.kind == "sample":
        pure, renyi = sample_losses(program, inputs, ORDERS)
        return Added(Losses(pure, renyi, 0.0, None, 0), inputs)
    if program.noises[0].name:
        return Added(Losses(density_loss(program, inputs, e), nothing, 0.0, None, 0), inputs)
    found = minimisers(program, inputs, e)
    return Added(losses(program, inputs, [Showing("w", 1, found[:, None], True)]), inputs)


def compared_truth(program: Program) -> Truth:
    return Compared(program, inputs_of(program, 40, count=3))


@dataclass(frozen=True)
class Kind:
    """A family of random programs. `first`: the oracle is cheaper than the proof, and speaks first."""

    name: str
    program: Callable[[int], Program]
    truth: Callable[[Program], Truth]
    error: float = 1e-7
    first: bool = False

    def seen(self, program: Program) -> Program:
        """As far as what is claimed speaks of it."""
        return program if program.horizon is None else replace(program, steps=program.horizon)

    def judged(self, program: Program, letters: bool = True) -> Judged:
        """`letters`: with re-used letters; otherwise every binder has its own."""
        seen = self.seen(program)
        try:
            truth = self.truth(seen) if self.first else None
            if truth is not None and truth.pure() <= 0 and truth.renyi(ORDERS[0]) <= 0:
                return Judged("trivial")
            model = loaded(text(program, distinct=not letters))
            bounds = proved(model, program.horizon)
            found = [d for d in derivations(bounds) if size_of(model, d) < math.inf]
            if not found:
                return Judged("open")
            return compared(model, found, truth or self.truth(seen), self.error)
        except Undefined:
            return Judged("undefined")
        except TooWide:
            return Judged("too wide")
        except SpecError as error:
            return Judged("invalid", "; ".join(f"{d.code} {d.message}" for d in error.diagnostics))
        except Crashed as error:
            return Judged("crashed", str(error))


class Crashed(Exception):
    """seqlang ended with an error of its own."""


def loaded(source: str) -> Model:
    try:
        return driver.load(Source("<random>", source)).program
    except SpecError:
        raise
    except Exception as error:
        raise Crashed(repr(error)) from error


def proved(model: Model, horizon: int | None = None) -> Bounds:
    try:
        return prove(model, delta=DELTA, horizon=horizon, orders=tuple(map(Fraction, ORDERS)))
    except Exception as error:
        raise Crashed(repr(error)) from error


def derivations(bounds: Bounds) -> Iterator[Derivation]:
    """The best of each notion, and what other rules gave."""
    yield from (d for d in (bounds.pure, bounds.zcdp, bounds.dp, *bounds.rdp, *bounds.alternatives) if d is not None)


def compared(model: Model, found: list[Derivation], truth: Truth, error: float) -> Judged:
    fired = frozenset(rule for d in found for rule in rules_of(d))
    lost = False
    for d in found:
        notion, bound, true = _sides(model, d, truth)
        lost = lost or true > 0
        if true > bound * (1 + error) + error:
            return Judged("false", f"{notion}: proved {bound:.6g}, true {true:.6g}, by {d.rule}", fired, truth.where())
    return Judged("held" if lost else "trivial", "", fired)


def _sides(model: Model, d: Derivation, truth: Truth) -> tuple[str, float, float]:
    """The notion, what is proved, and what is true at least."""
    match d.conclusion:
        case PureBound():
            return "pure", size_of(model, d), truth.pure()
        case ConcentratedBound():
            return "zcdp", size_of(model, d), truth.rho()
        case RenyiBound(order=order):
            return f"rdp {float(order)}", size_of(model, d), truth.renyi(float(order))
        case ApproximateBound(delta=delta):
            epsilon = size_of(model, d)
            return f"delta at {epsilon:.6g}", fraction_up(delta), truth.delta(epsilon)


def rules_of(d: Derivation) -> Iterator[str]:
    yield d.rule
    for premise in d.premises:
        yield from rules_of(premise)


KINDS = {
    kind.name: kind
    for kind in (
        Kind("release", shown_program, release_truth, first=True),
        Kind("cells", cells_program, release_truth, first=True),
        Kind("linear", linear_program, linear_truth, 1e-6, first=True),
        Kind("transcript", discrete_program, listed_truth),
        Kind("stopping", stopping_program, stopping_truth),
        Kind("fences", fence_program, stopping_truth),
        Kind("learning", learning_program, learning_truth, 1e-3),
        Kind("gaussian", gaussian_tests, compared_truth, 1e-6),
    )
}
