"""The executor that fits the work."""

from __future__ import annotations

from collections.abc import Sequence

from seqlang.sweeps.executors.executor import Executor
from seqlang.sweeps.unit import Unit

ENOUGH = 100_000
"""Runs in all: with fewer, to start processes takes longer than they save."""
ONE_SOLUTION = 10_000
"""An exact law takes about as long as so many runs."""


def executor(units: Sequence[Unit], workers: int | None, cluster: str | None, threads: int | None = None) -> Executor:
    """A cluster where one is named; else `workers` processes, by default one a core if there is work enough, each with
    so many `threads` for a simulation."""
    from seqlang.sweeps.executors.processes import Processes, cores
    from seqlang.sweeps.executors.serial import Serial

    if cluster is not None:
        from seqlang.sweeps.executors.cluster import Cluster

        return Cluster(cluster)
    work = sum(dict(u.options).get("runs", ONE_SOLUTION) for u in units)
    wanted = workers or (cores() if work >= ENOUGH else 1)
    wanted = min(wanted, len(units))
    return Serial(threads) if wanted <= 1 else Processes(wanted, threads)
