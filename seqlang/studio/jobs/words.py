"""A check in plain words, for readers who do not know what epsilon is."""

from __future__ import annotations

import math
from collections.abc import Iterator

from seqlang.report.numbers import shown_down, shown_up
from seqlang.report.text.kinds import within
from seqlang.report.text.meaning import meaning_dict
from seqlang.results.check import CheckResult


def words_of(result: CheckResult) -> list[str]:
    """Sentences."""
    return list(_words(result))


def _words(result: CheckResult) -> Iterator[str]:
    meaning = meaning_dict(result)
    if meaning["odds"] is not None:
        yield (f"Whoever sees everything that this algorithm shows can raise the odds of any guess about one entry of "
               f"the data by at most {shown_up(meaning['odds'], 3)} times, whatever they knew before.")  # fmt: skip
    if meaning["advantage"] is not None:
        yield (f"Whoever guesses which of two neighbouring data sets was used is right at most "
               f"{shown_up(100 * meaning['advantage'], 3)} percentage points more often than wrong"
               f"{within(meaning['advantage_within'])}.")  # fmt: skip
    if result.witness is not None and result.witness.loss > 0:
        yield (f"On the two data sets below the chances of what is seen differ by a factor of at least "
               f"{shown_down(math.exp(result.witness.lower) * (1 - 1e-12))}: no smaller promise would be "
               "true.")  # fmt: skip
    if meaning["odds"] is None and not result.witness:
        yield "Nothing is known yet about what this algorithm tells about a person."
    for verdict in result.verdicts:
        if result.cut_short and verdict.verdict == "unknown":
            continue
        yield f"The claim `{verdict.claim.text.removeprefix('claim ')}` {verdict.shown.phrase}."
