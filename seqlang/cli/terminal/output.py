"""What a command writes. It reaches any stdout, whatever its encoding, and nothing that stands in a spec, in a file of
data or in a name of a file is obeyed by a terminal."""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO
from unicodedata import normalize

from seqlang.diagnostics.display import visible

if TYPE_CHECKING:
    from seqlang.report.document.document import Document

_FALLBACK = "seqlang.fallback"
_SPELT = {
    "│": "|", "├": "+", "└": "+", "─": "-", "…": "..", "≤": "<=", "≥": ">=", "±": "+-", "×": "x", "∞": "inf",
    "α": "alpha", "δ": "delta", "ε": "eps", "σ": "sigma", "√": "sqrt", "−": "-", "·": ".", "→": "->",
    "“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "\ufffd": "?",
}  # fmt: skip
"""Of what reports contain, and titles mostly."""
_UNSEEN = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
"""What `json` does not escape by itself and a terminal obeys, or does not show."""


def ready() -> None:
    """Lets stdout and stderr take every character: one that their encoding lacks is spelt otherwise, or is a `?`."""
    codecs.register_error(_FALLBACK, _spelt)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # the shell closed it: `>&-`
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 # open as long as the process
        elif getattr(stream, "errors", None) in ("strict", "surrogateescape") and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=_FALLBACK)


def print_json(value: object) -> None:
    """One JSON object on one line of stdout, in ASCII where stdout is not Unicode."""
    encoding = getattr(sys.stdout, "encoding", None)
    unicode = encoding is None or codecs.lookup(encoding).name.startswith("utf")
    text = json.dumps(value, ensure_ascii=not unicode, allow_nan=False)
    print(_UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text), flush=True)


def print_line(text: str) -> None:
    """One line of stdout, of which a terminal obeys nothing."""
    print(visible(text), flush=True)


def print_document(document: Document) -> None:
    """A report on stdout. What draws it is imported when there is one."""
    from seqlang.report.document.rich_text import show

    show(document, sys.stdout)


def print_result(result: Any, as_json: bool) -> None:
    """A result of `seqlang.results`: as one JSON object, or as the report that people read."""
    if as_json:
        print_json(result.to_dict())
    else:
        print_document(result.document())


def say(text: str) -> None:
    """One line on stderr. Where that cannot be written, nothing more is."""
    try:
        print("\n".join(map(visible, text.split("\n"))), file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO) -> None:
    """Lets what is still to be written to a stream that refuses it disappear, so that Python does not fail over it at
    the end of the process."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _spelt(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(character: str) -> str:
    """In ASCII. An accent is left out."""
    if character in _SPELT:
        return _SPELT[character]
    return normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
