"""Options of the test run."""

from __future__ import annotations

import gc
import importlib
import os
from pathlib import Path

import pytest

os.environ.pop("COLUMNS", None)  # pytest-xdist sets it in its workers, and piped reports are as wide as it says
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # there is a worker for each processor: more threads only wait
ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="run the searches that take minutes")
    parser.addoption("--everything", action="store_true", help="fail where a package is missing, instead of skipping")
    parser.addoption("--update", action="store_true", help="rewrite the golden reports beside the specs")
    parser.addoption("--instances", type=int, default=160, help="random specs of the soundness test")
    parser.addoption("--first-seed", type=int, default=0, help="seed of the first random spec")


NOT_INSTALLED = "dp_accounting"
"""No extra has it: it asks for older releases of what the package needs."""


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--everything"):
        skips = pytest.importorskip
        pytest.importorskip = lambda name, *a, **n: (
            skips(name, *a, **n) if name.startswith(NOT_INSTALLED) else importlib.import_module(name)
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without `--long` the long tests are deselected rather than skipped: a skip is a test that wanted to run."""
    if config.getoption("--long"):
        return
    long = [item for item in items if "long" in item.keywords]
    if long:
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if "long" not in item.keywords]


def pytest_collection_finish() -> None:
    """The collector leaves alone what lives to the end, thousands of tests and the modules, and comes less often: else
    it takes one twentieth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


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
