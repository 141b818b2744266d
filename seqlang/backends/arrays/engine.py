"""Many runs at once, step by step. Finished runs are dropped; every run has its own random streams, so that what a run
does never depends on the runs beside it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from seqlang.backends.arrays import statements
from seqlang.backends.arrays.endings import Endings
from seqlang.backends.arrays.frame import Frame
from seqlang.backends.arrays.inputs import Inputs
from seqlang.backends.arrays.runs import Runs
from seqlang.backends.interpret.values import OUT_OF_STEPS, EvaluationError, OutOfReach
from seqlang.model.program import Stop


class Engine:
    """Makes the steps of a batch of runs: `inputs` gives each step's entry, `endings` decides what stops do.

    Raises CannotVectorise here or in a step, EvaluationError where an expression has no value.
    """

    def __init__(self, runs: Runs, inputs: Inputs, endings: Endings) -> None:
        self.runs = runs
        self.inputs = inputs
        self.endings = endings
        self.steps_done = 0
        self._body = [
            endings.compiled(runs, s) if isinstance(s, Stop) else statements.compiled(runs, s)
            for s in runs.program.body
        ]
        for cell in runs.cells.values():
            cell.start(runs, Frame(runs))

    def run(self, cap: int | None, tell: Callable[[Engine], None]) -> None:
        """Runs all runs to their stop, or to `cap` steps. `tell` is called after every step.

        KeyboardInterrupt: what is unfinished ends as it was after its last full step; it is raised again.
        """
        runs = self.runs
        with np.errstate(all="ignore"):
            try:
                runs.fields.update(self.inputs.dataset(runs))
                while runs.alive.any():
                    if cap is not None and runs.step_number >= cap:
                        self.endings.leave(runs, runs.step_number)
                        return
                    self._step()
                    tell(self)
            except EvaluationError as error:
                if error.diagnostics[0].notes:
                    raise
                raise error.noting(f"in step {runs.step_number}") from None
            except KeyboardInterrupt:
                self.endings.leave(runs, max(0, runs.step_number - 1))
                raise

    def _step(self) -> None:
        runs = self.runs
        if runs.step_number >= runs.compiler.exact.jumps.last_step:
            raise OutOfReach(OUT_OF_STEPS)
        self.endings.begin(runs)
        runs.open_step()
        self.steps_done += int(np.count_nonzero(runs.alive))
        runs.fields.update(self.inputs.entry(runs))
        frame = Frame(runs)
        for statement in self._body:
            statement(frame)
        self.endings.settle(runs)
        runs.drop_finished()

    def forget(self) -> None:
        """Frees the arrays: the parts hold each other, and would stay until cycles are collected some day."""
        vars(self.runs).clear()
        vars(self).clear()
