"""When a strong bound holds for a weak claim too: what is true for all data, against data that a model draws.

Setting: the strong bound compares runs on inputs that differ in one private entry; all other inputs, the public fields
of that step among them, are the same. The weak claim compares the laws given X_n = a and given X_n = b; the model draws
all other inputs.

Theorem. Let the model draw the private and the public fields of a step independently of one another, and let no law of
the model read memory. Then all other inputs have one law R under both. With P_r, Q_r the laws of the transcript for
fixed other inputs r, the two laws are the mixtures of P_r and Q_r over R. What bounds every pair (P_r, Q_r) bounds the
pair of the mixtures: P(S) - e^eps Q(S) is linear, and Renyi divergences of all orders up to infinity are jointly
quasi-convex (van Erven & Harremoes 2014, Theorem 13). The same holds if the public fields are shown too.

Why the conditions are needed. Where the law of a public field reads the private entry, or the other way round, one
entry tells of a field that the strong bound holds fixed. Where a law reads memory, the other entries answer to what was
shown, and one entry tells of them: say that a program reports a random r in 1..N, and that the model sets the next
entry to r. A program that then tells whether the entry is r has a strong delta of 1/N for each fixed entry, and a weak
one of 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from seqlang.model.expression import Field, walk
from seqlang.model.program import Program, Replace
from seqlang.rules.reading.entries import may_leave


def not_on_average(program: Program, model: str) -> str | None:
    """None if strong bounds of the program hold for weak claims under `model`; else the condition that fails."""
    if program.model(model).memories:
        return "under a model that reads memory, one entry and the others are not independent"
    if not isinstance(program.adjacency, Replace):
        # A weak claim is about any two values of one entry: only a strong bound for replaced entries covers them.
        return "a weak claim follows from a bound for replaced entries only"
    left = may_leave(program, program.model(model))
    if left is not None:
        return f"the law of {left} under {model} is not plainly inside of its domain"
    return public_reads_private(program, model) or private_reads_public(program, model)


def public_reads_private(program: Program, model: str) -> str | None:
    """None if no public field has a law under `model` that reads a private field; else which one reads which."""
    for name, other in _across(program, model):
        if _is_public(program, name):
            return f"under `{model}` the law of the public field `{name}` reads the private entry (`{other}`)"
    return None


def private_reads_public(program: Program, model: str) -> str | None:
    """None if no private field has a law under `model` that reads a public field; else which one reads which."""
    for name, other in _across(program, model):
        if not _is_public(program, name):
            return f"under `{model}` the law of the private field `{name}` reads the public field `{other}`"
    return None


def _across(program: Program, model: str) -> Iterator[tuple[str, str]]:
    """(field, the first field of the other kind that its law reads), directly or by way of other fields. A law reads
    fields only that are drawn before its own."""
    read: dict[str, frozenset[str]] = {}
    for name, law in program.model(model).laws:
        direct = {node.name for node in walk(law) if isinstance(node, Field)}
        read[name] = frozenset(direct).union(*(read.get(field, frozenset()) for field in direct))
        others = sorted(field for field in read[name] if _is_public(program, field) != _is_public(program, name))
        if others:
            yield name, others[0]


def _is_public(program: Program, name: str) -> bool:
    return any(field.name == name and field.kind == "public" for field in program.inputs)
