"""The lines of Python that learn the same without the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def python_of(spec: str, about: Mapping[str, Any], seed: str) -> str:
    """`spec` is how it is named; `about` is the job's."""
    first, last = about["test_rows"]
    drawn = (
        f"{about['training']}, {about['validation']}, ({first}, {last}), {about['way']!r}, {seed}, {about['label']!r}"
    )
    names = "" if about["names"] is None else f"names={tuple(about['names'])!r}, "
    return f"""import seqlang
from seqlang.backends.train.split import Split, split

spec = seqlang.load({spec!r}, **{dict(about["settings"])!r})
rows = seqlang.rows(spec, {about["file"]!r}, {names}columns={dict(about["columns"])!r})
training, validation, test = split(rows, Split({drawn}))
both = seqlang.train(
    spec, training, test=test, permutations={about["orders"]}, checkpoints={about["checkpoints"]}, seed={seed},
    twin=True, engine={about["engine"]!r},
)
print(both)"""
