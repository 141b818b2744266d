"""The text that is pasted into a kernel's file: what it contains, and that it means the same compiled."""

from __future__ import annotations

import ast
import builtins
import dis
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from seqlang.backends.kernels import runtime
from seqlang.backends.kernels.runtime import families
from seqlang.backends.kernels.runtime.collect import names, source_of
from seqlang.laws import numbers, variates

FUNCTIONS = {  # those without randomness, and arguments for them after x
    "laplace": ("pdf cdf quantile", (2.5,)),
    "logistic": ("pdf cdf quantile", (2.5,)),
    "exponential": ("pdf cdf quantile", (0.75,)),
    "gumbel": ("pdf cdf quantile", (3.0,)),
    "normal": ("pdf cdf quantile", (-1.5, 4.0)),
    "gaussian": ("pdf cdf quantile", (0.3,)),
    "uniform": ("pdf cdf quantile", (-1.0, 2.5)),
    "staircase": ("pdf cdf", (1.0, 2.0, 0.3)),
    "bernoulli": ("pmf cdf", (0.3,)),
    "binomial": ("pmf cdf", (1000.0, 0.3)),
    "poisson": ("pmf cdf", (14.5,)),
    "geometric": ("pmf cdf", (0.6,)),
    "discrete_gaussian": ("pmf cdf", (2.5,)),
}
CALLS = [
    (f"{method}_{law}", arguments) for law, (methods, arguments) in FUNCTIONS.items() for method in methods.split()
] + [("riemann_zeta", ()), ("quantile_standard_normal", ())]
PLACES = [-700.0, -3.0, -0.25, 0.0, 1e-200, 1e-3, 0.3, 0.5, 0.97, 1.0, 2.0, 3.0, 14.0, 260.0, 333.0]


def executed(text: str, njit: Callable[..., Any]) -> dict[str, Any]:
    scope: dict[str, Any] = {"njit": njit}
    body = text.replace("from numba import njit\n", "")
    exec(compile(body, "<kernel>", "exec"), scope)
    return scope


def plainly(**_: object) -> Callable[[Any], Any]:
    return lambda function: function


def driver() -> str:
    lines = [
        "@njit(nogil=True)",
        "def evaluate(out, places):",
        "    for i in range(len(places)):",
        "        x = places[i]",
    ]
    for j, (name, arguments) in enumerate(CALLS):
        lines.append(f"        out[i, {j}] = {name}({', '.join(['x', *map(repr, arguments)])})")
    return "\n".join(lines) + "\n"


def test_compiled_functions_agree_with_python() -> None:
    numba = pytest.importorskip("numba")
    text = source_of(name for name, _ in CALLS) + driver()
    python = executed(text, plainly)
    compiled, plain = np.empty((len(PLACES), len(CALLS))), np.empty((len(PLACES), len(CALLS)))
    executed(text, numba.njit)["evaluate"](compiled, np.array(PLACES))
    with np.errstate(over="ignore"):
        for row, x in zip(plain, PLACES, strict=True):
            for j, (name, arguments) in enumerate(CALLS):
                try:
                    row[j] = python[name](x, *arguments)
                except (OverflowError, ValueError):
                    row[j] = np.nan  # compiled code goes on with an infinity
    known = ~np.isnan(plain)
    assert known.mean() > 0.9
    assert np.allclose(compiled[known], plain[known], rtol=1e-13, atol=1e-300)


def test_only_what_is_needed_is_pasted() -> None:
    text = source_of(["uniform"])
    defined = {n.name for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
    assert defined == {"uniform", "next_word", "uniform_of_word"}
    assert "LARGEST_BELOW_ONE = " in text
    assert "GOLDEN" not in text


def test_tables_are_made_by_python_before_they_are_read() -> None:
    tree = ast.parse(source_of(["sample_standard_normal"]))
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    assert not functions["tables_normal_edges"].decorator_list
    assert not functions["tables_widths"].decorator_list
    assert functions["next_word"].decorator_list
    seen: set[str] = {"math", "np", "njit"}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            assert {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)} <= seen
        seen |= {node.name} if isinstance(node, ast.FunctionDef) else set()
        seen |= {t.id for t in node.targets if isinstance(t, ast.Name)} if isinstance(node, ast.Assign) else set()


def test_the_text_depends_on_code_only() -> None:
    text = source_of(["sample_gumbel", "sample_binomial", "cdf_poisson"])
    assert text == source_of(["cdf_poisson", "sample_gumbel", "sample_binomial", "sample_gumbel"])
    assert '"""' not in text
    assert "NDArray" not in text
    assert "__future__" not in text


def test_unknown_names() -> None:
    assert "exp" not in names()
    with pytest.raises(KeyError):
        source_of(["sample_nothing"])


def test_modules_import_only_what_is_pasted_with_them() -> None:
    """The run-time and what laws are written with; a law's file may import more for functions that are not pasted."""
    packages = (runtime.__name__, variates.__name__, numbers.__name__)
    files = [*Path(runtime.__file__).parent.glob("*.py"), *Path(variates.__file__).parent.glob("*.py")]
    for path in [*files, Path(numbers.__file__)]:
        if path.name in ("collect.py", "families.py"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert {(a.name, a.asname) for a in node.names} <= {("math", None), ("numpy", "np")}
            if isinstance(node, ast.ImportFrom):
                assert node.module in ("__future__", "numpy.typing") or str(node.module).startswith(packages)


def test_a_law_that_hides_its_own_names_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local variable of the name of a function of the same file would be renamed with it."""
    text = "def valid(a):\n    return a > 0\n\n\ndef density(x, a):\n    valid = x\n    return valid\n"
    monkeypatch.setattr(families, "_tree", lambda family: ast.parse(text))
    families._file.cache_clear()
    families.statements.cache_clear()
    try:
        with pytest.raises(ValueError, match="local names"):
            families.statements()
    finally:
        families._file.cache_clear()
        families.statements.cache_clear()


def test_all_names_that_a_function_reads_are_there() -> None:
    """Local names, builtins, math, np and the run-time: nothing else would be found in the pasted file."""
    for name in sorted(names()):
        code = compile(source_of([name]), "<kernel>", "exec")
        scope = set(names()) | set(dir(builtins)) | {"math", "np"}
        for constant in code.co_consts:
            if hasattr(constant, "co_names"):
                loaded = {i.argval for i in dis.get_instructions(constant) if i.opname == "LOAD_GLOBAL"}
                assert loaded <= scope, (name, loaded - scope)
