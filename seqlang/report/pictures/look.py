"""How a picture is asked to look, and what it is about. Imports no matplotlib."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from seqlang.diagnostics import SpecError
from seqlang.diagnostics.suggest import hint
from seqlang.record import field, record
from seqlang.results.json_number import json_number
from seqlang.version import __version__

if TYPE_CHECKING:
    from seqlang.source import Source

SMALLEST, LARGEST = 1.0, 100.0
"""Inches."""


@record
class Look:
    """`style`: one of matplotlib's, by name or file; `size`: (width, height) of the picture in inches. None: ours."""

    style: str | None = None
    size: tuple[float, float] | None = None


PLAIN = Look()


def look_of(style: str | None, size: tuple[float, float] | str | None) -> Look:
    """What `--style` and `--size` say; a size may be a text, "6x4". Raises SpecError E0603 for a size that is none,
    E0605 for a style that matplotlib does not know."""
    if style is not None:
        _refuse_unknown(style)
    return Look(style, None if size is None else _size(size))


def _size(given: tuple[float, float] | str) -> tuple[float, float]:
    message = f"size is {given}: it must be width and height in inches, from {SMALLEST:g} to {LARGEST:g}"
    refused = SpecError.of("E0603", message, help="write --size 6x4, or size=(6, 4)")
    parts = given.lower().split("x") if isinstance(given, str) else list(given)
    try:
        width, height = (float(part) for part in parts)
    except (TypeError, ValueError):
        raise refused from None
    if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
        raise refused
    return width, height


def _refuse_unknown(style: str) -> None:
    from seqlang.report.writable import refuse_without_matplotlib

    refuse_without_matplotlib()
    from matplotlib import style as styles

    try:
        with styles.context(style):
            pass
    except OSError:
        near = hint(style, styles.available) or "matplotlib.style.available lists them"
        raise SpecError.of("E0605", f"matplotlib has no style `{style}`", help=near) from None


def no_picture(results: object) -> SpecError:
    """The error for results of which there is no picture."""
    return SpecError.of("E0605", f"there is no picture of {results!r}")


@record
class About:
    """What a picture shows: its title, and what it was computed from. `seed`: of the simulation (None: there is
    none), or of several, in words."""

    title: str
    source: Source | None = None
    seed: int | str | None = None
    parameters: Mapping[str, float] = field(default_factory=dict)

    def metadata(self, kind: str) -> dict[str, Any]:
        """For a file of this kind. No date is among them: the same results give the same file."""
        told = json.dumps(self.origin(), ensure_ascii=False)
        by = f"seqlang {__version__}"
        match kind:
            case "png":
                return {"Title": self.title, "Description": told, "Software": by}
            case "svg":
                return {"Title": self.title, "Description": told, "Creator": by, "Date": None}
            case "pdf":
                return {"Title": self.title, "Subject": told, "Creator": by, "CreationDate": None}
            case _:
                return {}

    def origin(self) -> dict[str, Any]:
        """Version, hash of the spec's text, seed, and parameters, as far as there are some."""
        found: dict[str, Any] = {"seqlang": __version__}
        if self.source is not None:
            found |= {"spec": self.source.name, "sha256": sha256(self.source.text.encode()).hexdigest()}
        if self.seed is not None:
            found["seed"] = self.seed
        if self.parameters:
            found["parameters"] = {name: json_number(value) for name, value in self.parameters.items()}
        return found


def seeds(found: Iterable[int]) -> int | str | None:
    """One seed, or the least and the largest of several."""
    different = sorted(set(found))
    if len(different) > 1:
        return f"{different[0]} .. {different[-1]}"
    return different[0] if different else None
