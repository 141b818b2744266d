"""Whatever is in the file, `verify` ends with 0, 1 or 2, says what is wrong, and ends soon."""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from thorough import several
from written_certificates import certificate, editable

from seqlang.certificate.text import from_text
from seqlang.certificate.unreadable import Unreadable
from seqlang.cli.__main__ import main

ONE = "tight/one_sided"
Edit = Callable[[dict[str, Any]], object]


def _verify(data: bytes, folder: Path) -> int:
    file = folder / "hostile.cert"
    file.write_bytes(data)
    return main(["verify", str(file)])


TEXTS = {
    "nothing": b"",
    "null": b"null",
    "a list": b"[]",
    "an object": b"{}",
    "no JSON": b"algorithm t",
    "a spec": b"stream x in [0, 1]\n",
    "not UTF-8": b"\xff\xfe{}",
    "NUL": b"\0" * 100,
    "half of one": certificate(ONE)[:4000].encode(),
    "two of them": certificate(ONE).encode() * 2,
    "deep lists": b"[" * 1_000_000,
    "deep and closed": b'{"seqlang certificate":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep objects": b'{"a":' * 1_000_000,
    "a long number": b'{"seqlang certificate": ' + b"9" * 100_000 + b"}",
    "infinity": b'{"seqlang certificate": Infinity}',
    "no number": b'{"seqlang certificate": NaN}',
    "the same key twice": b'{"seqlang certificate": 1, "seqlang certificate": 1}',
    "a key twice in a whole one": certificate(ONE).replace('"made by"', '"spec": "", "made by"').encode(),
    "another version": b'{"seqlang certificate": 2}',
    "true for 1": b'{"seqlang certificate": true}',
    "nothing else": b'{"seqlang certificate": 1}',
}


@pytest.mark.parametrize("case", TEXTS)
def test_a_text_that_is_none(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    began = time.process_time()
    assert _verify(TEXTS[case], tmp_path) == 2
    shown = capsys.readouterr()
    assert "E0660" in shown.err
    assert not shown.out
    assert len(shown.err) < 1000
    assert time.process_time() - began < 60


def test_a_file_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 2
    assert main(["verify", str(tmp_path / "none")]) == 2
    assert main(["verify", "a\0b"]) == 2
    assert capsys.readouterr().err.count("E0605") == 3
    assert main(["verify"]) == 2


def _put(*path: Any) -> Edit:
    """Puts the last of the path to the place that the others lead to."""

    def edit(raw: Any) -> None:
        for key in path[:-2]:
            raw = raw[key]
        raw[path[-2]] = path[-1]

    return edit


def _renamed(name: str, new: str) -> Edit:
    """Writes the new name wherever the name stands."""

    def written(value: Any) -> Any:
        match value:
            case dict():
                return {key: written(part) for key, part in value.items()}
            case list():
                return [written(part) for part in value]
        return new if value == name else value

    def edit(raw: Any) -> None:
        raw.update(written(raw))

    return edit


def _drop(*path: Any) -> Edit:
    def edit(raw: Any) -> None:
        for key in path[:-1]:
            raw = raw[key]
        del raw[path[-1]]

    return edit


def _deep_expression(depth: int) -> Any:
    value: Any = {"is": "StepNumber"}
    for _ in range(depth):
        value = {"is": "Apply", "operator": "negate", "arguments": [value]}
    return value


def _deep_formula(depth: int) -> Any:
    value: Any = ["symbol", "eps"]
    for _ in range(depth):
        value = ["log", value]
    return value


def _many_times(raw: dict[str, Any]) -> None:
    """A step that stands for 2^60 steps."""
    first = len(raw["steps"])
    step = dict(raw["steps"][0], evidence=None, rule="composition/basic")
    raw["steps"] += [dict(step, premises=[{"step": first + i - 1}] * 2) for i in range(60)]
    raw["bounds"] = [{"step": first + 59}]


EPSILON = ("steps", 0, "conclusion", "epsilon", "formula")
EDITS: dict[str, Edit] = {
    "a class of another program": _put("model", "size", {"is": "os.system", "value": "true"}),
    "a class that is no part of a program": _put("model", "size", {"is": "Certificate"}),
    "a class of evidence in the model": _put("model", "size", {"is": "Plan", "kept": [], "local": []}),
    "a lacking field": _drop("model", "adjacency"),
    "one field too many": _put("model", "adjacency", "weight", 3),
    "a span": _put("model", "inputs", 0, "span", {"is": "Span", "start": 0, "end": 1}),
    "no object": _put("model", "adjacency", "count", {"is": 3}),
    "an object of no kind": _put("model", "adjacency", "count", {}),
    "two kinds at once": _put("model", "adjacency", "count", {"is": "Number", "fraction": "1"}),
    "a string for a number": _put("model", "adjacency", "count", {"is": "Number", "value": "1"}),
    "a float for a fraction": _put("model", "adjacency", "count", {"is": "Number", "value": 1.0}),
    "a string for a program": _put("model", "one_sided"),
    "another record for a program": _put("model", {"is": "Records"}),
    "a record for a name": _put("model", "name", {"is": "Records"}),
    "a division by 0": _put("model", "adjacency", "count", "value", {"fraction": "1/0"}),
    "a long fraction": _put("model", "adjacency", "count", "value", {"fraction": "1" * 4200}),
    "digits of another script": _put("model", "adjacency", "count", "value", {"fraction": "١"}),
    "a wrong member": _put("model", "body", 0, "level", {"is": "Level", "value": "__class__"}),
    "a member by number": _put("model", "body", 0, "level", 0),
    "a wrong word": _put("model", "inputs", 0, "kind", "river"),
    "a truth value for a number": _put("steps", 1, "conclusion", "delta", True),
    "a whole number for a float": _put("steps", 1, "conclusion", "delta", 0),
    "a string for a horizon": _put("steps", 1, "conclusion", "horizon", "many"),
    "a number that floats cannot hold": _put("steps", 1, "conclusion", "horizon", 10**4200),
    "no such step": _put("bounds", [{"step": 10**6}]),
    "a step by truth": _put("bounds", [{"step": True}]),
    "a step before the first": _put("bounds", [{"step": -1}]),
    "a step of its own": _put("steps", 1, "premises", [{"step": 1}]),
    "a later step": _put("steps", 1, "premises", [{"step": 2}]),
    "no steps": _put("steps", []),
    "steps by name": _put("steps", {}),
    "a step that is none": _put("steps", 0, {"is": "Records"}),
    "a step that is a number": _put("steps", 0, 3),
    "no such rule": _put("steps", 0, "rule", "alignment/trust_me"),
    "a path for a rule": _put("steps", 0, "rule", "../cli/verify"),
    "no name for a rule": _put("steps", 0, "rule", None),
    "evidence of another type": _put("steps", 0, "evidence", "trust me"),
    "evidence of no rule": _put("steps", 1, "evidence", 2.0),
    "2^60 steps": _many_times,
    "a formula of no kind": _put(*EPSILON, {}),
    "an empty formula": _put(*EPSILON, []),
    "no such operator": _put(*EPSILON, ["system", "1"]),
    "a function of too many": _put(*EPSILON, ["log", "1", "2"]),
    "a sum of nothing": _put(*EPSILON, ["+"]),
    "a deep expression": _put("model", "body", 0, "body", _deep_expression(400)),
    "an operator of no language": _put("model", "body", 0, "body", "operator", "system"),
    "a name that nobody defines": _put("model", "gates", 0, "test", "terms", 0, "noise", "nobody"),
    "a parameter with the name of the order": _renamed("lz", "<order>"),
    "an input with the name of one record": _renamed("x", "x[]"),
    "fewer claims": _put("claims", []),
    "a derivation of what is refuted": _put("claims", 0, "verdict", "refuted"),
    "a verdict of no kind": _put("claims", 0, "verdict", "true"),
}


@pytest.mark.parametrize("case", EDITS)
def test_an_edit_that_no_certificate_has(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = editable(ONE)
    try:
        EDITS[case](raw)
    except (KeyError, TypeError):
        pytest.fail("the edit does not fit the certificate")
    began = time.process_time()
    assert _verify(json.dumps(raw).encode(), tmp_path) == 2, capsys.readouterr()
    shown = capsys.readouterr()
    assert "E0660" in shown.err
    assert len(shown.err) < 1000
    assert time.process_time() - began < 60


def _number(text: str) -> dict[str, Any]:
    return {"is": "Number", "value": {"fraction": text}}


def _power(base: str, exponent: str) -> dict[str, Any]:
    return {"is": "Apply", "operator": "^", "arguments": [_number(base), _number(exponent)]}


LONG = "9" * 3900
SCALE = ("model", "noises", 0, "law", "arguments")
STRANGE: dict[str, Edit] = {
    "a large power": _put(*EPSILON, ["^", "-10", "99999999999999"]),
    "a tower": _put(*EPSILON, ["^", ["^", "10", "99999999999999"], "-1/99999999999999"]),
    "a large exponential": _put(*EPSILON, ["exp", "-" + LONG]),
    "a number close to 0": _put(*EPSILON, "1/" + LONG),
    "a deep formula": _put(*EPSILON, _deep_formula(400)),
    "a small noise": _put(*SCALE, [_number("1/" + LONG)]),
    "a noise that is a large power": _put(*SCALE, [_power("1/" + LONG, LONG)]),
    "a scale that is no number": _put(*SCALE, [_power("-1", "1/2")]),
    "no scale": _put(*SCALE, []),
    "no law": _put("model", "noises", 0, "law", {"is": "Law", "family": "nothing", "arguments": []}),
    "many neighbours": _put("model", "adjacency", "count", _number(LONG)),
    "no number of neighbours": _put("model", "adjacency", "count", {"is": "Label", "name": "none"}),
    "a claim of no number": _put("model", "claims", 0, "privacy", "arguments", [_power("-1", "1/2")]),
    "a claim of no numbers": _put("model", "claims", 0, "privacy", "arguments", []),
    "a large order": _put("steps", 3, "conclusion", "order", 1e308),
    "an order below one": _put("steps", 3, "conclusion", "order", -1.0),
    "a delta above one": _put("steps", 1, "conclusion", "delta", 1e308),
    "a delta below zero": _put("steps", 1, "conclusion", "delta", -1.0),
}


@pytest.mark.parametrize("case", STRANGE)
def test_values_that_no_honest_certificate_has(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They can be read, or look as if they could; what they say does not hold."""
    raw = editable(ONE)
    STRANGE[case](raw)
    began = time.process_time()
    assert _verify(json.dumps(raw).encode(), tmp_path) in (1, 2), capsys.readouterr().out
    assert time.process_time() - began < 60


def _broken(rng: random.Random, text: str) -> str:
    place = rng.randrange(len(text))
    match rng.randrange(4):
        case 0:
            return text[:place] + rng.choice('{}[]",:0-"') + text[place + 1 :]
        case 1:
            return text[:place] + text[place + rng.randrange(1, 30) :]
        case 2:
            other = rng.randrange(len(text))
            return text[:place] + text[other : other + rng.randrange(40)] + text[place:]
        case _:
            return text[:place]


def _one_swapped(rng: random.Random, text: str) -> str:
    """Two parts of the JSON tree change places."""
    raw = json.loads(text)
    places = list(_places(raw))
    (holder, key), (other, at) = rng.choice(places), rng.choice(places)
    holder[key], other[at] = copy.deepcopy(other[at]), copy.deepcopy(holder[key])
    return json.dumps(raw)


def _places(value: Any) -> Any:
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(part, dict | list):
            yield from _places(part)


@pytest.mark.parametrize("break_", [_broken, _one_swapped])
def test_random_damage(break_: Callable[[random.Random, str], str], tmp_path: Path, request: Any,
                       capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    """Seeds 0..: the exit code is never 3."""
    texts = [certificate(name) for name in (ONE, "dwork2014/numeric_sparse_vector", "bittner2020/flsw")]
    for seed in range(several(15, 3000)):
        rng = random.Random(seed)
        text = break_(rng, rng.choice(texts))
        assert _verify(text.encode(), tmp_path) in (0, 1, 2), (seed, capsys.readouterr())


def test_the_message_leads_to_the_place() -> None:
    raw = editable(ONE)
    raw["model"]["body"][0]["level"] = 0
    with pytest.raises(Unreadable, match=r"^model > body > 0 > level: this is no value for the field level of Cell$"):
        from_text(json.dumps(raw))


def test_a_variable_that_says_another_set_than_its_binder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Equality of models does not look at that set, but proofs read it."""
    text = certificate("dwork2014/exponential")
    used = '{"is": "Bound", "variable": {"is": "Variable", "number": 1, "letter": "i", "domain": {"is": "Records"}}}'
    assert text.count(used) > 1
    other = used.replace('{"is": "Records"}', '{"is": "Sequence", "kind": "list", "items": []}')
    assert from_text(text.replace(used, other)).program == from_text(text).program
    assert _verify(text.replace(used, other).encode(), tmp_path) == 2
    assert "as an element of another set" in capsys.readouterr().err
    bound = '"variable": {"is": "Variable", "number": 1, "letter": "i", "domain": {"is": "Records"}}, "domain"'
    assert bound in text
    assert _verify(text.replace(bound, bound.replace('{"is": "Records"}', "null")).encode(), tmp_path) == 2
