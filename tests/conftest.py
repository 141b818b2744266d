"""Options of the test run."""

from __future__ import annotations

import gc
import importlib.util
import os
import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from published import TABLE, line, merged, published, told
from source_page import rewrite
from thorough import LONG

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it in its workers, and piped reports are as wide as it says
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # there is a worker for each processor: more threads only wait
ROOT = Path(__file__).resolve().parent.parent
gc.set_threshold(500_000, 20, 100)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the searches that take minutes")
    parser.addoption("--everything", action="store_true", help="a skip is a failure")
    parser.addoption("--update", action="store_true", help="rewrite the golden reports beside the specs")
    parser.addoption("--instances", type=int, default=100, help="random specs of the soundness test")
    parser.addoption("--first-seed", type=int, default=0, help="seed of the first random spec")


__all__ = ["published"]
NO_EXTRA = "dp_accounting"
"""It asks for older releases of what the package needs. Tests against it are so marked, and run where it is there."""
ALREADY_COMPILED = pytest.StashKey[set[Path]]()


def _bytecode() -> set[Path]:
    return {folder for room in ("seqlang", "tests", "examples") for folder in (ROOT / room).rglob("__pycache__")}


def _share_bytecode(config: pytest.Config) -> None:
    """Where Python is told to write no byte code (PYTHONDONTWRITEBYTECODE), each of some hundred processes would
    compile the package anew, for two thirds of its time. They share it for this run, after which it is removed."""
    if sys.dont_write_bytecode and not hasattr(config, "workerinput"):
        config.stash[ALREADY_COMPILED] = _bytecode()
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False


def pytest_unconfigure(config: pytest.Config) -> None:
    if (before := config.stash.get(ALREADY_COMPILED, None)) is not None:
        sys.dont_write_bytecode = True
        for folder in _bytecode() - before:
            shutil.rmtree(folder, ignore_errors=True)


def pytest_configure(config: pytest.Config) -> None:
    _share_bytecode(config)
    if config.getoption("--long"):
        os.environ[LONG] = "1"
    if config.getoption("--everything"):
        pytest.importorskip = lambda name, *a, **n: importlib.import_module(name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without `--long` the long tests are deselected rather than skipped: a skip is a test that wanted to run."""
    left_out = set() if config.getoption("--long") or config.getoption("--update") else {"long"}
    if importlib.util.find_spec(NO_EXTRA) is None:
        left_out.add(NO_EXTRA)
    kept = [item for item in items if not left_out.intersection(item.keywords)]
    if len(kept) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if left_out.intersection(item.keywords)])
        items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.skipped and item.config.getoption("--everything") and "long" not in item.keywords:
        report.outcome = "failed"
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Published figures beside ours, and with `--update` on their pages."""
    if config.getoption("--update"):
        rewrite(terminalreporter.stats.get("passed", []))
    rows = told(terminalreporter.stats.get("passed", []))
    if rows and config.getoption("--long"):
        terminalreporter.section("published figures: ours, published, difference")
        for row in rows:
            terminalreporter.write_line(f"{row[0]}: {line(row)}")
        if config.getoption("--update"):
            before = TABLE.read_text(encoding="utf-8") if TABLE.exists() else ""
            TABLE.write_text(merged(before, rows), encoding="utf-8")


def pytest_collection_finish() -> None:
    """The collector leaves alone what lives to the end, thousands of tests and the modules, and comes less often (the
    thresholds above): else it takes one tenth of the time."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def specs() -> Path:
    """The folder of the library."""
    return ROOT / "specs"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real data; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the folder with real data is not beside the checkout")
    return folder
