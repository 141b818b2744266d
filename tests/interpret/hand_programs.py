"""Small programs put together by hand, so that these tests need neither parser nor elaboration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from seqlang.model import expression as ir
from seqlang.model import program as pr
from seqlang.model.domain import REAL, Domain, Finite
from seqlang.model.life import Once
from seqlang.model.program import Level


def number(value: object) -> ir.Number:
    return ir.Number(Fraction(str(value)))


def expr(value: Any) -> ir.Expression:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return number(value)
    return value


def apply(operator: str, *arguments: Any) -> ir.Apply:
    return ir.Apply(operator, tuple(expr(a) for a in arguments))


def law(family: str, *arguments: Any) -> ir.Law:
    return ir.Law(family, tuple(expr(a) for a in arguments))


BITS: Domain = Finite((number(0), number(1)))
X = ir.Field("x")
STEP = ir.StepNumber()


def cell(name: str, operator: str, body: Any, keep: Any = None, where: Any = None, binders: Any = ()) -> pr.Cell:
    return pr.Cell(name, operator, expr(body), where, keep or pr.AllSteps(), binders, Level.PRIVATE)


def statistic(name: str, expression: Any) -> pr.Define:
    return pr.Define(name, expr(expression), "statistic", Level.PRIVATE)


def program(
    *body: Any,
    inputs: Any = (("x", BITS, "stream"),),
    models: Any = (),
    noises: Any = (),
    memories: Any = (),
    size: Any = None,
    labels: Any = (),
    gates: Any = (),
) -> pr.Program:
    return pr.Program(
        name="hand", title="", documentation="", parameters=(),
        inputs=tuple(pr.Input(*i) for i in inputs),
        size=None if size is None else expr(size),
        adjacency=pr.Replace(number(1)),
        models=tuple(pr.Model(name, tuple(laws)) for name, laws in models),
        memories=tuple(pr.Memory(name, expr(initial)) for name, initial in memories),
        noises=tuple(noises), body=tuple(body), gates=tuple(gates), claims=(), labels=tuple(labels),
    )  # fmt: skip


def bernoulli_models(p0: float = 0.3, p1: float = 0.7) -> Any:
    return (("null", (("x", law("bernoulli", p0)),)), ("alternative", (("x", law("bernoulli", p1)),)))


def wald(p0: float = 0.3, p1: float = 0.7, alpha: float = 0.05) -> pr.Program:
    """Wald's SPRT with nominal levels alpha = beta."""
    ratio = ir.Density("pmf", law("bernoulli", p1), X), ir.Density("pmf", law("bernoulli", p0), X)
    bar = apply("log", apply("/", 1 - alpha, alpha))
    llr = ir.Local("llr")
    return program(
        cell("c", "sum", apply("log", apply("/", *ratio))),
        statistic("llr", ir.CellValue("c")),
        pr.Stop(1, apply(">=", llr, bar), ir.Label("reject")),
        pr.Stop(2, apply("<=", llr, apply("negate", bar)), ir.Label("accept")),
        models=bernoulli_models(p0, p1),
        labels=("reject", "accept"),
    )


def privsprt(
    A: float = 0.5, h: float = 43.0, sigma: float = 4.844805262605389, p0: float = 0.2, p1: float = 0.7
) -> pr.Program:
    """PrivSPRT (Zhang, Mei and Cummings 2022): two noisy thresholds, fresh noise for each comparison.

    `sigma` is 2 A sqrt(2 log(1.25 / 1e-5)) / eps for A = 0.5, eps = 1.
    """
    from seqlang.model.life import EachStep

    ratio = ir.Density("pmf", law("bernoulli", p1), X), ir.Density("pmf", law("bernoulli", p0), X)
    one = ir.Term("b.once", number(1)), ir.Term("b.step", number(1))
    other = ir.Term("a.once", number(1)), ir.Term("a.step", number(1))
    llr = ir.Local("llr")
    noises = [
        pr.Noise(f"{t}.{kind}", law("gaussian", sigma * (1 if kind == "once" else 2)), life, t)
        for t in "ab"
        for kind, life in (("once", Once()), ("step", EachStep()))
    ]
    return program(
        cell("c", "sum", apply("clip", apply("log", apply("/", *ratio)), -A, A)),
        statistic("llr", ir.CellValue("c")),
        pr.Stop(1, apply(">=", llr, ir.Noised("b", number(h), one)), ir.Label("reject")),
        pr.Stop(2, apply("<=", llr, apply("negate", ir.Noised("a", number(h), other))), ir.Label("accept")),
        models=bernoulli_models(p0, p1),
        noises=noises,
        labels=("reject", "accept"),
    )


__all__ = [
    "BITS",
    "REAL",
    "STEP",
    "X",
    "apply",
    "bernoulli_models",
    "cell",
    "expr",
    "law",
    "number",
    "privsprt",
    "program",
    "statistic",
    "wald",
]
