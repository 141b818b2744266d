"""`seqlang check --suite`: one table over many specs."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from seqlang.results.check import CheckResult


def print_suite(results: list[CheckResult], invalid: list[str]) -> None:
    """The table of all results, and the names of the specs that have none."""
    from seqlang.report.document.rich_text import show as show_document
    from seqlang.report.text.suite import suite_document

    show_document(suite_document(results, invalid), sys.stdout)
