"""The verdicts on a claim, with the one table of how they are shown: mark, tone and words."""

from __future__ import annotations

from typing import Literal

from seqlang.record import record

VerdictWord = Literal["proved", "refuted", "computed", "unknown"]
Tone = Literal["good", "bad", "doubt"]


@record
class VerdictShown:
    """How a verdict is shown. `words` name it in a report, `phrase` completes the sentence `The claim .. PHRASE.`"""

    mark: str
    tone: Tone
    words: str
    phrase: str


VERDICTS: dict[VerdictWord, VerdictShown] = {
    "proved": VerdictShown("\u2713", "good", "proved", "holds"),
    "refuted": VerdictShown("\u2717", "bad", "refuted", "does not hold"),
    "computed": VerdictShown("\u2248", "doubt", "computed", "is decided by an estimate only, which nothing bounds"),
    "unknown": VerdictShown("?", "doubt", "unknown", "could not be decided"),
}
"""In the order in which they are counted."""
_ESTIMATED = {
    True: ("computed, seems to hold", "seems to hold by an estimate, which nothing bounds"),
    False: ("computed, seems to fail", "seems to fail by an estimate, which nothing bounds"),
}


def shown_verdict(verdict: VerdictWord, holds: bool | None = None) -> VerdictShown:
    """How to show it. `holds`: what an estimate says of a claim that is `computed`."""
    known = VERDICTS[verdict]
    if verdict != "computed" or holds is None:
        return known
    words, phrase = _ESTIMATED[holds]
    return VerdictShown(known.mark, known.tone, words, phrase)
