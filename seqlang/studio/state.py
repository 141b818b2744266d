"""What a tab shows, as plain values, and the address from which it can be opened again."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from seqlang.record import record, replace

LARGEST_TEXT = 200_000
"""Characters of a spec that an address may hold, or that is edited."""
MOST_OPTIONS = 200
PANELS = ("pick", "see", "try", "learn", "follow", "compare")
SET = "set."
"""What the name of a parameter begins with in an address; what panels were asked is there by its own name."""


@record
class State:
    """`spec` names where the text came from (`@tight/one_sided`, a file, or nothing). `text` is what is edited;
    `settings` are values of parameters as they were typed; `options` what panels were asked, as NAME -> text."""

    spec: str = ""
    text: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    panel: str = "pick"
    options: tuple[tuple[str, str], ...] = ()

    def option(self, name: str, default: str = "") -> str:
        """What a panel was asked."""
        return dict(self.options).get(name, default)

    def with_option(self, name: str, value: str) -> State:
        """A panel is asked something; an empty text forgets it."""
        kept = {**dict(self.options), name: value}
        return replace(self, options=tuple((n, v) for n, v in kept.items() if v != ""))

    def with_setting(self, name: str, value: str | None) -> State:
        """A parameter has this value; None: the one of the text."""
        kept = {n: v for n, v in self.settings if n != name}
        return replace(self, settings=tuple((kept | ({} if value is None else {name: value})).items()))


def query_of(state: State, original: str = "") -> str:
    """The address's query. `original`: the text of `state.spec`, which need not be written if it was not changed."""
    pairs: list[tuple[str, str]] = [("panel", state.panel)]
    if state.spec:
        pairs.append(("spec", state.spec))
    if state.text and state.text != original:
        pairs.append(("text", packed(state.text)))
    pairs += [(SET + name, value) for name, value in state.settings]
    pairs += state.options
    return urlencode(pairs)


def state_of(query: Mapping[str, str]) -> State:
    """What an address says. What it says wrongly is left out: an address may have been cut off."""
    panel = query.get("panel", "pick")
    known = {"panel", "spec", "text", "token"}
    settings = [(name.removeprefix(SET), value) for name, value in query.items() if name.startswith(SET)]
    options = [(name, value) for name, value in query.items() if name not in known and not name.startswith(SET)]
    return State(
        query.get("spec", ""), unpacked(query.get("text", "")), tuple(_few(settings)),
        panel if panel in PANELS else "pick", tuple(_few(options)),
    )  # fmt: skip


def _few(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return list(pairs)[:MOST_OPTIONS]


def packed(text: str) -> str:
    """A text for an address."""
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpacked(word: str) -> str:
    """The text; an empty one for what `packed` did not make, and for what would be too long."""
    try:
        data = base64.urlsafe_b64decode(word + "=" * (-len(word) % 4))
        opened = zlib.decompressobj()
        text = opened.decompress(data, LARGEST_TEXT)
        return "" if opened.unconsumed_tail else text.decode()
    except (binascii.Error, ValueError, zlib.error):
        return ""
