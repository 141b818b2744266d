"""What `check` finds of specs as the library ships them: worked out once in a process, whichever test asks first."""

from __future__ import annotations

from functools import cache

from seqlang import driver
from seqlang.results.check import CheckResult


@cache
def checked(name: str) -> CheckResult:
    """Of `tight/one_sided`, say. What is planted or set in a test must not be asked of it."""
    return driver.check(driver.load(driver.read(f"@{name}")))
