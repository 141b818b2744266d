"""Which planted faults the random programs notice: `python -m random_programs.faults --instances 100` plants each wrong
rule of `planted_faults` and judges every kind of program until a proof lies below the truth."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator

import pytest
from planted_faults import MUTANTS, Mutant, plant

from random_programs.enumeration import TooWide
from random_programs.judge import KINDS, Crashed, Kind, Truth, compared, derivations, loaded, proved, size_of
from random_programs.meaning import Undefined
from random_programs.syntax import Program, text
from seqlang.diagnostics import SpecError

Known = tuple[int, Program, Truth]


def known_truths(kind: Kind, instances: int) -> Iterator[Known]:
    """Seed, program and truth, where something is lost."""
    for seed in range(instances):
        program = kind.program(seed)
        try:
            truth = kind.truth(kind.seen(program))
        except (Undefined, TooWide):
            continue
        if truth.pure() > 0:
            # all that proves is imported by this, so that no module takes a planted function for its own
            assert not is_noticed(kind, program, truth), f"{kind.name} {seed} is false before anything is planted"
            yield seed, program, truth


def is_noticed(kind: Kind, program: Program, truth: Truth) -> bool:
    try:
        model = loaded(text(program))
        found = [d for d in derivations(proved(model, program.horizon)) if size_of(model, d) < math.inf]
        return compared(model, found, truth, kind.error).status == "false"
    except (Crashed, SpecError):
        return False


def forget() -> None:
    """What modules of seqlang have kept of former calls, perhaps under another fault."""
    for name, module in list(sys.modules.items()):
        if name.startswith("seqlang"):
            for kept in list(vars(module).values()):
                if hasattr(kept, "cache_clear"):
                    kept.cache_clear()


def first_noticed(mutant: Mutant, known: dict[str, list[Known]]) -> str | None:
    """Kind and seed of a program that shows the fault."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        forget()
        plant(monkeypatch, mutant)
        for name, programs in known.items():
            for seed, program, truth in programs:
                if is_noticed(KINDS[name], program, truth):
                    forget()
                    return f"{name} {seed}"
    forget()
    return None


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=100)
    parser.add_argument("--kinds", nargs="*", default=[*KINDS])
    parser.add_argument("--named", nargs="*", default=[""], help="only faults with one of these words in their names")
    options = parser.parse_args(arguments)
    known = {name: list(known_truths(KINDS[name], options.instances)) for name in options.kinds}
    missed = 0
    mutants = [m for m in MUTANTS if any(word in m.name for word in options.named)]
    for mutant in mutants:
        found = first_noticed(mutant, known)
        missed += found is None
        print(f"{mutant.name}: {found}", flush=True)
    print(f"{len(mutants) - missed} of {len(mutants)} faults noticed")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
