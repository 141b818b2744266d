"""Random programs from the grammar: no proof may lie below what an oracle knows is lost.

`pytest tests/properties/test_random_programs.py --instances 100000 --first-seed 5000` is the longer run, and
`python -m random_programs.hunt` the one for several processes. Every failure is made small and written to `found/`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from random_programs import judge
from random_programs.agreement import disagreement
from random_programs.enumeration import TooWide
from random_programs.hunt import FAILURES, reproducer, small
from random_programs.judge import KINDS, Judged, Kind
from random_programs.meaning import Undefined
from random_programs.refutations import event_is_wrong, exaggeration
from random_programs.syntax import Program
from thorough import several, spread

from seqlang.analyses.refute import lower_bound
from seqlang.diagnostics import SpecError
from seqlang.model.program import Program as Model
from seqlang.proof.derivation import Derivation

FOUND = Path(__file__).parent / "found"
SHARE = {
    "release": 0.35,
    "cells": 0.06,
    "linear": 0.15,
    "transcript": 0.16,
    "stopping": 0.08,
    "fences": 0.06,
    "learning": 0.03,
    "gaussian": 0.04,
}
"""Programs of each kind for one of `--instances`."""


def _seeds(kind: str, request: pytest.FixtureRequest) -> range:
    count = round(int(request.config.getoption("--instances")) * SHARE[kind])
    first = int(request.config.getoption("--first-seed"))
    print(f"{kind} programs with the seeds {first} to {first + count - 1}")
    return range(first, first + count)


@pytest.mark.parametrize("name", KINDS)
def test_no_proof_is_below_the_truth(name: str, request: pytest.FixtureRequest) -> None:
    kind, counts = KINDS[name], Counter[str]()
    for seed in _seeds(name, request):
        program = kind.program(seed)
        judged = kind.judged(program)
        counts[judged.status] += 1
        if judged.status in FAILURES:
            pytest.fail(_kept(kind, seed, program, judged))
    assert counts["held"] >= 0.12 * sum(counts.values()), f"the programs must exercise the prover: {counts}"
    assert counts["invalid"] <= 0.02 * sum(counts.values()), f"the programs must be valid: {counts}"


def test_no_witness_is_above_the_truth(request: pytest.FixtureRequest) -> None:
    """Where every input is tried and the run ends, the loss is known, and a witness may not claim more."""
    seen = 0
    first = int(request.config.getoption("--first-seed"))
    count = round(int(request.config.getoption("--instances")) * 0.12)
    for name in ("release", "linear"):
        for seed in range(first, first + count):
            program = KINDS[name].program(seed)
            try:
                said = exaggeration(KINDS[name], program)
            except (Undefined, SpecError):
                continue
            assert said is None, f"{name} program, seed {seed}: {said}\n{judge.text(program)}"
            seen += 1
    assert seen >= count / 6


@pytest.mark.parametrize("name", ["transcript", pytest.param("stopping", marks=pytest.mark.long)])
def test_witnesses_have_the_listed_chances(name: str, request: pytest.FixtureRequest) -> None:
    """The chances of a witness's event, and its loss beside what is proved."""
    seen = 0
    first = int(request.config.getoption("--first-seed"))
    count = max(several(10, 12), round(int(request.config.getoption("--instances")) * 0.02))
    for seed in range(first, first + count):
        program = KINDS[name].program(seed)
        if len(program.noises) > 2:
            continue  # the search takes seconds where three noises meet
        try:
            model = judge.loaded(judge.text(program))
            witness = lower_bound(model)
            if witness is None:
                continue
            bound = judge.proved(model).pure
            proved = math.inf if bound is None else judge.size_of(model, bound)
            assert witness.lower <= proved + 1e-9, f"{name} program, seed {seed}\n{judge.text(program)}{witness}"
            said = event_is_wrong(program, witness)
        except (Undefined, TooWide, SpecError):
            continue
        assert said is None, f"{name} program, seed {seed}: {said}\n{judge.text(program)}"
        seen += 1
    assert seen >= count / 10


@pytest.mark.parametrize("seed", spread([815026, 815058, 815089, 815574, 816060, 817118], 3))
def test_witnesses_that_were_wrong_or_misjudged(seed: int) -> None:
    """A 1 that is shown, truth values that are false, a stop without a label; a position 0, and what runs since a truth
    value."""
    program = KINDS["transcript"].program(seed)
    witness = lower_bound(judge.loaded(judge.text(program)))
    assert witness is not None
    assert event_is_wrong(program, witness) is None


def _kept(kind: Kind, seed: int, program: Program, judged: Judged) -> str:
    least, said = small(kind, program, judged, letters=True)
    told = reproducer(kind, seed, least, said, letters=True)
    FOUND.mkdir(exist_ok=True)
    (FOUND / f"{kind.name}-{seed}.seq").write_text(told)
    return told


def test_the_judge_sees_a_bound_that_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of every bound: for many programs the bound is what is lost, and that is then seen."""
    honest = judge.size_of

    def halved(model: Model, d: Derivation) -> float:
        return honest(model, d) / 2

    seen = [kind.judged(kind.program(seed)).status for kind in _kinds() for seed in range(several(5, 25))]
    monkeypatch.setattr(judge, "size_of", halved)
    now = [kind.judged(kind.program(seed)).status for kind in _kinds() for seed in range(several(5, 25))]
    assert "false" not in seen
    assert now.count("false") >= seen.count("held") / 3


def _kinds() -> Iterator[Kind]:
    yield from (KINDS["release"], KINDS["linear"])


def test_the_evaluator_agrees_with_the_interpreter() -> None:
    """Two readings of the language by independent code, on the same programs and inputs."""
    compared = 0
    count = several(50, 120)
    for seed in range(count):
        program = KINDS["release"].program(seed)
        if any(s.kind == "draw" for s in program.statements):
            continue
        try:
            said = disagreement(program, seed)
        except Undefined:
            continue
        assert said is None, f"seed {seed}: {said}\n{judge.text(program)}"
        compared += 1
    assert compared > 0.6 * count


def test_every_listed_law_adds_up_to_one() -> None:
    listed = 0
    for seed in range(25):
        program = KINDS["transcript" if seed % 2 else "stopping"].program(seed)
        inputs = judge.inputs_of(program, 30, count=2)
        try:
            law = judge.laws(program, inputs)
        except (TooWide, Undefined):
            continue
        listed += 1
        for chance, missing in zip(law.chance, law.missing, strict=True):
            assert sum(chance.values()) + missing == pytest.approx(1, abs=1e-8), seed
    assert listed > 8
