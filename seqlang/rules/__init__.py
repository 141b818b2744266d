"""Proof rules, one a file: `seqlang/rules/FOLDER/FILE.py` with a module-level `RULE` is the rule named `FOLDER/FILE`.

Nothing is registered: a rule is found by its place. A file that exports no `RULE` serves its neighbours. Most rules
compute the least bound that they prove; what `holds` and `suggest` of these do alike is in `computed.py`.
A rule file may also export the untrusted half, `SEARCH`: a function `suggest`, which offers a derivation, a tuple of
them, None, or text: why there is none ("" if the rule is about something else); and the names of what it needs.
`seqlang.analyses.prove` calls it with the program and with these: `delta`, `horizon`, `orders` anywhere, and

    alignment     gates     bounds of compare and release gates together
    mechanism     gate      bounds of one gate
    joint         gates     bounds of gates together that read one noise and are no comparisons
    stopping                bounds of compare gates that the rule chooses
    conversion    part      the same in another notion; `parts`: from the bounds at all orders
    composition   parts     bounds of one notion: the bound for all their gates
"""

from __future__ import annotations

import os
import re
from functools import cache
from importlib import import_module

from seqlang.model.program import Program
from seqlang.proof.rule import Rule
from seqlang.rules.search import Search

_HERE = os.path.dirname(__file__)
_NAME = re.compile(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*")


@cache
def find(name: str) -> Rule | None:
    """The rule of that name, or None. Only the one file is imported."""
    if not _NAME.fullmatch(name):
        return None
    folder, file = name.split("/")
    if not os.path.isfile(os.path.join(_HERE, folder, f"{file}.py")):
        return None
    rule = getattr(import_module(f"seqlang.rules.{folder}.{file}"), "RULE", None)
    return rule if isinstance(rule, Rule) and rule.name == name else None


def obstacle(program: Program) -> str | None:
    """Why no rule may speak of the program: a step may fail on one of two neighbours only, which tells them apart
    whatever is shown. None if every step has values for all data."""
    from seqlang.rules.sensitivity.totality import values

    return values.obstacle(program)


@cache
def searches(folder: str) -> tuple[Search, ...]:
    """The untrusted halves of the rule files of a folder, by name of the file."""
    modules = (import_module(f"seqlang.rules.{folder}.{name}") for name in _files(folder))
    return tuple(search for m in modules if isinstance(search := getattr(m, "SEARCH", None), Search))


def names() -> tuple[str, ...]:
    """Every rule's name, sorted. Imports every rule file."""
    folders = sorted(entry.name for entry in os.scandir(_HERE) if entry.is_dir())
    candidates = (f"{folder}/{name}" for folder in folders for name in _files(folder))
    return tuple(name for name in candidates if find(name) is not None)


def _files(folder: str) -> list[str]:
    """The names of the rule files of a folder, sorted, without their endings."""
    names = sorted(os.listdir(os.path.join(_HERE, folder)))
    return [name.removesuffix(".py") for name in names if name.endswith(".py") and name != "__init__.py"]
