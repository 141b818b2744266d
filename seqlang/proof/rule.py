"""A proof rule: one file under `seqlang/rules/`, found by its place there."""

from __future__ import annotations

from collections.abc import Callable

from seqlang.arithmetic.formula import Formula
from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation
from seqlang.record import record


@record
class Rule:
    """`holds(program, derivation)` is the trusted part: None if the last step of the derivation is right, else what is
    wrong with it. It never searches and never trusts the evidence. `statement` is the inference rule as people read it,
    with units and conditions; it is what `seqlang explain NAME` prints. `evidence` is the type of the evidence that
    `holds` needs (None: it needs none): a certificate is read by it. `symbolic(program, derivation)` is a formula, over
    the parameters, ORDER and DELTA, of what the rule computes as a number; reports show it, nothing is proved by it."""

    name: str
    title: str
    statement: str
    cite: str
    holds: Callable[[Program, Derivation], str | None]
    evidence: object = None
    symbolic: Callable[[Program, Derivation], Formula | None] | None = None
