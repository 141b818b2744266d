"""What `solve` and the engines say of a program with a model of its data."""

from __future__ import annotations

import seqlang
from random_programs.models import Ends
from random_programs.syntax import Program, walk


def solved_ends(source: str) -> tuple[Ends, float, str]:
    """By `solve`: the law, its error, and the method."""
    (result,) = seqlang.solve(source)
    solution = result.solution
    out: Ends = {}
    for step, row in enumerate(solution.table.tolist(), 1):
        for outcome, p in zip(solution.outcomes, row, strict=True):
            key = (step, "stop" if outcome is None else outcome if isinstance(outcome, str) else f"{outcome:g}")
            out[key] = out.get(key, 0.0) + p
    return out, solution.error + solution.lost, solution.method


def difference(a: Ends, b: Ends) -> tuple[float, tuple[int, str] | None]:
    keys = [k for k in a.keys() | b.keys() if k[1] != "goes on"]
    return max(((abs(a.get(k, 0.0) - b.get(k, 0.0)), k) for k in keys), default=(0.0, None))


def simulated(source: str, engine: str, seed: int, runs: int) -> tuple[dict[str, float], float]:
    """By runs: the chance of each return, and the mean of the steps."""
    (result,) = seqlang.run(source, runs=runs, seed=seed, engine=engine)
    document = result.to_dict()
    return {n: r["probability"] for n, r in document["returns"].items()}, document["steps"]["mean"]


def operators(program: Program) -> set[str]:
    """What the program is made of, for the table of engines."""
    out: set[str] = set()
    for top in program.expressions():
        for e in walk(top):
            if e.kind in ("op", "call"):
                out.add(str(e.data[0]))
            elif e.kind == "time":
                out.add(f"{e.data[0]} over {e.data[1]}")
            elif e.kind in ("fold", "listfor", "if", "previous", "recall", "index", "list", "weights"):
                out.add(f"{e.data[0]} for" if e.kind == "fold" else e.kind)
    return out


def states(program: Program) -> set[str]:
    """What has to be remembered from step to step."""
    out = {
        f"{e.data[0]} over {e.data[1]}" if e.kind == "time" else e.kind
        for top in program.expressions()
        for e in walk(top)
        if e.kind in ("time", "previous", "recall")
    }
    out |= {"memory"} if program.memories else set()
    out |= {"noise that is kept"} if any(n.life == "once" for n in program.noises) else set()
    out |= (
        {"noise renewed after a report"}
        if any(n.life.startswith("each ") and n.life != "each step" for n in program.noises)
        else set()
    )
    return out or {"nothing"}
