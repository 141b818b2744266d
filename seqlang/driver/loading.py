"""Specs from files and from the library, up to the model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING

from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.process.doing import doing
from seqlang.process.locate import data_folder
from seqlang.record import record
from seqlang.source import Source

if TYPE_CHECKING:
    from pathlib import Path

    from seqlang.model.program import Program

_LARGEST = 1_000_000
"""Bytes of the largest spec that is read; real ones have a few thousand."""


@record
class Loaded:
    """A spec that can be used: its text, its model, the warnings found on the way, and the parameters that were given
    other values than the text has."""

    source: Source
    program: Program
    warnings: tuple[Diagnostic, ...]
    settings: Mapping[str, Fraction]


def library() -> dict[str, Path]:
    """The shipped specs: name (`tight/one_sided`) -> path."""
    folder = data_folder("specs")
    return {p.relative_to(folder).with_suffix("").as_posix(): p for p in sorted(_specs_below(folder))}


_TITLE = re.compile(r'^algorithm\s+\w+(?:\s+edition\s+\d+)?\s+"([^"]*)"', re.MULTILINE)


def title_of(text: str) -> str:
    """What a spec says that it is, without parsing it; empty where it does not say."""
    found = _TITLE.search(text)
    return found[1] if found else ""


def _specs_below(folder: str | Path) -> Iterator[Path]:
    """The specs in a folder and all below it, in the order of their names. Folders that cannot be read, or that vanish
    meanwhile, are passed over."""
    from pathlib import Path

    for name, folders, files in os.walk(folder):
        folders.sort()
        yield from (Path(name) / file for file in sorted(files) if file.endswith(".seq"))


def read(name: str) -> Source:
    """The text of a file, or of `@library/name`. Raises SpecError where there is no readable text."""
    if name.startswith("@"):
        known = library()
        key = name[1:].removesuffix(".seq")
        if key not in known:
            near = did_you_mean(key, known)
            remedy = f"did you mean `@{near}`?" if near else "`seqlang specs` lists the library"
            raise SpecError.of("E0605", f"the library has no spec `{key}`", help=remedy)
        return _decode(name, known[key].read_bytes())
    try:
        if os.path.isdir(name or "."):
            if next(_specs_below(name or "."), None) is None:
                raise SpecError.of("E0605", f"`{name}` is a folder, and no spec (*.seq) is below it")
            raise SpecError.of(
                "E0605", f"`{name}` is a folder, not a spec", help=f"name its files: {name.rstrip('/')}/*.seq"
            )
        with open(name, "rb") as file:
            data = file.read(_LARGEST + 1)  # some devices never end
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError.of("E0605", f"cannot read `{name}`: {reason}") from None
    return _decode(name, data)


def specs_under(names: Sequence[str]) -> list[str]:
    """The specs that `names` stand for: a folder, or `@folder` of the library, is all specs below it."""
    found: list[str] = []
    for name in names:
        below = [f"@{key}" for key in library() if name in ("@", f"@{key.rpartition('/')[0]}")]
        if os.path.isdir(name or "."):
            below = [str(path) for path in sorted(_specs_below(name or "."))]
        found += below or [name]
    return found


def _decode(name: str, data: bytes) -> Source:
    if len(data) > _LARGEST:
        raise SpecError.of("E0605", f"`{name}` has more than {_LARGEST:,} bytes: not a spec")
    try:
        return Source(name, data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise SpecError.of(
            "E0605", f"{name}:{line}:{column}: this is not UTF-8 text", help="save the file as UTF-8"
        ) from None


@contextmanager
def shown_in(source: Source) -> Iterator[None]:
    """Errors raised inside are shown in this text, unless they name another: the engines know spans, not the text."""
    try:
        yield
    except SpecError as error:
        raise SpecError(error.diagnostics, error.source or source) from None


def load(source: Source, settings: Mapping[str, Fraction] | None = None) -> Loaded:
    """Parses and elaborates; raises SpecError with every diagnostic if the spec cannot be used."""
    from seqlang.elaborate import elaborate
    from seqlang.syntax import parse

    doing("reading the spec")
    tree, found = parse(source)
    program = None
    if tree is not None:
        program, more = elaborate(tree, settings or {})
        found += more
    if program is None or any(d.severity == "error" for d in found):
        raise SpecError(found, source)
    return Loaded(source, program, found, dict(settings or {}))
