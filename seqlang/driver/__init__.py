"""The one place that strings the passes together: text, tree, model, analyses, result."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from seqlang.driver.checking import DEFAULT_DELTA as DEFAULT_DELTA
from seqlang.driver.checking import calibrate as calibrate
from seqlang.driver.checking import check as check
from seqlang.driver.checking import instances as instances
from seqlang.driver.checking import privacy_curves as privacy_curves
from seqlang.driver.loading import Loaded as Loaded
from seqlang.driver.loading import library as library
from seqlang.driver.loading import load as load
from seqlang.driver.loading import read as read
from seqlang.driver.loading import specs_under as specs_under

if TYPE_CHECKING:
    from seqlang.driver.running import ENGINES as ENGINES
    from seqlang.driver.running import MOST_RUNS as MOST_RUNS
    from seqlang.driver.running import RARE_RUNS as RARE_RUNS
    from seqlang.driver.running import RUNS as RUNS
    from seqlang.driver.running import rare as rare
    from seqlang.driver.running import run as run
    from seqlang.driver.running import run_data as run_data
    from seqlang.driver.solving import solve as solve
    from seqlang.driver.training import rows as rows
    from seqlang.driver.training import train as train

_LATER = {
    "running": ("ENGINES", "MOST_RUNS", "RARE_RUNS", "RUNS", "rare", "run", "run_data"),
    "solving": ("solve",),
    "training": ("rows", "train"),
}
"""A check does without these."""


def __getattr__(name: str) -> object:
    """They are imported when one of them is first asked for (PEP 562)."""
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(f"seqlang.driver.{module}"), name)
    raise AttributeError(f"module 'seqlang.driver' has no attribute '{name}'")
