"""Random programs that are decided at a delta, with laws of their own: what is proved, beside the divergence of the
laws of all neighbours. `python -m random_programs.decided_at_delta histogram --instances 1000 --counts histogram.json`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from random_programs.judge import Judged, derivations, loaded, rules_of, size_of
from seqlang.analyses.prove import prove
from seqlang.diagnostics import SpecError
from seqlang.proof.derivation import ApproximateBound

Law = Mapping[Any, Any]
"""The chance of each outcome."""


@dataclass(frozen=True)
class Subject:
    """A program, the deltas at which it is judged, its neighbours with their laws, the labels of the tables ("adjacency
    | noise | data"), and how far a divergence of these laws may be too large."""

    text: str
    deltas: tuple[Fraction, ...]
    pairs: Callable[[], list[tuple[str, Law, Law]]]
    labels: str
    error: float


def divergence(p: Law, q: Law, epsilon: float) -> float:
    """sum over outcomes of (p - exp(epsilon) q)+."""
    factor = math.exp(epsilon)
    return sum(max(0.0, float(chance) - factor * float(q.get(seen, 0))) for seen, chance in p.items())


def judged(subject: Subject) -> Judged:
    """False if some pair of neighbours loses more than is proved."""
    try:
        model = loaded(subject.text)
    except SpecError as error:
        return Judged("invalid", "; ".join(f"{d.code} {d.message}" for d in error.diagnostics))
    found = {}
    for delta in subject.deltas:
        for d in derivations(prove(model, delta=delta, orders=())):
            if isinstance(d.conclusion, ApproximateBound) and size_of(model, d) < math.inf:
                found[delta, size_of(model, d)] = d
    if not found:
        return Judged("open")
    pairs, lost = subject.pairs(), 0.0
    fired = frozenset(rule for d in found.values() for rule in rules_of(d))
    for delta, epsilon in found:
        true, where = max(((divergence(p, q, epsilon), pair) for pair, p, q in pairs), default=(0.0, ""))
        lost = max(lost, true)
        if true > float(delta) * (1 + 1e-9) + subject.error:
            said = f"delta at {epsilon:.6g}: proved {float(delta):.6g}, true {true:.6g}"
            return Judged("false", said, fired, where)
    return Judged("held" if lost > 0 else "trivial", f"{lost:.4g}", fired)


def main(arguments: list[str]) -> int:
    from random_programs.histograms import histogram_subject
    from random_programs.short_tests import short_subject
    from random_programs.whole_numbers import whole_numbers_subject

    kinds = {"histogram": histogram_subject, "short": short_subject, "whole numbers": whole_numbers_subject}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=[*kinds])
    parser.add_argument("--instances", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--counts", type=Path, help="a new file for the counts, which `tables` adds")
    options = parser.parse_args(arguments)
    cells, programs, began = Counter[str](), Counter[str](), time.monotonic()
    for seed in range(options.first_seed, options.first_seed + options.instances):
        if time.monotonic() - began > options.seconds:
            break
        subject = kinds[options.kind](seed)
        found = judged(subject)
        programs[f"{options.kind} | {found.status}"] += 1
        if found.status == "held":
            cells.update(f"{rule} | {subject.labels}" for rule in found.rules)
        if found.status in ("false", "invalid"):
            print(f"# {found.status}, seed {seed}: {found.said}\n# {found.witness}\n{subject.text}", flush=True)
    if options.counts is not None:
        options.counts.write_text(json.dumps({"cells": cells, "programs": programs}, indent=1, sort_keys=True) + "\n")
    print(f"from seed {options.first_seed}: {dict(programs)}")
    return 1 if programs[f"{options.kind} | false"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
