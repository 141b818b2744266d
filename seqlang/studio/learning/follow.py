"""A learner and its twin without noise, in step: what both know at each checkpoint, scored at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.montecarlo.simulate import EngineName
from seqlang.backends.train import Scores, Trained, Training, train
from seqlang.backends.train.lanes import orders_of
from seqlang.backends.train.predict import Predictor, Questions
from seqlang.backends.train.scores import counted
from seqlang.backends.train.train import Heard, marks_of
from seqlang.diagnostics import SpecError
from seqlang.driver.loading import shown_in
from seqlang.driver.questions import PREDICTED, TRUTH
from seqlang.driver.training import trainings
from seqlang.record import replace
from seqlang.studio.learning.request import Request

Array = NDArray[Any]
Asked = Mapping[str, Questions]
SETS = ("validation", "next rows", "test")
"""On which rows it is scored. The next rows are those that come until the next checkpoint."""
BOUGHT = "bought_"
"""What the labels bought are tracked as: as with other questions, a name that specs do not use."""
WRITTEN, QUIET = "as written", "without noise"


def programs_of(request: Request) -> list[Training]:
    """The spec and its twin, with the questions about rows."""
    learner = request.learner
    asked = {PREDICTED: learner.predicted, TRUTH: learner.truth}
    track = {} if learner.bought is None else {BOUGHT: learner.bought}
    return trainings(request.loaded, asked, track, True)


class Followed:
    """One program's scores: `counts[set]` are (TP, FP, TN, FN), (4, checkpoints, orders), not a number where they are
    not known yet; `labels` are the rows (step, prediction, truth) of the first order. `asked` are the rows with their
    truths, which are the same for all programs."""

    def __init__(self, training: Training, request: Request, marks: Sequence[int], asked: Asked | None = None) -> None:
        self.name, self.marks = training.name, marks
        program = training.program
        if training.returned is not None:
            program = replace(program, memories=(*program.memories, training.returned))
        assert training.predicted is not None and training.truth is not None
        self._predictor = Predictor(program, training.predicted, training.truth)
        self._returned = training.returned
        orders = request.passes.permutations or 1
        self.counts = {name: np.full((4, len(marks), orders), np.nan) for name in SETS}
        self.bought = np.full((len(marks), orders), np.nan)
        self.labels: list[tuple[int, bool, bool]] = []
        self.asked = asked or {"validation": self._predictor.questions(request.validation),
                                "test": self._predictor.questions(request.test)}  # fmt: skip
        self._training = request.training
        self._orders = orders_of(request.training.count, request.training.count, orders, request.passes.seed)
        self._streamed = request.learner.streamed

    def hear(self, memories: Mapping[str, Array], tracked: Mapping[str, Array], first: int = 0) -> None:
        """Scores what is known since the last time, of the runs from `first` on: `memories[name]` (checkpoints, ..,
        runs), not a number where they are not known."""
        if self._returned is not None or not memories:
            return
        finite = [np.isfinite(m).reshape(m.shape[0], -1, m.shape[-1]).all(axis=1) for m in memories.values()]
        for c, i in np.argwhere(np.logical_and.reduce(finite)):
            if np.isnan(self.counts["validation"][0, c, first + i]):
                self._score(int(c), int(first + i), {name: values[c][..., i] for name, values in memories.items()})
                if BOUGHT in tracked:
                    self.bought[c, first + i] = tracked[BOUGHT][c, i]

    def end(self, done: Trained) -> None:
        """Scores the rest, and what was returned."""
        self.hear(done.memories, done.tracked)
        if self._returned is None or done.returned is None:
            return
        for i in np.flatnonzero(np.isfinite(done.returned).reshape(-1, len(done.steps)).all(axis=0)):
            self._score(len(self.marks) - 1, int(i), {self._returned.name: done.returned[..., i]})

    def _score(self, c: int, run: int, memory: Mapping[str, Array]) -> None:
        for name, asked in self.asked.items():
            self.counts[name][:, c, run] = self._predictor.counts(asked, memory, self.marks[c])
        if not self._streamed or c + 1 >= len(self.marks):
            return
        following = self._training.part(self._orders[run, self.marks[c] : self.marks[c + 1]])
        said, truth = self._predictor.answers(following, memory, self.marks[c])
        self.counts["next rows"][:, c, run] = counted(said, truth, np.ones(len(said)))
        if run == 0:
            self.labels += [(self.marks[c] + 1 + k, bool(a), bool(b)) for k, (a, b) in
                            enumerate(zip(said, truth, strict=True))]  # fmt: skip

    def scores(self, rows: str) -> Scores:
        """On these rows: (checkpoints, orders)."""
        return Scores(*self.counts[rows])


def _trained(program: Training, request: Request, heard: Heard) -> Trained:
    """All orders of a stream side by side, which is heard at each checkpoint; what cannot be run so by any engine."""
    engines: tuple[EngineName, ...] = ("numpy", "auto") if request.learner.streamed else ("auto",)
    for engine in engines:
        try:
            return train([program], request.training, None, replace(request.passes, engine=engine), heard=heard)[0]
        except SpecError as error:
            if engine == engines[-1] or error.diagnostics[0].code != "E0622":
                raise
    raise AssertionError("the last engine did neither")


def follow(request: Request, told: Callable[[list[Followed]], None]) -> tuple[list[Followed], list[Trained]]:
    """Both at a time: after each checkpoint one waits for the other, so that they are seen beside each other. `told`
    hears when something new is known. Raises SpecError."""
    with shown_in(request.loaded.source):
        programs = programs_of(request)
        marks = marks_of(request.loaded.program, request.training, request.passes)
        found: list[Followed] = []
        for one in programs:
            found.append(Followed(one, request, marks, found[0].asked if found else None))
        barrier, lock = Barrier(len(programs)), Lock()

        def heard(number: int, part: Any) -> None:
            with lock:
                found[number].hear(part.memories, part.tracked, part.record.first)
            try:
                leads = barrier.wait() == 0
            except BrokenBarrierError:  # the other one is done
                leads = True
            if leads:
                with lock:
                    told(found)

        def work(number: int) -> Trained:
            try:
                done = _trained(programs[number], request, lambda _, part: heard(number, part))
            finally:
                barrier.abort()  # whoever is not done goes on alone
            found[number].end(done)
            return done

        with ThreadPoolExecutor(len(programs)) as pool:
            return found, list(pool.map(work, range(len(programs))))
