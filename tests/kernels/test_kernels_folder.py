"""What may happen while a kernel is compiled and kept: an interrupt, and a disk that takes nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from plain_kernels import program_of

from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import lower
from seqlang.backends.kernels.one_by_one import scalar_text

pytest.importorskip("numba")
ROOT = Path(__file__).resolve().parents[2]
SPEC = """algorithm a
stream x in {0, 1}
model m: x ~ bernoulli(0.5)
statistic s = sum(x over steps) + max(sum(x over last k) - k for k in 1..4)
stop when s >= 3 return high
stop when step >= 9 return low
attach laplace(1) to s
"""


def text_of(addend: int) -> str:
    """A kernel that no other test compiles."""
    program = program_of(SPEC.replace("- k for", f"- k + {addend} * sqrt(k) for"))
    return scalar_text(lower(program, ModelInputs(program.models[0])).kernel) + f"    # {addend}\n"


def test_an_interrupt_reaches_who_waits_and_leaves_the_compiler_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "_folder", lambda: tmp_path)
    text = text_of(41)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))  # to the process, as Ctrl-C is
    timer.start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        build.compiled(text)
        time.sleep(300)
    assert time.perf_counter() - began < 200  # it did not wait for the end of the sleep
    function = build.compiled(text)  # the same compilation, which has gone on
    assert not build.compiling()
    assert build.compiled(text) is function


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="files cannot be limited here")
@pytest.mark.parametrize("most", [0, pytest.param(12_000, marks=pytest.mark.long)])
def test_a_full_disk_only_costs_time(most: int, tmp_path: Path) -> None:
    """Nothing can be written; or the text, but not the compiled code."""
    import resource

    (tmp_path / "a.seq").write_text(SPEC)
    command = [sys.executable, "-m", "seqlang", "run", str(tmp_path / "a.seq"), "--engine", "compiled", "--json"]
    found = subprocess.run(
        [*command, "--runs", "1000"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "SEQLANG_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert '"runs": 1000' in found.stdout
    kept = list((tmp_path / "cache").rglob("*.nbc"))
    assert not any(path.stat().st_size for path in kept)


@pytest.mark.long
def test_many_interrupted_commands_end_at_once(tmp_path: Path) -> None:
    """Fifty, at random moments of the compilation."""
    (tmp_path / "a.seq").write_text(SPEC)
    command = [sys.executable, "-m", "seqlang", "run", str(tmp_path / "a.seq"), "--engine", "compiled"]
    for i in range(50):
        folder = {"SEQLANG_CACHE": str(tmp_path / f"cache {i}")}
        with subprocess.Popen(
            [*command, "--runs", str(10**12)], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **folder},
        ) as process:  # fmt: skip
            time.sleep(1 + 0.1 * i)
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 130, (i, err)
        assert time.perf_counter() - began < 60
        assert "Traceback" not in err
