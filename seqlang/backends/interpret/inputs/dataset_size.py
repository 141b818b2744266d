"""Whether a dataset has the size that its program declares."""

from __future__ import annotations

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.values import as_index
from seqlang.diagnostics import Diagnostic, SpecError
from seqlang.model.program import AddRemove, Program


def require_size(program: Program, given: int, said: str, help: str | None = None) -> None:
    """Raises SpecError E0618 where other than the declared number of records is given, which `said` says. Noise is
    calibrated to the declared size; only `add or remove` adjacency lets the true one differ."""
    if program.size is None or isinstance(program.adjacency, AddRemove):
        return
    declared = as_index(Compiler(program).constant(program.size))
    if declared != given:
        message = f"{said}, the dataset of `{program.name}` has size {declared}"
        raise SpecError((Diagnostic("E0618", message, help=help),))
