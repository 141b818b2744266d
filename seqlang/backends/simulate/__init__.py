"""Monte Carlo: many runs at once with numpy, or one by one with the interpreter."""

from seqlang.backends.simulate.progress import Progress
from seqlang.backends.simulate.samples import Samples
from seqlang.backends.simulate.simulate import simulate

__all__ = ["Progress", "Samples", "simulate"]
