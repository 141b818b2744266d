"""Files that cannot be read have the code whose page is about files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from seqlang.cli.release import _key
from seqlang.diagnostics import SpecError

session = pytest.importorskip(
    "seqlang.studio.session", reason="the extra `studio` is not installed", exc_type=ImportError
)


@pytest.mark.parametrize(
    "read",
    [
        lambda folder: _key(str(folder / "nothing")),
        lambda folder: session.text_of("@nothing/of_this_name", folder),
        lambda folder: session.text_of("nothing.seq", folder),
        lambda folder: session.inside(folder, "../elsewhere.seq", (".seq",)),
    ],
)
def test_a_file_that_is_not_there(read: Callable[[Path], object], tmp_path: Path) -> None:
    with pytest.raises(SpecError) as refused:
        read(tmp_path)
    assert [d.code for d in refused.value.diagnostics] == ["E0605"]
