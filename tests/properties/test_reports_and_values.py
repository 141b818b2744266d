"""Soundness on programs with reports, released values, memory, choices and shared noise.

`pytest tests/properties/test_reports_and_values.py --instances 10000 --first-seed 1000` is a longer run, of 3,000.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import pytest
from discrete_instances import Atom, Condition, Gate
from discrete_instances import Noise as OtherNoise
from discrete_instances import Program as OtherProgram
from discrete_oracle import Oracle
from judge import Pair, chances, excess, laws_of, pure_loss, renyi
from particles import Noise, Program, Run, Statement, TooWide, geometric
from report_programs import Cells, Instance, compared, name, random_instance
from selection_programs import random_selection

from seqlang import driver
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.claims import decide
from seqlang.analyses.prove import prove, size_of
from seqlang.analyses.refute import lower_bound
from seqlang.model.program import Program as Model
from seqlang.proof.derivation import ApproximateBound, RenyiBound
from seqlang.source import Source

CHUNK = 50
ORDERS = (1.5, 2.0, 8.0)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        metafunc.parametrize("chunk", range(max(1, int(metafunc.config.getoption("--instances")) * 3 // 10 // CHUNK)))


def _instances(chunk: int, request: pytest.FixtureRequest, stride: int = 1) -> Iterator[tuple[int, Instance, Model]]:
    first = int(request.config.getoption("--first-seed")) + chunk * CHUNK
    for seed in range(first, first + CHUNK, stride):
        instance = random_instance(random.Random(seed))
        yield seed, instance, driver.load(Source("<instance>", instance.text)).program


def _laws(instance: Instance) -> tuple[list[Pair], float] | None:
    try:
        return laws_of(instance), instance.program.missed(max(len(a) for a, _ in instance.pairs))
    except TooWide:
        return None


def _pure(model: Model, bounds: Bounds) -> float:
    return math.inf if bounds.pure is None else size_of(model, bounds.pure)


def test_no_bound_is_below_the_enumerated_loss(chunk: int, request: pytest.FixtureRequest) -> None:
    """Pure, Renyi and (epsilon, delta), all from one search."""
    judged = 0
    for seed, instance, model in _instances(chunk, request):
        horizon = max(len(a) for a, _ in instance.pairs)
        bounds = prove(model, delta=Fraction(1, 20), horizon=horizon, orders=ORDERS)
        free = prove(model, orders=())
        if bounds.pure is None and free.pure is None and bounds.dp is None and not bounds.rdp:
            continue
        laws = _laws(instance)
        if laws is None:
            continue
        judged += 1
        pairs, error = laws
        loss, where = pure_loss(pairs, error)
        told = f"seed {seed}\n{instance.text}"
        for proved in (_pure(model, bounds), _pure(model, free)):
            assert loss <= proved + 1e-9, f"{told}exact {loss} > proved {proved} at {where}: {_pair(instance, where)}"
        if bounds.dp is not None:
            assert isinstance(bounds.dp.conclusion, ApproximateBound)
            eps, delta = bounds.dp.conclusion.epsilon, bounds.dp.conclusion.delta
            assert excess(pairs, eps, error) <= delta + 1e-9, f"{told}more than {delta} at {eps}"
        for derivation in bounds.rdp:
            assert isinstance(derivation.conclusion, RenyiBound)
            order, bound = derivation.conclusion.order, derivation.conclusion.epsilon
            assert renyi(pairs, order, error) <= bound + 1e-9, f"{told}order {order} above {bound}"
    assert judged > CHUNK // 12, "the instances must exercise the prover"


def _pair(instance: Instance, where: object) -> object:
    return instance.pairs[where[0]] if isinstance(where, tuple) else None


def test_no_witness_claims_more_than_is_true(chunk: int, request: pytest.FixtureRequest) -> None:
    """Its chances are the oracle's, its loss is at most what is proved; a family of losses without end contradicts any
    bound."""
    for seed, instance, model in _instances(chunk, request, 10):
        if len(instance.program.noises) > 3 and not request.config.getoption("--long"):
            continue
        told = f"seed {seed}\n{instance.text}"
        bounds = prove(model, orders=())
        witness = lower_bound(model)
        if witness is None:
            continue
        proved = _pure(model, bounds)
        assert witness.lower <= proved + 1e-9, f"{told}{witness} > {proved}"
        try:
            found = chances(instance.program, witness)
        except TooWide:
            continue
        if found is None:
            continue
        p, q, error = found
        assert abs(p - witness.p) <= error + witness.p_error + 1e-9 * p, f"{told}{witness}: {p}"
        assert abs(q - witness.q) <= error + witness.q_error + 1e-9 * q, f"{told}{witness}: {q}"


def test_claims_agree_with_the_enumerated_loss(chunk: int, request: pytest.FixtureRequest) -> None:
    """Below the loss no claim is proved, above the proved bound none is refuted."""
    for seed, instance, model in _instances(chunk, request, 25):
        laws = _laws(instance)
        if laws is None:
            continue
        pairs, error = laws
        loss, _ = pure_loss(pairs, error)
        bounds = prove(model)
        proved = _pure(model, bounds)
        told = f"seed {seed}\n{instance.text}loss {loss}, proved {proved}"
        claims = []
        if loss > 1e-6:
            claims += [(f"claim strong pure({loss * (1 - 1e-6)!r})", "proved")]
            small = excess(pairs, loss / 2, error)
            if small > 1e-6:
                claims += [(f"claim strong dp({loss / 2!r}, {small * (1 - 1e-6):.17f})", "proved")]
        if proved < math.inf:
            claims += [(f"claim strong pure({proved + 1e-6!r})", "refuted")]
        for claim, never in claims:
            asked = driver.load(Source("<instance>", f"{instance.text}{claim}\n")).program
            known = prove(asked)
            (verdict,) = decide(asked, delta=known.delta, horizon=None, known=known, witness=None)
            assert verdict.verdict != never, f"{told}\n{claim}: {verdict.verdict}"


def test_no_bound_on_a_selection_is_below_the_enumerated_loss(chunk: int, request: pytest.FixtureRequest) -> None:
    """Noisy maxima, the best of the rest, exponential weights, largest values."""
    first = int(request.config.getoption("--first-seed")) + chunk * CHUNK
    for seed in range(first, first + CHUNK, 10):
        instance = random_selection(random.Random(seed))
        model = driver.load(Source("<instance>", instance.text)).program
        proved = _pure(model, prove(model, orders=()))
        laws = None if math.isinf(proved) else _laws(instance)
        if laws is None:
            continue
        loss, where = pure_loss(*laws)
        told = f"seed {seed}\n{instance.text}"
        assert loss <= proved + 1e-9, f"{told}exact {loss} > proved {proved} at {where}: {_pair(instance, where)}"


def test_every_law_adds_up_to_one() -> None:
    for seed in range(40):
        found = _laws(random_instance(random.Random(seed)))
        for law in (law for pair in (found or ((), 0))[0] for law in pair):
            assert sum(law.values()) == pytest.approx(1, abs=1e-9), seed


def test_known_losses() -> None:
    """A geometric release tells log(1 / ratio) a unit, twice that if shown twice; one draw for two: any loss."""
    noise = Noise("w", geometric(1 / 8, 7), "step", (("v", 1),))
    shown = Statement("value", "v", name("x"))
    for steps, pairs in ((1, (((0,), (1,)),)), (2, (((0, 0), (1, 1)),))):
        one = Instance(Program((shown,), (noise,)), pairs, frozenset())
        loss, _ = pure_loss(laws_of(one), one.program.missed(steps))
        assert loss == pytest.approx(steps * math.log(8), abs=1e-3)
    kept = Noise("w", geometric(1 / 8, 7), "once", (("v", 1),))
    twice = Instance(Program((shown,), (kept,)), (((0, 0), (1, 0)),), frozenset())
    assert pure_loss(laws_of(twice), twice.program.missed(2))[0] > 10


def test_against_the_other_enumeration() -> None:
    """Two gates that share a kept and a fresh noise, as `discrete_instances` has them."""
    noises = (OtherNoise(0.125, "once", (("T0", 1), ("T1", -1))), OtherNoise(0.25, "step", (("s0", 1),)))
    gates = tuple(Gate("stop", f"r{j}", Condition("atom", (), Atom(0, sign, j))) for j, sign in enumerate((">=", "<=")))
    other = OtherProgram((0.0, 1.0), "replace one", ("sum",), (1, 0), gates, noises)
    z = Noise("z", geometric(0.125, 16), "once", (("T0", 1), ("T1", -1)))
    w = Noise("w", geometric(0.25, 24), "step", (("s0", 1),))
    total = Statement("statistic", "s0", Cells().total(name("x")))
    stops = tuple(
        Statement("stop", f"r{j}", None, compared(sign, name("s0"), name(f"T{j}")))
        for j, sign in enumerate((">=", "<="))
    )
    mine = Program((total, *stops), (z, w), parameters={"T0": 1.0, "T1": 0.0})
    law = Oracle(other).law((1.0, 0.0, 1.0))
    for (step, how, label, _, _), p in Run(mine).law((1, 0, 1)).items():
        seen = ((),) * 3 if how != "stop" else (*((),) * (step - 1), ((f"r{label}", 0),))
        assert law[seen] == pytest.approx(p, abs=1e-11)


def test_the_instances_cover_every_kind() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(1000):
        instance = random_instance(random.Random(seed))
        kinds.update(instance.tags)
    wanted = {
        "replace one", "replace 2", "every", "every same", "one", "one same", "value", "value under an event", "gap",
        "argmax", "memory", "memory of values", "weighted counts", "shared noise", "life once", "life step",
        "life each", "local", "draw", "coin", "budget", "public event", "public factor", "stop by memory",
        "flipped statistic", "finite law", "flipped return", "returned value", "below the stop",
    }  # fmt: skip
    assert wanted <= kinds.keys()
    assert min(kinds[kind] for kind in wanted) >= 5, kinds
