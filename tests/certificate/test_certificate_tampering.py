"""Whoever edits a certificate gets no more out of it than was proved, and `--spec` notices any other model."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from thorough import several
from written_certificates import SPECS, certificate, editable

from seqlang.accounting import group
from seqlang.analyses.prove import prove
from seqlang.arithmetic.formula import enclose
from seqlang.arithmetic.rounding import fraction_up
from seqlang.certificate.certificate import Certificate, Stated, hash_of
from seqlang.certificate.compare import parts_that_differ
from seqlang.certificate.text import from_text, to_text
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.verify import verify
from seqlang.cli.__main__ import main
from seqlang.driver import load
from seqlang.model.program import Program
from seqlang.proof.derivation import ApproximateBound, ConcentratedBound, Derivation, PureBound, RenyiBound, settled
from seqlang.rules.composition import group_privacy
from seqlang.rules.computed import bound_up
from seqlang.rules.sensitivity.facts.formulas import parameter_values
from seqlang.source import Source

ONE, VECTOR, SPRT, HIDDEN = (
    "tight/one_sided", "dwork2014/numeric_sparse_vector", "zhang2022/privsprt_gaussian", "bittner2020/flsw",
)  # fmt: skip
BINDERS = "dwork2014/exponential"
Edit = Callable[[dict[str, Any]], object]


def _verify(raw: dict[str, Any], folder: Path, *options: str) -> int:
    file = folder / "edited.cert"
    file.write_text(json.dumps(raw))
    return main(["verify", str(file), *options])


def _step(raw: dict[str, Any], rule: str) -> dict[str, Any]:
    return next(s for s in raw["steps"] if s["rule"] == rule)


def _about(raw: dict[str, Any], *gates: str) -> dict[str, int]:
    """The pure bound of these gates alone."""
    wanted = (list(gates), "PureBound")
    places = (i for i, s in enumerate(raw["steps"]) if (s["conclusion"]["gates"], s["conclusion"]["is"]) == wanted)
    return {"step": next(places)}


def _formula(text: str) -> dict[str, Any]:
    return {"formula": text}


@pytest.mark.parametrize("name", [ONE, VECTOR, SPRT, HIDDEN])
def test_what_was_not_edited_is_verified(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _verify(editable(name), tmp_path) == 0
    assert "to be trusted" in (shown := capsys.readouterr().out)
    assert "what the spec with this SHA-256 says" in shown
    assert _verify(editable(name), tmp_path, "--spec", str(SPECS / f"{name}.seq"), "--every-claim") == 0
    assert "what the spec with this SHA-256 says" not in capsys.readouterr().out


def _swap(raw: dict[str, Any]) -> None:
    """The derivations of another program."""
    raw["steps"] = editable(VECTOR)["steps"]


def _other_noises(raw: dict[str, Any]) -> None:
    """The evidence of another program, of the right type."""
    _step(raw, "alignment/stopping")["evidence"] = _step(editable(VECTOR), "alignment/stopping")["evidence"]


def _nothing_moves(raw: dict[str, Any]) -> None:
    for plans in _step(raw, "alignment/stopping")["evidence"]:
        for plan in plans:
            plan["kept"] = []


def _claim_less(raw: dict[str, Any]) -> None:
    """A smaller epsilon in the claim itself: the derivation concludes the old one."""
    (claim,) = raw["model"]["claims"]
    claim["privacy"]["arguments"] = [{"is": "Number", "value": {"fraction": "1/2"}}]


def _less_noise(raw: dict[str, Any]) -> None:
    (noise, *_) = raw["model"]["noises"]
    noise["law"]["arguments"] = [{"is": "Number", "value": {"fraction": "1/100"}}]


def _wider_data(raw: dict[str, Any]) -> None:
    raw["model"]["inputs"][0]["domain"]["high"] = {"is": "Number", "value": {"fraction": "50"}}


def _more_neighbours(raw: dict[str, Any]) -> None:
    raw["model"]["adjacency"]["count"] = {"is": "Number", "value": {"fraction": "2"}}


FAILS: dict[str, tuple[str, Edit]] = {
    "smaller pure epsilon": (
        ONE, lambda r: _step(r, "alignment/stopping")["conclusion"].update(epsilon=_formula("1/2"))
    ),
    "negative epsilon": (ONE, lambda r: _step(r, "alignment/stopping")["conclusion"].update(epsilon=_formula("-1"))),
    "undefined epsilon": (
        ONE, lambda r: _step(r, "alignment/stopping")["conclusion"].update(epsilon={"formula": ["undefined"]})
    ),
    "smaller epsilon at delta": (
        ONE, lambda r: _step(r, "conversion/pure_to_approximate")["conclusion"].update(epsilon=_formula("1/2"))
    ),
    "smaller delta": (
        ONE, lambda r: _step(r, "conversion/pure_to_approximate")["conclusion"].update(delta={"fraction": "1/10000000"})
    ),
    "higher order": (
        ONE,
        lambda r: _step(r, "conversion/pure_to_renyi")["conclusion"].update(
            order={"fraction": "64"}, epsilon=_formula("1/2")
        ),
    ),
    "longer horizon": (SPRT, lambda r: _step(r, "stopping/gaussian_two_ends")["conclusion"].update(horizon=10**6)),
    "no horizon": (SPRT, lambda r: _step(r, "stopping/gaussian_two_ends")["conclusion"].update(horizon=None)),
    "no horizon in what follows": (
        SPRT, lambda r: _step(r, "conversion/renyi_to_approximate")["conclusion"].update(horizon=None)
    ),
    "fewer gates": (VECTOR, lambda r: [s["conclusion"].update(gates=["above"]) for s in r["steps"]]),
    "the bound of one gate": (
        VECTOR, lambda r: r.update(bounds=[_about(r, "above")])
    ),
    "other gates": (ONE, lambda r: [s["conclusion"].update(gates=["stop 2"]) for s in r["steps"]]),
    "another rule": (ONE, lambda r: _step(r, "alignment/stopping").update(rule="mechanism/release", evidence=None)),
    "no premises": (ONE, lambda r: _step(r, "conversion/pure_to_renyi").update(premises=[])),
    "a premise of another notion": (ONE, lambda r: r["steps"][-1].update(premises=[{"step": 1}])),
    "no evidence of moves": (ONE, _nothing_moves),
    "no plans": (ONE, lambda r: _step(r, "alignment/stopping").update(evidence=[])),
    "another program's evidence": (ONE, _other_noises),
    "another program's derivations": (ONE, _swap),
    "a smaller claim": (ONE, _claim_less),
    "the step of another notion": (ONE, lambda r: r["claims"][0].update(derivation={"step": 1})),
    "less noise in the model": (ONE, _less_noise),
    "wider data in the model": (ONE, _wider_data),
    "more neighbours in the model": (ONE, _more_neighbours),
    "hidden choices not paid for": (
        HIDDEN, lambda r: _step(r, "composition/hypothetical_transcript").update(rule="composition/post_processing")
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FAILS)
def test_an_edit_that_asks_for_more_fails(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, edit = FAILS[case]
    raw = editable(name)
    edit(raw)
    assert raw != editable(name)
    assert _verify(raw, tmp_path) == 1, capsys.readouterr()
    assert "\nnot verified\n" in capsys.readouterr().out


def _without_the_report(raw: dict[str, Any]) -> None:
    """The report of the number is gone: from the step and from the gates, and what is proved of the rest is left."""
    model = raw["model"]
    model["body"] = [s for s in model["body"] if s.get("name") != "answer"]
    model["gates"] = [g for g in model["gates"] if g["source"].get("report") != "answer"]
    raw["bounds"] = [_about(raw, "above")]
    raw["claims"][0]["derivation"] = raw["bounds"][0]


def _more_noise(raw: dict[str, Any]) -> None:
    for noise in raw["model"]["noises"]:
        noise["law"]["arguments"] = [{"is": "Number", "value": {"fraction": "1000000"}}]


OTHER_MODELS: dict[str, Edit] = {
    "more noise": _more_noise,
    "another title": lambda r: r["model"].update(title="harmless"),
    "another text of the claim": lambda r: r["model"]["claims"][0].update(text="claim strong pure(1 / 1000)"),
    "another domain of a parameter": lambda r: r["model"]["parameters"][0]["domain"].update(low_open=False),
    "another default": lambda r: r["model"]["parameters"][0].update(default={"fraction": "7"}),
    "an unknown parameter": lambda r: r["model"]["parameters"][0].update(name="another"),
}


@pytest.mark.parametrize("case", OTHER_MODELS)
def test_another_model_is_not_the_spec(case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without the spec the model is trusted, and `verify` says so; with it, it is made again and compared."""
    raw = editable(ONE)
    OTHER_MODELS[case](raw)
    code = _verify(raw, tmp_path)
    assert code in (0, 2), capsys.readouterr()
    assert code == 2 or "what the spec with this SHA-256 says" in capsys.readouterr().out
    assert _verify(raw, tmp_path, "--spec", str(SPECS / f"{ONE}.seq")) == (1 if code == 0 else 2)


