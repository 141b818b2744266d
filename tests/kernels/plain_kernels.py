"""Kernels on given rows, step by step beside the interpreter; compiled, or their text run by Python as it stands.

Python sees what compiled code does not: an index outside its array, a name without a value, memory that is read before
it is written (`poison.py`). Where the two languages differ, the text is changed to what numba makes of it: `1 / 0` is
infinite, `math.log(-1)` not a number.
"""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from poison import PoisonedNumpy

from seqlang.backends.interpret.compiled import Compiler
from seqlang.backends.interpret.inputs.alphabet import letters_of
from seqlang.backends.interpret.machine import Machine
from seqlang.backends.interpret.randomness import NoNoise, Randomness
from seqlang.backends.interpret.values import EvaluationError
from seqlang.backends.kernels.compiling import build
from seqlang.backends.kernels.lowering.program import lower
from seqlang.backends.kernels.one_by_one import scalar_text
from seqlang.backends.kernels.runtime import collect
from seqlang.backends.kernels.training import RowInputs
from seqlang.elaborate import elaborate
from seqlang.model.domain import Ball, Power
from seqlang.model.program import Program, Report
from seqlang.record import record
from seqlang.source import Source
from seqlang.syntax import parse

Maker = Callable[..., Callable[..., None]]
LOWEST = -(1 << 63)


def program_of(text: str, **values: Any) -> Program:
    tree, found = parse(Source("<test>", text))
    assert tree is not None, found
    program, found = elaborate(tree, values)
    assert program is not None, found
    return program


# ---- the text as Python


