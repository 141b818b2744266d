"""Gates that read no private data: a program of pure noise tells nothing, however it keeps and compares its noise.

Proof. Given the transcript before a step, what these gates show in it is a function of constants, of what is public,
and of noises that no other gate reads. So their law given that transcript is the same for every input, and so is the
chance of each of their parts of a transcript, whatever the other gates show: translate nothing. (DiPAut calls several
such programs not private, or gives them a weight above 0, since its automata do not tell noise from noised data.)
"""

from __future__ import annotations

from seqlang.arithmetic.formula import ZERO, Formula
from seqlang.model.program import Program, expressions_in
from seqlang.proof.derivation import PureBound
from seqlang.rules.gates.gate_rule import group_rule
from seqlang.rules.gates.showings import NOT_MINE
from seqlang.rules.reading.read_sets import gate_noises, noises_read, shared_noise
from seqlang.rules.reading.whole_numbers import reads_private


def cost_of(program: Program, names: tuple[str, ...]) -> Formula | str:
    """0; text: which other gate reads the same noise."""
    gates = [gate for gate in program.gates if gate.name in names]
    read = [e for gate in gates for e in expressions_in(gate)]
    if len(gates) != len(names) or any(reads_private(program, e) for e in read):
        return NOT_MINE
    noises = noises_read(program, read).union(*(gate_noises(gate) for gate in gates))
    return shared_noise(program, names, noises) or ZERO


STATEMENT = """
    no gate of G reads private data;   no other gate reads a noise that one of G reads
    ----------------------------------------------------------------------------------
                          all gates of G together are 0-DP

They may read constants, the step, public inputs, memory, reports and noise, also through accumulators.
"""

RULE, SEARCH = group_rule(
    "joint/no_data",
    "No private data is read",
    STATEMENT,
    "Dwork & Roth 2014, Definition 2.4: the same law for all inputs",
    "none of these gates reads private data",
    {PureBound: cost_of},
)