def test_a_gate_that_is_taken_out_is_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = editable(VECTOR)
    raw["model"]["gates"] = [g for g in raw["model"]["gates"] if g["source"].get("report") != "answer"]
    assert _verify(raw, tmp_path) == 2
    assert "answer has no gate" in capsys.readouterr().err
    raw = editable(VECTOR)
    _without_the_report(raw)
    assert _verify(raw, tmp_path) == 0
    assert "what the spec with this SHA-256 says" in capsys.readouterr().out
    assert _verify(raw, tmp_path, "--spec", str(SPECS / f"{VECTOR}.seq")) == 1
    shown = capsys.readouterr().out
    assert "gates of the model in the certificate: not what" in shown


def test_another_text_of_the_spec_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (SPECS / f"{ONE}.seq").read_text(encoding="utf-8")
    spec = tmp_path / "spec.seq"
    spec.write_text(text + "# one more remark\n", encoding="utf-8")
    assert _verify(editable(ONE), tmp_path, "--spec", str(spec)) == 1
    assert "its SHA-256 differs" in capsys.readouterr().out
    raw = editable(ONE)
    raw["spec"] = hash_of("another")
    assert _verify(raw, tmp_path, "--spec", str(SPECS / f"{ONE}.seq")) == 1
    assert _verify(editable(ONE), tmp_path, "--spec", str(tmp_path / "none.seq")) == 2


