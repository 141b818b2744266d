"""Strong and weak privacy of one spec side by side: what is claimed of any data, and of entries drawn from a model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.analyses.claims import Verdict
from seqlang.report.document.document import Block, Heading, Line, Piece, Table, line
from seqlang.report.numbers import shown_down, shown_up
from seqlang.rules.computed import bound_up

if TYPE_CHECKING:
    from seqlang.proof.derivation import Derivation
    from seqlang.results.check import CheckResult


def beside_blocks(result: CheckResult) -> Iterator[Block]:
    """One table, where the spec has claims of both kinds; nothing else."""
    strong = [v for v in result.verdicts if v.claim.kind == "strong"]
    weak = [v for v in result.verdicts if v.claim.kind == "weak"]
    if not strong or not weak:
        return
    rows: list[tuple[Line, ...]] = []
    for notion in dict.fromkeys(_notion(v) for v in (*strong, *weak)):
        left, right = ([v for v in found if _notion(v) == notion] for found in (strong, weak))
        rows.append((line(f"{notion} claimed"), _claimed(result, left), _claimed(result, right)))
    rows += _epsilons(result)
    yield Heading("Strong beside weak: what one entry can tell at worst, and on average over the others")
    yield Table(("notion", "any data (strong)", "entries drawn from a model (weak)"), tuple(rows), "lll")


def _notion(verdict: Verdict) -> str:
    assert verdict.claim.privacy is not None
    return verdict.claim.privacy.notion


def _claimed(result: CheckResult, verdicts: list[Verdict]) -> Line:
    """A line a claim; a dash where there is none."""
    pieces: list[Piece] = []
    for v in verdicts:
        number = result.source.line_column(v.claim.span.start)[0]
        text = v.claim.text.removeprefix(f"claim {v.claim.kind} ")
        pieces += ["\n"] if pieces else []
        pieces += [(f"{v.shown.mark} {v.verdict}", v.shown.tone), f"  {text}", (f"  line {number}", "quiet")]
    return line(*pieces) if pieces else line("-")


def _epsilons(result: CheckResult) -> Iterator[tuple[Line, ...]]:
    """What is known of the least epsilons, claimed or not: from where to where."""
    if not result.weak:
        return
    least = (
        ("pure, least epsilon", result.lowers.pure, result.bounds.pure, [(w.model, w.pure) for w in result.weak]),
        (f"dp, least epsilon at delta {float(result.delta):g}", result.epsilon_at_delta, result.bounds.dp,
         [(w.model, w.epsilon) for w in result.weak]),
    )  # fmt: skip
    for name, lower, bound, models in least:
        average = "\n".join(f"{_range(worst.lower, shown_up(worst.bound, 6))} under {model}" for model, worst in models)
        yield line(name), line(_range(lower, _upper(result, bound))), line(average)


def _upper(result: CheckResult, bound: Derivation | None) -> str:
    return "∞" if bound is None else shown_up(bound_up(result.program, bound.conclusion), 6)


def _range(lower: float, upper: str) -> str:
    below = shown_down(lower, 6) if lower > 0 else "0"
    return upper if below == upper else f"{below} to {upper}"
