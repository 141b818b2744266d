"""A model in which one part was made to differ from another, or that no spec can mean, proves nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from written_certificates import editable

from seqlang.certificate.text import from_text
from seqlang.certificate.unreadable import Unreadable
from seqlang.certificate.verify import verify
from seqlang.cli.__main__ import main

Raw = dict[str, Any]
Edit = Callable[[Raw], object]
ONE = "tight/one_sided"


def _refused(raw: Raw) -> str:
    """Why the certificate is refused; "" if it is not."""
    try:
        found = verify(from_text(json.dumps(raw)))
    except Unreadable as error:
        return str(error)
    return next(iter(found.problems), "")


def _statement(raw: Raw, kind: str) -> Raw:
    found: Raw = next(s for s in raw["model"]["body"] if s["is"] == kind)
    return found


def _without_noise(value: Any) -> Any:
    match value:
        case {"is": "Noised", "base": base}:
            return _without_noise(base)
        case dict():
            return {key: _without_noise(part) for key, part in value.items()}
        case list():
            return [_without_noise(part) for part in value]
    return value


def _bare_body(raw: Raw) -> None:
    raw["model"]["body"] = _without_noise(raw["model"]["body"])


@pytest.mark.parametrize("name", [ONE, "tight/two_sided", "dwork2014/sparse_vector", "bittner2020/flsw"])
def test_a_body_without_the_noise_of_its_gates(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    raw = editable(name)
    _bare_body(raw)
    file = tmp_path / "forged.cert"
    file.write_text(json.dumps(raw))
    assert main(["verify", str(file)]) == 2
    assert "model > gates: the gates are not those of the body" in capsys.readouterr().err
