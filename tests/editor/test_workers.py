"""The processes that compute: a job that nobody wants any more is ended, and one that fails says so."""

from __future__ import annotations

import asyncio

import pytest

pytest.importorskip("pygls", reason="the language server needs the extra `editor`")

from seqlang.annotations.found import Found
from seqlang.editor.workers import JobFailed, Workers

SPEC = (
    "algorithm a\ndataset x in [0, 1] size 9\nreport s = sum(x)\nstop\nattach laplace(1) to s\nclaim strong pure(1)\n"
)


async def _all(workers: Workers, *asked: object) -> list[object]:
    return [answer async for answer in workers.carried_out(*asked)]  # type: ignore[arg-type]


async def _lives() -> None:
    workers = Workers()
    begun = asyncio.create_task(_all(workers, "check", SPEC, "a"))
    while not workers._busy:
        await asyncio.sleep(0.01)
    (process,) = workers._busy
    begun.cancel()
    with pytest.raises(asyncio.CancelledError):
        await begun
    assert await asyncio.wait_for(process.wait(), 20) < 0, "it was killed"
    assert not workers._idle and not workers._busy

    answers = await _all(workers, "check", SPEC, "a")
    assert all(isinstance(answer, Found) for answer in answers)
    last = answers[-1]
    assert isinstance(last, Found) and last.complete and [c.verdict for c in last.claims] == ["proved"]
    (spare,) = workers._idle
    with pytest.raises(JobFailed, match="KeyError"):
        await _all(workers, "no such job")
    assert await asyncio.wait_for(spare.wait(), 20) < 0, "nobody knows what state it is in"
    workers.close()


def test_lives_of_processes() -> None:
    asyncio.run(_lives())
