"""What the pages of the manual show: examples, values, values by step; and what the engines say of an example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from seqlang.api import Spec
from seqlang.backends.arrays.values import CannotVectorise
from seqlang.backends.kernels.lowering.inputs import ModelInputs
from seqlang.backends.kernels.lowering.program import lower
from seqlang.backends.kernels.lowering.values import CannotCompile
from seqlang.backends.montecarlo.by_numpy import ByNumpy
from seqlang.backends.solve.solve import solve
from seqlang.backends.solve.unsolved import Unsolved
from seqlang.manual import Page
from seqlang.model.program import Program

OPENING = ("report ", "memory ", "update ", "statistic ", "let ")
LINE = re.compile(r"^Runs with .*\n(?:.+\n)*", re.MULTILINE)


def blocks(text: str, language: str) -> list[str]:
    """What stands between the fences of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def examples(page: Page) -> list[str]:
    return blocks(page.text, "seq")


def values(page: Page) -> Iterator[tuple[str, str]]:
    """An expression and what the page says that it is."""
    for block in blocks(page.text, "values"):
        for line in block.splitlines():
            expression, equals, value = line.rpartition(" = ")
            assert equals, line
            yield expression, value


def steps(page: Page) -> Iterator[tuple[list[int], list[str], str, list[float]]]:
    """The entries, statements, an expression, and what it is in each step."""
    for block in blocks(page.text, "steps"):
        first, *lines = block.splitlines()
        entries = [int(x) for x in first.removeprefix("x = ").split()]
        statements = [line for line in lines if line.startswith(OPENING)]
        for line in lines:
            if line not in statements:
                expression, _, said = line.rpartition(" = ")
                yield entries, statements, expression, [float(v) for v in said.split()]


def engines(program: Program) -> tuple[list[str], str]:
    """The engines that run the program under its first model, and why one of them does not. Only the exact law is
    computed; the others are asked whether they can."""
    model = program.models[0]
    found, why = ["interpreter"], ""
    try:
        ByNumpy(program, model, 1, None)
        found.append("numpy")
    except CannotVectorise as reason:
        why = f"numpy: {reason}"
    try:
        lower(program, ModelInputs(model))
        found.append("compiled")
    except CannotCompile as reason:
        why = f"compiled: {reason}"
    return found, why


def law_or_reason(program: Program) -> str | None:
    """None if the example has an exact law, else why not."""
    try:
        solve(program, program.models[0].name)
        return None
    except Unsolved as reason:
        return str(reason)


def engines_line(spec: Spec) -> str:
    """The line of a page about its example."""
    program = spec.loaded.program
    found, why = engines(program)
    reason = law_or_reason(program)
    text = "Runs with " + ", ".join(f"`{e}`" for e in found) + (f" ({why})" if why else "")
    return text + ("; `solve` has its exact law." if reason is None else f"; no exact law: {reason}.")


def close(computed: Any, said: str) -> bool:
    return abs(float(computed) - float(said)) <= 1e-9 * max(1.0, abs(float(said)))
