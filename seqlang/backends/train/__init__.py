"""Training on real rows: many orders of the rows side by side, checkpoints, and metrics on rows held out."""

from __future__ import annotations

from seqlang.backends.train.reading import read_rows
from seqlang.backends.train.rows import Rows, rows_from_arrays
from seqlang.backends.train.scores import METRICS, Scores
from seqlang.backends.train.train import Passes, Trained, Training, train

__all__ = ["METRICS", "Passes", "Rows", "Scores", "Trained", "Training", "read_rows", "rows_from_arrays", "train"]
