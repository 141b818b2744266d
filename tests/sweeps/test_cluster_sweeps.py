"""Sweeps on dask.distributed: a real scheduler and real workers, processes of this machine."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from sweep_command import ROOT, SPEC, environment, run, spec, start

pytest.importorskip("distributed", reason="needs the extra `cluster`")

GRID = ("--sweep", "a=4,5,6,7,8", "--sweep", "p=0.3,0.45", "--runs", "4000", "--exact")


class Cluster:
    """A scheduler and the workers that were started on it."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        self.folder = folder
        self.log = (folder / "log.txt").open("w")
        port = self.address.rpartition(":")[2]
        self.processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")]

    def worker(self, threads: int = 1, **more: str) -> subprocess.Popen[bytes]:
        options = ("--no-nanny", "--nthreads", str(threads), "--no-dashboard", "--local-directory", str(self.folder))
        self.processes.append(self._start("worker", self.address, *options, **more))
        return self.processes[-1]

    def _start(self, kind: str, *arguments: str, **more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments]
        env = {**environment(), **more}
        return subprocess.Popen(command, cwd=self.folder, stdout=self.log, stderr=self.log, env=env)

    def close(self) -> None:
        for process in reversed(self.processes):
            process.kill()
            process.wait()
        self.log.close()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    found = Cluster(tmp_path)
    yield found
    found.close()


def _numbers(out: str) -> list[object]:
    """The JSON lines without the times."""
    rows = [json.loads(line) for line in out.splitlines()]
    for row in rows:
        row.pop("seconds"), row.pop("steps_per_second"), row.pop("seconds_preparing", None)
        if row.get("exact"):
            row["exact"].pop("seconds")
    return rows


def test_the_same_numbers_here_in_processes_and_on_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker(threads=2)
    cluster.worker()
    file = spec(tmp_path)
    found = [
        run(file, *GRID, "--json", *where)
        for where in (("--workers", "1"), ("--workers", "2"), ("--cluster", cluster.address))
    ]
    assert [(f.returncode, f.stderr) for f in found] == [(0, "")] * 3
    here, processes, there = (_numbers(f.stdout) for f in found)
    assert len(here) == 20
    assert here == processes == there


def test_a_worker_that_dies_in_the_middle_is_replaced(cluster: Cluster, tmp_path: Path) -> None:
    doomed = cluster.worker()
    cluster.worker()
    file = spec(tmp_path)
    arguments = (file, "--sweep", "a=8,9,10,11,12,13", "--sweep", "p=0.3,0.45", "--runs", "8000", "--json")
    here = run(*arguments, "--workers", "1")
    with start(*arguments, "--cluster", cluster.address) as process:
        assert process.stdout is not None
        first = process.stdout.readline()  # some unit is done, many are not
        doomed.send_signal(signal.SIGKILL)
        assert process.poll() is None
        rest = process.stdout.read()
        assert process.wait(timeout=60) == 0, process.stderr
    assert _numbers(first + rest) == _numbers(here.stdout)


def test_a_worker_without_this_release_is_named(cluster: Cluster, tmp_path: Path) -> None:
    other = tmp_path / "other" / "seqlang"
    other.mkdir(parents=True)
    (other / "__init__.py").touch()
    (other / "version.py").write_text('__version__ = "0.0.1"\n')
    cluster.worker(PYTHONPATH=str(other.parent))
    done = run(spec(tmp_path), *GRID, "--cluster", cluster.address)
    assert done.returncode == 2
    assert "E0643" in done.stderr
    assert "has seqlang 0.0.1" in done.stderr
    assert "pip install seqlang==" in done.stderr


def test_a_worker_that_comes_later_without_the_package_ends_the_sweep_and_lives_on(
    cluster: Cluster, tmp_path: Path
) -> None:
    from seqlang.diagnostics import SpecError
    from seqlang.sweeps.carry_out import carry_out
    from seqlang.sweeps.executors.cluster import Cluster as Executor
    from seqlang.sweeps.unit import Unit

    cluster.worker()
    units = [Unit("run", "s", SPEC, (), "fair", (("runs", 10), ("seed", n)), "x") for n in range(20)]
    with Executor(cluster.address) as executor:
        (tmp_path / "other" / "seqlang").mkdir(parents=True)
        (tmp_path / "other" / "seqlang" / "__init__.py").touch()
        late = cluster.worker(PYTHONPATH=str(tmp_path / "other"))
        executor._client.wait_for_workers(2, timeout=30)
        with pytest.raises(SpecError, match="a worker that came later has no seqlang"):
            list(carry_out(units, executor, None, lambda number, state: None))
        assert late.poll() is None
        assert len(executor._client.scheduler_info()["workers"]) == 2


