"""What a certificate establishes: every derivation in it is replayed with the rules' own `holds`, without any search.

A claim is established if its derivation replays, bounds everything that is shown, and concludes the claim or more
(`rules/claims.py`). What the certificate says of anything else is taken for no more than a statement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from seqlang.certificate.certificate import Certificate, Stated
from seqlang.certificate.compare import gates_are_those_of_the_body
from seqlang.certificate.no_value import NO_VALUE
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.words import claim_words
from seqlang.model.print import show_adjacency
from seqlang.model.program import Claim, Program
from seqlang.model.validate import validate
from seqlang.process.time_limit import lack, over, poll
from seqlang.proof.derivation import Derivation
from seqlang.proof.replay import Replay
from seqlang.record import record
from seqlang.rules.claims import falls_short, leaves_out


@record
class Checked:
    """A derivation and what is wrong with it, or with what it is said to prove; None: it is established."""

    derivation: Derivation
    problem: str | None


@record
class CheckedClaim:
    """A claim of the program. `checked` is None where the certificate has no derivation of it."""

    claim: Claim
    stated: Stated
    checked: Checked | None

    @property
    def established(self) -> bool:
        return self.checked is not None and self.checked.problem is None


@record
class Verification:
    """`claims` in the order of the program's, `bounds` as in the certificate; `steps` is how many different steps were
    replayed. `cut_short`: the time limit was over before all were."""

    program: Program
    claims: tuple[CheckedClaim, ...]
    bounds: tuple[Checked, ...]
    steps: int
    cut_short: bool = False

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, each once; empty if all that the certificate says it proves is established."""
        checked = (*(c.checked for c in self.claims if c.checked is not None), *self.bounds)
        return tuple(dict.fromkeys(c.problem for c in checked if c.problem is not None))


def verify(certificate: Certificate) -> Verification:
    """Replays it. Raises Unreadable if the model is not well formed, if its gates are not those of its body, or if the
    claims are about another one. Where the time limit (`process.time_limit`) is over, what was replayed until then
    stays established, and the rest is a problem."""
    program = certificate.program
    _refuse_ill_formed(program)
    if len(certificate.claims) != len(program.claims):
        raise Unreadable(f"it speaks of {len(certificate.claims)} claims, and the model has {len(program.claims)}")
    if any(s.derivation is not None and s.verdict != "proved" for s in certificate.claims):
        raise Unreadable("there is a derivation of a claim that is not said to be proved")
    steps = _Steps(program)
    claims = tuple(
        CheckedClaim(claim, stated, None if stated.derivation is None else steps.claim(claim, stated.derivation))
        for claim, stated in zip(program.claims, certificate.claims, strict=True)
    )
    bounds = tuple(steps.bound(derivation) for derivation in certificate.bounds)
    return Verification(program, claims, bounds, steps.replayed, steps.cut_short)


def _refuse_ill_formed(program: Program) -> None:
    try:
        problems = validate(program)
        differ = not problems and not gates_are_those_of_the_body(program)
        for claim in program.claims:
            claim_words(claim)
        show_adjacency(program.adjacency)
    except NO_VALUE as error:  # what a model can be was not looked at yet
        raise Unreadable(f"the model is not well formed ({type(error).__name__})", ("model",)) from None
    if problems:
        raise Unreadable(f"the model is not well formed: {problems[0]}", ("model",))
    if differ:
        raise Unreadable("the gates are not those of the body", ("model", "gates"))


class _Steps:
    """Steps that were replayed, premises first, so that none is looked at twice, whether it holds or not."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.replay = Replay(program)
        self.problem: dict[int, str | None] = {}
        self.replayed = 0
        self.cut_short = False

    def claim(self, claim: Claim, derivation: Derivation) -> Checked:
        return self._in_time(derivation, lambda: self._short(claim, derivation))

    def bound(self, derivation: Derivation) -> Checked:
        return self._in_time(derivation, lambda: leaves_out(self.program, derivation))

    def _in_time(self, derivation: Derivation, short: Callable[[], str | None]) -> Checked:
        """Whether the steps replay and `short` finds nothing wrong, before the time limit is over. A step that does not
        ask for the time is interrupted (`limited(.., forced=True)`), which looks like an interrupt by the user."""
        try:
            poll()
            return Checked(derivation, self._problem(derivation) or short())
        except KeyboardInterrupt:
            if not over():
                raise
            self.cut_short = True
            return Checked(derivation, f"not all of it was replayed {lack()}")

    def _short(self, claim: Claim, derivation: Derivation) -> str | None:
        try:
            short = falls_short(self.program, claim, derivation)
        except NO_VALUE as error:  # a claim that somebody wrote into the file may have no value
            short = f"what is claimed has no value ({type(error).__name__})"
        return None if short is None else f"{derivation.rule} proves another thing than is claimed: {short}"

    def _problem(self, derivation: Derivation) -> str | None:
        for step in _premises_first(derivation):
            if id(step) not in self.problem:
                poll()
                below = next((p for part in step.premises if (p := self.problem[id(part)]) is not None), None)
                self.problem[id(step)] = below or self._replayed(step)
        return self.problem[id(derivation)]

    def _replayed(self, step: Derivation) -> str | None:
        self.replayed += 1
        try:
            return next(iter(self.replay.problems(step)), None)
        except NO_VALUE as error:  # the model and the evidence come from a file: nothing they do is a bug of ours
            return f"{step.rule}: it cannot be replayed ({type(error).__name__})"


def _premises_first(derivation: Derivation) -> Iterator[Derivation]:
    """The step and those that it rests on, each once."""
    seen: set[int] = set()
    waiting = [(derivation, False)]
    while waiting:
        step, below_done = waiting.pop()
        if below_done:
            yield step
        elif id(step) not in seen:
            seen.add(id(step))
            waiting.append((step, True))
            waiting.extend((premise, False) for premise in reversed(step.premises))
