"""Certificates to try things on: of library specs, and as JSON that may be edited."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from checked import checked

SPECS = Path(__file__).resolve().parents[2] / "specs"


@cache
def certificate(name: str) -> str:
    """What `check --certificate` writes for a spec of the library."""
    return checked(name).certificate()


def editable(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(certificate(name))
    return found
