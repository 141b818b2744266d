"""Soundness: on random small specs no proved bound lies below the exact loss, and no witness claims more than is true.

`pytest tests/properties --instances 20000 --first-seed 1000` is the longer run.
"""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from instances import Instance, random_instance
from oracle import Outcome, exact_law, exact_loss

from seqlang import driver
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove
from seqlang.analyses.refute import lower_bound
from seqlang.model.program import Program
from seqlang.proof.derivation import PureBound
from seqlang.proof.witness import Event, Witness
from seqlang.report.numbers import upper
from seqlang.rules.sensitivity.formulas import parameter_values
from seqlang.source import Source

CHUNK = 50
QUADRATURE = 1e-6
"""Nats by which the oracle's quadrature may be off."""


def _length(instance: Instance) -> int:
    """Short streams where the oracle is dear (two shared noises, streams of queries), else up to 8."""
    if instance.every:
        return 3
    if instance.reports:
        return 5 if len(instance.alphabet) == 2 else 4
    if len(instance.gates) == 2 and instance.gates[0].w == instance.gates[1].w:
        return 4
    if len(instance.alphabet) > 2:
        return 4
    return 6 if instance.kind != "sum" else 8


def _program(instance: Instance) -> Program:
    return driver.load(Source("<instance>", instance.text)).program


def _pure(program: Program, bounds: Bounds) -> float:
    if bounds.pure is None:
        return math.inf
    assert isinstance(bounds.pure.conclusion, PureBound)
    return upper(bounds.pure.conclusion.epsilon, parameter_values(program))


def _chunks(config: pytest.Config) -> list[int]:
    return list(range(int(config.getoption("--instances")) // CHUNK))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        metafunc.parametrize("chunk", _chunks(metafunc.config))


def test_no_proved_bound_is_below_the_exact_loss(chunk: int, request: pytest.FixtureRequest) -> None:
    first = int(request.config.getoption("--first-seed")) + chunk * CHUNK
    finite = 0
    for seed in range(first, first + CHUNK):
        instance = random_instance(random.Random(seed))
        program = _program(instance)
        bound = _pure(program, prove(program, orders=()))
        if math.isinf(bound):
            continue
        finite += 1
        loss = exact_loss(instance, _length(instance))
        assert loss <= bound + QUADRATURE, f"seed {seed}: exact {loss} > proved {bound}\n{instance.text}"
    assert finite > CHUNK // 4, "the instances must exercise the prover"


def test_no_witness_claims_more_than_is_true(chunk: int, request: pytest.FixtureRequest) -> None:
    """A witness's probabilities are those of the oracle for the same two streams and event."""
    first = int(request.config.getoption("--first-seed")) + chunk * CHUNK
    checked = 0
    for seed in range(first, first + CHUNK, 5):
        instance = random_instance(random.Random(seed))
        if len(instance.persistent) + len(instance.fresh) > 2 and not request.config.getoption("--long"):
            continue  # the search takes seconds where three noises meet
        program = _program(instance)
        witness = lower_bound(program)
        if witness is None or max(map(len, witness.streams)) > (30 if instance.reports else 60):
            continue
        checked += 1
        p, q = (_probability(instance, stream, witness.event) for stream in witness.streams)
        assert witness.p - witness.p_error <= p * (1 + 1e-7) + 1e-10, f"seed {seed}\n{instance.text}\n{witness}"
        assert witness.q + witness.q_error >= q * (1 - 1e-7) - 1e-10, f"seed {seed}\n{instance.text}\n{witness}"
        _loss_is_honest(witness, p, q, seed)
        bound = _pure(program, prove(program, orders=()))
        assert witness.loss <= bound + 1e-9, f"seed {seed}: witness {witness.loss} > proved {bound}\n{instance.text}"
    assert checked > 0


def _loss_is_honest(witness: Witness, p: float, q: float, seed: int) -> None:
    if min(p, q) > 1e-7:
        assert witness.loss <= math.log(p / q) + 1e-5, f"seed {seed}"


def _probability(instance: Instance, stream: tuple[object, ...], event: Event) -> float:
    numbers = tuple(float(x) for x in stream)  # type: ignore[arg-type]
    law = exact_law(instance, numbers)
    return sum(p for outcome, p in law.items() if _in(instance, outcome, event))


def _in(instance: Instance, outcome: Outcome, event: Event) -> bool:
    """Whether the transcript of this outcome begins as the event says."""
    if instance.reports:
        steps = [step for step, _ in outcome]
        wanted = [step for step, _, _ in event.reports]
        last = event.stopped_at or event.not_by or (wanted[-1] if wanted else 0)
        return [s for s in steps if s <= last] == wanted
    if event.stopped_at is not None:
        name = str(event.result).removeprefix("Label(name='").removesuffix("')")
        return bool(outcome) and outcome[0][0] == event.stopped_at and f"r{outcome[0][1]}" == name
    assert event.not_by is not None
    return not outcome or outcome[0][0] > event.not_by


def test_the_instances_cover_every_family_and_class() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(1000):
        instance = random_instance(random.Random(seed))
        kinds.update([instance.kind, *(law.family for law in (*instance.persistent, *instance.fresh))])
        kinds.update([f"{len(instance.alphabet)} letters"])
        kinds.update([f"{len(instance.gates)} gates", instance.life, f"{instance.reports} reports"])
    assert min(kinds.values()) >= 50, kinds
