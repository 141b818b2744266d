"""numpy, imported when the first of its functions is asked for: a file may have functions of arrays beside others, and
who needs only the others, as a cold `check` does, does not wait for numpy.

    from seqlang.process.late import np
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    NDArray = Any  # for annotations, which nobody evaluates

    class _Late:
        def __getattr__(self, name: str) -> Any:
            import numpy

            found = getattr(numpy, name)
            setattr(self, name, found)  # from now on it is found at once
            return found

    np = _Late()

__all__ = ["NDArray", "np"]
