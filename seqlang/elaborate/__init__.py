"""Tree -> typed model: names, constants, levels, cells, noise, gates."""

from seqlang.elaborate.elaboration import elaborate

__all__ = ["elaborate"]
