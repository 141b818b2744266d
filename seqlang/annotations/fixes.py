"""What can be done about a claim: each proposal is a changed text that was checked, and is offered only if it does what
it says.

Each search takes as long as some proofs do; run it where it can be interrupted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.analyses.claims import proofs_of
from seqlang.annotations.edit import Edit, Fix, applied, insertion
from seqlang.annotations.reading import Reading, read
from seqlang.elaborate.claim_text import claim_text
from seqlang.model.program import Claim, Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound
from seqlang.report.numbers import shown_up
from seqlang.report.words import bound_formula
from seqlang.rules.claims import falls_short
from seqlang.rules.computed import bound_up
from seqlang.source import Span
from seqlang.syntax import tree
from seqlang.syntax.walk import nodes

if TYPE_CHECKING:
    from seqlang.analyses.bounds import Bounds
    from seqlang.results.check import CheckResult


def expectation(reading: Reading, result: CheckResult) -> tuple[Fix, ...]:
    """For each claim that is not as expected: say that its verdict is expected; or that it is proved after all."""
    by_start = {s.span.start: s for s in reading.file.statements if isinstance(s, tree.Claim)}
    found = []
    for verdict in result.verdicts:
        claim = by_start.get(verdict.claim.span.start)
        if claim is None or verdict.ok:
            continue
        short = claim_text(claim)
        if verdict.seems == "proved":
            assert claim.expect is not None
            before = reading.source.text.rindex("expect", 0, claim.expect.span.start)
            edit = Edit(Span(before, claim.span.end), "")
            found.append(Fix(f"Expect a proof: `{short}` is {verdict.shown.words}", (edit,)))
        elif claim.expect is not None:
            found.append(Fix(f"Mark `{short}` as `expect {verdict.seems}`", (Edit(claim.expect.span, verdict.seems),)))
        else:
            edit = insertion(claim.span.end, f" expect {verdict.seems}")
            found.append(Fix(f"Mark `{short}` as `expect {verdict.seems}`", (edit,)))
    return tuple(found)


def strongest(reading: Reading, result: CheckResult) -> tuple[Fix, ...]:
    """The strongest claims that are proved, of each notion one, less those that stand in the file already."""
    program, bounds = result.program, result.bounds
    known = {"".join(claim.text.split()) for claim in program.claims}
    end = max((s.span.end for s in reading.file.statements), default=0)
    found = []
    for derivation in _best(bounds):
        for body in _bodies(program, derivation):
            line = f"claim strong {body}"
            fix = Fix(f"Insert the strongest claim: `{line}`", (insertion(end, f"\n{line}"),))
            if "".join(line.split()) in known:
                break
            if _is_proved(reading, fix):
                found.append(fix)
                break
    return tuple(found)


def _best(bounds: Bounds) -> Iterator[Derivation]:
    """The pure bound, which implies the others; where there is none, the others."""
    if bounds.pure is not None:
        yield bounds.pure
        return
    yield from (d for d in (bounds.zcdp, bounds.dp) if d is not None)


def _bodies(program: Program, derivation: Derivation) -> Iterator[str]:
    """The claim by the formula of its bound; then by its number, rounded up, for a formula that cannot be written."""
    bound = derivation.conclusion
    within = "" if isinstance(bound, PureBound) or bound.horizon is None else f" within {bound.horizon} steps"
    sizes = (str(bound_formula(program, derivation) or ""), shown_up(bound_up(program, bound)))
    for size in sizes:
        if size in ("", "∞"):
            continue
        match bound:
            case PureBound():
                yield f"pure({size})"
            case ConcentratedBound():
                yield f"zcdp({size}){within}"
            case ApproximateBound(delta=delta):
                yield f"dp({size}, {float(delta):g}){within}"
            case _:
                return


def is_proved(program: Program, claim: Claim) -> bool:
    """Whether a search finds a proof of this claim."""
    if claim.privacy is None:
        return False
    return any(falls_short(program, claim, found) is None for found in proofs_of(program, claim))


def _is_proved(reading: Reading, fix: Fix) -> bool:
    """Whether the last claim of the changed text is proved."""
    program = read(applied(reading.source.text, fix.edits), reading.source.name).program
    return program is not None and is_proved(program, program.claims[-1])


def split_budget(reading: Reading, claim: tree.Claim) -> tuple[Fix, ...]:
    """Where several noises each spend all of a parameter that the claim allows once: a share for each, the largest that
    is proved."""
    budgets = {node.name for node in nodes(claim.body) if isinstance(node, tree.Name)}
    spending = [s for s in reading.file.statements if isinstance(s, tree.Attach | tree.Draw | tree.Let)]
    found = []
    for budget in sorted(budgets):
        spans = [n.span for s in spending for n in nodes(s) if isinstance(n, tree.Name) and n.name == budget]
        spans = [s for s in spans if any(o.span == s and o.meaning.kind == "param" for o in reading.names)]
        noises = sum(isinstance(s, tree.Attach | tree.Draw) for s in spending)
        for parts in range(2, min(noises, MOST_PARTS) + 1) if spans else ():
            edits = tuple(Edit(span, f"({budget} / {parts})") for span in spans)
            if proves(reading, claim, edits):
                found.append(Fix(f"Split the budget: `{budget} / {parts}` for each noise", edits))
                break
    return tuple(found)


MOST_PARTS = 8
"""Shares into which a budget is split."""


def proves(reading: Reading, claim: tree.Claim, edits: tuple[Edit, ...]) -> bool:
    """Whether the claim is proved in the changed text, which must be without errors. The claims stay in their order."""
    index = [s for s in reading.file.statements if isinstance(s, tree.Claim)].index(claim)
    program = read(applied(reading.source.text, edits), reading.source.name).program
    return program is not None and is_proved(program, program.claims[index])
