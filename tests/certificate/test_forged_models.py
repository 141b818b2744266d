"""A model in which one part was made to differ from another, or that no spec can mean, proves nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from written_certificates import editable

from seqlang.certificate.text import from_text
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.verify import verify
from seqlang.cli.__main__ import main
from seqlang.driver import check, load
from seqlang.source import Source

Raw = dict[str, Any]
Edit = Callable[[Raw], object]
ONE = "tight/one_sided"


def _refused(raw: Raw) -> str:
    """Why the certificate is refused; "" if it is not."""
    try:
        found = verify(from_text(json.dumps(raw)))
    except Unreadable as error:
        return str(error)
    return next(iter(found.problems), "")


def _statement(raw: Raw, kind: str) -> Raw:
    found: Raw = next(s for s in raw["model"]["body"] if s["is"] == kind)
    return found


def _without_noise(value: Any) -> Any:
    match value:
        case {"is": "Noised", "base": base}:
            return _without_noise(base)
        case dict():
            return {key: _without_noise(part) for key, part in value.items()}
        case list():
            return [_without_noise(part) for part in value]
    return value


def _bare_body(raw: Raw) -> None:
    raw["model"]["body"] = _without_noise(raw["model"]["body"])


@pytest.mark.parametrize("name", [ONE, "tight/two_sided", "dwork2014/sparse_vector", "bittner2020/flsw"])
def test_a_body_without_the_noise_of_its_gates(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = editable(name)
    _bare_body(raw)
    file = tmp_path / "forged.cert"
    file.write_text(json.dumps(raw))
    assert main(["verify", str(file)]) == 2
    assert "model > gates: the gates are not those of the body" in capsys.readouterr().err


def _noise(raw: Raw, name: str) -> Raw:
    found: Raw = next(n for n in raw["model"]["noises"] if n["name"] == name)
    return found


def _number(text: str) -> Raw:
    return {"is": "Number", "value": {"fraction": text}}


def _noised(raw: Raw) -> list[Raw]:
    """The noisy readings of the body."""
    found: list[Raw] = []
    waiting: list[Any] = [raw["model"]["body"]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and value.get("is") == "Noised":
            found.append(value)
        waiting.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    return found


def _gates_exchanged(raw: Raw) -> None:
    raw["model"]["gates"] = editable("tight/two_sided")["model"]["gates"]


def _other_body(raw: Raw) -> None:
    raw["model"]["body"] = editable("tight/window")["model"]["body"]


def _gate_without_guard(raw: Raw) -> None:
    gate = raw["model"]["gates"][0]
    gate["guard"] = {"is": "Apply", "operator": ">=", "arguments": [{"is": "StepNumber"}, _number("2")]}


def _more_noise_in_gate(raw: Raw) -> None:
    raw["model"]["gates"][0]["test"]["terms"][0]["factor"] = _number("2")


def _other_law(raw: Raw) -> None:
    _noise(raw, "total.step")["law"]["family"] = "gaussian"


def _one_draw_for_all(raw: Raw) -> None:
    _noise(raw, "total.step")["life"] = {"is": "Once"}


def _one_noise_for_two_values(raw: Raw) -> None:
    """What stands for the noisy total in a gate would stand for the noisy step as well."""
    second = {**_noised(raw)[0], "base": {"is": "StepNumber"}}
    raw["model"]["body"].insert(0, {
        "is": "Report", "name": "also", "when": None, "value": second,
    })  # fmt: skip


def _negative_scale(raw: Raw) -> None:
    _noise(raw, "total.step")["law"]["arguments"] = [{"is": "Apply", "operator": "negate", "arguments": [_number("1")]}]


def _parameter_out_of_domain(raw: Raw) -> None:
    next(x for x in raw["model"]["parameters"] if x["name"] == "lz")["value"] = {"fraction": "-1"}


def _half_a_neighbour(raw: Raw) -> None:
    raw["model"]["adjacency"] = {"is": "Replace", "count": _number("1/2")}


def _no_neighbours(raw: Raw) -> None:
    raw["model"]["adjacency"] = {"is": "Replace", "count": _number("0")}


def _sum_of_truth_values(raw: Raw) -> None:
    cell = _statement(raw, "Cell")
    cell["body"] = {"is": "Apply", "operator": ">=", "arguments": [cell["body"], _number("0")]}


def _empty_domain(raw: Raw) -> None:
    raw["model"]["inputs"][0]["domain"] = {
        "is": "Interval", "low": _number("1"), "high": _number("0"), "low_open": False, "high_open": False,
    }  # fmt: skip


def _one_name_for_two(raw: Raw) -> None:
    text = json.dumps(raw["model"]).replace('"lw"', '"lz"')
    raw["model"] = json.loads(text)


def _a_claim_of_two_kinds(raw: Raw) -> None:
    raw["model"]["claims"][0]["per_step"] = True


CASES: dict[str, Edit] = {
    "the gates of another program": _gates_exchanged,
    "the body of another program": _other_body,
    "a guard that the body does not have": _gate_without_guard,
    "more noise in a gate than in the body": _more_noise_in_gate,
    "another law": _other_law,
    "one draw for all steps": _one_draw_for_all,
    "one noisy name for two values": _one_noise_for_two_values,
    "a negative scale": _negative_scale,
    "a parameter outside of its domain": _parameter_out_of_domain,
    "half an entry": _half_a_neighbour,
    "no neighbours": _no_neighbours,
    "a sum of truth values": _sum_of_truth_values,
    "an empty domain": _empty_domain,
    "one name for two parameters": _one_name_for_two,
    "a claim of two kinds": _a_claim_of_two_kinds,
}


@pytest.mark.parametrize("case", CASES)
def test_one_part_that_was_changed(case: str) -> None:
    raw = editable(ONE)
    assert not _refused(raw)
    CASES[case](raw)
    assert raw != editable(ONE)
    assert _refused(raw)


def test_a_flip_cannot_be_scaled() -> None:
    raw = editable("dwork2014/randomized_response")
    (reading,) = _noised(raw)
    reading["terms"][0]["factor"] = _number("2")
    assert "scaled" in _refused(raw)


def test_a_formula_that_is_too_large_or_too_deep() -> None:
    """As a text of a megabyte it kept the replay busy for a quarter of a minute."""
    deep: Any = ["symbol", "lz"]
    for _ in range(100):
        deep = ["log", deep]
    large: Any = ["symbol", "lz"]
    for i in range(14):
        large = ["max", ["+", large, str(i)], ["*", large, "2"]]
    for formula, words in ((deep, "levels"), (large, "parts")):
        raw = editable(ONE)
        raw["steps"][0]["conclusion"]["epsilon"] = {"formula": formula}
        assert words in _refused(raw)


@pytest.mark.parametrize("law, domain, verdict", [
    ("bernoulli(1 / 2)", "{0, 1}", "proved"), ("uniform(0, 1)", "[0, 1]", "proved"), ("normal(0, 1)", "real", "proved"),
    ("conditioned(normal(0, 1), 0, 1)", "[0, 1]", "proved"), ("uniform({0, 1})", "0..1", "proved"),
    ("normal(1 / 2, 1 / 100)", "[0, 1]", "unknown"), ("poisson(1 / 2)", "0..", "proved"),
])  # fmt: skip
def test_a_weak_claim_is_about_entries_of_the_domain(law: str, domain: str, verdict: str) -> None:
    """A strong bound holds for entries of the declared domain. A normal law on [0, 1] leaves it, if rarely."""
    text = f"algorithm weak\nstream x in {domain}\nmodel m: x ~ {law}\nstop return clip(x, 0, 1)\n"
    claims = "attach laplace(1) to return\nclaim strong pure(1)\nclaim weak pure(1) under m\n"
    loaded = load(Source("<weak>", text + claims))
    assert [v.verdict for v in check(loaded).verdicts] == ["proved", verdict]
