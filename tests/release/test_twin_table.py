"""Which specs of the library have a discrete twin that is proved, as a table: `--long`, or `--update` to write it."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from seqlang.analyses import claims
from seqlang.analyses.prove import prove
from seqlang.driver import library, load, read
from seqlang.model.program import Program
from seqlang.record import replace
from seqlang.release.exact.plan import obstacles
from seqlang.release.twin.twin import twin_of
from seqlang.release.twin.written import NoTwin

TABLE = Path(__file__).with_name("twins.md")
HEAD = """# Discrete twins of the library

Of every spec, as it is shipped, on a grid of 1/16: whether its discrete twin is released. `proved`: every strong claim
of the twin is proved. `itself`: the spec is computed exactly as it is. `open`: a strong claim of the twin is not proved
(or it makes none); among these are the specs whose own claim is refuted. `not exact`: the twin has a step that is not
computed exactly. `none`: there is no twin. Written by `pytest --update tests/release/test_twin_table.py`.

"""


def told(name: str) -> tuple[str, str]:
    """The kind of a spec, and why it is not released."""
    try:
        found = twin_of(load(read(f"@{name}")))
    except NoTwin as why:
        return "none", str(why)
    program = found.loaded.program
    against = obstacles(program)
    if against:
        return "not exact", against[0].rstrip(".")
    if not any(c.kind == "strong" for c in program.claims):
        return "open", "it makes no strong claim"
    wrong = unproved(program)
    return ("itself" if found.is_itself else "proved", "") if not wrong else ("open", wrong)


def unproved(program: Program) -> str:
    """Why a strong claim is not proved; empty if all are."""
    strong = replace(program, claims=tuple(c for c in program.claims if c.kind == "strong"))
    horizon = claims.claimed_horizon(strong)
    bounds = prove(strong, delta=Fraction(1, 10**6), horizon=horizon)
    verdicts = claims.decide(strong, delta=Fraction(1, 10**6), horizon=horizon, known=bounds, witness=None)
    return next((v.because.split(";")[0] for v in verdicts if v.verdict != "proved"), "")


@pytest.mark.long
def test_the_table_of_the_library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "_refutation", lambda *a, **k: None)  # only what is proved is released
    rows = {name: told(name) for name in library()}
    counts = Counter(kind for kind, _ in rows.values())
    text = HEAD + ", ".join(f"{kind}: {n}" for kind, n in sorted(counts.items())) + ".\n\n"
    text += "| spec | twin | why not |\n|---|---|---|\n"
    text += "".join(f"| {name} | {kind} | {why.replace('|', '')} |\n" for name, (kind, why) in rows.items())
    if request.config.getoption("--update"):
        TABLE.write_text(text)
    assert TABLE.read_text() == text
