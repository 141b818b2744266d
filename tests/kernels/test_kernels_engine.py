"""What holds for all kernels: the same seed gives the same bits, a text without values of parameters, the folder of
compiled code, interrupts, faults, and what cannot be compiled."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from every_digit import every_digit
from plain_kernels import as_python, program_of

from seqlang.backends.arrays.record import UNSTOPPED, returned_labels
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.compiling.seal import is_whole
from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import lower
from seqlang.backends.kernels.one_by_one import scalar_text
from seqlang.backends.kernels.runs import ByKernel, block_of
from seqlang.backends.kernels.training import ByRows
from seqlang.backends.montecarlo.chunks import Chunk, Watch, broken_off, counted_together, joined
from seqlang.backends.montecarlo.counted import Counted
from seqlang.backends.montecarlo.simulate import simulate
from seqlang.backends.montecarlo.tally import Tally
from seqlang.record import replace

pytest.importorskip("numba")
VECTORS = """
algorithm vectors
param T = 6
stream x in {0, 1}, v in real ^ 3
model law: x ~ bernoulli(0.4), v ~ normal([0, 1, 2], 1)
memory w = [0, 0, 0]
statistic s = sum(x over steps)
statistic g = sum(v over last 2)
report hit when s >= T
report shown = g when hit
update w = w + shown when hit
stop when count(hit over steps) >= 3 return w
stop when step >= 40
attach laplace(1) to T each hit
attach geometric(0.5) to s
attach l2_laplace(1) to shown
"""


MANY = """
algorithm many
param eps > 0 = 1
param n in 1.. = 20
param d in 1.. = 4
param p in (0, 1) = 0.3
param T = 3
stream x in {0, 1}, v in real ^ d
model law: x ~ bernoulli(p), v ~ normal(0, eps)
statistic s = sum(log((if x == 1 then p else 1 - p) / 0.5) over steps) + norm(project(v, ball(abs(T), d)))
statistic w = max(sum(x over last k) - k * T for k in 1..n)
statistic i = sum(x over last n) + zeros(d)[1]
stop when s >= T return yes
stop when step >= n
stop when s < -T return no
attach laplace(2 / eps) to s
attach gaussian(eps) to T once
attach tree(laplace(1 / eps)) to w
attach randomized_response(p) to return
"""


def watch(flag: int = 0) -> Watch:
    return Watch(np.full(1, flag, np.int64), lambda: None)


def numbers(chunk: Chunk) -> list[bytes]:
    tables = (chunk.statistics, chunk.reports, chunk.released)
    parts = [chunk.steps, chunk.codes, chunk.values, *(t[k] for t in tables for k in sorted(t))]
    return [np.ascontiguousarray(p).tobytes() for p in parts if p is not None]


def test_a_run_depends_on_seed_and_number_only() -> None:
    program = program_of(VECTORS)
    engine = ByKernel(program, program.models[0], 3)
    whole = engine.run(100, 60, None, watch())
    parts = [engine.run(100 + a, b - a, None, watch()) for a, b in ((0, 1), (1, 8), (8, 9), (9, 60))]
    assert numbers(whole) == numbers(joined(parts))
    again = ByKernel(program, program.models[0], 3, threads=1).run(100, 60, None, watch())
    assert numbers(again) == numbers(whole)
    assert numbers(ByKernel(program, program.models[0], 4).run(100, 60, None, watch())) != numbers(whole)
    short = engine.run(100, 60, 5, watch())  # a cap only cuts off
    ended = whole.steps <= 5
    assert np.array_equal(short.steps, np.minimum(whole.steps, 5))
    assert np.array_equal(short.codes[ended], whole.codes[ended])


RETURNS = """
algorithm returns
param p = 0.3
stream x in {0, 1}
model m: x ~ bernoulli(p)
statistic s = sum(x over steps)
stop when s >= 3 return high
stop when step >= 9
stop when step >= 4 and s == 0 return low
"""


@pytest.mark.parametrize(("text", "cap"), [(RETURNS, None), (RETURNS, 5), (VECTORS, 12)])
def test_runs_that_are_only_counted_have_the_tally_of_single_ones(text: str, cap: int | None) -> None:
    program = program_of(text)
    engine, labels = ByKernel(program, program.models[0], 3, threads=1), returned_labels(program)
    places = ((0, 3000), (3000, 10), (3010, 700))
    single = [engine.run(*place, cap, watch()) for place in places]
    sums = [engine.counted(*place, cap, watch()) for place in places]
    for one, other in zip((*single, joined(single)), (*sums, counted_together(sums)), strict=True):
        assert one.count == other.count
        assert every_digit(Tally.of(one, labels)) == every_digit(Tally.of(other, labels))
        assert broken_off(one, cap) == broken_off(other, cap) == {}


ONE_BY_ONE = "statistic v = [x, step]\n"
"""With it runs do not go abreast."""


@pytest.mark.parametrize("vector", [pytest.param("", marks=pytest.mark.long), ONE_BY_ONE])
def test_long_runs_are_in_no_table_and_squares_do_not_overflow(vector: str) -> None:
    text = RETURNS.replace("step >= 9", "step >= 70000").replace("s >= 3", "s >= 90000").replace("s == 0", "s < 0")
    often = f"{vector}report often when x == 1 or step > 500\nstop when step >= 500 and s < 145 return early\n"
    program = program_of(text.replace("stop when s >=", f"{often}stop when s >=", 1))
    engine, labels = ByKernel(program, program.models[0], 3, threads=1), returned_labels(program)
    chunk, sums = engine.run(0, 60, None, watch()), engine.counted(0, 60, None, watch())
    long = np.flatnonzero(chunk.steps == 70_000)
    assert 2 <= len(long) <= 58
    assert sums.ends.sum() == 60 - len(long)
    assert sorted(sums.apart[0].tolist()) == long.tolist()
    one, other = Tally.of(chunk, labels), Tally.of(sums, labels)
    assert other.reports["often"].squares == sum(n * n for n in chunk.reports["often"].tolist()) > 1 << 33
    assert every_digit(one) == every_digit(other)
    with_other_kinds = replace(sums, ends=np.zeros_like(sums.ends), apart=np.stack([chunk.steps] * 2 + [chunk.codes]))
    assert every_digit(Tally.of(with_other_kinds, labels)) == every_digit(one)


def test_steps_in_bins_are_the_same_when_they_are_counted() -> None:
    """Seventy thousand different lengths, most of them beyond the table."""
    steps = np.concatenate([np.arange(70_000) + 1, np.arange(3000) + 1])
    codes = np.where(steps % 3, 0, -1)
    chunk = Chunk(0, steps, codes, None, {}, {}, {})
    ends, there = np.zeros((3, 2048), np.int64), steps < 2048
    np.add.at(ends, (codes[there] + 2, steps[there]), 1)
    apart = np.stack([np.flatnonzero(~there), steps[~there], codes[~there]])
    sums = Counted(0, len(steps), ends, apart, {}, None, {}, {})
    assert Tally.of(chunk, ("a",)).steps.coarse
    assert every_digit(Tally.of(chunk, ("a",))) == every_digit(Tally.of(sums, ("a",)))


def test_blocks_are_powers_of_two_and_their_numbers_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "compiled", as_python)
    for kept in (0, 1, 2, 3, 8, 9, 100, 1000, 4000, 10**5):
        block = block_of(kept)
        assert block & (block - 1) == 0
        assert block * kept <= 1 << 20 or block == 64
        assert 64 <= block <= 1 << 20
    wide = VECTORS.replace("^ 3", "^ 700").replace("[0, 1, 2]", "0").replace("[0, 0, 0]", "zeros(700)")
    program = program_of(wide)
    assert ByKernel(program, program.models[0], 1).block == 256


@pytest.mark.parametrize("text", [RETURNS, VECTORS])
def test_threads_batches_and_what_is_kept_do_not_show(text: str) -> None:
    program = program_of(text)
    found = [
        simulate(program, None, runs=9000, seed=4, engine="compiled", threads=threads, batch=batch, keep=keep)
        for threads, batch, keep in ((1, None, 9000), (1, None, 0), (2, 700, 8999), (5, None, 1), (3, 64, 3000))
    ]
    assert len({every_digit(samples.tally) for samples in found}) == 1
    assert [len(samples.all_runs.kept) > 0 for samples in found] == [True, False, False, False, False]
    one, other = (str(list(samples.rows())) for samples in found[:2])  # a NaN is not equal to itself
    assert one == other
    assert "nan, nan" not in one  # runs that returned no vector


@pytest.mark.parametrize("vector", [pytest.param("", marks=pytest.mark.long), ONE_BY_ONE])
def test_runs_that_were_broken_off_are_known(vector: str) -> None:
    text = RETURNS.replace("step >= 9", "s >= 1e8").replace("s >= 3", "s >= 1e9")
    program = program_of(text.replace("stop when s >=", f"{vector}stop when s >=", 1))
    engine = ByKernel(program, program.models[0], 3, threads=1)
    sums, chunk = engine.counted(5, 200, None, watch(1)), engine.run(5, 200, None, watch(1))
    assert 1 <= chunk.count == sums.count < 200
    assert broken_off(sums, None) == broken_off(chunk, None) != {}
    for run, step in broken_off(sums, None).items():
        again = engine.run(run, 1, step, watch())
        assert again.steps.tolist() == [step]
        assert again.codes.tolist() == [UNSTOPPED]
        assert again.statistics["s"][0] == chunk.statistics["s"][run - 5]


@pytest.mark.long
def test_training_is_the_same_in_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.backends.kernels import training

    program = program_of(VECTORS)
    rng = np.random.default_rng(1)
    fields = {"x": rng.integers(0, 2, 90).astype(float), "v": rng.normal(size=(90, 3))}
    orders = np.stack([rng.permutation(90)[:40] for _ in range(11)])
    found = []
    for threads in (1, 2, 5, 30):
        monkeypatch.setattr(training, "processors", lambda threads=threads: threads)
        rows = ByRows(program, fields, orders, seed=2, first=7, checkpoints=(1, 5, 40), tracked=("s",))
        rows.go(40, None)
        found.append((rows.record.steps, rows.record.values, rows.memories["w"], rows.tracked["s"]))
    for other in found[1:]:
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(found[0], other, strict=True))


@pytest.mark.parametrize(
    ("text", "values"),
    [
        (VECTORS, {"T": 9.5}),
        (
            MANY,
            {"eps": 0.25, "n": 33, "d": 7, "p": 0.85, "T": -2.5},
        ),
    ],
)
def test_other_parameters_do_not_need_another_kernel(text: str, values: dict[str, float]) -> None:
    from fractions import Fraction

    def texts(**settings: Any) -> tuple[str, Any]:
        program = program_of(text, **settings)
        lowered = lower(program, ModelInputs(program.models[0]))
        return scalar_text(lowered.kernel), lowered.constants

    plain, constants = texts()
    for name, value in values.items():
        other, numbers_ = texts(**{name: Fraction(value)})
        assert other == plain, name
        assert not np.array_equal(numbers_, constants), name


def test_faults_name_place_step_and_run() -> None:
    text = (
        "algorithm a\nstream x in {0, 1}\nmodel law: x ~ bernoulli(0.5)\n"
        "statistic s = sqrt(1 - sum(x over steps))\nstop when step >= 2"
    )
    program = program_of(text)
    with pytest.raises(EvaluationError) as caught:
        ByKernel(program, program.models[0], 1).run(0, 200, None, watch())
    found = caught.value.diagnostics[0]
    assert found.code == "E0620"
    assert found.notes[-1].startswith("in step 2 of run ")
    assert found.primary is not None
    assert text[found.primary.span.start : found.primary.span.end] == "s"


@pytest.mark.parametrize(
    ("domain", "law"),
    [
        ("[0, 1]", "uniform(0, step / 4)"), ("0..3", "binomial(step, 0.5)"), ("{1, 2}", "point(step)"),
        ("[0, 1] ^ 2", "uniform(0, step / 4)"), ("ball(1, 2)", "point([step / 4, 0])"), ("0..", "point(3 - step)"),
        ("(0, 1]", "point(1 - step / 9)"), ("[0, 1)", "point(step / 9)"), ("1..", "point(step / 2 + 1 / 2)"),
    ],
)  # fmt: skip
def test_a_model_that_leaves_the_domain(domain: str, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first and a ball compiled, the others as Python: a kernel takes a second to compile."""
    if domain not in ("[0, 1]", "ball(1, 2)"):
        monkeypatch.setattr(build, "compiled", as_python)
    program = program_of(
        f"algorithm a\nstream x in {domain}\nmodel law: x ~ {law}\nstatistic s = step\nstop when step >= 9"
    )
    with pytest.raises(EvaluationError) as caught:
        ByKernel(program, program.models[0], 1).run(0, 200, None, watch())
    assert caught.value.diagnostics[0].code == "E0621"


