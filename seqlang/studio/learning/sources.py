"""Where rows come from: the shipped set, KDD Cup 1999, a file of the folder, or one that was handed over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from seqlang.backends.interpret.data import kdd_cup_99
from seqlang.backends.interpret.data.layout import Layout
from seqlang.backends.interpret.data.source import Source, opened
from seqlang.diagnostics import SpecError
from seqlang.record import record
from seqlang.studio.learning import synthetic

SYNTHETIC, KDD = "synthetic", "kdd"
ENDINGS = (".csv", ".csv.gz", ".parquet")


@record
class Origin:
    """`kind`: one of the two shipped names, or "file". `path`: where it is (None: the shipped set)."""

    kind: str
    path: Path | None = None


@record
class Suggested:
    """Which rows are for what, and what is made of the columns, where that is known."""

    columns: Mapping[str, str]
    training: int
    validation: int
    test: str
    way: str


KNOWN = {
    SYNTHETIC: Suggested(synthetic.COLUMNS, 3000, 1000, f"{synthetic.ROWS - synthetic.TEST + 1}:{synthetic.ROWS}",
                         "random"),
    KDD: Suggested(kdd_cup_99.COLUMNS, 800, 200, f"{kdd_cup_99.TRAINING + 1}:{kdd_cup_99.ROWS}", "balanced"),
}  # fmt: skip
"""The second as in Bittner et al. 2020, section 5.3."""


class Opened:
    """The rows of an origin, while it is in use."""

    def __init__(self, origin: Origin) -> None:
        self._folder = TemporaryDirectory()
        self.layout = Layout(0, () if origin.kind == KDD else None)
        if origin.path is None:
            path = Path(self._folder.name) / synthetic.NAME
            path.write_text(synthetic.text(), encoding="utf-8")
        else:
            path = origin.path
        self.path = path

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    @property
    def source(self) -> Source:
        """Raises SpecError E0610, E0611."""
        return opened(self.path, self.layout)


def origin_of(argument: Mapping[str, Any]) -> Origin:
    """As jobs are told. The page has found the path: it is one that may be read."""
    kind, path = str(argument["kind"]), argument.get("path")
    if kind == SYNTHETIC:
        return Origin(SYNTHETIC)
    if not path:
        raise SpecError.of("E0610", "no file is chosen", help="choose one, or the shipped set")
    return Origin(kind, Path(str(path)))
