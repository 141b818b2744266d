"""What is minimised: the left side of a claim, read by the parser of claims.

`expected(step) under alternative` is the expression `expected(step)` under one model; without a model it is the largest
over all models of the file, as a claim without one speaks of all. It is added to the spec as a last claim, whose bound
nobody looks at.
"""

from __future__ import annotations

import re

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.elsewhere import made, shown_there
from seqlang.driver import Loaded
from seqlang.elaborate import elaborate
from seqlang.source import Source
from seqlang.syntax import parse, tree

_UNDER = r"\s*\bunder\s+\w+\s*\Z"
_BOUND = ") <= 1/2 "
OPTION = "--minimise"


def with_objective(loaded: Loaded, text: str) -> tree.File:
    """The tree of the spec with the objective as its last claim. Raises SpecError where it is no expression in the law,
    and E0601 where the spec has no model."""
    if not loaded.program.models:
        message = f"`{loaded.program.name}` has no model of its data, and without one no exact law to minimise over"
        raise SpecError.of("E0601", message, source=loaded.source, help="add one: `model null: x ~ LAW`")
    end = _UNDER if re.search(_UNDER, text) else r"\Z"
    part = made(
        Source(OPTION, text), 0, "claim (", rf"[\r\n]|{end}", lambda old: " " if old in "\r\n" and old else _BOUND + old
    )
    before = f"{loaded.source.text.rstrip()}\n\n"
    source = Source(loaded.source.name, f"{before}{part.text}\n")
    file, found = parse(source)
    own, _ = parse(loaded.source)
    if file is not None:
        program, found = elaborate(file, loaded.settings)
        if program is not None and own is not None and len(file.statements) == len(own.statements) + 1:
            return file
    if any(d.severity == "error" for d in found):
        raise shown_there(found, source, [(len(before), part)])
    message = f'{OPTION} "{text}" is not one expression'
    raise SpecError.of("E0602", message, help=f'{OPTION} "expected(step) under {loaded.program.models[0].name}"')
