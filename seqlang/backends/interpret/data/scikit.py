"""Datasets of scikit-learn as `sklearn:NAME`. Needs the extra `data`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Any

from seqlang.backends.interpret.data.layout import check_header
from seqlang.backends.interpret.data.problem import problem
from seqlang.backends.interpret.data.table import Table
from seqlang.diagnostics.suggest import did_you_mean
from seqlang.process.late import np

if TYPE_CHECKING:
    from seqlang.backends.interpret.data.pieces import Cells, Piece

SHIPPED = ("breast_cancer", "diabetes", "digits", "iris", "wine")
"""What comes with scikit-learn."""

FETCHED = ("california_housing", "covtype", "kddcup99")
"""What scikit-learn gets from the network once, and keeps; of kddcup99 its 10 % file, in the file's order."""


class ScikitSource:
    """The features by their names, with `_` for what is no letter or digit, and then `target`."""

    def __init__(self, path: str) -> None:
        found = _loaded(path)
        names = [usable(str(name)) for name in found.feature_names]
        self._columns = found.data
        self._target = found.target
        header = (*names, "target")
        check_header(path, header)
        self.table = Table(path, header, unit="row")
        self.most = len(self._target)

    def pieces(self, columns: Collection[int]) -> Iterator[Piece]:
        """Some thousand rows at a time."""
        from seqlang.backends.interpret.data.pieces import ROWS, Piece

        for first in range(0, self.most, ROWS):
            some = slice(first, first + ROWS)
            target = len(self.table.header) - 1
            found = {c: _cells(self._target[some] if c == target else self._columns[some, c]) for c in columns}
            yield Piece(np.arange(first + 1, min(first + ROWS, self.most) + 1), found)


def usable(name: str) -> str:
    """A name that can stand in an expression of columns: `petal length (cm)` is petal_length_cm."""
    return re.sub(r"\W+", "_", name).strip("_")


def _loaded(path: str) -> Any:
    name = path.partition(":")[2].strip()
    if name not in SHIPPED + FETCHED:
        near = did_you_mean(name, SHIPPED + FETCHED)
        shown = ", ".join(SHIPPED)
        notes = (f"with scikit-learn come {shown}; from the network it gets {', '.join(FETCHED)}",)
        raise problem("E0610", f"`{path}`: no such dataset", f"did you mean `sklearn:{near}`?" if near else None, notes)
    try:
        from sklearn import datasets
    except ImportError:
        raise problem("E0605", f"`{path}` needs scikit-learn: pip install 'seqlang[data]'") from None
    if name in SHIPPED:
        load: Callable[[], Any] = getattr(datasets, f"load_{name}")
        return load()
    try:
        fetch: Callable[[], Any] = getattr(datasets, f"fetch_{name}")
        return fetch()
    except (OSError, ValueError, RuntimeError) as error:  # no network, a server that is away, a file that was cut short
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        help = "it is fetched once and kept in ~/scikit_learn_data; without a network, read a file of it"
        raise problem("E0610", f"`{path}` cannot be fetched: {reason}", help) from None


def _cells(values: Any) -> Cells:
    from seqlang.backends.interpret.data.pieces import Numbers, of_texts, shown

    if values.dtype != object:
        return Numbers(np.asarray(values, dtype=np.float64))
    texts = []
    for cell in values.tolist():
        text = cell.decode() if isinstance(cell, bytes) else cell
        texts.append(shown(float(text)) if isinstance(text, (int, float)) else str(text))
    return of_texts(texts)
