"""The report of a calibration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from seqlang.report.document.document import Block, Paragraph, line

if TYPE_CHECKING:
    from seqlang.results.calibration import Calibration


def calibration_blocks(result: Calibration) -> Iterator[Block]:
    """The value, what is proved there and by which rule, and where the proof fails."""
    found, told = result.found, result.to_dict()
    side = "smallest" if found.raised else "largest"
    yield Paragraph(line((result.algorithm, "head"), f"  {found.name} = {told['value']}"))
    for text in (
        f"the {side} {found.name} found that proves {found.target.text}: the bound there is {found.size:.9g}",
        f"by {found.derivation.rule} ({found.derivation.cite})",
        *([] if found.missed is None else [f"not proved at {found.name} = {told['not_proved_at']}"]),
    ):
        yield Paragraph(line(text), 2, 0)
