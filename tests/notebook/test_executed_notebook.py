"""The notebook among the examples is executed, and what its cells show is looked at."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from well_formed import text_of

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "examples" / "results_in_a_notebook.ipynb"
KINDS = (
    "CheckResult", "Results", "SolveResult", "SweepResult", "DataResult", "DesignResult", "MonitorResult", "TuneResult",
    "Calibration", "Instances",
)  # fmt: skip


@pytest.fixture(scope="module")
def executed() -> Any:
    for package in ("pandas", "matplotlib", "ipykernel"):
        pytest.importorskip(package, reason="not installed: the extra `all-test` has it")
    nbclient = pytest.importorskip("nbclient", reason="not installed: the extra `all-test` has it")
    nbformat = pytest.importorskip("nbformat", reason="not installed: the extra `all-test` has it")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3")
    client.execute(env={**os.environ, "PYTHONPATH": paths})
    return notebook


def _outputs(notebook: Any, kind: str) -> list[Any]:
    """The data of all outputs that are shown as `kind` (a media type), a mapping from media types each."""
    found = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    return [output.data for output in found if kind in output.get("data", {})]


@pytest.mark.long
def test_nothing_fails_and_nothing_is_warned_of(executed: Any) -> None:
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", output
            assert output.output_type != "stream", output


@pytest.mark.long
def test_every_kind_of_result_is_shown_as_html(executed: Any) -> None:
    shown = [data for data in _outputs(executed, "text/html") if data["text/plain"].startswith("<")]
    kinds = [re.match(r"<(\w+)", data["text/plain"])[1] for data in shown]  # type: ignore[index]
    assert set(KINDS) == set(kinds), set(KINDS) ^ set(kinds)
    plain = " ".join(data["text/plain"] for data in shown)
    for command in ("run", "solve", "rare", "train"):
        assert f"<Results of {command}, " in plain
    for data in shown:
        assert len(data["text/plain"]) < 200 and "\n" not in data["text/plain"]
        assert len(text_of(data["text/html"])) > 100


@pytest.mark.long
def test_markup_in_titles_is_text(executed: Any) -> None:
    first = _outputs(executed, "text/html")[0]["text/html"]
    assert "<b>" not in first
    assert "<b>no</b> person & no entry is told apart" in text_of(first)
    assert "1 proved, 1 refuted" in _outputs(executed, "text/html")[0]["text/plain"]


@pytest.mark.long
def test_pictures_are_shown_by_the_backend_of_the_notebook(executed: Any) -> None:
    drawing = [cell for cell in executed.cells if re.search(r"\.plot\(|--plot", cell.source)]
    assert len(drawing) == 6
    for cell in drawing:
        (image,) = [o for o in cell.outputs if "image/png" in o.get("data", {})]
        assert len(image.data["image/png"]) > 5000, cell.source


def test_a_notebook_is_kept_without_outputs() -> None:
    assert '"outputs": []' in NOTEBOOK.read_text(encoding="utf-8")
    assert not re.search(r'"output_type"|"execution_count": \d', NOTEBOOK.read_text(encoding="utf-8"))
