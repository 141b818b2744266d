"""Hidden randomised choices are put into a longer transcript, paid for there, and forgotten again.

Algorithms select records by a coin (randomised response, a Bernoulli draw) that is not shown, and cut the stream into
batches by what was selected. Bounds of what is released then hold only for given selections: whether two runs agree on
a batch's size depends on the data. So all hidden choices s are taken into the transcript first. Given (s, releases) up
to a step, the law of the next choice, the places where batches end and their sizes are the same functions of that
longer transcript on both sides; the premise bounds the loss of all of it, choices included. The transcript proper
leaves s out, which is post-processing. To bound P(release | summary of s) and P(summary) one by one is no proof: given
a summary, the law of s still depends on the data.
"""

from __future__ import annotations

from seqlang.model.program import Program, PublicGate
from seqlang.proof.derivation import Derivation
from seqlang.proof.rule import Rule
from seqlang.record import replace
from seqlang.rules.reading.read_sets import revealed_choices
from seqlang.rules.search import Search

NAME = "composition/hypothetical_transcript"
CITE = "Dwork & Roth 2014, Proposition 2.1; repairs the proofs of Bittner et al. 2020, Theorems 4.7 and 4.9"


def suggest(program: Program, part: Derivation) -> Derivation | None:
    """The bound without the hidden choices; None if there are none, or if the part does not pay for them."""
    hidden = revealed_choices(program)
    if not hidden:
        return None
    names = ", ".join(sorted(hidden))
    gates = tuple(gate for gate in part.conclusion.gates if gate not in hidden)
    because = f"{part.because}; {names} counts as shown, and leaving it out tells less"
    made = Derivation(replace(part.conclusion, gates=gates), NAME, (part,), because=because, cite=CITE)
    return made if holds(program, made) is None else None


def holds(program: Program, derivation: Derivation) -> str | None:
    if len(derivation.premises) != 1:
        return "it has one premise"
    premise, hidden = derivation.premises[0].conclusion, revealed_choices(program)
    paid = set(premise.gates)
    if not hidden <= paid:
        return f"the premise does not pay for {', '.join(sorted(hidden - paid))}"
    missing = {gate.name for gate in program.gates if not isinstance(gate, PublicGate)} - paid
    if missing:
        return f"the premise does not bound {', '.join(sorted(missing))}, which the hidden choices may decide"
    shown = tuple(gate for gate in premise.gates if gate not in hidden)
    return None if derivation.conclusion == replace(premise, gates=shown) else "it is not the premise without them"


STATEMENT = """
    a bound for all gates together, hidden choices s among them as if they were shown
    ------------------------------------------------------------------------------------------------
    the same bound for what is really shown

The premise is about the transcript (s, releases): a next choice may read the data and anything in that transcript, a
batch's end and size are functions of it. No unit, no loss: what is really shown is a function of (s, releases).
"""

RULE = Rule(NAME, "Hypothetical transcript", STATEMENT, CITE, holds)

SEARCH = Search(NAME, ("part",), suggest)
