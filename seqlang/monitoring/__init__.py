"""Where a test that looks at its data in blocks stands, from what was released so far.

    watch(loaded, counts) -> MonitorResult

Everything here is a function of what the test published: no further privacy is spent.
"""

from seqlang.monitoring.watch import watch

__all__ = ["watch"]