def test_other_parameter_values_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A proof for all values is one for these: what is established is then about these, and says so."""
    raw = editable(ONE)
    next(p for p in raw["model"]["parameters"] if p["name"] == "lz")["value"] = {"fraction": "1/10"}
    raw["bounds"], raw["steps"] = raw["bounds"][:1], raw["steps"][:1]
    assert _verify(raw, tmp_path, "--spec", str(SPECS / f"{ONE}.seq")) == 0
    shown = capsys.readouterr().out
    assert "lz = 1/10" in shown
    assert "bound pure(max(D/lz, D/lw)), at most 10.0" in shown


def test_a_statement_is_no_proof(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = editable("refuted/query_noise_only")
    assert [c["verdict"] for c in raw["claims"]] == ["refuted"]
    raw["claims"][0]["verdict"] = "proved"
    assert _verify(raw, tmp_path) == 0
    shown = capsys.readouterr().out
    assert "not established by this certificate" in shown
    assert shown.index("not established") < shown.index("strong pure")
    assert _verify(raw, tmp_path, "--every-claim") == 1


def test_texts_in_the_file_reach_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = editable(ONE)
    raw["made by"] = "me\x1b[2J"
    raw["model"]["name"] = "a\u202eb"
    raw["steps"][0]["because"] = raw["steps"][0]["cite"] = "\x1b]0;title\x07"
    raw["steps"][1]["premises"] = []
    raw["model"]["parameters"][0]["name"] = "\x1b[1m"
    assert _verify(raw, tmp_path) == 2
    raw["model"]["parameters"][0]["name"] = "D"
    assert _verify(raw, tmp_path) == 1
    raw["steps"][0]["rule"] = "\x1b[31m"
    assert _verify(raw, tmp_path) == 2
    shown = capsys.readouterr()
    assert "\\x1b[2J" in shown.out
    assert all(c.isprintable() or c == "\n" for c in shown.out + shown.err)


# ---- every single number, name and reference of the steps


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _leaves(part, (*path, key))
    else:
        yield path, value


def _others(leaf: Any) -> Iterator[Any]:
    match leaf:
        case bool():
            yield not leaf
        case int():
            yield from (leaf - 1, leaf + 1)
        case float():
            yield from (leaf / 2, leaf * 2)
        case str() if leaf.lstrip("-").replace("/", "").isdigit():
            yield from {str(Fraction(leaf) / 2), str(-Fraction(leaf)), str(Fraction(leaf) + 1)} - {leaf}
        case str():
            yield leaf + "x"
        case None:
            yield 1


def _sizes(program: Program, bounds: Iterator[Derivation]) -> dict[object, float]:
    """The least bound of each notion (at its order, its delta, its horizon)."""
    found: dict[object, float] = {}
    for bound in bounds:
        match bound.conclusion:
            case PureBound():
                key = ("pure",)
            case ConcentratedBound(horizon=horizon):
                key = ("zcdp", horizon)
            case RenyiBound(order=order, horizon=horizon):
                key = ("rdp", order, horizon)
            case ApproximateBound(delta=delta, horizon=horizon):
                key = ("dp", delta, horizon)
        size = enclose(settled(bound.conclusion), parameter_values(program)).low
        found[key] = min(size, found.get(key, size))
    return found


@pytest.mark.parametrize("name", [ONE, pytest.param(VECTOR, marks=pytest.mark.long)])
def test_no_edit_of_one_leaf_of_the_steps_establishes_more(name: str, request: pytest.FixtureRequest) -> None:
    """For each notion, order, delta and horizon, what is established after the edit is no smaller than before. Every
    ninth leaf, unless `--long` asks for all."""
    raw = editable(name)
    program = from_text(certificate(name)).program
    before = _sizes(program, (b.derivation for b in verify(from_text(certificate(name))).bounds))
    refused = 0
    some = 1 if request.config.getoption("--long") else 9
    for path, leaf in list(_leaves(raw["steps"]))[::some]:
        for other in _others(leaf):
            edited = copy.deepcopy(raw)
            place = edited["steps"]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = other
            try:
                found = verify(from_text(json.dumps(edited)))
            except Unreadable:
                refused += 1
                continue
            if found.problems:
                refused += 1
                continue
            for key, size in _sizes(program, (b.derivation for b in found.bounds)).items():
                if key in before:
                    assert size >= before[key] * (1 - 1e-9), (path, leaf, other)
                else:  # one of the editor's, which holds as well
                    assert {"order", "delta", "horizon"} & set(path), (path, leaf, other)
    assert refused > 30


def test_every_leaf_of_the_model_is_part_of_it() -> None:
    """What `--spec` compares: no leaf can be changed so that the same model is read. This one binds variables.
    Every third leaf by default."""
    raw = editable(BINDERS)
    program = from_text(certificate(BINDERS)).program
    assert not parts_that_differ(program, program)
    for path, leaf in list(_leaves(raw["model"]))[:: several(3, 1)]:
        for other in _others(leaf):
            edited = copy.deepcopy(raw)
            place = edited["model"]
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = other
            try:
                other_program = from_text(json.dumps(edited)).program
                assert parts_that_differ(other_program, program), (path, leaf, other)
            except Unreadable:
                continue


def test_a_derivation_as_evidence(tmp_path: Path) -> None:
    """Group privacy rests on a derivation about another program: it is written as a step, and replayed there."""
    text = (SPECS / f"{ONE}.seq").read_text(encoding="utf-8").replace("claim", "adjacent replace 3\nclaim")
    program = load(Source("<test>", text)).program
    single = group_privacy.single(program)
    assert single is not None
    one = prove(single)
    assert one.dp is not None
    assert isinstance(one.dp.conclusion, ApproximateBound)
    three = group_privacy.suggest(program, one.dp)
    assert three is not None
    certificate = Certificate("test", "", program, (Stated("unknown", None),) * len(program.claims), (three,))
    written = to_text(certificate)
    assert from_text(written) == certificate
    assert not verify(from_text(written)).problems
    epsilon, _ = group.approximate(bound_up(single, one.dp.conclusion), fraction_up(one.dp.conclusion.delta), 3)
    raw = json.loads(written)
    assert raw["steps"][-1]["conclusion"]["epsilon"] == _formula(str(Fraction(epsilon)))
    raw["steps"][0]["conclusion"]["epsilon"] = _formula("1/2")
    assert _verify(raw, tmp_path) == 1
