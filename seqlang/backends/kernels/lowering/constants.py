"""The constants of a kernel: handed over in one array, so that their values are no part of the text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from seqlang.backends.kernels.lowering.values import CannotCompile, List, Scalar, Value, scalar

LARGEST = 1 << 22
"""Numbers in all constant lists together."""


class Constants:
    """`k` of the kernel: the single numbers first, the lists behind them. Equal values at different places stay apart:
    another value of a parameter may make them differ."""

    def __init__(self, labels: dict[str, int]) -> None:
        self.labels = labels
        self.header: list[str] = []
        self._numbers: list[float] = []
        self._lists: list[tuple[int, NDArray[Any]]] = []

    def array(self) -> NDArray[np.float64]:
        """The numbers of this program."""
        numbers, parts, at = list(self._numbers), [], len(self._numbers)
        for slot, values in self._lists:
            numbers[slot] = float(at)
            parts.append(values.ravel())
            at += values.size
        return np.concatenate([np.array(numbers, dtype=np.float64), *parts])

    def value(self, constant: Any) -> Value:
        """A constant of the interpreter."""
        if isinstance(constant, bool):
            return Scalar(str(constant), "truth")
        if isinstance(constant, str):
            return Scalar(str(self.labels[constant]), "label")
        if isinstance(constant, (int, float)):
            number = float(constant)
            whole = self.whole(constant) if isinstance(constant, int) and abs(constant) < 1 << 53 else None
            return Scalar(self._slot(number), "number", math.isfinite(number), whole)
        if isinstance(constant, range) and len(constant) and constant.step == 1:
            low = self.whole(constant.start)
            return List(self.whole(len(constant)), lambda i: Scalar(f"float({i} + {low})", whole=f"({i} + {low})"))
        if isinstance(constant, (tuple, range)):
            return self._list(constant)
        raise CannotCompile("a constant that is neither number, label nor list")

    def number(self, value: Scalar) -> float | None:
        """The number that a scalar made here stands for; None if it is none."""
        if value.text.startswith("k_"):
            return self._numbers[int(value.text[2:])]
        try:
            return float(value.text)
        except ValueError:
            return None

    def numbers(self, values: List, count: int) -> Sequence[float | None]:
        """The same for the elements of a list."""
        for slot, stored in self._lists:
            if values.array == f"c_{slot}":
                return [float(v) for v in stored.ravel()]
        return [self.number(scalar(values.at(str(i)), "an element")) for i in range(count)]

    def whole(self, number: int) -> str:
        """The name of an int64."""
        slot = len(self._numbers)
        self._numbers.append(float(number))
        self.header.append(f"n_{slot} = int(k[{slot}])")
        return f"n_{slot}"

    def length(self, name: str) -> int:
        """The whole number that `whole` gave this name (or that is written there)."""
        return int(name) if name.isdigit() else int(self._numbers[int(name.removeprefix("n_"))])

    def _slot(self, number: float) -> str:
        slot = len(self._numbers)
        self._numbers.append(number)
        self.header.append(f"k_{slot} = k[{slot}]")
        return f"k_{slot}"

    def _list(self, constant: Any) -> List:
        items = [self.labels[v] if isinstance(v, str) else v for v in constant]
        try:
            values = np.asarray(items, dtype=np.float64)
        except (TypeError, ValueError):
            raise CannotCompile("a constant list of lists of different lengths") from None
        if values.ndim not in (1, 2) or sum(v.size for _, v in self._lists) + values.size > LARGEST:
            raise CannotCompile("a constant list that is too large")
        slot = len(self._numbers)
        self._numbers.append(0.0)
        sizes = [self.whole(n) for n in values.shape]
        name = f"c_{slot}"
        shape = "" if values.ndim == 1 else f".reshape(({', '.join(sizes)}))"
        self.header.append(f"{name} = k[int(k[{slot}]):int(k[{slot}]) + {' * '.join(sizes)}]{shape}")
        self._lists.append((slot, values))
        finite = bool(np.isfinite(values).all())
        if values.ndim == 1:
            if constant and all(isinstance(v, str) for v in constant):
                return List(sizes[0], lambda i: Scalar(f"int({name}[{i}])", "label"))
            if constant and all(isinstance(v, bool) for v in constant):
                return List(sizes[0], lambda i: Scalar(f"({name}[{i}] != 0.0)", "truth"))
            return List(sizes[0], lambda i: Scalar(f"{name}[{i}]", "number", finite), array=name)
        return List(sizes[0], lambda i: List(sizes[1], lambda j: Scalar(f"{name}[{i}, {j}]", "number", finite)))
