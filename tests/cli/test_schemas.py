"""What commands print as JSON is what the published schemas say, and nothing that they don't: here the schemas are
closed, so that a key that nobody described fails. (The published ones are open: keys may be added.)"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from seqlang.cli.__main__ import main
from seqlang.cli.schema import COMMANDS

jsonschema = pytest.importorskip("jsonschema")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "seqlang/results/schemas"


def closed(schema: Any) -> Any:
    """The schema without room for keys that it does not name."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(part) for key, part in schema.items()}
    return {"additionalProperties": False, **inner} if "properties" in inner and "type" in inner else inner


@cache
def validator(command: str) -> Any:
    return jsonschema.Draft202012Validator(closed(json.loads((FOLDER / f"{command}.json").read_text(encoding="utf-8"))))


def problem(command: str, found: Any) -> str | None:
    worst = jsonschema.exceptions.best_match(validator(command).iter_errors(found))
    return None if worst is None else f"{worst.json_path}: {worst.message[:200]}"


def objects(capsys: pytest.CaptureFixture[str], *words: str) -> list[Any]:
    main(list(words))
    captured = capsys.readouterr()
    found = [json.loads(line) for line in captured.out.splitlines()]
    assert found, captured.err
    return found


def test_every_schema_is_one_and_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(COMMANDS)
    for command in COMMANDS:
        assert main(["schema", command]) == 0
        schema = json.loads(capsys.readouterr().out)
        jsonschema.Draft202012Validator.check_schema(schema)
        assert f"seqlang {command}" in schema["title"]


CALLS = [
    ["check", "@tight/one_sided", "--order", "2,alpha", "--json"],
    ["check", "@refuted/no_noise", "nosuch.seq", "--format", "json"],
    ["check", "@bun2016/stability_histogram", "--json"],
    ["check", "tests/editions/2026/answers.seq", "--weak-profile", "--epsilons", "0:1:2", "--json"],
    ["check", "@dwork2014/laplace", "--solve-for", "eps", "--target", "pure(1/2)", "--json"],
    ["fmt", "--check", "@tight/one_sided", "nosuch.seq", "--format", "json"],
    ["run", "@wald1945/sprt", "--model", "null", "--runs", "9", "--engine", "interpreter", "--json"],
    ["run", "@dwork2014/numeric_sparse_vector", "--runs", "5", "--engine", "interpreter", "--json"],
    ["solve", "@wald1945/sprt", "--json"],
]
SPRT = ["run", "@wald1945/sprt", "--model", "null", "--json"]
TUNED = ["design", "@michel2025/dp_sprt", "--free", "s", "--minimise", "expected(step) under alternative", "--json"]
SLOW = [
    ["check", "@dwork2014/laplace", "--audit", "2", "--json"],
    ["check", "@tight/one_sided", "--instances", "2", "--json"],
    [*SPRT, "--runs", "9", "--sweep", "p0=0.3,0.4", "--exact", "--workers", "1"],
    [*SPRT, "--runs", "100", "--rare", "reject"],
    [*SPRT, "--until-ci", "0.5"],
    [*TUNED, "--time-limit", "5"],
]


def all_valid(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    for found in objects(capsys, *words):
        assert problem(words[0], found) is None


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_what_is_printed(words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    all_valid(words, capsys)


@pytest.mark.long
@pytest.mark.parametrize("words", SLOW, ids=" ".join)
def test_what_is_printed_slowly(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    all_valid(words, capsys)


@pytest.mark.long
def test_every_spec_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    for file in sorted((ROOT / "specs").rglob("*.seq")):
        all_valid(["check", str(file), "--time-limit", "60", "--json"], capsys)


def test_certificates_and_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    main(["check", "@dwork2014/laplace", "--certificate", "a.cert"])
    capsys.readouterr()
    all_valid(["verify", "a.cert", "--lines", "--json"], capsys)
    Path("x.csv").write_text("x\n" + "1\n0\n" * 5 + "1\n" * 20, encoding="utf-8")
    all_valid(["run", "@wald1945/sprt", "--data", "x.csv", "--json"], capsys)
    main(["new", "learning", "learner"])
    rows = "".join(f"0.{i},0.1,1\n-0.{i},0.2,-1\n" for i in range(1, 10))
    Path("t.csv").write_text(f"a,b,y\n{rows}", encoding="utf-8")
    trained = [
        "--set",
        "n=18",
        "--data",
        "t.csv",
        "--column",
        "x=a,b",
        "--test",
        "t.csv",
        "--checkpoints",
        "2",
        "--json",
    ]
    all_valid(["run", "learner.seq", *trained], capsys)


def test_designs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    hypotheses = [
        "--null",
        "x ~ bernoulli(0.2)",
        "--alternative",
        "x ~ bernoulli(0.8)",
        "--alpha",
        "0.2",
        "--beta",
        "0.2",
    ]
    all_valid(["design", *hypotheses, "--privacy", "pure(2)", "--output", "d.seq", "--json"], capsys)
    all_valid(["monitor", "d.seq", "--counts", "2", "--plan", "1", "--json"], capsys)


def test_an_undescribed_key_is_seen(capsys: pytest.CaptureFixture[str]) -> None:
    (found,) = objects(capsys, "check", "@dwork2014/laplace", "--json")
    assert problem("check", found) is None
    assert problem("check", {**found, "shiny": 1}) is not None
    assert problem("check", {key: value for key, value in found.items() if key != "claims"}) is not None
    found["strong"]["pure"]["upper"] = "infinite"
    assert problem("check", found) is not None
