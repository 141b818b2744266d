"""One run that is played step by step."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nicegui import ui

COMPONENT = str(Path(__file__).parent.parent / "static" / "player.js")


class Player(ui.element, component=COMPONENT):  # type: ignore[call-arg]
    """Of what the job `path` tells."""

    def __init__(self, run: Mapping[str, Any]) -> None:
        super().__init__()
        self._props["run"] = dict(run)
