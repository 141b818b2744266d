"""Everything about one setting on one page that needs nothing else."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any

from seqlang.diagnostics import SpecError
from seqlang.driver import Loaded, check, run, solve
from seqlang.report.document.markdown import as_page, code
from seqlang.report.text.kinds import KINDS
from seqlang.studio.jobs.check import SECONDS
from seqlang.studio.jobs.compare import RUNS
from seqlang.studio.jobs.texts import loaded_of
from seqlang.studio.jobs.words import words_of
from seqlang.version import __version__


def job(argument: Mapping[str, Any], tell: Callable[[Any], None]) -> dict[str, str]:
    """`html`: the text, its report, what it does under its models, a table of settings beside each other (`table`, its
    rows), and the lines that reproduce it (`lines`, a text)."""
    loaded = loaded_of(argument)
    result = check(loaded, time_limit=SECONDS)
    tell({"doing": "what it does under its models"})
    title = f"{loaded.program.name}: {loaded.program.title or 'a spec'}"
    parts = [code(title), "## In plain words\n", code("\n\n".join(words_of(result)))]
    parts += ["## What is proved\n", code(str(result))]
    parts += _does(loaded)
    if argument.get("table"):
        parts += ["## Beside other settings\n", code(_table(argument["table"])), f"{KINDS}\n"]
    parts += ["## The text\n", code(loaded.source.text)]
    settings = ", ".join(f"{name} = {value}" for name, value in argument["settings"].items())
    parts += ["## How it is reproduced\n", code(f"seqlang {__version__}\n{settings}\n{argument.get('lines', '')}")]
    return {"html": as_page("\n".join(parts), title)}


def _does(loaded: Loaded) -> list[str]:
    """The exact law where there is one, else simulated runs."""
    if not loaded.program.models:
        return []
    found: Any
    try:
        found, how = solve(loaded), "estimates computed without data, and what is certain"
    except SpecError:
        try:
            found, how = run(loaded, runs=RUNS), "computed from simulated data"
        except SpecError as error:
            return ["## What it does\n", code("\n".join(d.message for d in error.diagnostics))]
    return [f"## What it does: {how}\n", *(_picture(one) for one in found), code("\n\n".join(map(str, found)))]


def _picture(result: Any) -> str:
    from seqlang.studio.jobs.pictures import drawn

    data = b64encode(drawn(result.plot, kinds=("svg",))["svg"]).decode()
    return f"![when it stops, and what it returns](data:image/svg+xml;base64,{data})\n"


def _table(rows: list[Mapping[str, str]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    width = {name: max(len(name), *(len(str(row.get(name, ""))) for row in rows)) for name in names}
    lines = ["  ".join(name.ljust(width[name]) for name in names)]
    return "\n".join([*lines, *("  ".join(str(row.get(n, "")).ljust(width[n]) for n in names) for row in rows)])
