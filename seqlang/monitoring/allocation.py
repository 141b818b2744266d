"""How many entries each sum of a block is of, and whether the entries that each arm really had are as many.

A test of two arms is designed for a number of entries in each arm of each block. With other numbers, what is released
has another law, and no figure of the test holds."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.diagnostics import SpecError
from seqlang.monitoring.coins import counted
from seqlang.monitoring.paths import Paths
from seqlang.record import replace
from seqlang.results.monitor import Block


def with_counted(paths: Paths, model: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, with the number of entries that each sum is of where a block has several sums of coins. The public
    fields are those of `model`."""
    if len(paths.sums) < 2:
        return tuple(blocks)
    known = {size: counted(paths, model, size) for size in {block.size for block in blocks}}
    return tuple(
        block if (found := known[block.size]) is None
        else replace(block, counted=tuple(found[one.shown] for one in paths.sums))
        for block in blocks
    )  # fmt: skip


REMEDY = (
    "take the entries of each arm in the order in which they came, one of each arm in turn, and leave out what is left "
    "over"
)


def require_counted(blocks: Sequence[Block], names: Sequence[str], arms: Sequence[Sequence[int]]) -> None:
    """Raises SpecError E0603 unless `arms`, a number for each sum of each block, are the entries that the program
    counts. `names`: of the sums."""
    if len(names) < 2 or any(not block.counted for block in blocks):
        raise SpecError.of("E0603", "this test has no arms whose entries the program counts",
                           help="leave out the numbers of entries in each arm")  # fmt: skip
    given = ",".join(":".join(map(str, block.counted)) for block in blocks)
    if len(arms) != len(blocks):
        message = f"the entries in each arm are given for {len(arms)} blocks, and {len(blocks)} blocks were released"
        raise SpecError.of("E0603", message, help=f"give them block by block: the test is designed for {given}")
    for block, found in zip(blocks, arms, strict=True):
        if len(found) != len(names):
            message = (
                f"for block {block.number} {len(found)} numbers of entries are given, and there are {len(names)} arms"
            )
            raise SpecError.of("E0603", message, help=f"give a number for each arm: the test is designed for {given}")
        if tuple(found) != block.counted:
            message = (
                f"block {block.number} has {_listed(found, names)}, and the test is designed for "
                f"{_listed(block.counted, names)}: no figure of the test holds for other numbers"
            )
            raise SpecError.of("E0603", message, help=REMEDY)


def _listed(found: Sequence[int], names: Sequence[str]) -> str:
    return " and ".join(f"{count} entries in {name}" for count, name in zip(found, names, strict=True))
