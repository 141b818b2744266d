"""Functions of vectors, and folds: what runs over elements. The engines have their own code for these."""

from __future__ import annotations

from typing import Any

from seqlang.operators.operator import Arguments, Engine, Numeric, Operator
from seqlang.process.late import np

NO_CONSTANT: dict[Engine, str] = {"constants": "params and bounds are numbers; vectors are made where they are read"}
VECTOR: Arguments = (("v", "vector"),)


def _clip_slopes(g: Any, value: Any, x: Any, low: Any, high: Any) -> list[Any]:
    return [np.where((x >= low) & (x <= high), g, 0.0), None, None]


FUNCTIONS = (
    Operator(
        "clip", "function", "pointwise", "min(max(x, low), high): x, held between two limits.",
        (("x", "number"), ("low", "number"), ("high", "number")),
        rational=True, jumps=False, partial=(), multiples="chosen", directions=(1, 1, 1),
        numeric=Numeric(
            lambda x, low, high: min(max(x, low), high), lambda x, low, high: min(max(x, low), high),
            lambda np: lambda x, low, high: np.minimum(np.maximum(x, low), high), "", slopes=_clip_slopes,
        ),
    ),
    Operator("norm", "function", "number", "The Euclidean length of a vector.", VECTOR,
             rational=False, jumps=False, partial=(), multiples="unknown", directions=()),
    Operator(
        "dot", "function", "number", "The inner product of two vectors of one length.",
        (("u", "vector"), ("v", "vector")),
        rational=True, jumps=False, partial=(), multiples="product", directions=(), holes=NO_CONSTANT,
    ),
    Operator(
        "zeros", "function", "vector", "The vector of d zeros.", (("d", "number"),),
        rational=True, jumps=True, partial=(0,), multiples="whole", directions=(), holes=NO_CONSTANT,
    ),
    Operator(
        "project", "function", "vector", "The nearest point of a ball around 0: `project(v, ball(r, d))`.",
        (("v", "vector"), ("onto", "ball")),
        rational=False, jumps=False, partial=(), multiples="unknown", directions=(), holes=NO_CONSTANT,
    ),
    Operator(
        "clip_norm", "function", "vector", "v, shortened to the length `radius` if it is longer.",
        (("v", "vector"), ("radius", "number")),
        rational=False, jumps=False, partial=(), multiples="unknown", directions=(), holes=NO_CONSTANT,
    ),
    Operator("sort", "function", "vector", "The elements of a vector from the smallest to the largest.", VECTOR,
             rational=True, jumps=False, partial=(), multiples="chosen", directions=()),
    Operator("length", "function", "number", "How many elements a vector, list or set has.", (("v", "collection"),),
             rational=True, jumps=False, partial=(), multiples="whole", directions=()),
)  # fmt: skip

FOLDS = (
    Operator("sum", "fold", "fold", "The sum.", None,
             rational=True, jumps=False, partial=(), multiples="common", directions=()),
    Operator("mean", "fold", "fold", "The mean.", None,
             rational=True, jumps=False, partial=(0,), multiples="mean", directions=()),
    Operator("count", "fold", "number", "How many are true.", None,
             rational=True, jumps=True, partial=(), multiples="whole", directions=()),
    Operator("max", "fold", "fold", "The largest; of two or more numbers, too.", None,
             rational=True, jumps=False, partial=(0,), multiples="chosen", directions=(1,)),
    Operator("min", "fold", "fold", "The smallest; of two or more numbers, too.", None,
             rational=True, jumps=False, partial=(0,), multiples="chosen", directions=(1,)),
    Operator("argmax", "fold", "number", "Where the largest is: an element, or its position from 1.", None,
             rational=True, jumps=True, partial=(0,), multiples="whole", directions=()),
    Operator("argmin", "fold", "number", "Where the smallest is: an element, or its position from 1.", None,
             rational=True, jumps=True, partial=(0,), multiples="whole", directions=()),
)  # fmt: skip
