"""Certificates with one or two random changes: what is accepted is a model that some spec means, and of which no
witness search refutes a claim that is established.

The gates are left as they are, so that they must differ from a changed body, or are made again from the body, as a
careful forger would. The text of the model goes through the parser and elaboration, and the search for witnesses runs
the body: neither reads the gates of the certificate, nor a proof.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest
from forgeries import forged, meant_by, spec_of
from thorough import several
from written_certificates import certificate

from seqlang import driver
from seqlang.certificate.compare import parts_that_differ
from seqlang.certificate.text import from_text
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.verify import Verification, verify
from seqlang.certificate.write import Writer
from seqlang.diagnostics import SpecError
from seqlang.lowering.lowering import gates_of
from seqlang.model.program import Program
from seqlang.model.validate import validate
from seqlang.process.time_limit import limited
from seqlang.record import replace
from seqlang.source import Source

SPECS = (
    "tight/one_sided", "dwork2014/sparse_vector", "dwork2014/exponential", "dwork2014/randomized_response",
    "suite/laplace_parallel", "suite/prefixsum", "tight/two_sided", "tight/window", "dwork2014/numeric_sparse_vector",
    "dwork2014/report_noisy_max", "lyu2017/svt1", "zhang2022/privsprt_bernoulli", "zhang2022/privsprt_weak",
    "suite/noisymax", "cummings2018/changepoint_online", "wang_poster/efficiency", "dipaut/k_min_max",
)[: several(6, 17)]  # fmt: skip
NOT_SAID = {"E0101", "E0413", "E0502"}
"""The text of the model cannot be parsed (ends of domains are no long expressions), a law leaves the domain of its
field, so that no weak claim is established, or a claim promises nothing."""


def _forged(rng: random.Random, name: str) -> dict[str, Any]:
    raw = forged(rng, json.loads(certificate(name)))
    return forged(rng, raw) if rng.randrange(3) == 0 else raw


def _with_own_gates(raw: dict[str, Any]) -> dict[str, Any]:
    """With gates that are made from the body. Raises Unreadable where nothing can be made of it."""
    program = from_text(json.dumps(raw)).program
    try:
        if validate(program):
            raise Unreadable("no model")
        raw["model"]["gates"] = Writer().value(gates_of(program))
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, AssertionError, RecursionError):
        raise Unreadable("no model") from None
    return raw


def _accepted(raw: dict[str, Any]) -> Verification | None:
    try:
        with limited(20, forced=True):
            found = verify(from_text(json.dumps(raw)))
    except Unreadable:
        return None
    return None if found.problems else found


def _means_something(program: Program) -> None:
    """Some spec says this; where it says something else, what it says can be told apart (`--spec` does)."""
    try:
        driver.load(Source("<forged>", spec_of(program)), {p.name: p.value for p in program.parameters})
    except SpecError as error:
        assert {d.code for d in error.diagnostics} & NOT_SAID, (error.diagnostics[0].message, spec_of(program))


def _refuted(name: str, program: Program, established: Sequence[bool]) -> list[str]:
    """Claims that are established and have a witness against them."""
    loaded = replace(driver.load(driver.read(f"@{name}"), {}), program=program)
    found = driver.check(loaded, time_limit=several(1, 4)).verdicts
    return [v.claim.text for v, said in zip(found, established, strict=True) if said and v.verdict == "refuted"]


@pytest.mark.parametrize("own_gates", [False, True])
def test_what_is_accepted_is_true(own_gates: bool) -> None:
    accepted = 0
    for seed in range(several(60, 4000)):
        rng = random.Random(f"{seed} {own_gates}")
        name = rng.choice(SPECS)
        try:
            raw = _forged(rng, name)
            found = _accepted(_with_own_gates(raw) if own_gates else raw)
        except Unreadable:
            continue
        before = from_text(certificate(name)).program
        if found is None or not parts_that_differ(meant_by(found.program), meant_by(before)):
            continue
        accepted += 1
        _means_something(found.program)
        assert not _refuted(name, found.program, [c.established for c in found.claims]), (seed, name)
    assert accepted


def test_the_text_of_a_model_means_it() -> None:
    """What the forgeries are judged by: the models of these specs, written out, are read as they were."""
    for name in SPECS:
        program = from_text(certificate(name)).program
        again = driver.load(Source("<written>", spec_of(program)), {p.name: p.value for p in program.parameters})
        assert not parts_that_differ(meant_by(program), meant_by(again.program)), name