def test_what_kernels_cannot_do_is_said_in_a_phrase() -> None:
    text = (
        "algorithm a\nstream x in real ^ 2\nmodel law: x ~ normal(0, 1)\n"
        "statistic s = argmin(norm(v - x) for v in real ^ 2)\nstop when step >= 1"
    )
    program = program_of(text)
    with pytest.raises(CannotVectorise, match="a minimum over all vectors"):
        ByKernel(program, program.models[0], 1)


ENDLESS = {
    "one number": "algorithm a\nstream x in {0, 1}\nmodel law: x ~ bernoulli(0.5)\nstop when x > 2",
    "a list": "algorithm a\nstream x in {0, 1}\nmodel law: x ~ bernoulli(0.5)\nstop when sum(2 * x for k in 1..3) > 9",
}


@pytest.mark.parametrize("kind", ENDLESS)
def test_an_endless_run_is_left(kind: str) -> None:
    program = program_of(ENDLESS[kind])
    engine, seen = ByKernel(program, program.models[0], 1), watch()
    threading.Timer(0.3, seen.leave).start()
    began = time.perf_counter()
    chunk = engine.run(0, 50, None, seen)
    assert time.perf_counter() - began < 120  # rather than for ever
    assert np.all(chunk.codes == -2)
    assert chunk.count == 0 or chunk.steps[0] > 0
    assert seen.done[1] >= 0


