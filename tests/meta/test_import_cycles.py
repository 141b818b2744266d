"""Modules do not import each other in a circle: neither at the top, nor for types alone, nor inside of functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEFT = {
    frozenset({"seqlang.arithmetic.nodes", "seqlang.arithmetic.text"}),
}
"""Circles that are still there, through imports inside of functions. None may be added."""


def imports() -> dict[str, frozenset[str]]:
    """The modules of the package that each of them imports anywhere in its text."""
    files = {_name(path): path for path in sorted((ROOT / "seqlang").rglob("*.py"))}
    return {name: frozenset(_imported(path, frozenset(files))) - {name} for name, path in files.items()}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path, known: frozenset[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.ImportFrom(module=str(module), names=names, level=0):
                for alias in names:
                    inner = f"{module}.{alias.name}"
                    yield inner if inner in known else module
            case ast.Import(names=names):
                yield from (alias.name for alias in names)


def circles(graph: Mapping[str, frozenset[str]]) -> set[frozenset[str]]:
    """The largest sets of several modules that all reach each other."""
    reached = {name: _reached(name, graph) for name in graph}
    found = {frozenset(other for other in reached[name] if name in reached[other]) for name in graph}
    return {circle for circle in found if len(circle) > 1}


def _reached(start: str, graph: Mapping[str, frozenset[str]]) -> frozenset[str]:
    found, waiting = set(), [start]
    while waiting:
        for name in graph.get(waiting.pop(), frozenset()):
            if name in graph and name not in found:
                found.add(name)
                waiting.append(name)
    return frozenset(found)


def test_circles_are_found() -> None:
    graph = {"a": frozenset("b"), "b": frozenset("ca"), "c": frozenset("d"), "d": frozenset(), "e": frozenset("e")}
    assert circles(graph) == {frozenset("ab")}


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = imports()
    assert len(graph) > 500
    assert circles(graph) == LEFT
