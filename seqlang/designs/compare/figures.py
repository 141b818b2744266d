"""The row of a design in blocks: its exact figures, and the privacy that is proved of its program."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite

from seqlang.analyses.claims import decide
from seqlang.analyses.prove import prove
from seqlang.designs.blocks.blocks import Blocks
from seqlang.designs.design import QUANTILES, Design, mixed_law, quantiles
from seqlang.designs.problem.problem import Problem
from seqlang.designs.written.spec_text import spec_text
from seqlang.driver import load
from seqlang.driver.checking import DEFAULT_DELTA
from seqlang.record import replace
from seqlang.results.design import SIDES, ComparedDesign
from seqlang.source import Source

EXCEEDED = 1e-9
"""An error may be above the nominal one by so much, relatively: floating point."""


def row_of(name: str, design: Design, blocks: Blocks, note: str = "") -> ComparedDesign:
    """The figures of a design, and its program, which claims the errors that it keeps."""
    errors = {"null": design.mean("null", "reject"), "alternative": design.mean("alternative", "accept")}
    exceeded = too_often(errors, design.problem)
    text = spec_text(design, claimed=tuple(side for side in SIDES if side not in exceeded))
    laws = [quantiles(mixed_law(design, blocks, blocks.laws(side))) for side in (0, 1)]
    steps = {side: design.mean(side, "steps") for side in SIDES}
    return ComparedDesign(
        name, design.problem.privacy.text, errors, {side: n if isfinite(n) else None for side, n in steps.items()},
        dict(zip(SIDES, laws, strict=True)), design.most, proved(text), not exceeded,
        "; ".join(part for part in (note, said(exceeded)) if part), text,
    )  # fmt: skip


def missing(name: str, problem: Problem, why: str) -> ComparedDesign:
    """The row of a design that was not found."""
    nothing: dict[str, float | None] = dict.fromkeys(SIDES)
    unknown: dict[str, int | None] = dict.fromkeys(map(str, QUANTILES))
    levels = dict.fromkeys(SIDES, unknown)
    return ComparedDesign(name, problem.privacy.text, nothing, nothing, levels, None, None, False, why, "")


def too_often(errors: Mapping[str, float], problem: Problem) -> tuple[str, ...]:
    """The hypotheses under which the test errs more often than it may."""
    allowed = dict(zip(SIDES, problem.errors, strict=True))
    return tuple(side for side in SIDES if errors[side] > allowed[side] * (1 + EXCEEDED))


def said(exceeded: tuple[str, ...]) -> str:
    """The same in words; nothing where all errors are kept."""
    return f"errs more often than allowed under the {' and the '.join(exceeded)}" if exceeded else ""


def proved(text: str) -> str | None:
    """The verdict of the privacy claim, as `check` decides it; None: there is no claim."""
    program = load(Source("a compared design", text)).program
    private = replace(program, claims=tuple(claim for claim in program.claims if claim.kind == "strong"))
    if not private.claims:
        return None
    known = prove(private, delta=DEFAULT_DELTA)
    return decide(private, delta=DEFAULT_DELTA, horizon=None, known=known, witness=None)[0].verdict
