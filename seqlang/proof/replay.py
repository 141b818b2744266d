"""Replay: check a derivation step by step with each rule's own `holds`. Only what replays may be called proved."""

from __future__ import annotations

from importlib import import_module

from seqlang.model.program import Program
from seqlang.proof.derivation import Derivation
from seqlang.proof.rule import Rule

DEEPEST = 100
"""No honest derivation nests this deep; a deeper one is refused, so that replay always ends."""


class Replay:
    """Replays derivations about one program. A step that was found right is not checked again: derivations are frozen,
    and they share premises."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._right: dict[int, Derivation] = {}
        # Rules stand above proofs, so they are looked up when a proof is replayed, not imported here.
        self.obstacle: str | None = import_module("seqlang.rules").obstacle(program)
        """Why nothing can be proved of the program, whatever the rules say; None if nothing stands against it."""

    def problems(self, derivation: Derivation, depth: int = 0) -> tuple[str, ...]:
        """What is wrong with the derivation, premises first; empty if every step holds."""
        if id(derivation) in self._right:
            return ()
        if depth > DEEPEST:
            return ("the derivation is nested too deep",)
        below = tuple(p for premise in derivation.premises for p in self.problems(premise, depth + 1))
        problem = below or self._step(derivation)
        if not problem:
            self._right[id(derivation)] = derivation  # kept alive, so that its identity stays its own
        return problem

    def _step(self, derivation: Derivation) -> tuple[str, ...]:
        if self.obstacle is not None:
            return (self.obstacle,)
        rule = _rule(derivation.rule)
        if rule is None:
            return (f"there is no rule {derivation.rule}",)
        try:
            problem = rule.holds(self.program, derivation)
        except (ArithmeticError, AssertionError, LookupError, RuntimeError, ValueError) as error:
            # Evidence is untrusted: numbers and names that `holds` did not expect make a derivation that does not hold.
            # What it is made of, every rule checks itself: a TypeError or an AttributeError is a fault of the rule.
            return (f"{derivation.rule}: the evidence does not fit ({type(error).__name__}: {error})",)
        return () if problem is None else (f"{derivation.rule}: {problem}",)


def replay(program: Program, derivation: Derivation) -> tuple[str, ...]:
    """What is wrong with the derivation, premises first; empty if every step holds."""
    return Replay(program).problems(derivation)


def _rule(name: str) -> Rule | None:
    found: Rule | None = import_module("seqlang.rules").find(name)
    return found
