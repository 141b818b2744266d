"""The one place that strings the passes together: text, tree, model, analyses, result."""

from seqlang.driver.checking import DEFAULT_DELTA, calibrate, check, instances
from seqlang.driver.loading import Loaded, library, load, read, specs_under
from seqlang.driver.running import ENGINES, MOST_RUNS, RARE_RUNS, RUNS, rare, run, run_data
from seqlang.driver.solving import solve
from seqlang.driver.training import rows, train

__all__ = [
    "DEFAULT_DELTA",
    "ENGINES",
    "MOST_RUNS",
    "RARE_RUNS",
    "RUNS",
    "Loaded",
    "calibrate",
    "check",
    "instances",
    "library",
    "load",
    "rare",
    "read",
    "rows",
    "run",
    "run_data",
    "solve",
    "specs_under",
    "train",
]
