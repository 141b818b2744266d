"""Claims at the edge of the truth: just below what is lost nothing may be proved, just above what is proved nothing may
be refuted."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from random_programs.judge import Kind, derivations, loaded, proved, size_of
from random_programs.meaning import Undefined
from random_programs.syntax import Program, text
from random_programs.weak import Weak, weak_claims, weak_program
from seqlang.analyses.claims import decide
from seqlang.proof.derivation import PureBound

CLOSE = 1e-4
Verdicts = list[tuple[str, str]]
"""(form of the claim, verdict)."""


def verdicts(source: str, asked: list[tuple[str, str]], horizon: int | None = None) -> Verdicts:
    """The forms of the claims and how they were decided. Raises AssertionError for a verdict that is false; `asked`:
    each claim with that verdict."""
    model = loaded(source)
    known = proved(model, horizon)
    told = []
    decided = decide(model, delta=Fraction(known.delta), horizon=horizon, known=known, witness=None)
    for (claim, false), found in zip(asked, decided, strict=True):
        assert found.verdict != false, f"{claim}: {found.verdict}, {found.because}\n{source}"
        told.append((_form(claim), found.verdict))
    return told


def _form(claim: str) -> str:
    _, kind, notion = claim.split()[:3]
    ends = [how for how in (" per step", " within") if how in claim]
    return f"{kind} {notion.split('(')[0]}{''.join(ends)}"


def strong_claims(kind: Kind, program: Program) -> Iterator[tuple[str, str]]:
    """Raises Undefined, TooWide."""
    truth = kind.truth(kind.seen(program))
    within = "" if program.horizon is None else f" within {program.horizon} steps"
    loss, divergence = truth.pure(), truth.renyi(2.0)
    if 1e-6 < loss < math.inf:
        yield f"claim strong pure({loss * (1 - CLOSE):.12f}){within}", "proved"
    if 1e-6 < divergence < math.inf:
        yield f"claim strong rdp(2, {divergence * (1 - CLOSE):.12f}){within}", "proved"
    epsilon = min(loss, 2.0) / 2
    delta = truth.delta(epsilon)
    if delta > 1e-6:
        yield f"claim strong dp({epsilon:.12f}, {delta * (1 - CLOSE):.12f}){within}", "proved"
    bounds = proved(loaded(text(program)), program.horizon)
    sizes = [size_of(loaded(text(program)), d) for d in derivations(bounds) if isinstance(d.conclusion, PureBound)]
    if sizes and min(sizes) < math.inf:
        yield f"claim strong pure({min(sizes) * (1 + CLOSE) + 1e-9:.12f}){within}", "refuted"


def strong_verdicts(kind: Kind, program: Program) -> Verdicts:
    asked = list(strong_claims(kind, program))
    return verdicts(text(program, tuple(claim for claim, _ in asked)), asked, program.horizon) if asked else []


def weak_verdicts(seed: int) -> Verdicts:
    """Raises Undefined, TooWide."""
    weak = Weak(weak_program(seed))
    asked = list(weak_claims(weak))
    if not asked:
        raise Undefined
    return verdicts(weak.modelled.text(tuple(claim for claim, _ in asked)), asked)