def _divided(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.divide(a, b)


def _power(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return np.float64(a) ** b


def _whole(a: Any) -> int:
    return int(a) if math.isfinite(a) else LOWEST


class _Mathematics:
    """`math` without exceptions."""

    inf, nan, pi = math.inf, math.nan, math.pi

    def __getattr__(self, name: str) -> Callable[..., float]:
        function = getattr(math, name)

        def safely(*arguments: float) -> float:
            try:
                return float(function(*arguments))
            except OverflowError:
                return math.inf
            except ValueError:
                return -math.inf if name in ("log", "log2", "log1p") and arguments[0] in (0.0, -1.0) else math.nan

        return safely


class _AsNumba(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        names = {ast.Div: "divided_", ast.Pow: "power_"}
        name = names.get(type(node.op))
        if name is None:
            return node
        return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), [node.left, node.right], []), node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.decorator_list = []
        return node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if node.module and node.module.startswith("numba") else node

    def visit_Import(self, node: ast.Import) -> ast.AST | None:
        return None if node.names[0].name == "math" else node


def as_python(
    kernel: str, further: tuple[Any, ...] = (), names: Mapping[str, Any] | None = None
) -> Callable[..., None]:
    """The kernel's function. `names` replace what the text calls."""
    called = {n.id for n in ast.walk(ast.parse(kernel)) if isinstance(n, ast.Name)} & collect.names()
    tree = _AsNumba().visit(ast.parse(collect.source_of(called) + "\n" + kernel))
    scope: dict[str, Any] = {
        "math": _Mathematics(), "divided_": _divided, "power_": _power, "int": _whole, "look": lambda flag: flag[0],
    }  # fmt: skip
    exec(compile(ast.fix_missing_locations(tree), "<kernel>", "exec"), scope)
    scope.update({"np": PoisonedNumpy(), **(names or {})})
    function: Callable[..., None] = scope["kernel"]

    def quietly(*arguments: Any) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            function(*arguments)

    return quietly


# ---- the kernel


@record
class After:
    """What is known of one run after some steps. `fault`: the step in which it had no value (0: none); `lacking`: what
    had none."""

    steps: int
    stopped: bool
    result: Any
    statistics: dict[str, Any]
    released: dict[str, Any]
    reports: dict[str, int]
    fault: int = 0
    lacking: str = ""


class ByText:
    """The kernel of a program on rows: `orders` says which rows each run reads."""

    def __init__(self, program: Program, fields: Mapping[str, Any], orders: Any, make: Maker = as_python) -> None:
        self.program = program
        self.fields = {name: np.ascontiguousarray(values, dtype=np.float64) for name, values in fields.items()}
        self.orders = np.ascontiguousarray(orders, dtype=np.int64)
        entries = RowInputs(self.fields)
        self.lowered = lower(program, entries)
        self.text = scalar_text(self.lowered.kernel, [*entries.arguments(), "orders"])
        few = tuple(values[:0] for values in self.fields.values())
        self.function = make(self.text, (*few, self.orders[:0]))
        self.labels = {number: name for name, number in self.lowered.scope.numpy.labels.items()}

    def after(self, cap: int, first: int = 0) -> list[After]:
        """All runs after `cap` steps."""
        recorded, count = self.lowered.kernel.recorded, len(self.orders)
        steps, codes = np.zeros(count, np.int64), np.full(count, -2, np.int64)
        values = np.full((recorded.values, count), np.nan)
        statistics = np.full((sum(o.length or 1 for o in recorded.statistics), count), np.nan)
        released = np.full((sum(o.length or 1 for o in recorded.released), count), np.nan)
        reports = np.zeros((len(recorded.reports), count), np.int64)
        fault, unused = np.zeros(3, np.int64), np.zeros(0, np.int64)
        start = np.uint64(0x9E3779B97F4A7C15)
        self.function(
            self.lowered.constants, start, start, first, count, cap, steps, codes, values, statistics, released,
            reports, unused, unused.reshape(3, 0), unused, np.zeros(1, np.int64), np.zeros(2, np.int64), fault,
            *self.fields.values(), self.orders,
        )  # fmt: skip
        if fault[0]:
            lacking = self.lowered.sites[int(fault[0]) - 1].what
            return [After(int(fault[2]), False, None, {}, {}, {}, int(fault[2]), lacking)]
        names = [s.name for s in self.program.body if isinstance(s, Report)]
        return [
            After(
                int(steps[i]),
                bool(codes[i] != -2),
                self._result(int(codes[i]), values[:, i]),
                _named(recorded.statistics, statistics[:, i]),
                _named(recorded.released, released[:, i]),
                {name: int(reports[j, i]) for j, name in enumerate(names)},
            )
            for i in range(count)
        ]

    def _result(self, code: int, values: Any) -> Any:
        if code >= 0:
            return self.labels[code]
        if not len(values) or np.isnan(values).all():
            return None
        return float(values[0]) if self.lowered.returns_number else values.tolist()


def _named(outputs: Any, rows: Any) -> dict[str, Any]:
    found, at = {}, 0
    for output in outputs:
        size = output.length or 1
        found[output.name] = float(rows[at]) if output.length is None else rows[at : at + size].tolist()
        at += size
    return found


def compiled(text: str, further: tuple[Any, ...]) -> Callable[..., None]:
    return build.compiled(text, further)


# ---- the interpreter


def interpreted(
    program: Program, rows: Sequence[Mapping[str, Any]], steps: int, randomness: Randomness | None = None
) -> Iterator[After]:
    """One run after 1, 2, .. steps; ends with its stop or a fault. `rows` are a dataset, or a step's entry each."""
    machine = Machine(program, randomness or NoNoise())
    data = any(i.kind == "dataset" for i in program.inputs)
    if data:
        machine.load({name: [row[name] for row in rows] for name in rows[0]})
    counts = {s.name: 0 for s in program.body if isinstance(s, Report)}
    released: dict[str, Any] = {s.name: math.nan for s in program.body if isinstance(s, Report) and s.value is not None}
    for step in range(1, steps + 1):
        try:
            outcome = machine.step({} if data else rows[step - 1])
        except EvaluationError:
            yield After(step, False, None, {}, {}, {}, step)
            return
        for name, value in outcome.reports:
            counts[name] += 1
            if name in released:
                released[name] = value
        yield After(step, outcome.stopped, outcome.result, machine.statistics(), dict(released), dict(counts))
        if outcome.stopped:
            return


# ---- the comparison


def plain(value: Any) -> Any:
    """Numbers as float, lists as lists."""
    if isinstance(value, (tuple, list, range)):
        return [plain(v) for v in value]
    return value if isinstance(value, str) or value is None else float(value)


def same(a: Any, b: Any) -> bool:
    """Up to rounding; what was never computed is not a number on one side, and may be missing on the other."""
    a, b = plain(a), plain(b)
    if isinstance(a, str) or isinstance(b, str) or a is None or b is None:
        return bool(a == b)
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    x, y = (np.full(y.shape, np.nan) if x.ndim == 0 and np.isnan(x) else x), y
    return x.shape == y.shape and np.allclose(x, y, rtol=1e-11, atol=1e-11, equal_nan=True)


def difference(found: After, wanted: After) -> str | None:
    """What a kernel has that the interpreter has not."""
    if found.fault != wanted.fault:
        return f"fault in step {found.fault}, not {wanted.fault}"
    if wanted.fault:
        return None
    if (found.steps, found.stopped) != (wanted.steps, wanted.stopped):
        return f"steps {found.steps} {found.stopped}, not {wanted.steps} {wanted.stopped}"
    if not same(wanted.result, found.result):
        return f"result {found.result}, not {wanted.result}"
    if found.reports != wanted.reports:
        return f"reports {found.reports}, not {wanted.reports}"
    for name, value in found.statistics.items():
        if not same(wanted.statistics.get(name, math.nan), value):
            return f"{name} is {value}, not {wanted.statistics.get(name)}"
    for name, value in wanted.released.items():
        if name in found.released and not same(value, found.released[name]):
            return f"{name} released {found.released[name]}, not {value}"
    return None


def compare(kernel: ByText, steps: int, runs: Sequence[Sequence[Mapping[str, Any]]]) -> None:
    """All runs after each number of steps."""
    wanted = [list(interpreted(kernel.program, rows, steps)) for rows in runs]
    for step in range(1, steps + 1):
        for i, found in enumerate(kernel.after(step)):
            expected = wanted[i][min(step, len(wanted[i])) - 1]
            wrong = difference(found, expected)
            assert wrong is None, f"run {i} after {step} steps: {wrong}\n{kernel.text}"


def streams(runs: Sequence[Sequence[Mapping[str, Any]]]) -> tuple[dict[str, Any], Any]:
    """(fields, orders) of runs with a row a step."""
    rows = [row for run in runs for row in run]
    fields = {name: np.array([row[name] for row in rows], dtype=float) for name in rows[0]}
    return fields, np.arange(len(rows)).reshape(len(runs), -1)


def random_rows(program: Program, count: int, rng: random.Random) -> list[dict[str, Any]]:
    """Entries of the program's fields: letters of finite domains, else short binary fractions, so that sums in any
    order are equal."""
    compiler = Compiler(program)

    def one(domain: Any) -> Any:
        letters = letters_of(compiler, domain)
        return rng.choice(letters or (-2, -1.5, -1, -0.5, 0, 0.25, 0.5, 1, 2, 3))

    def value(domain: Any) -> Any:
        if isinstance(domain, Power):
            return tuple(one(domain) for _ in range(int(compiler.constant(domain.dimension))))
        if isinstance(domain, Ball):
            size, radius = int(compiler.constant(domain.dimension)), compiler.constant(domain.radius)
            return tuple(rng.choice((-0.5, 0, 0.25, 0.5)) * radius / size for _ in range(size))
        return one(domain)

    return [{i.name: value(i.domain) for i in program.inputs} for _ in range(count)]
