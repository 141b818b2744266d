"""What a pattern plays, and how likely that is on either stream: computed once for all searches over one program."""

from __future__ import annotations

from math import inf

from seqlang.analyses.witnesses.datasets import data_pairs
from seqlang.analyses.witnesses.play import Pattern, Played, play
from seqlang.analyses.witnesses.scene import Scene
from seqlang.backends.transcript.follow import Phase
from seqlang.backends.transcript.integrals.noise_laws import log_sum
from seqlang.backends.transcript.integrals.quadrature import COARSE, Answer
from seqlang.backends.transcript.unsupported import Unsupported, Work
from seqlang.record import record

MOST_COARSE = 200_000  # conditional probabilities for one pair of streams while searching
VALUES = 4000  # of them make one unit of work, about a millisecond
LOOKS = 60  # new steps that do


@record
class Evaluated:
    """`logs`: log probability of what is played, on the first and on the second stream; None where the pattern cannot
    be played or the integrals are not found. `work`: what this took when it was computed."""

    played: Played | None
    logs: tuple[float, float] | None
    work: float


class Chances:
    """Remembers what it computed. A search is charged the work again, so that what it finds does not depend on which
    searches came before it."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._known: dict[tuple[Pattern, int], Evaluated] = {}

    def of(self, pattern: Pattern, horizon: int) -> Evaluated:
        """`horizon`: how many steps a stream may have."""
        if (pattern, horizon) not in self._known:
            self._known[pattern, horizon] = self._evaluated(pattern, horizon)
        return self._known[pattern, horizon]

    def _evaluated(self, pattern: Pattern, horizon: int) -> Evaluated:
        follower, spent = self.scene.follower, Work(MOST_COARSE)
        looked = follower.steps_computed
        played, logs, work = None, None, 0.2
        try:
            try:
                played = self._play(pattern, horizon)
            finally:
                work += (follower.steps_computed - looked) / LOOKS * self.scene.weight
            if played is not None:
                work += played.length * (2.0 if follower.stepper.draws else 0.005)  # a tree of states
                logs = self.logs(played, spent)
        except Unsupported:
            work += 0.2
        return Evaluated(played, logs, work + spent.done / VALUES)

    def _play(self, pattern: Pattern, horizon: int) -> Played | None:
        data = None
        if not self.scene.streams and self.scene.datasets:
            data = data_pairs(self.scene)[pattern.data]
        return play(self.scene, pattern, horizon, data)

    def logs(self, played: Played, spent: Work | None = None) -> tuple[float, float]:
        """log P of what is played, on the first and on the second stream, coarsely. Raises `Unsupported`."""
        spent = Work(inf) if spent is None else spent
        return self._log(played.first, spent), self._log(played.second, spent)

    def _log(self, phases: list[Phase], spent: Work) -> float:
        """log P of the event: the same end may come from another stop of the same result."""
        follower = self.scene.follower
        last = phases[-1].observed["stop"]
        found = [_known(follower.log_probability(phases, COARSE, spent))]
        if last is not None:
            for index, label in self.scene.stops:
                if index != last[0] and (label is None or last[1] in (None, True, label)):
                    told = {**phases[-1].observed, "stop": (index, last[1])}
                    other = [*phases[:-1], Phase(phases[-1].entry, told, 1)]
                    found.append(_known(follower.log_probability(other, COARSE, spent)))
        return log_sum(found)


def _known(answer: Answer) -> float:
    if answer.error == inf:
        raise Unsupported("the integral was not found")
    return answer.log
