"""Jobs in other processes: answers, what they say on the way, cancelling, and what goes wrong."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from seqlang.driver import read
from seqlang.studio.workers import JobFailed, Workers

SLOW = {"text": read("@dipaut/two_range_2").text, "settings": {}}
QUICK = {"text": read("@tight/one_sided").text, "settings": {"lz": "2"}}


def within(work: Callable[[Workers], Coroutine[Any, Any, None]]) -> None:
    async def all_of_it() -> None:
        workers = Workers()
        try:
            await work(workers)
        finally:
            workers.close()

    asyncio.run(all_of_it())


def test_answers_cancelling_and_failures() -> None:
    async def work(workers: Workers) -> None:
        told: list[Any] = []
        found = await workers.call("check", QUICK, owner="a", tell=told.append)
        assert found["check"]["strong"]["pure"]["upper"] == 1.0  # max(D / lz, D / lw) = max(1 / 2, 1)
        assert {p["name"]: p["value"] for p in found["parameters"]} == {"D": 1.0, "lz": 2.0, "lw": 1.0, "b": 10.0}
        assert any("parameters" in part for part in told)
        slow = asyncio.create_task(workers.call("check", SLOW, owner="a"))
        await asyncio.sleep(0.3)
        began = time.monotonic()
        again = await workers.call("check", QUICK, owner="a")  # the owner asks for something else
        assert again["check"]["claims"][0]["verdict"] == "proved"
        assert time.monotonic() - began < 60
        with pytest.raises(asyncio.CancelledError):
            await slow
        with pytest.raises(JobFailed, match="no job"):
            await workers.call("os", {}, owner="b")
        broken = await workers.call("check", {"text": "algorithm a\nstop when", "settings": {}}, owner="b")
        assert broken["diagnostics"][0]["severity"] == "error" and "check" not in broken
        wrong = await workers.call("check", {**QUICK, "settings": {"lz": "-1"}}, owner="b")
        assert "check" not in wrong and wrong["parameters"]

    within(work)


def test_a_process_that_was_killed_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(workers: Workers) -> None:
        slow = asyncio.create_task(workers.call("check", SLOW, owner="a"))
        while not (at := workers._at.get("a")) or at[1] is None:
            await asyncio.sleep(0.05)
        at[1].process.kill()
        with pytest.raises(JobFailed, match="ended"):
            await slow
        assert (await workers.call("check", QUICK, owner="a"))["check"]

    within(work)
