"""Why a certificate is not accepted."""

from __future__ import annotations


class Refused(Exception):
    """What it says does not follow. The message is one sentence about the step, mode or condition that fails."""


class Unreadable(Exception):
    """It is no certificate: a part is missing, is no number, or names something that does not exist."""
