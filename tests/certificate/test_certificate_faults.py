"""Which exceptions of a replay are faults of the file, and which are faults of the tool."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from written_certificates import certificate

from seqlang.certificate.no_value import NO_VALUE
from seqlang.certificate.text import from_text
from seqlang.certificate.verify import verify
from seqlang.proof.derivation import Derivation
from seqlang.proof.replay import Replay


def raising(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def problems(self: Replay, step: Derivation) -> Iterator[str]:
        raise error
        yield ""

    monkeypatch.setattr(Replay, "problems", problems)


@pytest.mark.parametrize("kind", [*NO_VALUE, KeyError, ZeroDivisionError, OverflowError])
def test_content_without_a_value_is_a_fault_of_the_file(kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    written = from_text(certificate("tight/one_sided"))  # before the replay is broken: `check` replays too
    raising(kind("content"), monkeypatch)
    found = verify(written)
    assert any("cannot be replayed" in problem and kind.__name__ in problem for problem in found.problems)


@pytest.mark.parametrize("kind", [OSError, RuntimeError, MemoryError])
def test_what_the_file_did_not_do_passes_through(kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    written = from_text(certificate("tight/one_sided"))
    raising(kind("ours"), monkeypatch)
    with pytest.raises(kind):
        verify(written)
