"""seqlang: a language for sequential algorithms on private data.

    import seqlang
    spec = seqlang.load("specs/tight/one_sided.seq", lz=2)
    seqlang.check(spec)             # privacy bounds and the verdict of every claim
    seqlang.run(spec, runs=10_000)  # simulation under each model of the file
    seqlang.solve(spec)             # the exact law of the stopping step and the return under each model

Importing this package is cheap; numpy and scipy are imported where they are first needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from seqlang.version import __version__

if TYPE_CHECKING:
    from seqlang.api import (
        Spec,
        calibrate,
        check,
        design,
        instances,
        load,
        monitor,
        rare,
        rows,
        run,
        run_data,
        solve,
        start,
        sweep,
        train,
        tune,
    )
    from seqlang.diagnostics import SpecError

__all__ = [
    "Spec",
    "SpecError",
    "__version__",
    "calibrate",
    "check",
    "design",
    "instances",
    "load",
    "monitor",
    "rare",
    "rows",
    "run",
    "run_data",
    "solve",
    "start",
    "sweep",
    "train",
    "tune",
]


def __getattr__(name: str) -> object:
    """The public names live in `seqlang.api`; they are imported when first asked for (PEP 562)."""
    if name in __all__:
        import seqlang.api

        return getattr(seqlang.api, name)
    raise AttributeError(f"module 'seqlang' has no attribute '{name}'")


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext seqlang` in a notebook: the cell magic `%%seq`, see `seqlang.notebook.magic.load`."""
    from seqlang.notebook.magic import load as load_magic

    load_magic(shell)


def __dir__() -> list[str]:
    return list(__all__)
