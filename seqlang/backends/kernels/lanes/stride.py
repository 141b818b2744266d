"""How many steps the lanes make in one go."""

from __future__ import annotations

from seqlang.backends.kernels.lanes.segments import samples_of, segments_of
from seqlang.backends.kernels.operations import Code, Kernel

LARGE = 64
"""Lines of a step, as written, from which on time of compilation counts more."""


def stride_of(kernel: Kernel) -> int:
    """A power of two: 2 where all lanes make all draws and words may be refused, else 1.

    After refused words and after lanes that were left the processor waits for what was written element by element, so
    the fewer such stops the better. On the other hand a lane that is left in the first of two steps idles in the
    second, and where draws are simple the runs are often short.
    """
    *others, last = segments_of(kernel.step)
    lines = sum(len(op.lines) for op in kernel.step if isinstance(op, Code))
    if others or last.then or lines > LARGE or all(s.sampler == "uniform" for s in samples_of(kernel.step)):
        return 1
    return 2
