"""Learning from rows: a spec beside its twin without noise, or alone what it releases."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from seqlang.backends.train import Training, train
from seqlang.diagnostics import SpecError
from seqlang.driver.given import whole
from seqlang.driver.loading import shown_in
from seqlang.studio.learning.follow import WRITTEN, Followed, follow
from seqlang.studio.learning.numbers import numbers_of
from seqlang.studio.learning.released import names_of, released_of
from seqlang.studio.learning.request import Request, request_of
from seqlang.studio.learning.sources import Opened, origin_of

Tell = Callable[[Any], None]


def job(argument: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """`numbers`, `released`, `about`; the first is told on the way, at each checkpoint.
    With `released_only` only the last two: noise then comes from a seed that nobody knows, and no message quotes a
    row."""
    released_only = bool(argument.get("released_only"))
    with Opened(origin_of(argument)) as opened:
        if not released_only:
            return _learnt(argument, opened, tell)
        try:
            return _released(argument, opened, tell)
        except SpecError as error:
            raise _silenced(error) from None
        except Exception:  # its words may hold a row
            raise SpecError.of("E0613", "it cannot be learnt from these rows; why would tell of them") from None


def _learnt(argument: Mapping[str, Any], opened: Opened, tell: Tell) -> dict[str, Any]:
    began = time.perf_counter()
    request = request_of(argument, opened, tell, released_only=False, seed=whole(str(argument["seed"]), "seed", 0))
    read = time.perf_counter() - began
    tell({"doing": "learning"})

    def told(found: Sequence[Followed]) -> None:
        numbers = numbers_of(found)
        known = sum(point["n"] for one in numbers["variants"].values() for point in one["curves"]["test"])
        tell({"share": known / sum(one.counts["test"][0].size for one in found)})
        tell({"part": {"numbers": numbers}})

    found, done = follow(request, told)
    names = names_of(opened.source, request.columns[request.learner.attributes])
    return {
        "numbers": numbers_of(found), "released": released_of(done[0], names),
        "about": {**_about(request, opened, read, time.perf_counter() - began - read), "engine": done[0].engine},
    }  # fmt: skip


def _released(argument: Mapping[str, Any], opened: Opened, tell: Tell) -> dict[str, Any]:
    began = time.perf_counter()
    request = request_of(argument, opened, tell, released_only=True, seed=secrets.randbits(63))
    tell({"doing": "learning"})
    with shown_in(request.loaded.source):
        (done,) = train(
            [Training(WRITTEN, request.loaded.program)], request.training, None, request.passes,
            tell=lambda _, step, of: tell({"share": step / of}),
        )  # fmt: skip
    names = names_of(opened.source, request.columns[request.learner.attributes])
    return {"released": released_of(done, names), "about": _about(request, opened, 0.0, time.perf_counter() - began)}


def _about(request: Request, opened: Opened, read: float, learnt: float) -> dict[str, Any]:
    """What was done: sizes, columns, seconds."""
    values = {p.name: float(p.value) for p in request.loaded.program.parameters}
    return {
        "algorithm": request.loaded.program.name, "file": opened.path.name, "names": opened.layout.names,
        "columns": dict(request.columns), "training": request.training.count, "validation": request.validation.count,
        "test": request.test.count, "orders": request.passes.permutations, "checkpoints": request.passes.checkpoints,
        "parameters": values,
        "settings": {name: str(value) for name, value in request.settings.items()},
        "predicted": request.learner.predicted, "truth": request.learner.truth,
        "bought": request.learner.bought, "label": request.learner.label, "reading": read, "learning": learnt,
        "streamed": request.learner.streamed, "test_rows": request.split.test, "way": request.split.way,
    }  # fmt: skip


SAFE = ("E0601", "E0602", "E0603", "E0604", "E0605", "E0610", "E0612", "E0617", "E0618", "E0625", "E0627", "E0628")
"""Codes whose messages are about what was asked, about the columns' names, or about the number of rows."""


def _silenced(error: SpecError) -> SpecError:
    """Without what tells of a row."""
    if all(d.code in SAFE or d.code < "E06" for d in error.diagnostics):
        return error
    codes = ", ".join(sorted({d.code for d in error.diagnostics}))
    return SpecError.of("E0613", f"a row cannot be used ({codes}); which one, and why, would tell of it")
