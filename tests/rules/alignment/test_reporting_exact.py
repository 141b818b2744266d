"""Proved bounds of programs with guards, budgets and single looks are never below the enumerated loss."""

from __future__ import annotations

import math
import os
import random
from collections import Counter

import pytest
from reporting_instances import Instance, exact_loss, random_instance

from seqlang import driver
from seqlang.analyses.prove import prove
from seqlang.proof.derivation import PureBound
from seqlang.report.numbers import upper
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

CHUNK = 20
CHUNKS = int(os.environ.get("REPORTING_CHUNKS", "1"))


def _bound(instance: Instance) -> tuple[float, str]:
    model = driver.load(Source("<instance>", instance.text)).program
    found = prove(model, orders=()).pure
    if found is None:
        return math.inf, ""
    assert isinstance(found.conclusion, PureBound)
    return upper(found.conclusion.epsilon, parameter_values(model)), found.rule


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_bound_is_below_the_exact_loss(chunk: int) -> None:
    finite: Counter[str] = Counter()
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        instance = random_instance(random.Random(seed))
        bound, rule = _bound(instance)
        if math.isinf(bound):
            continue
        finite[rule] += 1
        loss, where = exact_loss(instance)
        assert loss <= bound + 1e-6, f"seed {seed}: exact {loss} > proved {bound} at {where}\n{instance.text}"
    assert sum(finite.values()) > CHUNK // 4, "the instances must exercise the prover"
