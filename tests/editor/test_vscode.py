"""The extension for VS Code: its parts agree with the package, its snippets are specs, and it can be built."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from seqlang import driver
from seqlang.annotations.tokens import MODIFIERS
from seqlang.cli.lsp import parser
from seqlang.source import Source
from seqlang.syntax.load_table import load_table
from seqlang.version import __version__

GRAMMARS = Path(__file__).resolve().parents[2] / "grammars"
FOLDER = GRAMMARS / "vscode"
PACKAGE = json.loads((FOLDER / "package.json").read_text("utf-8"))
SNIPPETS = json.loads((FOLDER / "snippets.json").read_text("utf-8"))


def written(body: list[str]) -> str:
    """What a snippet leaves if its defaults are taken."""
    text = re.sub(r"\$\{\d+\|([^|,]*(?:\([^)]*\))?)[^|]*\|\}", r"\1", "\n".join(body))
    return re.sub(r"\$\d+", "", re.sub(r"\$\{\d+:([^}]*)\}", r"\1", text)) + "\n"


def test_it_agrees_with_the_package() -> None:
    assert PACKAGE["version"] == __version__
    command, *words = PACKAGE["contributes"]["configuration"]["properties"]["seqlang.server"]["default"]
    assert (command, words[0]) == ("seqlang", "lsp")
    parser().parse_args(words[1:])
    assert {m["id"] for m in PACKAGE["contributes"]["semanticTokenModifiers"]} <= set(MODIFIERS)
    grammar = json.loads((GRAMMARS / "seq.tmLanguage.json").read_text("utf-8"))
    assert PACKAGE["contributes"]["grammars"][0]["scopeName"] == grammar["scopeName"]


def test_words_are_those_of_the_lexer() -> None:
    word = json.loads((FOLDER / "language-configuration.json").read_text("utf-8"))["wordPattern"]
    for text in ("lap_1", "0.25", "1e-6", *load_table().reserved):
        assert re.fullmatch(word, text)
    assert not re.fullmatch(word, "a b") and not re.fullmatch(word, "1..2")


@pytest.mark.parametrize("name", SNIPPETS)
def test_snippets_are_specs(name: str) -> None:
    """Whole files check as expected; single statements fit into one."""
    text = written(SNIPPETS[name]["body"])
    assert "$" not in text
    whole = text.startswith("algorithm")
    if not whole:
        head = written(SNIPPETS["Private alarm"]["body"]).split("attach")[0] + "model null: harmed ~ bernoulli(0.1)\n"
        text = head + text
    loaded = driver.load(Source("<snippet>", text))
    assert not loaded.warnings or not whole or name == "Private sequential test"  # which claims nothing yet
    if name in ("Private count", "Private alarm"):
        assert [v.verdict for v in driver.check(loaded).verdicts] == ["proved"]


def test_it_is_built_and_holds_what_it_needs(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--everything"):
        pytest.skip("`.ci/full` builds it: that takes packages from the registry of npm")
    assert shutil.which("npx"), "the extension is built with node"
    shutil.copytree(FOLDER, tmp_path / "grammars" / "vscode", ignore=shutil.ignore_patterns("node_modules", "*.vsix"))
    shutil.copy(GRAMMARS / "seq.tmLanguage.json", tmp_path / "grammars")
    shutil.copy(GRAMMARS.parent / "LICENSE", tmp_path)
    for command in ("npm install --no-audit --no-fund", "npx --yes @vscode/vsce@3 package --allow-missing-repository"):
        done = subprocess.run(
            command.split(), cwd=tmp_path / "grammars" / "vscode", capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    (built,) = (tmp_path / "grammars" / "vscode").glob("*.vsix")
    with zipfile.ZipFile(built) as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist()}
        package = json.loads(archive.read("extension/package.json"))
        client = archive.read("extension/dist/client.js").decode()
        grammar = archive.read("extension/dist/seq.tmLanguage.json").decode()
    contributed = package["contributes"]
    wanted = [package["main"], contributed["languages"][0]["configuration"]]
    wanted += [entry["path"] for kind in ("grammars", "snippets") for entry in contributed[kind]]
    assert {path.removeprefix("./") for path in wanted} <= names
    assert grammar == (GRAMMARS / "seq.tmLanguage.json").read_text("utf-8")
    assert "seqlang.server" in client and not any(name.startswith("node_modules") for name in names)
