"""The table: this design and others for the same hypotheses, errors and privacy, and the best without privacy."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from seqlang.designs.blocks.blocks import LATTICE, Blocks
from seqlang.designs.compare.classic import CLASSIC, classic_design
from seqlang.designs.compare.e_process import e_process
from seqlang.designs.compare.figures import missing, row_of
from seqlang.designs.compare.tuned import tuned_rows
from seqlang.designs.design import Design
from seqlang.designs.problem.criterion import Criterion, Limits
from seqlang.designs.problem.infeasible import Infeasible
from seqlang.designs.problem.privacy import Privacy
from seqlang.designs.problem.problem import Problem
from seqlang.process.doing import doing
from seqlang.record import replace
from seqlang.results.design import ComparedDesign

LOOKS = 3
"""Of the group-sequential designs, where the problem has no calendar of its own."""
MOST_LOOKS = 20
"""Of the group-sequential designs."""
PARTS = (0.4, 0.5, 0.6, 0.7, 0.85)
"""Constant blocks that are tried first, as parts of the best fixed size."""
TIMES = (1.0, 1.1, 1.25, 1.4, 1.6)
"""Ends of group-sequential designs that are tried, as multiples of the best fixed size."""
LARGER = 10
"""Sizes of one block that are tried."""
NONE = "keeps the errors at no size that was tried"

Made = tuple[Design, Blocks, int]


def compared(
    design: Design, blocks: Blocks, fixed: int, design_for: Callable[[Problem], Made], *, tuned: bool = False
) -> tuple[ComparedDesign, ...]:
    """One row a design. `tuned`: with tests that look after every entry, whose parameters are searched, which takes a
    minute. A design that does not keep the errors, or was not found, says so."""
    turns = design.problem.turns
    plain = replace(design.problem, criterion=Criterion(), limits=Limits(unit=turns))
    doing("other designs")
    return (
        row_of("this design", design, blocks),
        _one_block(plain, fixed, design_for),
        *_searched(plain, fixed, looks_of(design.problem), design_for),
        *_published(blocks, fixed, looks_of(design.problem)),
        *_e_processes(blocks, fixed),
        *(tuned_rows(plain) if tuned else ()),
        *_without_privacy(plain, design_for),
    )


def _one_block(plain: Problem, fixed: int, design_for: Callable[[Problem], Made]) -> ComparedDesign:
    """The best fixed size is that of scores which are not rounded: a larger one may be needed."""
    turns = plain.turns
    sizes = (Limits(looks=(fixed + more * turns,), unit=turns) for more in range(LARGER))
    found = next(_designs(plain, sizes, design_for), None)
    return missing("one block", plain, NONE) if found is None else row_of("one block", *found[:2])


def looks_of(problem: Problem) -> int:
    """As many as the problem's calendar has."""
    limits = problem.limits
    asked = len(limits.looks) or (limits.most or 0) // (limits.every or limits.most or 1)
    return asked if 2 <= asked <= MOST_LOOKS else LOOKS


def _searched(
    plain: Problem, fixed: int, looks: int, design_for: Callable[[Problem], Made]
) -> Iterator[ComparedDesign]:
    """Blocks of one size without an end, and with one, where boundaries are the best."""
    turns = plain.turns
    blocks_of = [turns * max(1, round(part * fixed / turns)) for part in PARTS]
    constant = [Limits(every=every, unit=turns) for every in blocks_of]
    looks_after = [turns * max(1, round(t * fixed / looks / turns)) for t in TIMES]
    ended = [Limits(most=every * looks, every=every, unit=turns) for every in looks_after]
    for name, limits in (("blocks of {}", constant), (f"{looks} looks, every {{}}, best boundaries", ended)):
        found = min(_designs(plain, limits, design_for), key=lambda made: made[0].cost, default=None)
        if found is not None:
            yield row_of(name.format(found[0].problem.limits.every), *found[:2])
        else:
            last = max(limit.every or 0 for limit in limits)
            yield missing(name.format(last), plain, NONE)


def _designs(plain: Problem, limits: Iterable[Limits], design_for: Callable[[Problem], Made]) -> Iterator[Made]:
    for one in limits:
        with suppress(Infeasible):
            yield design_for(replace(plain, limits=one))


def _published(blocks: Blocks, fixed: int, looks: int) -> Iterator[ComparedDesign]:
    at = blocks.at(LATTICE)
    for kind, title in CLASSIC:
        found = classic_design(at, kind, fixed, looks)
        yield row_of(f"{looks} looks, every {found.columns[0].policy.sizes[0]}, {title}", found, at)


def _e_processes(blocks: Blocks, fixed: int) -> Iterator[ComparedDesign]:
    for accepts in (True, False):
        found, at = e_process(blocks, fixed, accepts=accepts)
        name = f"e-process, blocks of {found.columns[0].policy.sizes[0]}"
        if accepts:
            yield row_of(name, found, at, "boundaries by Ville's inequality")
        else:
            yield row_of(f"{name}, only rejects", found, at, "under the null it ends only to reject")


def _without_privacy(plain: Problem, design_for: Callable[[Problem], Made]) -> Iterator[ComparedDesign]:
    if plain.privacy.notion != "none":
        without = replace(plain, privacy=Privacy("none"), public_coin=True, reading=None)
        yield from (row_of("the best without privacy", *best[:2])
                    for best in _designs(without, [without.limits], design_for))  # fmt: skip
