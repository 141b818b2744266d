"""Cold `seqlang check` beside bare Python: ratios of CPU time in one run, medians over interleaved rounds.

python tests/benchmarks/cold_start.py [SPEC...]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 7
DEFAULT = (
    "@tight/one_sided",
    "@tight/two_sided",
    "@tight/cusum",
    "@tight/window",
    "@tight/repeated_refreshed",
    "@michel2025/outside_interval",
    "@dwork2014/above_noisy_threshold",
    "@zhang2022/privsprt_bernoulli",
)


def cpu(*command: str) -> float:
    """Seconds of CPU time (user and system) of one process."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main(specs: tuple[str, ...]) -> None:
    commands = {spec: ("-m", "seqlang", "check", spec) for spec in specs}
    for command in commands.values():
        cpu(*command)  # fills the caches of byte code and of the parse table
    times: dict[str, list[float]] = {name: [] for name in ("", *commands)}
    for _ in range(ROUNDS):
        times[""].append(cpu("-c", "pass"))
        for name, command in commands.items():
            times[name].append(cpu(*command))
    median = {name: sorted(found)[ROUNDS // 2] for name, found in times.items()}
    print(f"bare Python {median[''] * 1e3:.0f} ms of CPU; seqlang check, as a multiple of it:")
    for name in commands:
        print(f"  {name:<36} {median[name] / median['']:5.1f}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or DEFAULT)