# ---- the folder of compiled code

PROGRAM = """
import sys
sys.path[:0] = {here!r}
from plain_kernels import program_of
from test_kernels_engine import ByKernel, numbers, watch
import hashlib
program = program_of({text!r})
chunk = ByKernel(program, program.models[0], 8).run(0, 500, None, watch())
print(hashlib.sha256(b"".join(numbers(chunk))).hexdigest())
"""
SMALL = (
    "algorithm small\nstream x in {0, 1}\nmodel law: x ~ bernoulli(0.5)\nstatistic s = sum(x * k for k in 1..3)\n"
    "stop when s > 5\nattach laplace(1) to s"
)


def started(cache: Path) -> subprocess.Popen[str]:
    text = PROGRAM.format(here=[str(folder) for folder in Path(__file__).parents[:2]], text=SMALL)
    environment = {**os.environ, "SEQLANG_CACHE": str(cache)}
    return subprocess.Popen([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, text=True)


def finished(process: subprocess.Popen[str]) -> str:
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return out


def here(cache: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The same in this process, with nothing in its memory of kernels that were compiled before."""
    monkeypatch.setattr(build, "_folder", lambda: cache / "seqlang" / "kernels")
    monkeypatch.setattr(build, "_made", {})
    program = program_of(SMALL)
    chunk = ByKernel(program, program.models[0], 8).run(0, 500, None, watch())
    return hashlib.sha256(b"".join(numbers(chunk))).hexdigest() + "\n"


@pytest.mark.long
def test_processes_that_compile_the_same_kernel_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = [started(tmp_path) for _ in range(2)]
    found = {finished(p) for p in both}
    assert len(found) == 1
    assert len(list(tmp_path.rglob("seqlang_kernel_*.py"))) == 1
    assert not list(tmp_path.rglob("*.part"))
    for broken in tmp_path.rglob("__pycache__/*.nb?"):
        broken.write_bytes(b"not what numba wrote")
    assert here(tmp_path, monkeypatch) in found
    for path in tmp_path.rglob("seqlang_kernel_*.py"):  # a file that was cut off
        path.write_text(path.read_text()[:500])
    assert here(tmp_path, monkeypatch) in found


def test_kept_code_that_was_changed_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A text in which a number was changed, and machine code in which a byte was: either would run."""
    (tmp_path / "seqlang" / "kernels").mkdir(parents=True)
    right = here(tmp_path, monkeypatch)
    (path,) = tmp_path.rglob("seqlang_kernel_*.py")
    text = path.read_text()
    for file in tmp_path.rglob("__pycache__/*"):
        file.unlink()
    path.write_text(text.replace("(s)", "(s) * 0.5"))
    assert path.read_text() != text
    assert here(tmp_path, monkeypatch) == right
    for code in tmp_path.rglob("__pycache__/*.nbc"):
        kept = code.read_bytes()
        code.write_bytes(kept[:-100] + bytes([kept[-100] ^ 1]) + kept[-99:])
    assert not is_whole(path)
    assert here(tmp_path, monkeypatch) == right
    assert is_whole(path)


@pytest.mark.long
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    file = tmp_path / "a file"
    file.write_text("")
    assert len(finished(started(file))) == 65


def test_kernels_are_named_by_all_that_they_are_made_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(build, "_ready", lambda path, further: made.append(path.name))
    folder: Callable[[], Path] = lambda: tmp_path  # noqa: E731
    monkeypatch.setattr(build, "_folder", folder)
    body = "def kernel(k):\n    k[0] = uniform_of_word(np.uint64(7))\n"
    build.compiled(body)
    build.compiled(body + "    k[1] = 0.0\n")
    assert len(set(made)) == 2
    assert all((tmp_path / name).read_text().split("\n")[1] == "import math" for name in made)
