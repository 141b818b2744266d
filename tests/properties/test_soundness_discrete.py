"""Soundness on programs of many shapes with noise on the integers, against an oracle that enumerates every draw.

`pytest tests/properties --instances 20000 --first-seed 1000` is the longer run.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from discrete_instances import GUARDS, STATISTICS, Atom, Condition, Gate, Noise, Program, random_program, text
from discrete_oracle import Oracle, Transcript, exact_loss, neighbours
from instances import Gate as SimpleGate
from instances import Instance
from noise_laws import NoiseLaw
from oracle import exact_law

from seqlang import driver
from seqlang.analyses.bounds import Bounds
from seqlang.analyses.prove import prove
from seqlang.analyses.refute import lower_bound
from seqlang.model.program import Program as Model
from seqlang.proof.derivation import ApproximateBound, PureBound, RenyiBound
from seqlang.proof.witness import Event
from seqlang.report.numbers import upper
from seqlang.rules.sensitivity.formulas import parameter_values
from seqlang.source import Source

CHUNK = 50
ROUNDING = 1e-9
ORDERS = (1.5, 2.0, 8.0)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "chunk" in metafunc.fixturenames:
        metafunc.parametrize("chunk", range(int(metafunc.config.getoption("--instances")) // CHUNK))


def _seeds(chunk: int, request: pytest.FixtureRequest, stride: int = 1) -> range:
    first = int(request.config.getoption("--first-seed")) + chunk * CHUNK
    return range(first, first + CHUNK, stride)


def _model(program: Program) -> Model:
    return driver.load(Source("<instance>", program.text)).program


def _pure(model: Model, bounds: Bounds) -> float:
    if bounds.pure is None:
        return math.inf
    assert isinstance(bounds.pure.conclusion, PureBound)
    return upper(bounds.pure.conclusion.epsilon, parameter_values(model))


def test_no_proved_bound_is_below_the_exact_loss(chunk: int, request: pytest.FixtureRequest) -> None:
    finite = 0
    for seed in _seeds(chunk, request):
        program = random_program(random.Random(seed))
        model = _model(program)
        bound = _pure(model, prove(model, orders=()))
        if math.isinf(bound):
            continue
        finite += 1
        loss, where = exact_loss(program)
        assert loss <= bound + ROUNDING, f"seed {seed}: exact {loss} > proved {bound} at {where}\n{program.text}"
    assert finite > CHUNK // 5, "the instances must exercise the prover"


def test_no_witness_claims_more_than_is_true(chunk: int, request: pytest.FixtureRequest) -> None:
    """A witness's probabilities are the oracle's for the same streams and event; its loss is below what is proved."""
    checked, tried = 0, 0
    for seed in _seeds(chunk, request, 5):
        program = random_program(random.Random(seed))
        if len(program.noises) > 2 and not request.config.getoption("--long"):
            continue  # the search takes seconds where three noises meet
        tried += 1
        model = _model(program)
        witness = lower_bound(model)
        if witness is None:
            continue
        checked += 1
        bound = _pure(model, prove(model, orders=()))
        assert witness.loss <= bound + ROUNDING, f"seed {seed}: {witness} > {bound}\n{program.text}"
        longest = {None: 5, "flip": 4, "geometric": 2}[program.local and program.local[0]]
        if max(map(len, witness.streams)) > longest or any(g.kind == "value" for g in program.gates):
            continue
        oracle = Oracle(program)
        p, q = (_probability(oracle, stream, witness.event) for stream in witness.streams)
        assert witness.p - witness.p_error <= p * (1 + 1e-9) + 1e-12, f"seed {seed} {p}\n{program.text}\n{witness}"
        assert witness.q + witness.q_error >= q * (1 - 1e-9) - 1e-12, f"seed {seed} {q}\n{program.text}\n{witness}"
    assert checked > 0 or tried < 6, "the instances must exercise the search for witnesses"


def _probability(oracle: Oracle, stream: tuple[object, ...], event: Event) -> float:
    law = oracle.law(tuple(float(x) for x in stream))  # type: ignore[arg-type]
    return sum(p for seen, p in law.items() if _in(seen, event))


def _in(seen: Transcript, event: Event) -> bool:
    """Whether the transcript begins as the event says (result None: whatever was returned)."""
    wanted = [(step, name) for step, name, _ in event.reports]
    last = event.stopped_at or event.not_by or max(step for step, _ in wanted)
    made = [(n, name) for n, shown in enumerate(seen[:last], 1) for name, value in shown if value]
    stopped = [(n, name) for n, shown in enumerate(seen, 1) for name, value in shown if not value]
    if made != wanted:
        return False
    if event.stopped_at is not None:
        return [step for step, _ in stopped] == [event.stopped_at] and event.result in (None, stopped[0][1])
    return event.not_by is None or not stopped or stopped[0][0] > event.not_by


def test_bounds_that_are_not_pure(chunk: int, request: pytest.FixtureRequest) -> None:
    """Renyi divergence and (epsilon, delta) of the enumerated law."""
    for seed in _seeds(chunk, request, 10):
        program = random_program(random.Random(seed))
        bounds = prove(_model(program), delta=Fraction(1, 20), horizon=program.length, orders=ORDERS)
        if bounds.dp is None and not bounds.rdp:
            continue
        law = cache(Oracle(program).law)
        for pair in neighbours(program):
            for first, second in (pair, pair[::-1]):
                p, q = law(first), law(second)
                for derivation in bounds.rdp:
                    assert isinstance(derivation.conclusion, RenyiBound)
                    order, bound = derivation.conclusion.order, derivation.conclusion.epsilon
                    assert _renyi(p, q, order) <= bound + 1e-6, f"seed {seed} order {order} {pair}\n{program.text}"
                if bounds.dp is not None:
                    assert isinstance(bounds.dp.conclusion, ApproximateBound)
                    eps, delta = bounds.dp.conclusion.epsilon, bounds.dp.conclusion.delta
                    excess = sum(max(0.0, a - math.exp(eps) * q.get(seen, 0.0)) for seen, a in p.items())
                    assert excess <= delta + 1e-9, f"seed {seed} {pair}: {excess} > {delta} at {eps}\n{program.text}"


def _renyi(p: dict[Transcript, float], q: dict[Transcript, float], order: float) -> float:
    total = sum(a**order * (q.get(seen, 0.0) + 1e-13) ** (1 - order) for seen, a in p.items() if a > 1e-9)
    return math.log(total) / (order - 1) if total > 0 else 0.0


# ---- the instances and their oracle


def test_the_instances_cover_every_kind() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(1000):
        program = random_program(random.Random(seed))
        kinds.update([*set(program.statistics), program.adjacency, f"{len(program.gates)} gates", program.domain])
        kinds.update({g.kind for g in program.gates} | {g.guard for g in program.gates})
        kinds.update({g.condition.operator for g in program.gates if g.condition is not None})
        kinds.update([f"local {program.local and program.local[0]}", f"memory {program.memory}"])
        kinds.update(f"life {noise.life}" for noise in program.noises)
        kinds.update(["shared noise"] * any(len(noise.places) > 1 for noise in program.noises))
        kinds.update(["flipped return"] * (program.flipped_return is not None))
    wanted = {*STATISTICS, *GUARDS, "replace 2", "every within 1 same direction", "one within 1 / 2", "flipped return"}
    assert wanted <= kinds.keys()
    assert min(kinds[kind] for kind in wanted) >= 10, kinds


def test_every_law_adds_up_to_one() -> None:
    rng = random.Random(2)
    for seed in range(200):
        program = random_program(random.Random(seed))
        stream = tuple(rng.choice(program.alphabet) for _ in range(program.length))
        assert sum(Oracle(program).law(stream).values()) == pytest.approx(1, abs=1e-11), program.text


@pytest.mark.parametrize("kind", ["sum", "single"])
def test_against_the_quadrature_oracle(kind: str) -> None:
    """Two gates that share both noises, for the statistics that both generators have."""
    z, w = NoiseLaw("geometric", 0.5), NoiseLaw("geometric", 0.25)
    one = Instance(kind, (SimpleGate(1, 1.0, 0, 1, 0), SimpleGate(-1, 0.0, 0, -1, 0)), (z,), (w,))
    noises = (Noise(0.5, "once", (("T0", 1), ("T1", -1))), Noise(0.25, "step", (("s0", 1),)))
    gates = tuple(Gate("stop", f"r{j}", Condition("atom", (), Atom(0, sign, j))) for j, sign in enumerate((">=", "<=")))
    program = Program((0.0, 1.0), "replace one", (kind,), (1, 0), gates, noises)
    stream = (1.0, 0.0, 1.0)
    law = Oracle(program).law(stream)
    for outcome, p in exact_law(one, stream).items():
        seen: Transcript = ((),) * 3 if not outcome else (*((),) * (outcome[0][0] - 1), ((f"r{outcome[0][1]}", 0),))
        assert law[seen] == pytest.approx(p, abs=1e-12)


def test_against_simulation() -> None:
    """A program with a refreshed threshold, a released number, local noise and memory, run 60,000 times as written."""
    atom = Condition("atom", (), Atom(0, ">=", 0, 0, True))
    gates = (Gate("event", "R0", atom), Gate("value", "v", None, "after R0", 0),
             Gate("stop", "r0", Condition("not", (Condition("atom", (), Atom(1, "<", 1)),)), "late"))  # fmt: skip
    noises = (Noise(0.5, "R0", (("T0", 1),)), Noise(0.25, "step", (("v", 1),)), Noise(0.25, "step", (("s1", 1),)))
    program = Program((0.0, 1.0), "replace one", ("since", "window"), (1, 2), gates, noises, ("flip", 0.75),
                      memory="count", most_steps=3)  # fmt: skip
    assert "each R0" in text(program)
    rng = random.Random(1)

    def geometric(ratio: float) -> int:
        return sum(s * math.floor(math.log(1 - rng.random()) / math.log(ratio)) for s in (1, -1))

    n, stream = 60_000, (1, 0, 1)
    counts: Counter[Transcript] = Counter()
    for _ in range(n):
        seen: list[tuple[tuple[str, int], ...]] = []
        ys: list[int] = []
        z, last, m = geometric(0.5), 0, 0
        for step, x in enumerate(stream, 1):
            ys.append(x if rng.random() < 0.75 else 1 - x)
            shown: list[tuple[str, int]] = []
            if sum(ys[last:]) >= 1 + m + z:
                shown += [("R0", 1), ("v", min(3, max(-1, sum(ys[last:]) + geometric(0.25))))]
                z, m = geometric(0.5), m + 1
                last_after = step
            else:
                last_after = last
            if step >= 2 and not sum(ys[-2:]) + geometric(0.25) < 2:
                seen.append((*shown, ("r0", 0)))
                break
            seen.append((*shown, ("", 0)) if step == 3 else tuple(shown))
            last = last_after
        counts[tuple(seen)] += 1
    law = Oracle(program).law(tuple(map(float, stream)))
    assert counts.keys() <= law.keys()
    for key, p in law.items():
        assert counts[key] / n == pytest.approx(p, abs=0.005 + 5 * math.sqrt(p / n)), key


def test_a_release_that_is_computed_further_beside_another_reader_of_its_noise() -> None:
    """The prover once failed on `post` expressions here instead of saying that it has no bound."""
    gates = (Gate("value", "v", None, "none", 0), Gate("stop", "r0", Condition("atom", (), Atom(1, ">=", 0))))
    program = Program((0.0, 1.0), "replace one", ("square", "sum"), (1,), gates, (), ("geometric", 0.1), most_steps=2)
    model = driver.load(Source("<instance>", text(program))).program
    assert prove(model, orders=()).pure is None


def test_a_known_loss() -> None:
    """Randomised response tells log(p / (1 - p)); the geometric mechanism log(1 / ratio)."""
    shown = (Gate("value", "v", None, "none", 0),)
    flip = Program((0.0, 1.0), "replace one", ("single",), (0,), shown, (), ("flip", 0.75), length=2, most_steps=2)
    assert exact_loss(flip)[0] == pytest.approx(math.log(3), abs=1e-9)
    noise = (Noise(0.25, "step", (("v", 1),)),)
    added = Program((0.0, 1.0), "replace one", ("single",), (0,), shown, noise, length=2, most_steps=2)
    assert exact_loss(added)[0] == pytest.approx(math.log(4), abs=1e-9)