def test_ctrl_c_leaves_the_cluster_idle(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker()
    store = tmp_path / "done.sqlite"
    file = spec(tmp_path)
    arguments = (file, *GRID, "--cluster", cluster.address, "--store", str(store), "--json")
    with start(*arguments) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "Traceback" not in err
    again = run(*arguments)
    assert again.returncode == 0
    assert _numbers(again.stdout) == _numbers(run(file, *GRID, "--json").stdout)


def test_ctrl_c_before_dask_has_begun_to_wait_leaves_no_traceback(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """dask's loop is held back until the interrupt has come, as on a busy machine."""
    from seqlang.sweeps.executors.cluster import Cluster as Executor

    held, go_on = Event(), Event()

    def hold() -> None:
        held.set()
        go_on.wait(10)

    def interrupted(self: Event, timeout: float | None = None) -> bool:
        monkeypatch.undo()
        raise KeyboardInterrupt

    cluster.worker()
    with Executor(cluster.address) as executor:
        executor._client.loop.add_callback(hold)
        assert held.wait(10)
        monkeypatch.setattr(Event, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            executor._client.ncores()
        go_on.set()
        assert len(executor._client.ncores()) == 1  # the loop has come to what the interrupt left
    assert "NameError" not in caplog.text


def test_nobody_there(tmp_path: Path) -> None:
    from seqlang.diagnostics import SpecError
    from seqlang.sweeps.executors.cluster import Cluster as Executor

    with pytest.raises(SpecError, match="E0643: there is no scheduler"):
        Executor("tcp://127.0.0.1:9", patience=1.0)
    for address in ("nonsense", "tcp://127.0.0.1", "127.0.0.1:8786", ""):
        with pytest.raises(SpecError, match="is not the address of a scheduler"):
            Executor(address, patience=1.0)


def test_somebody_else_there() -> None:
    """A server of another protocol, whose greeting dask reads as the length of a message."""
    from seqlang.diagnostics import SpecError
    from seqlang.sweeps.executors.cluster import Cluster as Executor

    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
                    connection.close()

        Thread(target=greet, daemon=True).start()
        with pytest.raises(SpecError, match="E0643: there is no scheduler"):
            Executor(f"tcp://127.0.0.1:{server.getsockname()[1]}", patience=1.0)


def test_a_scheduler_without_workers(cluster: Cluster) -> None:
    from seqlang.diagnostics import SpecError
    from seqlang.sweeps.executors.cluster import Cluster as Executor

    with pytest.raises(SpecError, match="has no workers"):
        Executor(cluster.address, patience=5.0)


def test_without_the_extra(tmp_path: Path) -> None:
    """As on a machine where it is not installed."""
    code = (
        "import sys\nsys.modules['distributed'] = None\n"
        "from seqlang.cli.__main__ import main\n"
        f"sys.exit(main(['run', {spec(tmp_path)!r}, '--cluster', 'tcp://127.0.0.1:1']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 2
    assert "pip install 'seqlang[cluster]'" in done.stderr


def test_a_scheduler_that_goes_away_ends_the_sweep(cluster: Cluster, tmp_path: Path) -> None:
    cluster.worker()
    store = tmp_path / "done.sqlite"
    arguments = (spec(tmp_path), "--sweep", "a=8:40:33", "--runs", "8000", "--json", "--store", str(store))
    with start(*arguments, "--cluster", cluster.address) as process:
        assert process.stdout is not None
        process.stdout.readline()
        cluster.processes[0].send_signal(signal.SIGKILL)
        _, err = process.communicate(timeout=90)
    assert process.returncode == 2, err
    assert err.startswith("error[E0643]: the scheduler")
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("reason", "said"), [("scheduler-connection-lost", "went away"), ("unknown", "dropped a unit")]
)
def test_a_unit_that_is_given_up(cluster: Cluster, monkeypatch: pytest.MonkeyPatch, reason: str, said: str) -> None:
    """The scheduler's end reaches who waits for a unit in two ways: which one, is by chance."""
    from distributed.client import Future, FutureCancelledError

    from seqlang.diagnostics import SpecError
    from seqlang.sweeps.carry_out import carry_out
    from seqlang.sweeps.executors import cluster as module
    from seqlang.sweeps.unit import Unit

    def given_up(self: object) -> None:
        raise FutureCancelledError("a unit", reason)

    cluster.worker()
    unit = Unit("run", "s", SPEC, (), "fair", (("runs", 10),), "x")
    with module.Cluster(cluster.address) as executor:
        executor._client.wait_for_workers(1, timeout=60)
        monkeypatch.setattr(Future, "result", given_up)
        with pytest.raises(SpecError, match=said):
            list(carry_out([unit], executor, None, lambda number, state: None))


def test_a_unit_that_takes_down_every_worker(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    from seqlang.diagnostics import SpecError
    from seqlang.sweeps.carry_out import carry_out
    from seqlang.sweeps.executors import cluster as module
    from seqlang.sweeps.unit import Unit

    def deadly() -> tuple[object, object]:
        def work(unit: dict[str, object]) -> dict[str, object]:
            import os

            os._exit(1)

        return work, release

    _, release = module._portable()
    for _ in range(5):
        cluster.worker()
    unit = Unit("run", "s", SPEC, (), "fair", (("runs", 10),), "x")
    with module.Cluster(cluster.address) as executor:
        executor._client.wait_for_workers(5, timeout=60)
        monkeypatch.setattr(module, "_portable", deadly)
        with pytest.raises(SpecError, match="took down every worker"):
            list(carry_out([unit], executor, None, lambda number, state: None))
