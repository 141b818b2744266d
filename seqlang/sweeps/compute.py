"""One unit computed: a function of plain data alone, the same wherever it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from threading import Lock
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.sweeps.failures import plain_of
from seqlang.version import __version__

Plain = dict[str, Any]

_ONE = Lock()
"""Imports inside functions, and the limit on BLAS threads, are not made for units side by side."""
_TOLD = ("runs_done", "runs", "steps_done", "mean_steps")


def compute(unit: Plain, tell: Callable[[Plain], None] | None = None, threads: int | None = None) -> Plain:
    """`unit` is a `Unit.to_plain()`. The answer has one key: `result`, the JSON object of the run or the exact law;
    `unsolved`, the reason why there is no exact law here; `failed`, the diagnostics of a spec that cannot be run;
    `version`, that of a worker which is not the one asked for; `bug`, an error of ours. A KeyboardInterrupt is
    passed on, so what it cut short is never taken for a result. `tell` hears now and then how far a simulation is.

    A process computes one unit at a time, a simulation in `threads` (default: one a processor); no number depends on
    them."""
    with _ONE:
        return _computed(unit, tell, threads)


def _computed(unit: Plain, tell: Callable[[Plain], None] | None, threads: int | None) -> Plain:
    if unit["seqlang"] != __version__:
        return {"version": __version__}
    try:
        result = _run(unit, tell, threads) if unit["do"] == "run" else _solve(unit)
    except SpecError as error:
        if unit["do"] == "solve" and [d.code for d in error.diagnostics] == ["E0623"]:
            return {"unsolved": error.diagnostics[0].message}
        return {"failed": [plain_of(d) for d in error.diagnostics]}
    except Exception as error:
        return {"bug": _where(error)}
    if result.get("interrupted"):
        raise KeyboardInterrupt
    # Through JSON here too, so that a result is the same whether or not it has travelled.
    return {"result": json.loads(json.dumps(result, allow_nan=False))}


def _run(unit: Plain, tell: Callable[[Plain], None] | None, threads: int | None) -> Plain:
    from seqlang import driver
    from seqlang.backends.montecarlo.progress import Progress
    from seqlang.backends.one_thread import one_thread

    def told(state: Progress) -> None:
        if tell is not None:
            tell({name: getattr(state, name) for name in _TOLD})

    with one_thread():  # a matrix product depends, in its last digit, on how many threads share it
        (result,) = driver.run(
            _loaded(unit), models=(unit["model"],), progress=told, threads=threads, **unit["options"]
        )
    return result.to_dict()


def _solve(unit: Plain) -> Plain:
    from seqlang import driver
    from seqlang.backends.one_thread import one_thread

    with one_thread():
        (result,) = driver.solve(_loaded(unit), models=(unit["model"],), **unit["options"])
    return result.to_dict()


def _loaded(unit: Plain) -> Any:
    from seqlang import driver
    from seqlang.source import Source

    values = {name: Fraction(value) for name, value in unit["parameters"].items()}
    return driver.load(Source(unit["name"], unit["text"]), values)


def _where(error: Exception) -> str:
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} (at {last.filename.rpartition('/')[2]}:{last.lineno} in {last.name})"
