"""The token in the printed address. It is kept in a file that only its owner can read, so that a link to the page still
opens it after the server was started again."""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from seqlang.process.locate import user_folder

_FORM = re.compile(r"[A-Za-z0-9_-]{43}")


def token(*, new: bool = False) -> str:
    """The kept token, of 256 random bits; a new one if there is none, if others can read the file, or if asked for.
    Where nothing can be written, it lasts as long as the server."""
    file = user_folder() / "studio-token"
    kept = None if new else _kept(file)
    return kept if kept is not None else _made(file)


def _kept(file: Path) -> str | None:
    try:
        about = file.lstat()
        private = stat.S_ISREG(about.st_mode) and not about.st_mode & 0o077 and about.st_uid == os.getuid()
        text = file.read_text(encoding="ascii").strip() if private else ""
    except (OSError, UnicodeDecodeError):
        return None
    return text if _FORM.fullmatch(text) else None


def _made(file: Path) -> str:
    made = secrets.token_urlsafe(32)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True)
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
            out.write(made + "\n")
    except OSError:
        pass
    return made
